package cli_test

import (
	"context"
	"net/http/httptest"
	"path/filepath"
	"strings"
	"testing"

	"tasker/internal/app"
	"tasker/internal/core"
	"tasker/internal/db"
	"tasker/internal/fault"
	"tasker/internal/op"
	"tasker/internal/server/httpapi"
	"tasker/internal/store"
	"tasker/internal/task"
)

// A command whose change was made, but whose answer the server could not read whole, succeeds with a warning.
func TestAnIncompleteAnswerIsSaidAndTheCommandSucceeds(t *testing.T) {
	h := planned(t)
	a, err := app.Open(app.Options{DB: filepath.Join(h.dir, "tasker.db"), Version: "1.2.3"})
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { _ = a.Close() })
	a.Services.Store.Observe(func(_ context.Context, write bool) store.Observed {
		turns := 0
		return store.Observed{During: func(_ db.Conn, run func() error) error {
			if turns++; write && turns > 1 { // the read after the turn
				return fault.Unready("PostgreSQL cannot be reached")
			}
			return run()
		}}
	})
	server := httptest.NewServer(httpapi.New(httpapi.Options{
		Ops: op.NewLocal(a.Services.All()...), NewID: func() string { return "r1" },
		Identity: func() httpapi.Identity {
			return httpapi.Identity{Caller: core.Caller{Actor: task.Actor{Name: "me", Human: true, Declared: true}}}
		},
	}))
	t.Cleanup(server.Close)
	h.env = map[string]string{"TASKER_URL": server.URL}
	const said = "the change was made, so do not send it again"
	for _, row := range []struct {
		args   []string
		stdout string
	}{
		{[]string{"next", "--claim", "-p", "demo"}, "demo-1"},
		{[]string{"done", "demo-1", "demo-2", "--json"}, `"status":"done"`},
	} {
		code, stdout, stderr := h.run(t, "", row.args...)
		if code != 0 || !strings.Contains(stdout, row.stdout) || !strings.Contains(stderr, said) {
			t.Errorf("%v ends with %d and prints\n%s%s", row.args, code, stdout, stderr)
		}
	}
	code, stdout, stderr := h.run(t, "", "reopen", "demo-1", "--json")
	if code != 0 || !strings.Contains(stdout, `"warning":"`+said) || stderr != "" {
		t.Errorf("with --json it ends with %d and prints\n%s%s", code, stdout, stderr)
	}
}
