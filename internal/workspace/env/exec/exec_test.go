//go:build unix

package exec_test

import (
	"os"
	"path/filepath"
	"testing"

	"tasker/internal/config"
	"tasker/internal/testkit/providertest"
	"tasker/internal/workspace/env/exec"
	"tasker/internal/workspace/env/provider"
)

func ask(t *testing.T, c config.Provider) (*provider.Environment, error) {
	t.Helper()
	return providertest.Ask(t, exec.Kind, c, provider.Parts{Run: providertest.Run}, provider.Request{
		Root: t.TempDir(),
		Env:  []string{"PATH=" + os.Getenv("PATH"), "TASKER_TASK=demo-1", "TASKER_PORT=4711", "TASKER_TOKEN=hunter2", "TASKER_SESSION=hunter2", "OTHER=x"},
	})
}

func TestTheOutputOfACommandIsTheEnvironment(t *testing.T) {
	env, err := ask(t, config.Provider{Run: `echo A=1; echo hunter2 >&2; echo; echo "B='x' \$y"; printf C=`})
	providertest.Gives(t, env, err, map[string]string{"A": "1", "B": "'x' $y", "C": ""})
}

func TestACommandHasTheWorkspacesVariablesAndNoCredentialOfOurs(t *testing.T) {
	env, err := ask(t, config.Provider{
		Env: "staging", App: "shop",
		Run: `echo "TASK=$TASKER_TASK" "$TASKER_PORT"; echo "OURS=$TASKER_TOKEN$TASKER_SESSION"; echo "FOR=$TASKER_PROVIDER_APP/$TASKER_PROVIDER_ENV"; cat`,
	})
	providertest.Gives(t, env, err, map[string]string{"TASK": "demo-1 4711", "OURS": "", "FOR": "shop/staging"})
}

func TestACommandGetsTheOptionsThatAreNotOurs(t *testing.T) {
	env, err := ask(t, config.Provider{
		Run: `echo "A=$TASKER_OPTION_VAULT_ID/$TASKER_OPTION_FORMAT/$TASKER_OPTION_TIMEOUT"`, Options: map[string]string{"vault-id": "v 1", "timeout": "9s"},
	})
	providertest.Gives(t, env, err, map[string]string{"A": "v 1//"})
}

func TestACommandRunsInTheRepository(t *testing.T) {
	root := t.TempDir()
	if err := os.WriteFile(filepath.Join(root, "vars"), []byte("A=1\n"), 0o600); err != nil {
		t.Fatal(err)
	}
	env, err := providertest.Ask(t, exec.Kind, config.Provider{Run: "cat vars"}, provider.Parts{Run: providertest.Run},
		provider.Request{Root: root, Dir: t.TempDir(), Env: os.Environ()})
	providertest.Gives(t, env, err, map[string]string{"A": "1"})
}

func TestOtherFormats(t *testing.T) {
	env, err := ask(t, config.Provider{Run: `printf '%s\n' 'export A="1\n${OTHER}"' '# c'`, Options: map[string]string{"format": "dotenv"}})
	providertest.Gives(t, env, err, map[string]string{"A": "1\nx"})
	env, err = ask(t, config.Provider{Run: `printf %s '{"A":"1\n","N":2}'`, Options: map[string]string{"format": "json"}})
	providertest.Gives(t, env, err, map[string]string{"A": "1\n", "N": "2"})
}

func TestRefusals(t *testing.T) {
	for _, c := range []struct {
		run     string
		options map[string]string
		want    string
	}{
		{"echo A=hunter2; echo hunter2 >&2; exit 3", nil, "its command ended with the exit code 3"},
		{"no-such-program hunter2", nil, "its command ended with the exit code 127"},
		{"echo A=1; echo hunter2", nil, "the output of its command: line 2 is not NAME=VALUE"},
		{"echo 'export A=hunter2'", nil, "the output of its command: line 1 is not NAME=VALUE"},
		{"echo TASKER_TOKEN=hunter2", nil, "sets TASKER_TOKEN"},
		{"echo 'A=\"hunter2'", map[string]string{"format": "dotenv"}, "line 1 opens a quote"},
		{"echo hunter2", map[string]string{"format": "json"}, "the output of its command: it is not a JSON object"},
		{"echo '{\"a b\":\"hunter2\"}'", map[string]string{"format": "json"}, `"a b" cannot name a variable`},
		{"yes A=hunter2", nil, "printed more than 1 MiB"},
		{"kill -9 $$; echo hunter2", nil, "its command ended with the exit code -1"},
		{"", nil, "run is not set"},
		{"true", map[string]string{"format": "jsn"}, `options.format is "jsn"; did you mean json?`},
	} {
		_, err := ask(t, config.Provider{Run: c.run, Options: c.options})
		providertest.Refused(t, err, c.want)
	}
}

func TestATimeLimitEndsTheCommand(t *testing.T) {
	root := t.TempDir()
	// The package that runs commands tests that the whole group ends.
	_, err := providertest.Ask(t, exec.Kind, config.Provider{
		Run: "(sleep 1000; echo B=hunter2) & sleep 1000", Options: map[string]string{"timeout": "100ms"},
	}, provider.Parts{Run: providertest.Run}, provider.Request{Root: root, Env: os.Environ()})
	providertest.Refused(t, err, "did not answer within 100ms")
}
