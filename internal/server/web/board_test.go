package web_test

import (
	"strings"
	"testing"
)

// The address alone limits a board to an epic, and lays it out in rows by epic.
func TestABoardIsNarrowedToAnEpicAndLaidOutInRows(t *testing.T) {
	h := site(t, `{"project": "demo", "tasks": [{"key": "e", "title": "Epic <e>"}, {"key": "a", "title": "Alone"},
		{"key": "s", "title": "Story", "parent": "e"}, {"key": "d", "title": "Deep", "parent": "s"}, {"key": "n", "title": "Near", "parent": "e", "deps": ["a"]},
		{"key": "old", "title": "Old", "status": "done"}, {"key": "part", "title": "Past", "parent": "old", "status": "done"}]}`)
	for path, want := range map[string]struct{ says, not []string }{
		"/p/demo/board": {[]string{`<option value="demo-1">demo-1 Epic &lt;e&gt;</option>`, `<option value="demo-3">`, "Alone", `href="/p/demo/tasks?group=parent"`},
			[]string{`<option value="demo-6">`, "epicrow"}},
		"/p/demo/board?epic=demo-1": {[]string{"Deep", "Near", "Story", `<option value="demo-1" selected>`, `href="/p/demo/tasks?group=parent&amp;under=demo-1"`},
			[]string{`<bdi>Old</bdi>`, `class="title" href="/t/demo-2"`}},
		"/p/demo/board?epic=demo-6":           {[]string{"Past", `<option value="demo-6" selected>`}, []string{"Deep"}},
		"/p/demo/board?epic=demo-2":           {[]string{"Nothing is part of this task"}, []string{"tasker add"}},
		"/p/demo/board?epic=demo-99":          {[]string{"demo-99"}, []string{"Deep"}},
		"/p/demo/board?group=epic":            {[]string{`href="/p/demo/board?epic=demo-3&amp;group=epic"`, "Part of nothing"}, []string{`href="#c-ready"`}},
		"/p/demo/board?group=epic&limit=1":    {[]string{`href="/p/demo/tasks?state=ready">see all</a>`}, nil},
		"/p/demo/board?limit=1":               {[]string{`href="/p/demo/tasks?state=ready"`, "1 of 2 shown: see all"}, nil},
		"/p/demo/tasks":                       {[]string{`aria-current="true">open <b class="n">5</b>`, `all <b class="n">7</b>`, `<a href="/t/demo-1" title="demo-1">`}, []string{"<bdi>Old</bdi>"}},
		"/p/demo/tasks?state=all&sort=title":  {[]string{`aria-current="true">all`, "<bdi>Old</bdi>", `aria-sort="ascending"`}, nil},
		"/p/demo/board?epic=demo-1&since=2":   {[]string{`name="since" value="2"`, `name="epic" value="demo-1"`}, nil},
		"/p/demo/tasks?under=demo-1&sort=due": {[]string{"Deep", "Near", "Story", `name="under" value="demo-1"`}, []string{"Alone"}},
		"/p/demo/board?at=9&epic=demo-1&limit=": {[]string{"after event 9", `<input type="hidden" name="epic" value="demo-1">`, "Deep"},
			[]string{`class="title" href="/t/demo-2"`}},
	} {
		body := get(t, h, path).Body.String()
		for _, text := range want.says {
			if !strings.Contains(body, text) {
				t.Errorf("%s lacks %s", path, text)
			}
		}
		for _, text := range want.not {
			if strings.Contains(body, text) {
				t.Errorf("%s has %s", path, text)
			}
		}
	}
}
