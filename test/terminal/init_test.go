package terminal_test

import (
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"
)

// TestInitAsksWhetherToSetUpTheAgentsThatItFinds answers no, then yes, in two repositories: no leaves the commands to type,
// yes writes the files, and several agents get a work tree for each task.
func TestInitAsksWhetherToSetUpTheAgentsThatItFinds(t *testing.T) {
	w := &world{T: t, dir: t.TempDir()}
	const asks = "Set up claude and codex to work here? [Y/n]"
	repository := func(name string) string {
		dir := filepath.Join(w.dir, name)
		if out, err := exec.Command("git", "init", "--quiet", dir).CombinedOutput(); err != nil {
			t.Fatalf("%v: %s", err, out)
		}
		return dir
	}
	for _, agent := range []string{".claude", ".codex"} { // installed: they have directories in the home directory
		if err := os.Mkdir(filepath.Join(w.dir, agent), 0o755); err != nil {
			t.Fatal(err)
		}
	}
	init := func(dir, answer string, want ...string) {
		t.Helper()
		cmd := w.command("", "init", "--actor", "ann")
		cmd.Dir = dir
		cmd.Env = append(cmd.Env, "PATH="+filepath.Dir(built)) // an agent of this machine does not count
		x := w.start(120, 40, cmd)
		x.shows(asks)
		x.types(answer + "\r")
		x.shows(want...)
		if code := x.ends(); code != 0 {
			t.Errorf("it ends with %d", code)
		}
	}

	no := repository("no")
	init(no, "n", "Found here", "the agent claude: tasker setup claude", "the agent codex: tasker setup codex")
	if files, err := filepath.Glob(filepath.Join(no, "*.md")); err != nil || len(files) > 0 {
		t.Errorf("after no there is %q, %v", files, err)
	}

	yes := repository("yes")
	init(yes, "", `claude and codex can work here: start one, and say "plan the work in tasker"`, "each task gets a git work tree of its own")
	for name, text := range map[string]string{
		".mcp.json": `"args": ["mcp", "--for", "claude"]`, "CLAUDE.md": "tasker", ".codex/config.toml": "tasker", ".tasker.json": `"strategy": "worktree"`,
	} {
		if got, err := os.ReadFile(filepath.Join(yes, name)); err != nil || !strings.Contains(string(got), text) {
			t.Errorf("%s is %q, %v; want %q in it", name, got, err, text)
		}
	}
}
