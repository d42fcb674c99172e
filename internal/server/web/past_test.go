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
		"/p/demo/board":                 {"History", `value="7"`},
		"/p/demo/graph?show=all&at=6": {"after event 6", `name="show" value="all"`, `href="/p/demo/graph?show=open&amp;at=6"`, "demo-1 · bot",
			`value="6">`},
		"/p/demo/timeline?at=6":                 {"after event 6", `aria-label="Chart of held tasks"`, `class="span end-live"`, `name="at" value="6"`},
		"/p/demo/timeline":                      {`class="span end-done"`, "History"},
		"/t/demo-1?at=6":                        {"after event 6", "held by <b>bot</b>", "/p/demo/graph?focus=demo-1&amp;at=6", `<input type="range" name="at"`},
		"/p/demo/graph/graph.dot?show=all&at=6": {"(in progress)"},
		"/p/demo/tasks?at=99":                   {"no event has that id"},
		"/p/demo/graph?at=99":                   {"no event has that id"},
		"/p/demo/timeline?at=x":                 {"Give a whole number"},
		"/t/demo-1?at=1.5":                      {"Give a whole number"},
		"/p/demo/tasks?at=6&sort=changed":       {"not known for an earlier moment", "or sort by selection, due"},
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
	for _, path := range []string{"/t/demo-1?at=6", "/t/demo-2?at=6"} {
		if body := get(t, h, path).Body.String(); strings.Contains(body, "data-copy") || strings.Contains(body, "Commands") || strings.Contains(body, `id="why"`) {
			t.Errorf("%s offers what can be done now next to the past", path)
		}
	}
	if body := get(t, h, "/p/demo?at=6").Body.String(); strings.Contains(body, "Needs you") {
		t.Error("what waits for people now is next to the tiles of the past")
	}
}

func TestPagesMarkWhatChangedSince(t *testing.T) {
	h, _ := lived(t, 3, 1) // as above: the first task was claimed and closed after event 5
	const moved = `<span class="mark fresh">open → done</span>`
	for path, words := range map[string][]string{
		"/p/demo/board?since=5":           {moved, `<span class="mark fresh">1 task</span> changed since event 5`, `href="/p/demo/graph?since=5"`},
		"/p/demo/board?at=6&since=5":      {`<span class="mark fresh">open → in progress</span>`, `href="/p/demo/timeline?at=6&amp;since=5"`},
		"/p/demo/board?since=0":           {`<span class="mark fresh">new</span>`},
		"/p/demo/tasks?state=all&since=5": {moved, `name="since" value="5"`},
		"/p/demo/graph?show=all&since=5":  {moved, ` fresh" data-key="ndemo-1"`, "demo-1 · done · open → done"},
		"/p/demo/timeline?since=5":        {`class="span end-done fresh"`},
		"/t/demo-1?since=5":               {moved, `data-nav class="fresh"`},
		"/p/demo?since=5":                 {`<b>2</b> <span class="mark fresh">−1</span>`, `<b>1</b> <span class="mark fresh">&#43;1</span>`},
		"/p/demo/tasks?since=99":          {"no event up to 7 has that id"},
		"/p/demo/tasks?at=6&since=7":      {"no event up to 6 has that id"},
		"/p/demo/graph?since=x":           {"Give a whole number"},
		"/p/demo/board":                   {`href="/p/demo/board?since=7">now</a>`, `<a class="button" id="looked" hidden>`},
	} {
		body := get(t, h, path).Body.String()
		for _, w := range words {
			if !strings.Contains(body, w) {
				t.Errorf("%s does not say %q", path, w)
			}
		}
	}
	for _, path := range []string{"/p/demo/board", "/p/demo/board?since=7", "/p/demo/graph", "/t/demo-1", "/p/demo"} {
		if body := get(t, h, path).Body.String(); strings.Contains(body, `fresh">open`) || strings.Contains(body, ` fresh" data-key`) {
			t.Errorf("%s marks what nobody asked for", path)
		}
	}
}

func TestProofIsNarrowedToWhatNothingProves(t *testing.T) {
	h, _ := lived(t, 3, 1)
	for path, has := range map[string]bool{"/p/demo/proof": true, "/p/demo/proof?only=unproven": true, "/p/demo/proof?only=forced": false} {
		if body := get(t, h, path).Body.String(); strings.Contains(body, `href="/t/demo-1"`) != has {
			t.Errorf("%s shows a task that was closed without proof: %t", path, !has)
		}
	}
	if w := get(t, h, "/p/demo/proof?only=x"); w.Code != 422 || !strings.Contains(w.Body.String(), "unproven, forced, unlanded") {
		t.Errorf("an unknown narrowing is answered with %d", w.Code)
	}
}
