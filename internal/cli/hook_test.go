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

// TestAHookNeverWaitsForTheDatabase stalls the database for good, and the agent's stream too: the hook ends all the same,
// silent and well, and its log says why.
func TestAHookNeverWaitsForTheDatabase(t *testing.T) {
	t.Parallel()
	dir := inRepository(t)
	if err := os.WriteFile(filepath.Join(dir, "t.db"), nil, 0o600); err != nil { // a hook makes no database
		t.Fatal(err)
	}
	wiring := app.CommandLine()
	for name, stall := range map[string]func(ctx context.Context){
		"waits for ever":    func(context.Context) { select {} },
		"waits for the end": func(ctx context.Context) { <-ctx.Done() },
		"panics":            func(context.Context) { panic("no such thing") },
	} {
		t.Run(name, func(t *testing.T) {
			state := t.TempDir()
			stalled := wiring
			stalled.Open = func(ctx context.Context, _ frame.Opening) (frame.Session, error) {
				stall(ctx)
				return frame.Session{}, ctx.Err()
			}
			silent, still := io.Pipe() // the agent neither tells anything nor closes the stream
			defer func() { _ = still.Close() }()
			var out, failed bytes.Buffer
			began := time.Now()
			code := cli.Main(frame.Process{
				Args: []string{"hook", "start", "--agent", "claude"}, Dir: dir, Stdin: silent, Stdout: &out, Stderr: &failed,
				Env: func(name string) (string, bool) {
					v, ok := map[string]string{"XDG_STATE_HOME": state, "TASKER_DB": filepath.Join(dir, "t.db")}[name]
					return v, ok
				},
				Now: time.Now, User: func() string { return "me" }, Host: func() string { return "here" },
				Stop: func(ctx context.Context, _ time.Duration) (context.Context, context.CancelFunc) {
					return context.WithCancel(ctx)
				},
			}, stalled)
			if took := time.Since(began); code != 0 || out.Len()+failed.Len() > 0 || took > 5*time.Second { // 300 ms where nothing else runs
				t.Errorf("exit code %d after %s: %s%s", code, took, out.String(), failed.String())
			}
			log, err := os.ReadFile(filepath.Join(state, "tasker", "hooks.log"))
			if err != nil || !strings.Contains(string(log), "start") {
				t.Errorf("the log says %q, %v", log, err)
			}
		})
	}
}
