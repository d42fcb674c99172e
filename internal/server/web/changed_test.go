package web_test

import (
	"strings"
	"testing"

	"tasker/internal/core"
	"tasker/internal/op"
	"tasker/internal/task"
	"tasker/internal/work"
)

func TestPagesListWhatWasChangedAndNameLaterWork(t *testing.T) {
	var ops op.Caller
	h := siteOver(t, `{"project": "demo", "tasks": [{"key": "a", "title": "A"}, {"key": "b", "title": "B"}, {"key": "c", "title": "C"}]}`,
		func(o op.Caller) op.Caller { ops = o; return o })
	ctx := core.WithCaller(t.Context(), core.Caller{Actor: task.Actor{Name: "bot"}})
	for _, m := range []work.MoveIn{
		{Task: "demo-1", To: "done", Paths: []string{"<b>.go", "other.go"}},
		{Task: "demo-2", To: "done", Paths: []string{"<b>.go"}},
		{Task: "demo-3", To: "in_review", Paths: []string{"third.go"}},
	} {
		if _, err := op.Move.Do(ctx, ops, m); err != nil {
			t.Fatal(err)
		}
	}
	const later = `later work changed the same files: <a class="id" href="/t/demo-2">demo-2</a> (&lt;b&gt;.go)`
	for path, wants := range map[string][]string{
		"/t/demo-1":     {later, "<li><code>&lt;b&gt;.go</code></li>", "<code>other.go</code>", "2 files"},
		"/t/demo-3":     {"<li><code>third.go</code></li>", "1 file<"},
		"/p/demo/proof": {later, "2 files were changed since the claim", "<code>other.go</code>"},
	} {
		body := get(t, h, path).Body.String()
		for _, want := range wants {
			if !strings.Contains(body, want) {
				t.Errorf("%s does not have %s", path, want)
			}
		}
	}
	if body := get(t, h, "/t/demo-2").Body.String(); strings.Contains(body, "later work") {
		t.Error("earlier work is named as later")
	}
}
