package admin_test

import (
	"bytes"
	"context"
	"errors"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"tasker/internal/app"
	"tasker/internal/cli"
	"tasker/internal/cli/frame"
	"tasker/internal/db"
	"tasker/internal/store"
	"tasker/internal/store/storetest"
)

// TestOnATerminalDoctorSaysWhatItWouldRepairAndAsks and repairs only after a yes.
func TestOnATerminalDoctorSaysWhatItWouldRepairAndAsks(t *testing.T) {
	dir := t.TempDir()
	path := filepath.Join(dir, "t.db")
	run := func(answer string, args ...string) (code int, stdout, stderr string) {
		t.Helper()
		var out, err bytes.Buffer
		code = cli.Main(frame.Process{
			Args: append(args, "--db", path, "--color", "never"), Dir: dir, Stdin: strings.NewReader(answer), Stdout: &out, Stderr: &err,
			InTTY: true, OutTTY: true, Width: func() int { return 80 },
			Env: func(string) (string, bool) { return "", false },
			Now: time.Now, User: func() string { return "me" }, Host: func() string { return "here" },
			Stop: func(ctx context.Context) (context.Context, context.CancelFunc) { return context.WithCancel(ctx) },
		}, app.CommandLine())
		return code, out.String(), err.String()
	}
	if code, _, stderr := run("", "project", "create", "demo"); code != 0 {
		t.Fatal(stderr)
	}
	raw := db.New(storetest.Engine(t, path, db.Setup{Migrations: store.Schema()}), db.Hooks{})
	err := raw.Write(t.Context(), true, func(turn *db.Turn) error { return turn.Exec(1, `UPDATE project SET n_done=7`) })
	if err := errors.Join(err, raw.Close()); err != nil {
		t.Fatal(err)
	}
	for _, c := range []struct {
		answer   string
		code     int
		repaired bool
	}{{"n\n", 1, false}, {"", 1, false}, {"y\n", 0, true}} {
		code, stdout, stderr := run(c.answer, "doctor", "--fix")
		if code != c.code || strings.Contains(stdout, "repaired: demo: tasks that are done") != c.repaired ||
			!strings.Contains(stdout, "Repair 1 difference? [y/N]") || !strings.Contains(stderr, "will repair: demo: tasks that are done is stored as 7") {
			t.Errorf("after %q: %d\n%s\n%s", c.answer, code, stdout, stderr)
		}
	}
	if code, stdout, stderr := run("", "doctor", "--fix"); code != 0 || stderr != "" || strings.Contains(stdout, "Repair") {
		t.Errorf("with nothing to repair: %d\n%s\n%s", code, stdout, stderr)
	}
}
