package browser_test

import (
	"fmt"
	"strings"
	"testing"

	"github.com/chromedp/chromedp"
	"github.com/chromedp/chromedp/kb"
)

// TestPagesAsTheyWereCanBeReadByAll opens the six pages that show an earlier moment, with earlier changes marked: axe
// finds nothing, light and dark. And the browser links to what changed since its reader last looked.
func TestPagesAsTheyWereCanBeReadByAll(t *testing.T) {
	t.Parallel()
	s := reading(t)
	b := open(t, chromedp.WithNewBrowserContext()) // without what other tests have seen
	b.visit(s.base + "/p/atlas/board")
	newest := js[int](b, `Number(document.body.dataset.event)`)
	moment := fmt.Sprintf("at=%d&since=%d", newest-4, newest-40)
	for i, path := range []string{
		"/p/atlas?", "/p/atlas/tasks?state=held&", "/t/" + s.held("codex") + "?", "/p/atlas/board?", "/p/atlas/graph?", "/p/atlas/timeline?",
	} {
		b.scheme("light")
		b.visit(s.base + path + moment)
		if !js[bool](b, `document.querySelector("details.past[open]") !== null && document.querySelector("main .fresh") !== null`) {
			t.Errorf("%s marks nothing, or does not say which moment it shows", path)
		}
		if i > 0 && !long {
			continue // like the page of today except for the marks, which the first has too
		}
		b.reads(t)
	}
	// An hour ago the reader saw all but the last ten events. A page of the project would count as being seen now.
	b.visit(s.base + "/help")
	js[bool](b, fmt.Sprintf(`localStorage.setItem("tasker:looked:atlas", JSON.stringify({ event: %d, at: Date.now() - 3600e3 })); true`, newest-10))
	want := fmt.Sprintf("since=%d", newest-10)
	for _, path := range []string{"/p/atlas/board", "/p/atlas/tasks?state=held"} { // the second page belongs to the same visit
		b.visit(s.base + path)
		got := js[string](b, `(() => { const a = document.getElementById("looked"); return a.hidden ? "" : a.getAttribute("href"); })()`)
		if !strings.Contains(got, want) {
			t.Errorf("%s: what I have not seen is at %q, want %s", path, got, want)
		}
	}
	js[bool](b, `document.getElementById("looked").click(); true`)
	b.until(`location.search.includes("` + want + `") && location.search.includes("state=held") && document.querySelector("main .mark.fresh")`)
	for _, w := range b.wrong() {
		t.Error(w)
	}
}

// TestTheGraphIsDrivenByKeysAlone goes to the picture with Tab, along an edge, opens the panel, shows a path and opens a page.
func TestTheGraphIsDrivenByKeysAlone(t *testing.T) {
	t.Parallel()
	s := reading(t)
	b := graphOf(t, s.base+"/p/atlas/graph?focus=atlas-150&up=2&down=2")
	for range 60 {
		if js[string](b, `document.activeElement.id`) == "canvas" {
			break
		}
		b.press(kb.Tab)
	}
	if at := js[string](b, `document.activeElement.outerHTML.slice(0, 200)`); !strings.Contains(at, `id="canvas"`) {
		t.Fatalf("Tab never reaches the picture; it is at %s", at)
	}
	if b.press(kb.ArrowLeft); js[string](b, `document.activeElement.id`) == "canvas" { // nothing is before it
		b.press(kb.ArrowRight)
	}
	from := js[string](b, `document.activeElement.dataset.id ?? ""`)
	if from == "" || from == "atlas-150" || !js[bool](b, `document.activeElement.matches(".node.sel:focus")`) {
		t.Fatalf("an arrow goes to %q", from)
	}
	if b.press("m", kb.ArrowRight); js[string](b, `document.activeElement.dataset.id`) == from {
		b.press(kb.ArrowLeft)
	}
	to := js[string](b, `document.activeElement.dataset.id`)
	b.press("p")
	if n := js[int](b, `document.querySelectorAll(".node.onpath").length`); n != 2 || to == from {
		t.Errorf("the path from %s to %s has %d tasks", from, to, n)
	}
	b.press(" ")
	b.until(fmt.Sprintf(`!document.getElementById("panel").hidden && document.querySelector("#panel h2 a").getAttribute("href") === "/t/%s"`, to))
	// Two tasks with no path of drawn edges between them: the server knows whether there is a way.
	far := js[[]string](b, `(() => { const reached = (from, a, b) => { const seen = new Set([from]), todo = [from];
		while (todo.length) { const at = todo.pop(); for (const e of document.querySelectorAll(".edge"))
			if (e.dataset[a] === at && !seen.has(e.dataset[b])) { seen.add(e.dataset[b]); todo.push(e.dataset[b]); } } return seen; };
		const ids = [...document.querySelectorAll(".node")].map((n) => n.dataset.id);
		for (const x of ids) for (const y of ids) if (x !== y && !reached(x, "a", "b").has(y) && !reached(x, "b", "a").has(y)) return [x, y];
		return []; })()`)
	if len(far) == 2 {
		js[bool](b, fmt.Sprintf(`document.querySelector('.node[data-id=%q]').focus(); true`, far[0]))
		b.press("m")
		js[bool](b, fmt.Sprintf(`document.querySelector('.node[data-id=%q]').focus(); true`, far[1]))
		b.press("p")
		b.until(fmt.Sprintf(`location.search === "?from=%s&to=%s" && document.querySelector("h1 .shown").textContent.includes("path between")`, far[0], far[1]))
		b.until(`document.querySelector("#canvas.driven")`)
		js[bool](b, `document.getElementById("canvas").focus(); true`)
		b.press(kb.ArrowRight)
		to = js[string](b, `document.activeElement.dataset.id`)
	} else {
		t.Error("every task of the picture is on a way with every other")
	}
	b.press(kb.Enter)
	b.until(fmt.Sprintf(`location.pathname === "/t/%s"`, to))
}
