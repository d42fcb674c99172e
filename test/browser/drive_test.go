package browser_test

import (
	"bytes"
	"fmt"
	"image"
	"image/png"
	"net/http"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	cdpbrowser "github.com/chromedp/cdproto/browser"
	"github.com/chromedp/cdproto/input"
	"github.com/chromedp/chromedp"
	"github.com/chromedp/chromedp/kb"
)

// graphOf opens a picture and waits until it responds to input.
func graphOf(t *testing.T, address string) *tab {
	t.Helper()
	b := open(t)
	b.visit(address)
	b.until(`document.querySelector("#canvas.driven") && document.getElementById("world").hasAttribute("transform")`)
	return b
}

// all shows the whole picture: what is outside the window is not drawn, and cannot have the focus.
func (b *tab) all() {
	b.t.Helper()
	js[bool](b, `document.getElementById("zoomfit").click(); true`)
	b.until(`!document.querySelector("#net .out")`)
}

// hover moves the mouse onto the middle of an element.
func (b *tab) hover(selector string) {
	b.t.Helper()
	at := js[[]float64](
		b,
		fmt.Sprintf(
			`(() => { const r = document.querySelector(%q).getBoundingClientRect(); return [r.x + r.width / 2, r.y + r.height / 2]; })()`,
			selector,
		),
	)
	b.do(chromedp.MouseEvent(input.DispatchMouseEventTypeMouseMoved, at[0], at[1]))
}

func TestHoveringATaskLightsItsChains(t *testing.T) {
	t.Parallel()
	s := reading(t)
	b := graphOf(t, s.base+"/p/atlas/graph?focus=atlas-150&up=3&down=3")
	b.hover(`.node[data-id="atlas-150"] text`)
	b.until(`document.querySelector("#net.tracing")`)
	// Exactly the tasks reachable along edges in one direction are highlighted.
	wrong := js[[]string](b, `(() => {
		const edges = [...document.querySelectorAll(".edge")], reached = new Set(["atlas-150"]);
		for (const [here, there] of [["a", "b"], ["b", "a"]]) {
			const todo = ["atlas-150"], seen = new Set(todo);
			while (todo.length) {
				const at = todo.pop();
				for (const e of edges) {
					const next = e.dataset[there];
					if (e.dataset[here] === at && !seen.has(next)) { seen.add(next); reached.add(next); todo.push(next); }
				}
			}
		}
		return [...document.querySelectorAll(".node")].filter((n) => n.classList.contains("lit") !== reached.has(n.dataset.id)).map((n) => n.dataset.id);
	})()`)
	if len(wrong) > 0 {
		t.Errorf("these nodes should not be lit, or should: %v", wrong)
	}
	if n := js[int](b, `document.querySelectorAll(".node.lit").length`); n < 2 {
		t.Errorf("%d tasks are lit", n)
	}
	b.do(chromedp.MouseEvent(input.DispatchMouseEventTypeMouseMoved, 5, 5))
	b.until(`!document.querySelector("#net.tracing, .lit")`)
}

func TestFocusShowsTheStepsThatWereAskedFor(t *testing.T) {
	t.Parallel()
	s := reading(t)
	b := graphOf(t, s.base+"/p/atlas/graph?fold=none")
	b.all()
	js[bool](
		b,
		`document.querySelector(".edge") && document.querySelector('.node[data-id="' + document.querySelector(".edge").dataset.b + '"]').focus(); true`,
	)
	id := js[string](b, `document.querySelector(".node.sel").dataset.id`)
	b.press("f")
	b.until(fmt.Sprintf(`location.search.includes(%q) && document.querySelector("#canvas.driven")`, "focus="+id))
	few := js[int](b, `document.querySelectorAll(".node").length`)
	js[bool](
		b,
		`document.querySelector("input[name=up]").value = "0"; document.querySelector("input[name=down]").value = "0"; `+
			`document.querySelector(".graphbar form button").click(); true`,
	)
	b.until(`location.search.includes("up=0") && document.querySelector("#canvas.driven")`)
	if n := js[int](b, `document.querySelectorAll(".node").length`); n != 1 || few < 2 {
		t.Errorf("%d tasks with three steps, %d with none", few, n)
	}
	js[bool](b, `setTimeout(() => history.back()); true`) // after the answer: leaving the page would cut it off
	b.until(fmt.Sprintf(`document.querySelectorAll(".node").length === %d`, few))
}

func TestAGroupFoldsIntoOneNodeAndUnfoldsAgain(t *testing.T) {
	t.Parallel()
	s := reading(t)
	b := graphOf(t, s.base+"/p/atlas/graph?show=all&fold=none")
	group := js[string](b, `document.querySelector(".frame").dataset.key.slice(1)`)
	b.do(chromedp.Click(`#zoomfit`))
	js[bool](b, `document.querySelector(".frame a[data-fold]").dispatchEvent(new MouseEvent("click", {bubbles: true, cancelable: true})); true`)
	b.until(`location.search.includes("fold=atlas") && document.querySelector("#canvas.driven")`)
	if n, text := js[int](b, `document.querySelectorAll(".node").length`), js[string](b,
		`document.querySelector('.node[data-id="`+group+`"]')?.textContent ?? ""`); n >= 300 ||
		!strings.Contains(text, "% closed") {
		t.Errorf("folding %s leaves %d nodes, and says %q", group, n, text)
	}
	js[bool](b, `document.querySelector('.node[data-id="`+group+`"]').dispatchEvent(new MouseEvent("click", {bubbles: true, cancelable: true})); true`)
	b.until(`!location.search.includes("fold=atlas") && document.querySelectorAll(".node").length === 300`)
}

func TestTheSmallPictureMovesTheLargeOne(t *testing.T) {
	t.Parallel()
	s := reading(t)
	b := graphOf(t, s.base+"/p/atlas/graph?show=all&fold=none")
	before := js[string](b, `document.getElementById("world").getAttribute("transform")`)
	at := js[[]float64](
		b,
		`(() => { const r = document.getElementById("minimap").getBoundingClientRect(); return [r.x + r.width * .6, r.y + r.height * .8]; })()`,
	)
	b.do(chromedp.MouseClickXY(at[0], at[1]))
	b.until(fmt.Sprintf(`document.getElementById("world").getAttribute("transform") !== %q`, before))
	// The frame of the small picture is where the click was.
	if !js[bool](
		b,
		fmt.Sprintf(
			`(() => { const r = document.getElementById("eye").getBoundingClientRect(); return r.left <= %g && r.right >= %g && r.top <= %g && r.bottom >= %g; })()`,
			at[0],
			at[0],
			at[1],
			at[1],
		),
	) {
		t.Error("the frame does not hold the point that was clicked")
	}
	// Dragging pans, the wheel zooms.
	before = js[string](b, `document.getElementById("world").getAttribute("transform")`)
	b.do(
		chromedp.MouseEvent(input.DispatchMouseEventTypeMousePressed, 600, 400, chromedp.ButtonLeft),
		chromedp.MouseEvent(input.DispatchMouseEventTypeMouseMoved, 500, 330, chromedp.ButtonLeft),
		chromedp.MouseEvent(input.DispatchMouseEventTypeMouseReleased, 500, 330, chromedp.ButtonLeft),
	)
	b.until(fmt.Sprintf(`document.getElementById("world").getAttribute("transform") !== %q`, before))
	if js[string](b, `location.pathname`) != "/p/atlas/graph" {
		t.Error("panning opened a task")
	}
}

func TestBracketsAndArrowsGoAlongEdges(t *testing.T) {
	t.Parallel()
	s := reading(t)
	b := graphOf(t, s.base+"/p/atlas/graph?show=all&fold=none")
	b.all()
	// A task with two dependents: ] goes through both.
	start := js[string](
		b,
		`(() => { const n = {}; for (const e of document.querySelectorAll(".edge")) (n[e.dataset.a] ??= []).push(e.dataset.b); const id = `+
			`Object.keys(n).find((k) => n[k].length === 2); document.querySelector('.node[data-id="' + id + '"]').focus(); window.both = n[id]; return id; })()`,
	)
	var seen []string
	for range 2 {
		b.press("]")
		seen = append(seen, js[string](b, `document.querySelector(".node.sel").dataset.id`))
	}
	if seen[0] == seen[1] || !js[bool](b, fmt.Sprintf(`window.both.includes(%q) && window.both.includes(%q)`, seen[0], seen[1])) {
		t.Errorf("] went from %s to %v", start, seen)
	}
	b.press(kb.ArrowLeft)
	at := js[string](b, `document.querySelector(".node.sel").dataset.id`)
	if !js[bool](b, fmt.Sprintf(`[...document.querySelectorAll(".edge")].some((e) => e.dataset.a === %q && e.dataset.b === %q)`, at, seen[1])) {
		t.Errorf("the left arrow went from %s to %s, and there is no such edge", seen[1], at)
	}
	y := js[float64](b, `document.querySelector(".node.sel").getBoundingClientRect().y`)
	b.press(kb.ArrowDown)
	if js[string](b, `document.querySelector(".node.sel").dataset.id`) != at &&
		js[float64](b, `document.querySelector(".node.sel").getBoundingClientRect().y`) <= y {
		t.Error("the down arrow did not go down")
	}
}

func TestAPatchLeavesTheGraphDriven(t *testing.T) {
	t.Parallel()
	s := serve(t, atlas(t))
	b := graphOf(t, s.base+"/p/atlas/graph?fold=none")
	b.all()
	js[bool](
		b,
		`document.querySelector(".edge"); document.querySelector('.node[data-id="' + document.querySelector(".edge").dataset.a + '"]').focus(); `+
			`window.selected = document.querySelector(".node.sel").dataset.id; true`,
	)
	const scale = `parseFloat(document.getElementById("world").getAttribute("transform").slice("scale(".length))`
	before := js[float64](b, scale)
	b.press("+")
	b.until(fmt.Sprintf(`%s > %g`, scale, 1.2*before)) // drawn, not only requested
	view := js[string](b, `document.getElementById("world").getAttribute("transform")`)
	s.run("grace/7", "next", "--claim", "-p", "atlas")
	b.until(`document.getElementById("net").textContent.includes("grace/7")`)
	if again := js[string](b, `document.getElementById("world").getAttribute("transform")`); again != view {
		t.Errorf("the view was %s and is %s", view, again)
	}
	if !js[bool](
		b,
		`document.querySelectorAll(".node.sel").length === 1 && document.querySelector(".node.sel").dataset.id === window.selected && `+
			`document.activeElement.dataset.id === window.selected`,
	) {
		t.Error("the selection was lost")
	}
	if hidden := js[int](b, `[...document.querySelectorAll(".graphbar .js")].filter((e) => e.hidden).length`); hidden > 0 {
		t.Errorf("%d controls are hidden", hidden)
	}
}

func TestTheGraphIsExportedAsSVGPNGDOTAndMermaid(t *testing.T) {
	t.Parallel()
	s := reading(t)
	for file, opening := range map[string]string{"graph.svg": "<svg", "graph.dot": "digraph", "graph.mmd": "flowchart LR"} {
		res, err := http.Get(s.base + "/p/atlas/graph/" + file + "?show=all&fold=none")
		if err != nil {
			t.Fatal(err)
		}
		var body bytes.Buffer
		_, err = body.ReadFrom(res.Body)
		res.Body.Close()
		text := body.String()
		if err != nil || res.StatusCode != 200 || !strings.HasPrefix(text, opening) || !strings.Contains(text, "atlas-300") ||
			!strings.Contains(res.Header.Get("Content-Disposition"), "atlas-"+file) {
			t.Errorf("%s: %d %v %.80q", file, res.StatusCode, err, text)
		}
	}
	dir := t.TempDir()
	b := graphOf(t, s.base+"/p/atlas/graph?focus=atlas-150&up=1&down=1")
	if _, err := chromedp.Call(b, cdpbrowser.SetDownloadBehavior,
		cdpbrowser.SetDownloadBehaviorParams{Behavior: cdpbrowser.SetDownloadBehaviorBehaviorAllow, DownloadPath: dir}); err != nil {
		t.Fatal(err)
	}
	b.do(chromedp.Click("#exportpng"))
	path := filepath.Join(dir, "graph.png")
	var picture image.Image
	for limit := time.After(20 * time.Second); picture == nil; { // until it is saved whole
		data, err := os.ReadFile(path)
		if err == nil {
			picture, err = png.Decode(bytes.NewReader(data))
		}
		if err == nil {
			break
		}
		select {
		case <-limit:
			t.Fatalf("no picture was saved: %v (%v)", err, b.wrong())
		case <-time.After(40 * time.Millisecond):
		}
	}
	box, colours := picture.Bounds(), map[any]bool{}
	for x := box.Min.X; x < box.Max.X; x += 3 {
		for y := box.Min.Y; y < box.Max.Y; y += 3 {
			colours[picture.At(x, y)] = true
		}
	}
	if box.Dx() < 400 || box.Dy() < 80 || len(colours) < 10 {
		t.Errorf("the picture is %v with %d colours", box, len(colours))
	}
}

func TestThePaletteTellsReadyFromWaiting(t *testing.T) {
	t.Parallel()
	s := reading(t)
	b := open(t)
	for _, path := range []string{"/p/atlas/board", "/"} { // with tasks of the project, and with only what a search finds
		b.visit(s.base + path)
		b.do(chromedp.KeyEvent("k", chromedp.KeyModifiers(chromedp.ModifierCtrl)))
		b.until(`document.querySelector("dialog.palette[open] li")`)
		b.press("retries")
		b.until(`(() => { const t = [...document.querySelectorAll("dialog.palette li a[href^='/t/']")];
			return t.length > 3 && t.every((a) => a.querySelector("small")); })()`)
		wrong := js[[]string](b, `Promise.all([...document.querySelectorAll("dialog.palette li a[href^='/t/']")].map(async (a) => {
			const id = a.getAttribute("href").slice(3), { nodes } = await (await fetch("/v1/tasks/" + id + "/graph?upstream=0&downstream=0")).json();
			const glyph = { ready: "▷", waiting: "…", asked: "?", held: "◐", unheld: "◌", in_review: "◇", done: "✓", cancelled: "✕" }[nodes[0].state];
			return a.textContent.startsWith(glyph + " " + id + " ") ? "" : a.textContent + " is " + nodes[0].state;
		})).then((all) => all.filter(Boolean))`)
		if len(wrong) > 0 {
			t.Errorf("from %s: %s", path, wrong)
		}
	}
}

func TestThePaletteGoesAnywhere(t *testing.T) {
	t.Parallel()
	s := reading(t)
	b := open(t)
	b.visit(s.base + "/p/atlas/board")
	ctrlK := func() { b.do(chromedp.KeyEvent("k", chromedp.KeyModifiers(chromedp.ModifierCtrl))) }
	ctrlK()
	b.until(`document.querySelector("dialog.palette[open] li")`)
	b.press("timel", kb.Enter)
	b.until(`location.pathname === "/p/atlas/timeline" && document.body?.dataset.live === "live"`)
	ctrlK()
	b.until(`document.querySelector("dialog.palette[open] li")`)
	b.press("atlas-15")
	b.until(`document.querySelector("dialog.palette li.on").textContent.includes("atlas-15 ")`)
	b.press("0", kb.Enter) // at once: what atlas-15 found is still shown
	b.until(`location.pathname === "/t/atlas-150"`)
	b.until(`document.body?.dataset.live === "live"`)
	b.press("g", "g")
	b.until(`location.pathname === "/p/atlas/graph" && document.body?.dataset.live === "live"`)
	b.press("g", "l")
	b.until(`location.pathname === "/p/atlas/tasks" && document.body?.dataset.live === "live"`)
	b.press("j", "j", "j", "k")
	if at := js[int](b, `[...document.querySelectorAll("main [data-nav]")].findIndex((n) => n.classList.contains("here"))`); at != 1 {
		t.Errorf("j j j k leads to line %d, want 1 (counted from 0)", at)
	}
	want := js[string](b, `document.querySelector(".here a").getAttribute("href")`)
	b.press(kb.Enter)
	b.until(fmt.Sprintf(`location.pathname === %q`, want))
	for _, w := range b.wrong() {
		t.Error(w)
	}
}
