package web_test

import (
	"net/http"
	"strings"
	"testing"

	"tasker/internal/core"
	"tasker/internal/op"
	"tasker/internal/task"
	"tasker/internal/work"
)

// The page of the workers shows where each runner of commands stands, also where nobody holds a task.
func TestThePageOfWorkersShowsRunners(t *testing.T) {
	var ops op.Caller
	h := siteOver(t, small, func(o op.Caller) op.Caller {
		ops = o
		return o
	})
	shown := func(h http.Handler) string {
		body := get(t, h, "/p/demo/machine").Body.String()
		return strings.Join(strings.Fields(body), " ")
	}
	if strings.Contains(shown(h), "Runners") {
		t.Error("there are runners")
	}
	ctx := core.WithCaller(t.Context(), core.Caller{Actor: task.Actor{Name: "bot"}})
	in := work.RunnerIn{Slug: "demo", Host: "build", State: "stopped", Workers: 3, Tasks: []string{"demo-1"}, Why: new("please <log> in")}
	if _, err := op.Runners.Do(ctx, ops, in); err != nil {
		t.Fatal(err)
	}
	page := shown(h)
	for _, want := range []string{`<b class="actor">bot</b> on build <span class="mark warn">stopped</span>`, "3 workers, since <time", "<bdi>please &lt;log&gt; in</bdi>", `href="/t/demo-1"`} {
		if !strings.Contains(page, want) {
			t.Errorf("the page has no %s: %s", want, page)
		}
	}
	if strings.Contains(page, "Nobody is at work") {
		t.Error("it says that nobody is at work")
	}
}
