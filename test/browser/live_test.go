package browser_test

import (
	"fmt"
	"strings"
	"testing"

	"tasker/test/shop"

	"github.com/chromedp/chromedp"
	"github.com/chromedp/chromedp/kb"
)

func TestAClaimOfAnotherProcessArrivesWithoutLosingThePlace(t *testing.T) {
	t.Parallel()
	s := serve(t, atlas(t))
	b := open(t)
	b.visit(s.base + "/p/atlas/board")
	// The reader has scrolled a lane, and a card far down in it has the focus.
	js[bool](
		b,
		`document.querySelector("[data-key=done]").scrollTop = 300; [...document.querySelectorAll("[data-key=done] .card a.id")][8].focus({preventScroll: true}); `+
			`window.card = document.activeElement; true`,
	)
	before := js[int](b, `document.querySelector("[data-key=done]").scrollTop`)
	s.run("grace/7", "next", "--claim", "-p", "atlas")
	b.until(`[...document.querySelectorAll("[data-key=in_progress] .holder")].some((h) => h.textContent === "grace/7")`)
	if after := js[int](b, `document.querySelector("[data-key=done]").scrollTop`); after != before || before == 0 {
		t.Errorf("the lane was at %d and is at %d", before, after)
	}
	if !js[bool](b, `document.activeElement === window.card && window.card.isConnected`) {
		t.Error("the focus was lost")
	}
	for _, w := range b.wrong() {
		t.Error(w)
	}
}

// TestAnOpenPageRaisesTheAlarmByItself: a worker that goes silent writes no event, and the page still says so.
func TestAnOpenPageRaisesTheAlarmByItself(t *testing.T) {
	t.Parallel()
	s := serve(t, atlas(t))
	b := open(t)
	s.run("grace/8", "next", "--claim", "--lease", "6s", "-p", "atlas")
	b.visit(s.base + "/p/atlas/machine")
	const row = `[...document.querySelectorAll("#main .workers > li")].find((e) => e.textContent.includes("grace/8"))`
	if state := js[string](b, row+`.textContent`); strings.Contains(state, "stalled") {
		t.Fatalf("the page says at once: %s", state)
	}
	seen := js[string](b, `document.body.dataset.event`)
	b.until(row + `.textContent.includes("stalled")`)
	if now := js[string](b, `document.body.dataset.event`); now != seen {
		t.Errorf("event %s came after %s: it was not the page itself that asked", now, seen)
	}
	b.until(row + `.textContent.includes("lease ran out")`)
}

func TestALostConnectionIsSaidAndTakenUpAgain(t *testing.T) {
	t.Parallel()
	s := serve(t, atlas(t))
	b := open(t)
	b.visit(s.base + "/p/atlas/machine")
	s.stop()
	b.until(`document.getElementById("live").textContent.includes("lost")`)
	s.run("grace/9", "next", "--claim", "-p", "atlas") // while nobody serves
	s.start()
	b.until(`document.body.dataset.live === "live"`)
	b.until(`[...document.querySelectorAll(".actor")].some((h) => h.textContent === "grace/9")`)
}

func TestTheGraphFollowsTheKeyboard(t *testing.T) {
	t.Parallel()
	s := reading(t)
	b := open(t)
	b.visit(s.base + "/p/atlas/graph?fold=none")
	b.until(`document.getElementById("world").hasAttribute("transform")`)
	if shown := js[string](b, `document.querySelector("h1 .shown").textContent`); shown == "" {
		t.Error("the page does not say how much it shows")
	}
	view := js[string](b, `document.getElementById("world").getAttribute("transform")`)
	js[bool](b, `document.getElementById("canvas").focus(); true`)
	b.press("+")
	b.until(fmt.Sprintf(`document.getElementById("world").getAttribute("transform") !== %q`, view))

	// An arrow follows an edge to a dependent, [ goes back to a dependency.
	js[bool](
		b,
		`(() => { const e = document.querySelector(".edge"); window.a = e.dataset.a; document.querySelector('.node[data-id="' + window.a + '"]').focus(); })(); true`,
	)
	b.press(kb.ArrowRight)
	b.until(`document.querySelector(".node.sel").dataset.id !== window.a`)
	if !js[bool](
		b,
		`(() => { const at = document.querySelector(".node.sel").dataset.id; return [...document.querySelectorAll(".edge")].some((e) => e.dataset.a `+
			`=== window.a && e.dataset.b === at); })()`,
	) {
		t.Error("the right arrow did not follow an edge")
	}
	js[bool](b, `window.b = document.querySelector(".node.sel").dataset.id; true`)
	b.press("[")
	if !js[bool](
		b,
		`(() => { const at = document.querySelector(".node.sel").dataset.id; return [...document.querySelectorAll(".edge")].some((e) => e.dataset.b `+
			`=== window.b && e.dataset.a === at); })()`,
	) {
		t.Error("[ did not go to a dependency")
	}

	// Search in place.
	js[bool](b, `document.getElementById("graphfind").focus(); true`)
	b.press("audit")
	b.until(`document.querySelectorAll(".node.found").length > 0`)

	// The position is part of the address, and is restored from it.
	b.until(`location.hash.startsWith("#v=")`)
	js[bool](b, `document.querySelector(".node.found").focus(); true`)
	b.press(kb.Enter)
	b.until(`location.pathname.startsWith("/t/") && document.readyState === "complete"`)
	js[bool](b, `setTimeout(() => history.back()); true`) // after the answer: leaving the page would cut it off
	b.until(`location.pathname === "/p/atlas/graph" && location.hash.startsWith("#v=") && document.querySelector("#canvas.driven")`)
	js[bool](b, `setTimeout(() => history.forward()); true`) // after the answer: leaving the page would cut it off
	b.until(`location.pathname.startsWith("/t/")`)
	for _, w := range b.wrong() {
		t.Error(w)
	}
}

func TestKeysLeadThroughThePages(t *testing.T) {
	t.Parallel()
	s := reading(t)
	b := open(t)
	b.visit(s.base + "/p/atlas")
	b.press("g", "b")
	b.until(`location.pathname === "/p/atlas/board" && document.body?.dataset.live === "live"`)
	b.press("j", "j")
	b.until(`document.querySelectorAll(".here").length === 1`)
	b.do(chromedp.EmulateViewport(1280, 500))
	b.press("?")
	b.until(`document.querySelector("dialog[open] #keys")`)
	if cut := js[float64](b, `document.querySelector("dialog").getBoundingClientRect().top - document.querySelector("#keys thead").getBoundingClientRect().top`); cut > 0 ||
		js[bool](b, `document.querySelector("dialog").scrollHeight <= document.querySelector("dialog").clientHeight`) {
		t.Errorf("the help opens %v px below its beginning, or is not longer than the window", cut)
	}
	b.press(kb.Escape)
	b.until(`!document.querySelector("dialog")`)
	b.press("/")
	b.until(`document.activeElement.name === "q"`)
	b.press("audit" + kb.Enter)
	b.until(`location.pathname === "/search"`)
}

// The tab says how much waits for its reader, even while nobody looks, and a dot on its icon says that something is
// stuck.
func TestTheTabCountsWhatWaitsForItsReader(t *testing.T) {
	t.Parallel()
	s := serve(t, shopped(t))
	b := open(t)
	b.visit(s.base + "/p/shop")
	b.until(`/^\([0-9]+\) /.test(document.title)`)
	n := js[int](b, `Number(document.title.match(/[0-9]+/)[0])`)
	if !js[bool](b, `document.getElementById("icon").getAttribute("href") === document.getElementById("icon").dataset.stuck`) {
		t.Error("the icon does not show that something is stuck")
	}
	s.run("claude/4", "ask", "shop-44", "Which carrier?", "--blocking") // it holds shop-44, and nothing was wrong with it
	b.until(fmt.Sprintf(`document.title.startsWith("(%d) ")`, n+1))
	for _, path := range []string{"/p/shop/board", "/p/shop/graph"} {
		b.visit(s.base + path)
		if !js[bool](b, `[...document.querySelectorAll(".card, .node")].some((e) => e.textContent.includes("`+shop.Stalled+`") && e.textContent.includes("⚠"))`) {
			t.Errorf("%s does not mark %s, which is stuck", path, shop.Stalled)
		}
	}
}
