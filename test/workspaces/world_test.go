package workspaces

import (
	"encoding/json"
	"errors"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"

	"tasker/test/program"
)

var binary string

func TestMain(m *testing.M) {
	dir, err := os.MkdirTemp("", "tasker-workspaces-")
	if err != nil {
		panic(err)
	}
	if binary, err = program.Build(dir); err != nil {
		panic(err)
	}
	code := m.Run()
	_ = os.RemoveAll(dir)
	os.Exit(code)
}

// world is a repository with a plan, and an environment for commands.
type world struct {
	t   *testing.T
	dir string // of the repository
	env []string
}

const settings = `{"version": 1, "project": "shop", "actors": [{"name": "alice", "kind": "human", "default": true}],
	"workspace": {"strategy": "worktree", "ports": {"range": [24000, 24999]}, "setup": [{"name": "touch", "run": "touch made.log"}]}}`

// newWorld makes a repository in a directory whose name could trip up git and shells.
func newWorld(t *testing.T) *world {
	t.Helper()
	home := t.TempDir()
	w := &world{t: t, dir: filepath.Join(home, "a répo; $(touch x) здесь")}
	w.env = []string{
		"PATH=" + os.Getenv("PATH"), "HOME=" + home, "TASKER_DB=" + filepath.Join(home, "tasker.db"), "GIT_CONFIG_NOSYSTEM=1",
		"GIT_AUTHOR_NAME=T", "GIT_AUTHOR_EMAIL=t@example.org", "GIT_COMMITTER_NAME=T", "GIT_COMMITTER_EMAIL=t@example.org",
	}
	must(t, os.MkdirAll(w.dir, 0o755))
	w.git("init", "--quiet", "--initial-branch=main")
	w.write("README", "hello\n")
	w.write(".gitignore", "*.log\n")
	w.write(".tasker.json", settings)
	w.git("add", ".")
	w.git("commit", "--quiet", "-m", "first")
	program.Prepare(t, binary, filepath.Join(home, "tasker.db"))
	w.run("project", "create", "shop")
	return w
}

// remote gives the repository a bare one to fetch from and to push to.
func (w *world) remote() {
	w.t.Helper()
	bare := filepath.Join(filepath.Dir(w.dir), "the remote.git")
	w.git("clone", "--quiet", "--bare", ".", bare)
	w.git("remote", "add", "origin", bare)
	w.git("fetch", "--quiet", "origin")
}

func must(t *testing.T, err error) {
	t.Helper()
	if err != nil {
		t.Fatal(err)
	}
}

func (w *world) write(name, text string) {
	w.t.Helper()
	path := filepath.Join(w.dir, name)
	must(w.t, os.MkdirAll(filepath.Dir(path), 0o755))
	must(w.t, os.WriteFile(path, []byte(text), 0o644))
}

func (w *world) git(args ...string) string {
	w.t.Helper()
	return w.gitIn(w.dir, args...)
}

func (w *world) gitIn(dir string, args ...string) string {
	w.t.Helper()
	cmd := exec.CommandContext(w.t.Context(), "git", args...)
	cmd.Dir, cmd.Env = dir, w.env
	out, err := cmd.CombinedOutput()
	if err != nil {
		w.t.Fatalf("git %v: %v\n%s", args, err, out)
	}
	return strings.TrimSpace(string(out))
}

// run runs a command that must succeed.
func (w *world) run(args ...string) string {
	w.t.Helper()
	out, err := w.try(nil, args...)
	if err != nil {
		w.t.Fatalf("tasker %v: %v\n%s", args, err, out)
	}
	return out
}

// try runs a command with additional variables, and returns what it printed, including errors if it fails.
func (w *world) try(env []string, args ...string) (string, error) {
	cmd := exec.CommandContext(w.t.Context(), binary, args...)
	cmd.Dir, cmd.Env = w.dir, append(w.env[:len(w.env):len(w.env)], env...)
	out, err := cmd.Output()
	var exit *exec.ExitError
	if errors.As(err, &exit) {
		return string(out) + string(exit.Stderr), err
	}
	return string(out), err
}

// answer runs a command and reads its JSON.
func answer[T any](w *world, args ...string) (out T) {
	w.t.Helper()
	text := w.run(append(args, "--json")...)
	if err := json.Unmarshal([]byte(text), &out); err != nil {
		w.t.Fatalf("tasker %v: %v\n%s", args, err, text)
	}
	return out
}

type listed struct {
	Task   string `json:"task"`
	Path   string `json:"path"`
	Branch string `json:"branch"`
	State  string `json:"state"`
	Ports  []int  `json:"ports"`
}
