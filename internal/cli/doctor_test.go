package cli_test

import (
	"bytes"
	"context"
	"errors"
	"io"
	"net/http"
	"net/http/httptest"
	"net/url"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"tasker/internal/app"
	"tasker/internal/cli"
	"tasker/internal/cli/frame"
	"tasker/internal/db"
	"tasker/internal/store"
	"tasker/internal/testkit/storetest"
)

// TestOnATerminalDoctorSaysWhatItWouldRepairAndAsks checks that it repairs only after a yes.
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
			Stop: func(ctx context.Context, _ time.Duration) (context.Context, context.CancelFunc) {
				return context.WithCancel(ctx)
			},
		}, app.CommandLine())
		return code, out.String(), err.String()
	}
	if code, _, stderr := run("", "project", "create", "demo"); code != 0 {
		t.Fatal(stderr)
	}
	raw := db.New(storetest.Engine(t, path, db.Setup{Migrations: store.Schema()}), db.Hooks{})
	err := raw.Write(t.Context(), db.Request{Alone: true}, func(turn *db.Turn) error { return turn.Exec(1, `UPDATE project SET n_done=7`) })
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

// TestAServerOfAnotherVersionIsTold checks that doctor reports the server at TASKER_SERVE_PORT, and version the server
// it uses.
func TestAServerOfAnotherVersionIsTold(t *testing.T) {
	server := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, _ *http.Request) {
		w.Header().Set("Content-Type", "application/json")
		_, _ = io.WriteString(w, `{"version": "0.0.7", "schemaVersion": 1, "configVersion": 1}`)
	}))
	defer server.Close()
	at, err := url.Parse(server.URL)
	if err != nil {
		t.Fatal(err)
	}
	dir := t.TempDir()
	run := func(env map[string]string, args ...string) (code int, stderr string) {
		t.Helper()
		var out, err bytes.Buffer
		code = cli.Main(frame.Process{
			Args: append(args, "--db", filepath.Join(dir, "t.db"), "--color", "never"), Dir: dir, Stdin: strings.NewReader(""), Stdout: &out, Stderr: &err,
			Width: func() int { return 80 }, Env: func(name string) (string, bool) { v, ok := env[name]; return v, ok },
			Now: time.Now, User: func() string { return "me" }, Host: func() string { return "here" },
			Stop: func(ctx context.Context, _ time.Duration) (context.Context, context.CancelFunc) {
				return context.WithCancel(ctx)
			},
		}, app.CommandLine())
		return code, err.String()
	}
	if code, stderr := run(nil, "project", "create", "demo"); code != 0 {
		t.Fatal(stderr)
	}
	for _, c := range []struct {
		env  map[string]string
		args []string
		says string
	}{
		{nil, []string{"doctor"}, ""},
		{map[string]string{"TASKER_SERVE_PORT": at.Port()}, []string{"doctor"}, "the server at " + server.URL + " is version 0.0.7, and this program " + app.Version},
		{map[string]string{"TASKER_URL": server.URL}, []string{"version"}, "that is the server at " + server.URL + ", and this program is version " + app.Version},
	} {
		code, stderr := run(c.env, c.args...)
		if code != 0 || !strings.Contains(stderr, c.says) || (c.says == "") != (stderr == "") {
			t.Errorf("%v with %v: %d\n%s\nwant %q", c.args, c.env, code, stderr, c.says)
		}
	}
}
