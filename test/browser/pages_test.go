package browser_test

import (
	_ "embed"
	"encoding/json"
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"tasker/test/shop"

	"github.com/chromedp/cdproto/emulation"
	"github.com/chromedp/cdproto/page"
	"github.com/chromedp/chromedp"
)

// pages are the addresses of every page on a server with the project atlas.
var pages = map[string]string{
	"estate": "/?all=false", "overview": "/p/atlas", "board": "/p/atlas/board", "board-epic": "/p/atlas/board?epic=atlas-7", "board-rows": "/p/atlas/board?group=epic",
	"graph": "/p/atlas/graph", "graph-all": "/p/atlas/graph?show=all",
	"graph-focus": "/p/atlas/graph?focus=atlas-150&up=2&down=2", "graph-folded": "/p/atlas/graph?fold=atlas-6,atlas-7", "work": "/p/atlas/work",
	"timeline": "/p/atlas/timeline", "inbox": "/p/atlas/inbox", "inbox-all": "/p/atlas/inbox?all=true", "machine": "/p/atlas/machine",
	"bottlenecks": "/p/atlas/bottlenecks", "proof": "/p/atlas/proof?days=7", "tasks": "/p/atlas/tasks?status=open", "events": "/p/atlas/events?kind=task.claimed",
	"sync": "/p/atlas/sync", "conflicts": "/p/atlas/conflicts",
	"search": "/search?q=layout&project=atlas", "search-empty": "/search", "task": "/t/atlas-150", "task-parent": "/t/atlas-4",
	"help": "/help",
}

// shopPages are the addresses of every page on a server with the plan "shop", and of tasks in every plight.
var shopPages = func() map[string]string {
	out := map[string]string{
		"task-asks": "/t/" + shop.Asking, "task-review": "/t/" + shop.Approval, "task-failing": "/t/" + shop.Failing, "task-done": "/t/" + shop.Urgent,
		"task-waits": "/t/shop-60",
	}
	other := strings.NewReplacer("atlas-150", shop.Stalled, "atlas-4", "shop-49", "atlas-6", "shop-25", "atlas-7", "shop-73", "atlas", shop.Project, "layout", "order")
	for name, path := range pages {
		out[name] = other.Replace(path)
	}
	return out
}()

// long reports whether `make test-long` runs: every audit of every page. Axe-core takes seconds for a board or a graph.
var long = os.Getenv("TASKER_TEST_LONG") != ""

// axe returns the source of axe-core.
func axe(t *testing.T) string {
	t.Helper()
	path := os.Getenv("TASKER_TEST_AXE")
	if path == "" {
		path = filepath.Join("..", "..", ".cache", "axe", "node_modules", "axe-core", "axe.min.js")
	}
	src, err := os.ReadFile(path)
	if err != nil {
		t.Fatalf("this test needs axe-core, which `make test` installs: %v", err)
	}
	return string(src)
}

// violations runs axe-core on the page and returns what it objects to.
func (b *tab) violations(source, options string) []string {
	b.t.Helper()
	found := js[string](b, source+`;axe.run(document, `+options+`).then((r) => JSON.stringify(
		r.violations.map((v) => v.id + " (" + v.impact + "): " + v.help + " at " +
			v.nodes.slice(0, 3).map((n) => n.target.join(" ") + " " + (n.any[0]?.message ?? n.failureSummary)).join(" | "))))`)
	var out []string
	if err := json.Unmarshal([]byte(found), &out); err != nil {
		b.t.Fatal(err)
	}
	return out
}

// perform runs axe-core on the page with options; it is loaded into each page once.
func (b *tab) perform(t *testing.T, options string) []string {
	t.Helper()
	if js[bool](b, `"axe" in window`) {
		return b.violations("", options)
	}
	return b.violations(axe(t), options)
}

//go:embed testdata/trim.js
var trimRows string

// trim takes rows from the page that have the same markup as an earlier one: axe-core's time grows with the rows, and
// what it finds does not. `make test-long` leaves all of them.
func (b *tab) trim() {
	b.t.Helper()
	if twice := js[string](b, `[...document.querySelectorAll("[id]")].map((e) => e.id).find((id, i, all) => all.indexOf(id) !== i) ?? ""`); twice != "" {
		b.t.Errorf("two elements have the id %s", twice)
	}
	if !long {
		js[int](b, "("+trimRows+")(document.body)")
	}
}

// reads runs axe-core on the page: all its rules in light, and those about colours in the dark, where nothing else differs.
// Afterwards the page has lost rows.
func (b *tab) reads(t *testing.T) {
	t.Helper()
	b.scheme("light")
	b.trim()
	for _, v := range b.perform(t, `{resultTypes: ["violations"]}`) {
		t.Errorf("in light: %s", v)
	}
	b.scheme("dark")
	for _, v := range b.perform(t, `{runOnly: ["color-contrast"]}`) {
		t.Errorf("in the dark: %s", v)
	}
}

// TestEveryPage opens each page once and checks it as its readers see it: light and dark, on a phone, a tablet and a wide
// screen, and on paper.
func TestEveryPage(t *testing.T) {
	t.Parallel()
	s := shopping(t)
	b := open(t, chromedp.WithNewBrowserContext()) // without the cookies of others
	b.watch()
	for name, path := range shopPages {
		t.Run(name, func(t *testing.T) {
			b.t = t
			b.scheme("light")
			b.do(chromedp.EmulateViewport(1280, 800))
			b.visit(s.base + path)
			b.stands()
			if h := js[int](b, `document.querySelectorAll("h1").length`); h != 1 {
				t.Errorf("%d headings of the first level", h)
			}
			b.showsTimes(name)
			// Another form of a page has the same colours, and the same parts unless it is a task in another plight.
			form := !long && strings.Contains(name, "-")
			for _, width := range []int64{1280, 390, 768, 2560} {
				if form && width != 390 {
					continue
				}
				b.do(chromedp.EmulateViewport(width, 900))
				b.fits(width)
				b.fills()
				if width == 390 {
					b.tappable()
					b.holds()
				}
			}
			b.prints(name)
			if got := b.cookies(s.base + "/"); len(got) != 0 {
				t.Errorf("outside session mode the page sets the cookies %v", got)
			}
			b.do(chromedp.EmulateViewport(1280, 800))
			switch {
			case !form:
				b.reads(t)
			case strings.HasPrefix(name, "task-"):
				b.scheme("light")
				b.trim()
				for _, v := range b.perform(t, `{resultTypes: ["violations"], rules: {"color-contrast": {enabled: false}}}`) {
					t.Errorf("in light: %s", v)
				}
			}
			for _, w := range b.wrong() {
				t.Error(w)
			}
		})
	}
}

// watch makes each page count how far its parts shift after they were first drawn.
func (b *tab) watch() {
	b.t.Helper()
	added, err := chromedp.Call(b, page.AddScriptToEvaluateOnNewDocument, page.AddScriptToEvaluateOnNewDocumentParams{Source: `window.shifted = 0; window.shifts = [];
		new PerformanceObserver((list) => { for (const e of list.getEntries()) {
			if (e.hadRecentInput) continue;
			window.shifted += e.value;
			const box = (r) => [r.x, r.y, r.width, r.height].map(Math.round).join(" ");
			for (const s of e.sources) window.shifts.push((s.node?.outerHTML ?? s.node?.textContent ?? "").slice(0, 80) + " from " + box(s.previousRect) + " to " + box(s.currentRect));
		} }).observe({ type: "layout-shift", buffered: true });`})
	if err != nil {
		b.t.Fatal(err)
	}
	b.watching = added.Identifier
}

// stands checks that nothing on the page shifts when it is loaded; the tab watches. On a busy machine a page is drawn while
// its text arrives, and columns widen with their rows: of six loads, one has to stand still.
func (b *tab) stands() {
	b.t.Helper()
	var what string
	for range 6 {
		by := js[float64](b, `new Promise((done) => requestAnimationFrame(() => requestAnimationFrame(() => setTimeout(() => done(window.shifted)))))`)
		if by <= 0.01 {
			return
		}
		what = fmt.Sprintf("%.3f: %s", by, js[string](b, `window.shifts.slice(0, 6).join("; ")`))
		b.visit(js[string](b, `location.href`))
	}
	b.t.Errorf("the page shifts when it is loaded, by %s", what)
}

// fits checks that the page is no wider than the window.
func (b *tab) fits(width int64) {
	b.t.Helper()
	b.until(fmt.Sprintf(`innerWidth === %d`, width))
	if over := js[int](b, `document.documentElement.scrollWidth - innerWidth`); over > 0 {
		b.t.Errorf("the page is %d pixels wider than a window of %d: %s", over, width, js[string](b,
			`[...document.querySelectorAll("main *, header *")].filter((e) => e.getBoundingClientRect().right > innerWidth + 1 && !e.closest(".scroll, `+
				`.canvas, .tabs, .board")).slice(0, 3).map((e) => e.outerHTML.slice(0, 120)).join(" | ")`))
	}
}

// tappable checks that everything to tap is at least 24 px wide and high, but for links in running text, and that the
// current tab can be read.
func (b *tab) tappable() {
	b.t.Helper()
	if small := js[[]string](b, `[...document.querySelectorAll("a, button, summary, select, input:not([type=hidden])")].filter((e) => {
		const r = e.getBoundingClientRect();
		if (!r.width || !r.height || e.closest("svg, .skip")) return false;
		const inText = e.matches("a") && [...e.parentElement.childNodes].some((n) => n.nodeType === 3 && n.textContent.trim().length > 3);
		return !inText && !e.closest(".md, .why, .text, bdi") && (r.height < 23.5 || r.width < 23.5);
	}).map((e) => e.tagName + "." + e.className + " " + Math.round(e.getBoundingClientRect().width) + "x" + Math.round(e.getBoundingClientRect().height) + " " +
		e.textContent.trim().slice(0, 20) + " in " + e.parentElement.tagName + "." + e.parentElement.className).slice(0, 6)`); len(small) > 0 {
		b.t.Errorf("too small to tap: %q", small)
	}
	// The window has become narrower since the page was opened, as when a phone is turned.
	b.until(`(() => { const tabs = document.querySelector(".tabs"), tab = tabs?.querySelector("[aria-current]")?.getBoundingClientRect();
		return !tab || tab.left >= tabs.getBoundingClientRect().left && tab.right <= tabs.getBoundingClientRect().right - 20; })()`)
}

// holds checks that the page still fits with letters of twice the usual size, and with ids of sixty characters.
func (b *tab) holds() {
	b.t.Helper()
	letters := func(size int64) {
		if _, err := chromedp.Call(b, page.SetFontSizes, page.SetFontSizesParams{FontSizes: &page.FontSizes{Standard: size, Fixed: size}}); err != nil {
			b.t.Fatal(err)
		}
		b.until(fmt.Sprintf(`getComputedStyle(document.documentElement).fontSize === "%dpx"`, size*15/16))
	}
	letters(32)
	b.fits(390)
	letters(16)
	if wide := js[[]string](b, `(() => { const ids = [...document.querySelectorAll("main .id")], were = ids.map((e) => e.textContent);
		for (const e of ids) e.textContent = "a-project-with-a-name-that-is-as-long-as-it-may-be-so-wide-1234";
		const wide = [document.documentElement, ...document.querySelectorAll(".scroll:has(table.rows)")].filter((e) => e.scrollWidth > e.clientWidth)
			.map((e) => e.tagName + " " + (e.ariaLabel ?? "") + " " + e.scrollWidth);
		ids.forEach((e, i) => { e.textContent = were[i]; });
		return wide; })()`); len(wide) > 0 {
		b.t.Errorf("long ids make it wider than a phone: %q", wide)
	}
}

// fills checks that a picture fills the room that it has.
func (b *tab) fills() {
	b.t.Helper()
	if cut := js[int](b, `(() => { const net = document.getElementById("net"); return net ? document.getElementById("canvas").clientHeight - `+
		`Math.round(net.getBoundingClientRect().height) : 0; })()`); cut > 2 {
		b.t.Errorf("the picture ends %d pixels above the end of its place", cut)
	}
}

// showsTimes checks that moments are shown as relative times, with the exact time on hover. How much longer something
// lasts is shown as "for another 11 min".
func (b *tab) showsTimes(name string) {
	b.t.Helper()
	if bad := js[string](b, `[...document.querySelectorAll("main time")].filter((e) => !/^\d{4}-\d\d-\d\dT/.test(e.dateTime) || `+
		`!/\d\d:\d\d/.test(e.title) || !/(now|ago|in `+
		`\d)/.test(e.textContent) && !/for another $/.test(e.previousSibling?.textContent ?? "")).map((e) => e.outerHTML)[0] ?? ""`); bad != "" {
		b.t.Errorf("a time is shown as %s", bad)
	}
	if name == "board" && js[int](b, `document.querySelectorAll("main time").length`) == 0 {
		b.t.Error("the board shows no time")
	}
}

// prints checks the page on paper: dark on white, without what can only be clicked, and with the whole graph.
func (b *tab) prints(name string) {
	b.t.Helper()
	b.media("print", &emulation.MediaFeature{Name: "prefers-color-scheme", Value: "dark"})
	b.do(chromedp.EmulateViewport(718, 1046)) // A4 without its margins
	b.until(`innerWidth === 718`)
	if seen := js[string](b, `[...document.querySelectorAll(".tabs, .find, .live, .foot, .copy, .minimap, .graphbar, .filters")].filter((e) => `+
		`e.getClientRects().length).map((e) => e.className).join(" ")`); seen != "" {
		b.t.Errorf("it prints %s", seen)
	}
	if back := js[string](b, `getComputedStyle(document.documentElement).backgroundColor + `+
		`getComputedStyle(document.querySelector("h1")).color`); back != "rgb(255, 255, 255)rgb(0, 0, 0)" {
		b.t.Errorf("it prints %s", back)
	}
	if pale := js[string](b, `[...document.querySelectorAll("main .st, main .mark, main .quiet, main .title")].filter((e) => { const c = `+
		`getComputedStyle(e).color.match(/\d+/g).map(Number); return c[0] + c[1] + c[2] > 3 * 140; }).map((e) => e.className + " " + `+
		`getComputedStyle(e).color)[0] ?? ""`); pale != "" {
		b.t.Errorf("it prints %s, which cannot be read on white", pale)
	}
	if over := js[int](b, `document.documentElement.scrollWidth - innerWidth`); over > 0 {
		b.t.Errorf("it is %d pixels wider than the paper", over)
	}
	if !strings.HasPrefix(name, "graph") {
		return
	}
	b.until(`!document.getElementById("world").hasAttribute("transform")`)
	if cut := js[string](b, `(() => { const p = document.getElementById("net").getBoundingClientRect(); if (p.height < 60 && `+
		`p.width < innerWidth * 0.9) return "it is " + `+
		`p.height + " high"; return [...document.querySelectorAll("#net .node")].filter((n) => { const r = n.getBoundingClientRect(); return r.left `+
		`< p.left - 2 || r.right > innerWidth + 1 || r.bottom > p.bottom + 1; }).map((n) => n.dataset.id + " " + `+
		`JSON.stringify([n.getBoundingClientRect(), p]))[0] ?? ""; })()`); cut != "" {
		b.t.Errorf("it prints no more than a part: %s", cut)
	}
}

func TestNoPageTakesAPost(t *testing.T) {
	t.Parallel()
	s := reading(t)
	for name, path := range pages {
		path, _, _ = strings.Cut(path, "?")
		if got := status(t, "POST", s.base+path); got != 405 {
			t.Errorf("POST to %s is answered with %d, want 405", name, got)
		}
	}
	if got := status(t, "GET", s.base+"/signin"); got != 404 {
		t.Errorf("a sign-in page without sessions is answered with %d", got)
	}
}
