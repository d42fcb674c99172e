package browser_test

import (
	"bytes"
	"net/http"
	"strings"
	"testing"
)

// troubled fills a server with a task that keeps failing, one that nobody holds, and a circle of dependencies and parts.
var troubled = once("troubled", func(s *server) {
	s.actor = "ann"
	configuration := `{"version": 1, "project": "demo", "actors": [{"name": "bot", "kind": "agent"}, {"name": "ann", "kind": "human"}]}`
	s.write(".tasker.json", configuration)
	s.feed("bot", `{"project": "demo", "tasks": [{"key": "bad", "title": "Bad"}, {"key": "loose", "title": "Loose"},
			{"key": "outer", "title": "Outer"}, {"key": "between", "title": "Between", "deps": ["outer"]},
			{"key": "inner", "title": "Inner", "parent": "outer", "deps": ["between"]}, {"key": "part", "title": "Part", "parent": "outer"}]}`, "apply", "-f", "-")
	for range 3 {
		s.run("bot", "claim", "bad")
		s.run("bot", "release", "bad", "--failed")
	}
	s.run("bot", "move", "loose", "in_progress")
})

func TestTheInboxShowsWhatFailsAndWhatNobodyHolds(t *testing.T) {
	t.Parallel()
	s := serve(t, troubled(t))
	b := open(t)
	b.visit(s.base + "/p/demo/inbox")
	for kind, want := range map[string]string{"failing": "3 failed attempts", "unheld": "nobody holds it"} {
		text := js[string](b, `document.querySelector(".kind-`+kind+`")?.closest("li")?.innerText ?? ""`)
		if !strings.Contains(text, want) {
			t.Errorf("the item of kind %s says %q", kind, text)
		}
	}
	if n := js[string](b, `document.querySelector("h1 small").innerText`); n != "2" {
		t.Errorf("the inbox says %s, want 2", n)
	}
	if found := b.violations(axe(t), `{resultTypes: ["violations"]}`); len(found) > 0 {
		t.Errorf("axe reports %v", found)
	}
	b.visit(s.base + "/t/demo-1")
	b.until(`document.body.innerText.includes("It has failed 3 times")`)

	// Acknowledged in another process, the item disappears from the open page on its own.
	b.visit(s.base + "/p/demo/inbox")
	s.run("ann", "inbox", "ack", "failing:demo-1")
	s.run("bot", "claim", "loose")
	b.until(`!document.querySelector(".kind-failing") && !document.querySelector(".kind-unheld")`)
	if bad := b.wrong(); len(bad) > 0 {
		t.Errorf("the pages have errors: %v", bad)
	}
}

func TestACircleIsDrawnAndItsChildIsNoPart(t *testing.T) {
	t.Parallel()
	s := serve(t, troubled(t))
	b := open(t)
	b.visit(s.base + "/p/demo/graph?show=all")
	title := func(id string) string {
		return js[string](b, `document.querySelector('.node[data-id="`+id+`"] title').textContent`)
	}
	if got := title("demo-5"); !strings.Contains(got, "in a circle with its parent, and no part of it") {
		t.Errorf("the child in the circle says %q", got)
	}
	if got := title("demo-6"); strings.Contains(got, "circle") {
		t.Errorf("the part says %q", got)
	}
	if got := js[string](b, `document.querySelector('tr[data-key="rdemo-5"]').textContent`); !strings.Contains(got, "no part: the two form a circle") {
		t.Errorf("the row of the child in the circle says %q", got)
	}
	// A part leads to its parent, here along the critical path; the child in the circle does not.
	for file, lines := range map[string][2]string{
		"graph.dot": {`"demo-6" -> "demo-3" [penwidth=3, style=dashed]`, `"demo-5" -> "demo-3"`},
		"graph.mmd": {"n5 ==> n2\n", "n4 ="},
	} {
		res, err := http.Get(s.base + "/p/demo/graph/" + file + "?show=all")
		if err != nil {
			t.Fatal(err)
		}
		var body bytes.Buffer
		_, err = body.ReadFrom(res.Body)
		res.Body.Close()
		if text := body.String(); err != nil || !strings.Contains(text, lines[0]) || strings.Contains(text, lines[1]) || strings.Contains(text, "n4 -.") {
			t.Errorf("%s, which should have %q and not %q (%v):\n%s", file, lines[0], lines[1], err, text)
		}
	}
	if bad := b.wrong(); len(bad) > 0 {
		t.Errorf("the page has errors: %v", bad)
	}
}
