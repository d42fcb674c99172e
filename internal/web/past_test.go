package web_test

import (
	"strings"
	"testing"
)

func TestPagesShowAProjectAsItWas(t *testing.T) {
	h, _ := lived(t, 3, 1) // events: the project, three tasks, the plan, a claim (6) and a move (7)
	for path, words := range map[string][]string{
		"/p/demo/board?at=6": {"after event 6", `href="/p/demo/board?at=7"`, `href="/p/demo/board?at=5"`,
			`<input type="range" name="at" min="1" max="7" value="6">`},
		"/p/demo/tasks?state=held&at=6": {"after event 6", "demo-1", `name="state" value="held"`},
		"/p/demo?at=6":                  {"after event 6", `/p/demo/tasks?state=ready&amp;at=6`, "0 % closed"},
		"/p/demo/board":                 {"As it was…", `value="7"`},
		"/p/demo/tasks?at=99":           {"no event has that id"},
	} {
		body := get(t, h, path).Body.String()
		for _, w := range words {
			if !strings.Contains(body, w) {
				t.Errorf("%s does not say %q", path, w)
			}
		}
	}
	if body := get(t, h, "/p/demo/tasks?state=held").Body.String(); strings.Contains(body, `href="/t/demo-1"`) {
		t.Error("the task is held no longer")
	}
	if body := get(t, h, "/p/demo?at=6").Body.String(); strings.Contains(body, "Needs you") {
		t.Error("what waits for people now stands beside the tiles of then")
	}
}
