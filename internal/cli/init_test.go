package cli_test

import (
	"bytes"
	"context"
	"io"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"tasker/internal/app"
	"tasker/internal/cli"
	"tasker/internal/cli/frame"
)

// initIn runs init in a directory in which agents are on the path, at a terminal whose answers are read from in.
func initIn(t *testing.T, dir, agents string, in io.Reader, terminal bool) string {
	t.Helper()
	bin, home := t.TempDir(), t.TempDir()
	for _, name := range append(strings.Fields(agents), "tasker") {
		if err := os.WriteFile(filepath.Join(bin, name), nil, 0o755); err != nil {
			t.Fatal(err)
		}
	}
	env := map[string]string{"PATH": bin, "HOME": home}
	var out, failed bytes.Buffer
	code := cli.Main(frame.Process{
		Args: []string{"init", "--color", "never"}, Dir: dir, Stdin: in, Stdout: &out, Stderr: &failed,
		InTTY: terminal, OutTTY: terminal, Width: func() int { return 80 },
		Env: func(name string) (string, bool) { v, ok := env[name]; return v, ok },
		Now: time.Now, User: func() string { return "me" }, Host: func() string { return "here" },
		Stop: func(ctx context.Context, _ time.Duration) (context.Context, context.CancelFunc) {
			return context.WithCancel(ctx)
		},
	}, app.CommandLine())
	if code != 0 {
		t.Fatalf("%s: exit code %d\n%s%s", agents, code, out.String(), failed.String())
	}
	return out.String()
}

// TestInitWithSeveralAgentsGivesEachTaskAWorkTree: two agents in one directory would change each other's files, whether or
// not init is asked to set them up.
func TestInitWithSeveralAgentsGivesEachTaskAWorkTree(t *testing.T) {
	for agents, trees := range map[string]bool{"claude": false, "claude codex": true} {
		for _, terminal := range []bool{true, false} {
			dir := inRepository(t)
			out := initIn(t, dir, agents, strings.NewReader(strings.Repeat("y\n", 9)), terminal)
			text, err := os.ReadFile(filepath.Join(dir, ".tasker.json"))
			if err != nil || strings.Contains(string(text), `"strategy": "worktree"`) != trees || strings.Contains(out, "workspace.strategy") != trees {
				t.Errorf("%s: %v\n%s\n%s", agents, err, text, out)
			}
		}
	}
}

// TestInitAsksBeforeItWrites: who ends init at its first question has nothing to clean up.
func TestInitAsksBeforeItWrites(t *testing.T) {
	dir := inRepository(t)
	before, err := os.ReadDir(dir)
	if err != nil {
		t.Fatal(err)
	}
	asked := 0
	initIn(t, dir, "claude codex", reader(func(b []byte) (int, error) {
		if asked++; asked == 1 {
			if now, err := os.ReadDir(dir); err != nil || len(now) != len(before) {
				t.Errorf("at its first question there is %v, and before there was %v (%v)", now, before, err)
			}
		}
		return copy(b, "y\n"), nil
	}), true)
	if asked == 0 {
		t.Error("it asked nothing")
	}
	if _, err := os.Stat(filepath.Join(dir, ".tasker.json")); err != nil {
		t.Error(err)
	}
}

// reader is a function that is read from.
type reader func([]byte) (int, error)

func (r reader) Read(b []byte) (int, error) { return r(b) }
