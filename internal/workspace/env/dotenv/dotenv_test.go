package dotenv_test

import (
	"fmt"
	"os"
	"path/filepath"
	"testing"

	"tasker/internal/config"
	"tasker/internal/testkit/providertest"
	"tasker/internal/workspace/env/dotenv"
	"tasker/internal/workspace/env/provider"
)

// repository makes a directory with files.
func repository(t *testing.T, files map[string]string) string {
	t.Helper()
	root := t.TempDir()
	for name, text := range files {
		path := filepath.Join(root, name)
		if err := os.MkdirAll(filepath.Dir(path), 0o700); err != nil {
			t.Fatal(err)
		}
		if err := os.WriteFile(path, []byte(text), 0o600); err != nil {
			t.Fatal(err)
		}
	}
	return root
}

func ask(t *testing.T, root string, c config.Provider) (*provider.Environment, error) {
	t.Helper()
	return providertest.Ask(t, dotenv.Kind, c, provider.Parts{}, provider.Request{Root: root, Dir: t.TempDir(), Env: []string{"HOME=/h"}})
}

func TestFilesAreReadAndMaterialized(t *testing.T) {
	root := repository(t, map[string]string{
		".env":              "A=1\nB=${HOME}/x\n# hunter2\nMULTI=\"a\nb\"\n",
		".env.staging":      "A=2\nC=${B}${A}",
		"apps/api/.env":     "API=1",
		"apps/web/dev.vars": "WEB='1'",
	})
	env, err := ask(t, root, config.Provider{})
	providertest.Gives(t, env, err, map[string]string{"A": "1", "B": "/h/x", "MULTI": "a\nb"})
	if got := fmt.Sprintf("%q", env.Files()); got != `[{".env" "A=1\nB=${HOME}/x\n# hunter2\nMULTI=\"a\nb\"\n"}]` {
		t.Errorf("the files are %s", got)
	}
	env, err = ask(t, root, config.Provider{Env: "staging", Files: []string{".env", "apps/api/.env"}})
	providertest.Gives(t, env, err, map[string]string{"A": "2", "B": "/h/x", "C": "/h/x2", "MULTI": "a\nb", "API": "1"})
	if f := env.Files(); len(f) != 3 || f[0].Path != ".env" || f[1].Path != ".env.staging" || f[2].Path != "apps/api/.env" {
		t.Errorf("the files are %q", f)
	}
	env, err = ask(t, root, config.Provider{App: "apps/web", Files: []string{"dev.vars"}})
	providertest.Gives(t, env, err, map[string]string{"WEB": "1"})
	if f := env.Files(); len(f) != 1 || f[0].Path != "apps/web/dev.vars" {
		t.Errorf("the files are %q", f)
	}
	env, err = ask(t, root, config.Provider{Env: "staging", Files: []string{".env.staging"}, Options: map[string]string{"keys": "A"}})
	if err == nil {
		t.Errorf("B is set nowhere, and there is no error: %q", env.Environ())
	}
}

func TestAStageCanDoWithoutTheSharedFile(t *testing.T) {
	root := repository(t, map[string]string{".env.dev": "A=1"})
	env, err := ask(t, root, config.Provider{Env: "dev"})
	providertest.Gives(t, env, err, map[string]string{"A": "1"})
	env, err = ask(t, root, config.Provider{Env: "dev", Files: []string{".env.dev"}})
	providertest.Gives(t, env, err, map[string]string{"A": "1"})
}

func TestInPlaceNothingIsCopied(t *testing.T) {
	root := repository(t, map[string]string{".env": "A=1"})
	link := filepath.Join(t.TempDir(), "link")
	if err := os.Symlink(root, link); err != nil {
		t.Fatal(err)
	}
	for _, dir := range []string{root, root + "/", link} {
		env, err := providertest.Ask(t, dotenv.Kind, config.Provider{}, provider.Parts{}, provider.Request{Root: root, Dir: dir})
		providertest.Gives(t, env, err, map[string]string{"A": "1"})
		if len(env.Files()) != 0 {
			t.Errorf("in %s the files are %q", dir, env.Files())
		}
	}
}

func TestAMissingFile(t *testing.T) {
	root := repository(t, map[string]string{".env": "A=1"})
	for want, c := range map[string]config.Provider{
		"there is no file .env.local": {Files: []string{".env", ".env.local"}},
		"there is no file x, x.dev":   {Files: []string{"x"}, Env: "dev"},
		`none of its files has one for the stage "stagin", such as .env.stagin`: {Env: "stagin"},
	} {
		_, err := ask(t, root, c)
		providertest.Refused(t, err, want)
		c.Options = map[string]string{"optional": "true"}
		if _, err := ask(t, root, c); err != nil {
			t.Errorf("a missing optional file gives %v", err)
		}
	}
}

func TestNothingOutsideTheRepositoryIsRead(t *testing.T) {
	outside := repository(t, map[string]string{"secret": "A=hunter2"})
	root := repository(t, map[string]string{"in": "A=1", "dir/x": "hunter2"})
	for from, to := range map[string]string{
		"link": filepath.Join(outside, "secret"), "up": "../" + filepath.Base(outside) + "/secret", "away": outside, "inner": "in",
	} {
		if err := os.Symlink(to, filepath.Join(root, from)); err != nil {
			t.Fatal(err)
		}
	}
	for _, file := range []string{"link", "up", "away/secret"} {
		_, err := ask(t, root, config.Provider{Files: []string{file}, Options: map[string]string{"optional": "true"}})
		providertest.Refused(t, err, file+" cannot be read: path escapes from parent")
	}
	for _, file := range []string{"../x", "/etc/passwd", "..", ".", "a/../../x"} {
		_, err := ask(t, root, config.Provider{Files: []string{file}})
		providertest.Refused(t, err, "")
	}
	for _, c := range []config.Provider{{App: "../x"}, {Env: "../x"}, {Env: "a/b"}} {
		_, err := ask(t, root, c)
		providertest.Refused(t, err, "")
	}
	env, err := ask(t, root, config.Provider{Files: []string{"inner"}})
	providertest.Gives(t, env, err, map[string]string{"A": "1"})
}

func TestFilesThatHoldNoVariables(t *testing.T) {
	root := repository(t, map[string]string{
		"bad": "A=1\nB='hunter2\n", "words": "hunter2 hunter2", "own": "TASKER_URL=hunter2",
		"dir/x": "", "large": string(make([]byte, 1<<20+1)), "zero": "A=hunter2\x00",
	})
	for file, want := range map[string]string{
		"bad": "bad: line 2 opens a quote that is never closed", "words": "words: line 1 is not NAME=VALUE", "dir": "dir is not a file",
		"own": "sets TASKER_URL", "large": "large is larger than 1 MiB", "zero": "the value of A has a zero byte",
	} {
		_, err := ask(t, root, config.Provider{Files: []string{file}})
		providertest.Refused(t, err, want)
	}
	_, err := ask(t, filepath.Join(root, "none"), config.Provider{})
	providertest.Refused(t, err, "cannot be read: no such file or directory")
	_, err = ask(t, root, config.Provider{Options: map[string]string{"optional": "yes"}})
	providertest.Refused(t, err, `options.optional is "yes"`)
}
