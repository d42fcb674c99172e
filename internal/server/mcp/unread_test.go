package mcp_test

import (
	"context"
	"io"
	"net/http"
	"strings"
	"sync/atomic"
	"testing"

	"tasker/internal/db"
	"tasker/internal/fault"
	"tasker/internal/store"
)

// A write whose answer cannot be read whole is a success with a warning, as a tool in both forms and as a route.
func TestAnIncompleteAnswerToAWriteIsASuccessWithAWarning(t *testing.T) {
	p := newPlace(t, `{"project": "demo", "tasks": [{"key": "a", "title": "A"}, {"key": "b", "title": "B"}, {"key": "c", "title": "C"}]}`)
	var blind atomic.Bool
	p.app.Services.Store.Observe(func(_ context.Context, write bool) store.Observed {
		turn := write
		return store.Observed{During: func(_ db.Conn, run func() error) error {
			if blind.Load() && !turn {
				return fault.Unready("PostgreSQL cannot be reached")
			}
			turn = false
			return run()
		}}
	})
	bot, url := p.worker("bot"), p.server("").URL
	blind.Store(true)
	short := bot.answer("tasker_next", object{"project": "demo"})
	full := bot.answer("tasker_next", object{"project": "demo", "full": true})
	resp, err := http.Post(url+"/v1/next", "application/json", strings.NewReader(`{"project": "demo"}`))
	if err != nil {
		t.Fatal(err)
	}
	body, err := io.ReadAll(resp.Body)
	_ = resp.Body.Close()
	if err != nil || resp.StatusCode != http.StatusOK || !strings.Contains(string(body), `"id":"demo-3"`) {
		t.Errorf("the route answers %d: %s (%v)", resp.StatusCode, body, err)
	}
	for what, warning := range map[string]any{"the tool": short["warning"], "the whole answer": full["warning"], "the route": string(body)} {
		if text, _ := warning.(string); !strings.Contains(text, "the change was made, so do not send it again") || !strings.Contains(text, "cannot be reached") {
			t.Errorf("%s warns of %v", what, warning)
		}
	}
	if get(short, "task.id") != "demo-1" || get(full, "task.id") != "demo-2" {
		t.Errorf("the tools answer %v and %v", short, full)
	}
	blind.Store(false)
	bot.answer("tasker_move", object{"id": "demo-1", "to": "done"}) // the fence was learned from that answer
}
