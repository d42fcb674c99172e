package cli_test

import (
	"bytes"
	"context"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"tasker/internal/app"
	"tasker/internal/cli"
	"tasker/internal/cli/frame"
)

func TestInitWithSeveralAgentsGivesEachTaskAWorkTree(t *testing.T) {
	for agents, trees := range map[string]bool{"claude": false, "claude codex": true} {
		dir, bin, home := inRepository(t), t.TempDir(), t.TempDir()
		for _, name := range append(strings.Fields(agents), "tasker") {
			if err := os.WriteFile(filepath.Join(bin, name), nil, 0o755); err != nil {
				t.Fatal(err)
			}
		}
		env := map[string]string{"PATH": bin, "HOME": home}
		var out, failed bytes.Buffer
		code := cli.Main(frame.Process{
			Args: []string{"init", "--color", "never"}, Dir: dir, Stdin: strings.NewReader(strings.Repeat("y\n", 9)), Stdout: &out, Stderr: &failed,
			InTTY: true, OutTTY: true, Width: func() int { return 80 },
			Env: func(name string) (string, bool) { v, ok := env[name]; return v, ok },
			Now: time.Now, User: func() string { return "me" }, Host: func() string { return "here" },
			Stop: func(ctx context.Context) (context.Context, context.CancelFunc) { return context.WithCancel(ctx) },
		}, app.CommandLine())
		text, err := os.ReadFile(filepath.Join(dir, ".tasker.json"))
		if code != 0 || err != nil || strings.Contains(string(text), `"strategy": "worktree"`) != trees {
			t.Errorf("%s: exit code %d, %v\n%s\n%s%s", agents, code, err, text, out.String(), failed.String())
		}
	}
}
