package web_test

import (
	"fmt"
	"net/http"
	"strings"
	"testing"
	"time"

	"tasker/internal/core"
	"tasker/internal/db"
	"tasker/internal/op"
	"tasker/internal/task"
	"tasker/internal/testkit/coretest"
	"tasker/internal/testkit/dbtest"
	"tasker/internal/testkit/storetest"
	"tasker/internal/work"
)

// lived returns a site in which the first done tasks were claimed and closed.
func lived(t *testing.T, tasks, done int) (http.Handler, op.Caller) {
	t.Helper()
	h, ops, _ := paced(t, tasks, done, time.Second)
	return h, ops
}

// paced is lived with how long each of these tasks took, and returns the clock as well.
func paced(t *testing.T, tasks, done int, each time.Duration) (http.Handler, op.Caller, *storetest.Clock) {
	t.Helper()
	clock := storetest.NewClock()
	s, err := coretest.Clocked(dbtest.SQLite(t), db.World{Clock: clock}, nil)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { _ = s.Store.Close() })
	var list []string
	for i := range tasks {
		list = append(list, fmt.Sprintf(`{"key": "t%d", "title": "Task <%d>"}`, i, i))
	}
	var ops op.Caller
	h := siteWith(t, s, clock.Now, `{"project": "demo", "tasks": [`+strings.Join(list, ",")+`]}`, func(o op.Caller) op.Caller { ops = o; return o })
	ctx := core.WithCaller(t.Context(), core.Caller{Actor: task.Actor{Name: "bot"}})
	for i := range done {
		id := fmt.Sprintf("demo-%d", i+1)
		if _, err := op.Claim.Do(ctx, ops, work.ClaimIn{Task: id}); err != nil {
			t.Fatal(err)
		}
		clock.Step(each)
		if _, err := op.Move.Do(ctx, ops, work.MoveIn{Task: id, To: "done"}); err != nil {
			t.Fatal(err)
		}
	}
	return h, ops, clock
}

func TestPagesTellWhenItWillBeDone(t *testing.T) {
	h, _, clock := paced(t, 24, 21, 2*time.Hour)
	if body := get(t, h, "/p/demo/timeline").Body.String(); !strings.Contains(body, "None of 1 earlier forecast can be judged yet") || !strings.Contains(body, "not known yet") {
		t.Error("the timeline judges a forecast whose day has not come")
	}
	clock.Step(30 * 24 * time.Hour)
	for path, words := range map[string][]string{
		"/p/demo": {`<a href="/p/demo/timeline#when">When</a>`, "3 open tasks: likely "},
		"/p/demo/timeline": {"3 open tasks: likely ", "Rests on 21 closed tasks", "Past forecasts were ", "0 of 1 forecast held", "3 still open", `class="range"`, "Done by week", "Time in each state",
			"from likely to the latest"},
	} {
		body := get(t, h, path).Body.String()
		for _, w := range words {
			if !strings.Contains(body, w) {
				t.Errorf("%s does not say %q", path, w)
			}
		}
	}
	h, _ = lived(t, 3, 1)
	if body := get(t, h, "/p/demo/timeline").Body.String(); !strings.Contains(body, "Forecast after 20 tasks claimed and closed here (1 so far)") ||
		strings.Contains(body, `class="range"`) {
		t.Error("the timeline of a young project does not say that it is too early for a forecast")
	}
	h, _ = lived(t, 24, 21)
	if body := get(t, h, "/p/demo/timeline").Body.String(); !strings.Contains(body, "Forecast after a day of work here: the 21 tasks that were claimed and closed took ") ||
		strings.Contains(body, `class="range"`) {
		t.Error("the timeline of one sitting does not say that it is too early for a forecast")
	}
}
