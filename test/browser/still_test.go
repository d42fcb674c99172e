package browser_test

import (
	"slices"
	"strings"
	"testing"

	"github.com/chromedp/chromedp"
)

// The board of a plan in trouble fits the window: lanes scroll below their heads, done work is cut to ten, and waiting
// tasks are grouped by what they wait for in the end.
func TestTheBoardHoldsStill(t *testing.T) {
	t.Parallel()
	s, b := shopping(t), open(t)
	b.do(chromedp.EmulateViewport(1280, 800))
	for _, path := range []string{"/p/shop/board", "/p/shop/board?group=epic"} {
		b.visit(s.base + path)
		if h := js[int](b, `document.documentElement.scrollHeight`); h > 800 {
			t.Errorf("%s is %d px tall in a window of 800", path, h)
		}
		head := `document.querySelector(".lanes.heads, .col.lane-in_progress h2").getBoundingClientRect().top`
		before := js[float64](b, head)
		js[int](b, `(document.querySelector(".board.rowed") ?? document.querySelector(".col.lane-in_progress")).scrollTop = 200`)
		if js[int](b, `(document.querySelector(".board.rowed") ?? document.querySelector(".col.lane-in_progress")).scrollTop`) == 0 {
			t.Errorf("%s: nothing scrolls below a head", path)
		}
		if after := js[float64](b, head); after != before {
			t.Errorf("%s: the head moves from %v to %v when its lane scrolls", path, before, after)
		}
	}
	b.visit(s.base + "/p/shop/board")
	if n := js[int](b, `document.querySelectorAll(".lane-done .card").length`); n != 10 {
		t.Errorf("the lane of done tasks shows %d, want ten", n)
	}
	total := js[string](b, `document.querySelector(".lane-done h2 small").textContent`)
	if says := js[string](b, `document.querySelector(".lane-done .more a").textContent.trim()`); says != "10 of "+total+" shown: see all" {
		t.Errorf("the rest of %s done tasks is announced as %q", total, says)
	}
	if says := js[string](b, `document.querySelector(".lane-waiting .cause summary").textContent.trim()`); says != "31 wait for shop-59, claude/1" {
		t.Errorf("the first cause reads %q", says)
	}
	waiting := js[int](b, `[...document.querySelectorAll(".lane-waiting h2 small")].reduce((n, e) => n + Number(e.textContent), 0)`)
	grouped := js[int](b, `document.querySelectorAll(".lane-waiting .card, .lane-waiting .cause .list li").length`)
	if grouped != waiting {
		t.Errorf("the groups have %d of %d waiting tasks", grouped, waiting)
	}
	b.do(chromedp.EmulateViewport(390, 844))
	b.visit(s.base + "/p/shop/board")
	if w := js[int](b, `document.documentElement.scrollWidth`); w > 390 {
		t.Errorf("on a phone the board is %d px wide", w)
	}
}

// The list opens on open work, the first to do first; a choice applies at once, and every count is that of its list.
func TestTheListOfTasksOpensOnWork(t *testing.T) {
	t.Parallel()
	s, b := shopping(t), open(t)
	b.do(chromedp.EmulateViewport(1280, 800))
	b.visit(s.base + "/p/shop/tasks")
	b.do(chromedp.EmulateViewport(1680, 1050))
	if starts := js[string](b, `[".brand", ".tabs a", "h1"].map((s) => { const e = document.querySelector(s); return Math.round(e.getBoundingClientRect().left +
		parseFloat(getComputedStyle(e).paddingLeft)); }).join()`); len(slices.Compact(strings.Split(starts, ","))) != 1 {
		t.Errorf("on a wide screen head, tabs and content begin at %s", starts)
	}
	b.do(chromedp.EmulateViewport(1280, 800))
	if first := js[string](b, `[...document.querySelectorAll("tbody tr")].slice(0, 3).map((r) => r.querySelector(".st").className).join()`); first != "st st-ready,st st-ready,st st-ready" {
		t.Errorf("the list begins with %s", first)
	}
	if n := js[int](b, `document.querySelectorAll("tbody .st-done, tbody .st-cancelled").length`); n != 0 {
		t.Errorf("%d closed tasks are among the open ones", n)
	}
	wrong := js[string](b, `(async () => {
		const wrong = [];
		for (const chip of document.querySelectorAll(".chips-by a")) {
			const page = new DOMParser().parseFromString(await (await fetch(chip.href)).text(), "text/html");
			const says = chip.querySelector(".n").textContent, has = page.querySelector("h1 small").textContent;
			if (says !== has) wrong.push(chip.textContent.trim() + " leads to " + has);
		}
		return wrong.join("; ");
	})()`)
	if wrong != "" {
		t.Error(wrong)
	}
	for _, sort := range []string{"due", "priority", "changed", "title", "holder", "selection"} {
		b.visit(s.base + "/p/shop/tasks?state=all&limit=200&sort=" + sort)
		if js[bool](b, `(() => { const closed = [...document.querySelectorAll("tbody tr")].map((r) => r.matches(":has(.st-done, .st-cancelled)"));
			return closed.length < 100 || closed.lastIndexOf(false) > closed.indexOf(true); })()`) {
			t.Errorf("sorted by %s, closed tasks come before open ones", sort)
		}
	}
	b.visit(s.base + "/p/shop/tasks")
	js[bool](b, `(() => { const s = document.querySelector("select[name=group]"); s.value = "parent"; s.dispatchEvent(new Event("change", {bubbles: true})); return true; })()`)
	b.until(`location.search.includes("group=parent") && document.querySelectorAll(".grouphead").length > 2`)
	if n := js[int](b, `document.querySelectorAll("tbody .st-done").length`); n != 0 {
		t.Errorf("grouping brings %d done tasks in", n)
	}
}
