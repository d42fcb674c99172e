package gitenv_test

import (
	"os"
	osexec "os/exec"
	"path/filepath"
	"strings"
	"testing"

	"tasker/internal/config"
	"tasker/internal/git/command"
	"tasker/internal/testkit/providertest"
	"tasker/internal/workspace/env/gitenv"
	"tasker/internal/workspace/env/provider"
)

func git(t *testing.T, dir string, args ...string) {
	t.Helper()
	args = append([]string{"-c", "user.name=t", "-c", "user.email=t@example.org", "-c", "commit.gpgsign=false"}, args...)
	cmd := osexec.CommandContext(t.Context(), "git", args...)
	cmd.Dir = dir
	if out, err := cmd.CombinedOutput(); err != nil {
		t.Fatalf("git %v: %v\n%s", args, err, out)
	}
}

func write(t *testing.T, root, name, text string) {
	t.Helper()
	path := filepath.Join(root, name)
	if err := os.MkdirAll(filepath.Dir(path), 0o700); err != nil {
		t.Fatal(err)
	}
	if err := os.WriteFile(path, []byte(text), 0o600); err != nil {
		t.Fatal(err)
	}
}

// repository has two commits: the branch `shared` and, after it, what is checked out.
func repository(t *testing.T) string {
	t.Helper()
	root := t.TempDir()
	git(t, root, "init", "-q", "-b", "main")
	write(t, root, ".env", "A=1\nB=${HOME}\n")
	write(t, root, "config/shared env.txt", "S='old'\n")
	write(t, root, "bad", "A=1\nhunter2\n")
	write(t, root, "apps/api/.env.dev", "API=${A:-none}\n")
	git(t, root, "add", ".")
	git(t, root, "commit", "-qm", "one")
	git(t, root, "branch", "shared")
	write(t, root, ".env", "A=2\n")
	write(t, root, ".env.dev", "D=${A}\n")
	write(t, root, "config/more.env", "M=${A:-none}\nA=3\n")
	git(t, root, "add", ".")
	git(t, root, "commit", "-qm", "two")
	write(t, root, ".env", "A=hunter2 not committed\n")
	return root
}

func TestVariablesOfACommit(t *testing.T) {
	root := repository(t)
	for _, c := range []struct {
		provider config.Provider
		want     map[string]string
	}{
		{config.Provider{}, map[string]string{"A": "2"}},
		{config.Provider{Options: map[string]string{"ref": "shared"}}, map[string]string{"A": "1", "B": "/h"}},
		{config.Provider{Options: map[string]string{"ref": "HEAD~1"}, Path: "config/shared env.txt"}, map[string]string{"S": "old"}},
		{config.Provider{Env: "dev"}, map[string]string{"A": "2", "D": "2"}},
		{config.Provider{Path: "config/shared env.txt, .env"}, map[string]string{"S": "old", "A": "2"}},
		{config.Provider{Path: ".env,,config/more.env"}, map[string]string{"A": "3", "M": "2"}},
		{config.Provider{Path: "config/more.env,.env"}, map[string]string{"A": "2", "M": "none"}},
		{config.Provider{Path: "config/shared env.txt, .env", Env: "dev"}, map[string]string{"S": "old", "A": "2", "D": "2"}},
		{config.Provider{Env: "dev", App: "apps/api"}, map[string]string{"API": "none"}},
	} {
		env, err := providertest.Ask(t, gitenv.Kind, c.provider, provider.Parts{Git: command.Ask}, provider.Request{
			Root: root, Env: []string{"PATH=" + os.Getenv("PATH"), "HOME=/h", "GIT_DIR=/nowhere"},
		})
		providertest.Gives(t, env, err, c.want)
	}
}

func TestRefusals(t *testing.T) {
	root, empty := repository(t), t.TempDir()
	for _, c := range []struct {
		root     string
		provider config.Provider
		want     string
	}{
		{root, config.Provider{Options: map[string]string{"ref": "none"}}, `there is no commit "none" in the repository`},
		{empty, config.Provider{}, `there is no commit "HEAD" in the repository`},
		{root, config.Provider{Path: "none"}, `HEAD has no file "none"`},
		{root, config.Provider{Path: "apps"}, `HEAD has no file "apps"`},
		{root, config.Provider{Env: "stagin"}, `HEAD has no file ".env.stagin"`},
		{root, config.Provider{Path: ".env, none"}, `HEAD has no file "none"`},
		{root, config.Provider{Path: "none, .env", Env: "dev"}, `HEAD has no file "none"`},
		{root, config.Provider{Path: "config/more.env, bad", Env: "dev"}, "bad of HEAD: line 2 is not NAME=VALUE"},
		{root, config.Provider{Path: "config/more.env, .env", Env: "none"}, `HEAD has no file "config/more.env.none"`},
		{root, config.Provider{Path: ".env, ../x"}, "is not in the repository"},
		{root, config.Provider{Path: strings.Repeat("a,", 101)}, "path names 101 files"},
		{root, config.Provider{Path: "bad"}, "bad of HEAD: line 2 is not NAME=VALUE"},
		{root, config.Provider{Path: "../x"}, "is not in the repository"},
		{root, config.Provider{Path: "/etc/passwd"}, "is not in the repository"},
		{root, config.Provider{Options: map[string]string{"ref": "--output=x"}}, "options.ref is"},
		{root, config.Provider{Options: map[string]string{"ref": "HEAD:.env"}}, "options.ref is"},
		{root, config.Provider{Options: map[string]string{"ref": "a b"}}, "options.ref is"},
	} {
		_, err := providertest.Ask(t, gitenv.Kind, c.provider, provider.Parts{Git: command.Ask}, provider.Request{
			Root: c.root, Env: []string{"PATH=" + os.Getenv("PATH"), "GIT_CEILING_DIRECTORIES=" + filepath.Dir(c.root)},
		})
		providertest.Refused(t, err, c.want)
	}
}
