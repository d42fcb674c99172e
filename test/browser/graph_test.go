package browser_test

import (
	"fmt"
	"slices"
	"strings"
	"testing"

	"github.com/chromedp/cdproto/input"
	"github.com/chromedp/chromedp"
)

// inCanvas lists the drawn tasks that a selector finds, and which of them are wholly in the window of the picture and
// covered by nothing.
const inCanvas = `((selector) => {
	const box = document.getElementById("canvas").getBoundingClientRect(), mini = document.getElementById("minimap").getBoundingClientRect();
	const all = [...document.querySelectorAll("#net .node" + selector)];
	const seen = all.filter((n) => { const r = n.querySelector(".box").getBoundingClientRect(); return r.left >= box.left && r.right <= box.right &&
		r.top >= box.top && r.bottom <= box.bottom && (mini.width === 0 || r.right <= mini.left || r.left >= mini.right || r.bottom <= mini.top ||
		r.top >= mini.bottom); });
	return [all.length, seen.length];
})`

const scaleNow = `Number(/scale\(([\d.]+)/.exec(document.getElementById("world").getAttribute("transform"))[1])`

// TestTheGraphOpensOnWhatCanBeDone looks at the first window: it shows a small plan whole, and every ready task of the shop.
func TestTheGraphOpensOnWhatCanBeDone(t *testing.T) {
	t.Parallel()
	small := serve(t, func(s *server) { s.feed("ada", s.run("ada", "apply", "--example"), "apply", "-f", "-") })
	shop := shopping(t)
	b := open(t)
	for _, scheme := range []string{"light", "dark"} {
		b.scheme(scheme)
		b.do(chromedp.EmulateViewport(1280, 800))
		b.visit(small.base + "/p/demo/graph")
		b.until(`document.querySelector("#world[transform]")`)
		if n := js[[]int](b, inCanvas+`("")`); n[0] != 11 || n[1] != 11 {
			t.Errorf("%s: %d of the %d tasks of a small plan are in view", scheme, n[1], n[0])
		}
		if s := js[float64](b, scaleNow); s < 0.75 {
			t.Errorf("%s: a small plan is fitted at a scale of %g", scheme, s)
		}
		b.visit(shop.base + "/p/shop/graph")
		b.until(`document.querySelector("#world[transform]")`)
		if n := js[[]int](b, inCanvas+`(".n-ready")`); n[0] < 3 || n[1] != n[0] {
			t.Errorf("%s: %d of the %d ready tasks of the shop are in view", scheme, n[1], n[0])
		}
		// Left is now: within its area, nothing stands to the left of what can be worked on or is being worked on.
		if late := js[[]string](b, `[...document.querySelectorAll("#net .frame")].flatMap((f) => {
			const box = f.querySelector(".group").getBoundingClientRect();
			const inside = [...document.querySelectorAll("#net .node")].map((n) => [n, n.querySelector(".box").getBoundingClientRect()])
				.filter(([, r]) => r.left >= box.left && r.right <= box.right && r.top >= box.top && r.bottom <= box.bottom);
			const first = Math.min(...inside.map(([, r]) => r.left));
			return inside.filter(([n, r]) => n.classList.contains("now") !== r.left < first + 5).map(([n]) => n.dataset.id);
		})`); len(late) > 0 {
			t.Errorf("%s: these tasks are in the first column and wait, or are not and do not: %v", scheme, late)
		}
	}
	b.do(chromedp.EmulateViewport(390, 844))
	b.watch()
	b.visit(shop.base + "/p/shop/graph")
	b.stands()
	b.until(`document.querySelector("#world[transform]")`)
	if n := js[[]int](b, inCanvas+`(".now")`); n[1] < 3 {
		t.Errorf("%d tasks that can be worked on are in view on a phone", n[1])
	}
}

// TestEdgesFromPartsAreDrawnOnHover checks that they are there, and in sight only for the task under the pointer.
func TestEdgesFromPartsAreDrawnOnHover(t *testing.T) {
	t.Parallel()
	b := graphOf(t, shopping(t).base+"/p/shop/graph")
	const seen = `[...document.querySelectorAll("#net .edge.part")].filter((e) => getComputedStyle(e).visibility === "visible").length`
	if n := js[int](b, `document.querySelectorAll("#net .edge.part").length`); n < 10 {
		t.Fatalf("there are %d edges from parts to parents", n)
	}
	if n := js[int](b, seen); n != 0 {
		t.Errorf("%d edges from parts are drawn before anybody asks", n)
	}
	b.hover("#net .node.n-ready text")
	b.until(seen + ` > 0`)
	b.do(chromedp.MouseEvent(input.DispatchMouseEventTypeMouseMoved, 5, 5))
	b.until(seen + ` === 0`)
}

// names lists the names that a reader can read in the window of a picture, with the size of their letters.
const namesNow = `[...document.querySelectorAll(".names:not([hidden]) > div:not([hidden]) > span")].filter((e) => { const r = e.getBoundingClientRect(),
	box = document.getElementById("canvas").getBoundingClientRect(); return r.width > 12 && r.left >= box.left && r.right <= box.right && r.top >= box.top &&
	r.bottom <= box.bottom; }).map((e) => e.textContent + " " + parseFloat(getComputedStyle(e).fontSize))`

// TestEpicsKeepTheirNames fits large pictures: however small they get, the names of epics can be read.
func TestEpicsKeepTheirNames(t *testing.T) {
	t.Parallel()
	const epics = 25
	big := serve(t, func(s *server) {
		var tasks []string
		for i := range epics {
			tasks = append(tasks, fmt.Sprintf(`{"key": "e%d", "title": "Epic %d"}`, i, i))
			for k := range 8 {
				tasks = append(tasks, fmt.Sprintf(`{"key": "t%d-%d", "title": "Do the work", "parent": "e%d", "deps": ["t%d-%d"]}`, i, k, i, max(0, i-1), max(0, k-1)))
			}
		}
		text := strings.Join(tasks, ",\n")
		text = strings.ReplaceAll(text, `, "deps": ["t0-0"]}`, `}`)
		s.feed("ada", `{"project": "big", "tasks": [`+text+`]}`, "apply", "-f", "-")
	})
	b := open(t)
	fit := func() {
		b.until(`document.querySelector("#world[transform]")`)
		js[bool](b, `document.getElementById("zoomfit").click(); true`)
		b.until(`!document.querySelector("#net .out")`)
	}
	for _, scheme := range []string{"light", "dark"} {
		b.scheme(scheme)
		b.do(chromedp.EmulateViewport(1280, 800))
		// All five epics of the shop with their tasks, at a scale at which nothing else could be read.
		b.visit(shopping(t).base + "/p/shop/graph?show=all&fold=none")
		fit()
		if s := js[float64](b, scaleNow); s >= 0.35 {
			t.Errorf("%s: all of the shop is drawn at a scale of %g, and shows nothing", scheme, s)
		}
		got := js[[]string](b, namesNow)
		if slices.Sort(got); !slices.Equal(got, []string{"Cart 13", "Checkout 13", "Delivery 13", "Launch 13", "Payments 13"}) {
			t.Errorf("%s: the names of the shop are %q", scheme, got)
		}
		if n := js[int](b, `[...document.querySelectorAll("#net .node.inside")].filter((n) => getComputedStyle(n).opacity !== "0").length`); n > 0 {
			t.Errorf("%s: %d tasks are drawn into the blocks", scheme, n)
		}
		// A plan past a hundred tasks is grouped by epic in every mode, and its names are on half of the canvas.
		for _, show := range []string{"", "?show=open", "?show=all"} {
			b.visit(big.base + "/p/big/graph" + show)
			fit()
			if n := js[int](b, `document.querySelectorAll("#net .node:not(.n-folded)").length`); n > 0 {
				t.Errorf("%s: %s shows %d tasks outside of their epics", scheme, show, n)
			}
			if show == "" {
				continue
			}
			read := js[[]float64](b, `(() => { const box = document.getElementById("canvas").getBoundingClientRect();
				const all = [...document.querySelectorAll("#net .n-folded")].map((n) => [n.querySelector(".box").getBoundingClientRect(),
					parseFloat(getComputedStyle(n.querySelector("text:not(.nid)")).fontSize) * `+scaleNow+`]);
				const left = Math.min(...all.map(([r]) => r.left)), right = Math.max(...all.map(([r]) => r.right));
				const top = Math.min(...all.map(([r]) => r.top)), bottom = Math.max(...all.map(([r]) => r.bottom));
				return [all.length, Math.min(...all.map(([, size]) => size)), (right - left) * (bottom - top) / (box.width * box.height)]; })()`)
			if read[0] != epics || read[1] < 11 || read[2] < 0.5 {
				t.Errorf("%s: %s shows %g epics with letters of %g pixels on %.2f of the canvas", scheme, show, read[0], read[1], read[2])
			}
		}
	}
	// In between, tasks are drawn and names keep their size.
	b.visit(shopping(t).base + "/p/shop/graph#v=700,400,0.5")
	b.until(`document.querySelector("#world[transform]")`)
	if got := js[[]string](b, namesNow); len(got) < 2 || !strings.HasSuffix(got[0], " 13") {
		t.Errorf("at half of its size the picture has the names %q", got)
	}
	if !js[bool](b, `document.querySelector(".names b i").getBoundingClientRect().width > 0 && !document.querySelector("#net.tiny")`) {
		t.Error("a name has no bar")
	}
	b.do(chromedp.EmulateViewport(390, 844))
	b.visit(shopping(t).base + "/p/shop/graph?show=all")
	fit()
	if got := js[int](b, `[...document.querySelectorAll("#net .n-folded text:not(.nid)")].filter((e) => e.getBoundingClientRect().height >= 8).length +
		document.querySelectorAll(".names:not([hidden]) > div:not([hidden])").length`); got < 5 {
		t.Errorf("a phone shows %d names of epics", got)
	}
}

// TestTheSelectionIsInTheAddress selects a task, loads the page again, and closes the panel; and finds a task.
func TestTheSelectionIsInTheAddress(t *testing.T) {
	t.Parallel()
	b := graphOf(t, shopping(t).base+"/p/shop/graph")
	click := func(id string) {
		js[bool](b, `document.querySelector('.node[data-id="`+id+`"]').dispatchEvent(new MouseEvent("click", {bubbles: true, cancelable: true})); true`)
		b.until(`!document.getElementById("panel").hidden && location.hash.includes("task=` + id + `")`)
	}
	click("shop-59")
	// One ring is around the selected task, also where it has the focus of the keyboard.
	js[bool](b, `document.querySelector(".node.sel").focus({ focusVisible: true }); true`)
	if ring := js[string](b, `getComputedStyle(document.querySelector(".node.sel")).outlineStyle + " " + getComputedStyle(document.getElementById("canvas")).outlineStyle`); ring != "none none" {
		t.Errorf("around the selected task and the picture there are outlines too: %s", ring)
	}
	// The cross is next to the title, and over nothing.
	if !js[bool](b, `(() => { const x = document.querySelector("#panel .close").getBoundingClientRect();
		return x.width >= 24 && x.height >= 24 && [...document.querySelectorAll("#panel :is(h2, .taskline, .banner)")].every((e) => { const r = e.getBoundingClientRect();
			return r.right <= x.left || r.top >= x.bottom; }); })()`) {
		t.Error("the cross of the panel overlaps its text")
	}
	js[bool](b, `window.before = true; location.reload(); true`)
	b.until(`!window.before && document.querySelector(".node.sel")?.dataset.id === "shop-59" && document.querySelector("#panel h2")`)
	if n := js[[]int](b, inCanvas+`(".sel")`); n[1] != 1 {
		t.Error("the selected task is not in view after the page was loaded again")
	}
	js[bool](b, `document.querySelector("#panel .close").click(); true`)
	b.until(`!location.hash.includes("task=") && !document.querySelector(".node.sel") && document.getElementById("panel").hidden`)

	b.do(chromedp.Focus("#graphfind"))
	b.press("order")
	b.until(`document.querySelectorAll(".node.found").length > 1 && document.querySelectorAll(".node.hit").length === 1`)
	if !js[bool](b, `(() => { const of = (s) => getComputedStyle(document.querySelector(s + " .box")), hit = of(".node.hit"), other = of(".node.found:not(.hit)");
		return hit.strokeWidth !== other.strokeWidth && hit.fill !== other.fill; })()`) {
		t.Error("the current hit looks like the others")
	}

	// On a phone the panel is in sight at once, and the task above it.
	b.do(chromedp.EmulateViewport(390, 844))
	b.visit(shopping(t).base + "/p/shop/graph?x=1")
	b.until(`document.querySelector("#world[transform]")`)
	id := js[string](b, `[...document.querySelectorAll(".node.now")].sort((a, b) => b.getBoundingClientRect().y - a.getBoundingClientRect().y)
		.find((n) => n.getBoundingClientRect().bottom < innerHeight).dataset.id`)
	click(id)
	b.until(`(() => { const p = document.getElementById("panel").getBoundingClientRect(), n = document.querySelector(".node.sel .box").getBoundingClientRect();
		return p.top < innerHeight * 0.7 && p.bottom <= innerHeight + 1 && n.bottom <= p.top && n.top >= 0; })()`)
	for _, w := range b.wrong() {
		t.Error(w)
	}
}
