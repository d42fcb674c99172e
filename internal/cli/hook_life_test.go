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
	"tasker/internal/fault"
)

// life is a session of an agent whose hooks are called.
type life struct {
	dir, state string
	now        time.Time
	wiring     frame.Wiring
}

// call calls a hook, and returns what it said and how long it took.
func (l *life) call(event string) (said string, code int, took time.Duration) {
	var out, failed bytes.Buffer
	began := time.Now()
	code = cli.Main(frame.Process{
		Args: []string{"hook", event, "--agent", "claude"}, Dir: l.dir, Stdout: &out, Stderr: &failed,
		Stdin: strings.NewReader(`{"session_id": "s1", "tool_input": {"file_path": "a"}, "error": "rate_limit"}`),
		Env: func(name string) (string, bool) {
			v, ok := map[string]string{"XDG_STATE_HOME": l.state, "TASKER_DB": filepath.Join(l.dir, "t.db")}[name]
			return v, ok
		},
		Now: func() time.Time { return l.now }, User: func() string { return "me" }, Host: func() string { return "here" },
		Stop: func(ctx context.Context, _ time.Duration) (context.Context, context.CancelFunc) {
			return context.WithCancel(ctx)
		},
	}, l.wiring)
	return out.String() + failed.String(), code, time.Since(began)
}

// newLife returns a session with a database that open opens.
func newLife(t *testing.T, open func(ctx context.Context)) *life {
	t.Helper()
	l := &life{dir: inRepository(t), state: t.TempDir(), now: time.Date(2026, 3, 1, 12, 0, 0, 0, time.UTC), wiring: app.CommandLine()}
	if err := os.WriteFile(filepath.Join(l.dir, "t.db"), nil, 0o600); err != nil {
		t.Fatal(err)
	}
	l.wiring.Open = func(ctx context.Context, _ frame.Opening) (frame.Session, error) {
		open(ctx)
		return frame.Session{}, fault.Unready("the database is locked")
	}
	return l
}

// TestNoHookWaitsForTheDatabase stalls the database for good at each moment of an agent's life.
func TestNoHookWaitsForTheDatabase(t *testing.T) {
	t.Parallel()
	for _, event := range []string{"stop", "limit", "end", "beat", "edit"} {
		t.Run(event, func(t *testing.T) {
			t.Parallel()
			l := newLife(t, func(context.Context) { select {} })
			if said, code, took := l.call(event); code != 0 || said != "" || took > 5*time.Second { // 300 ms where nothing else runs
				t.Errorf("exit code %d after %s: %s", code, took, said)
			}
			log, err := os.ReadFile(filepath.Join(l.state, "tasker", "hooks.log"))
			if err != nil || !strings.Contains(string(log), event) {
				t.Errorf("the log says %q, %v", log, err)
			}
		})
	}
}

// TestABeatOpensTheDatabaseOnceAMinute moves the clock.
func TestABeatOpensTheDatabaseOnceAMinute(t *testing.T) {
	t.Parallel()
	opened := 0
	l := newLife(t, func(context.Context) { opened++ })
	for _, step := range []struct {
		later time.Duration
		want  int
	}{{0, 1}, {59 * time.Second, 1}, {time.Second, 2}, {time.Second, 2}, {-time.Hour, 3}, {2 * time.Hour, 4}} {
		l.now = l.now.Add(step.later)
		if said, code, _ := l.call("beat"); code != 0 || said != "" || opened != step.want {
			t.Errorf("at %s: opened %d times, want %d (exit code %d, %s)", l.now, opened, step.want, code, said)
		}
	}
}
