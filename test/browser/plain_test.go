package browser_test

import (
	"slices"
	"strings"
	"testing"

	"github.com/chromedp/cdproto/emulation"
	"github.com/chromedp/chromedp"
)

func TestListsAndTasksWorkWithoutScripts(t *testing.T) {
	t.Parallel()
	s := reading(t)
	b := open(t)
	if _, err := chromedp.Call(b, emulation.SetScriptExecutionDisabled, emulation.SetScriptExecutionDisabledParams{Value: true}); err != nil {
		t.Fatal(err)
	}
	for name, path := range pages {
		b.do(chromedp.Navigate(s.base + path))
		b.until(`document.readyState === "complete" && document.querySelector("main h1")`)
		if js[bool](b, `"live" in document.body.dataset`) {
			t.Fatal("scripts run although they are turned off")
		}
		// The page offers nothing that does nothing.
		if dead := js[string](b, `[...document.querySelectorAll("button[type=button], .js")].filter((e) => e.getClientRects().length).map((e) => `+
			`e.outerHTML).join(" ")`); dead != "" {
			t.Errorf("%s offers %s", name, dead)
		}
	}
	// From the projects to a task by links, and back through a filter.
	click := func(selector, path string) {
		t.Helper()
		b.do(chromedp.Click(selector))
		b.until(`document.readyState === "complete" && location.pathname + location.search === "` + path + `"`)
	}
	b.do(chromedp.Navigate(s.base + "/?all=false"))
	click(`.standings a.title`, "/p/atlas")
	click(`.tabs a[href$="/tasks"]`, "/p/atlas/tasks")
	b.do(chromedp.SendKeys(`.filters input[name=q]`, "audit"))
	click(`.filters:has([name=q]) button`, "/p/atlas/tasks?state=open&q=audit&group=&sort=selection&status=&due=&priority=&heldBy=&parent=&under=&gate=")
	if n := js[int](b, `[...document.querySelectorAll("tbody tr")].filter((r) => /audit/i.test(r.innerText)).length`); n == 0 ||
		n != js[int](b, `document.querySelectorAll("tbody tr").length`) {
		t.Errorf("only %d of the tasks found have the word", n)
	}
	// Sorting and grouping need only the address.
	b.do(chromedp.Navigate(s.base + "/p/atlas/tasks?group=parent&state=all"))
	click(`th a[href*="sort=priority"]`, "/p/atlas/tasks?group=parent&sort=priority&state=all")
	if got := js[string](b, `document.querySelector("th[aria-sort]").innerText + " " + document.querySelector(".grouphead a.title").innerText`); got !=
		"Priority Storage" {
		t.Errorf("the sorted column and the first group are %q", got)
	}
	if ranks := js[[]string](b, `[...document.querySelector("tbody").querySelectorAll("tr[data-nav]")].map((r) => `+
		`r.querySelector(".mark.p0, .mark.p1")?.innerText ?? "P2")`); !slices.IsSorted(ranks) {
		t.Errorf("within a group the priorities are %v", ranks)
	}
	// The form narrows the board to an epic and lays it out in rows.
	b.do(chromedp.Navigate(s.base+"/p/atlas/board"), chromedp.SetValue(`select[name=epic]`, "atlas-7"), chromedp.SetValue(`select[name=group]`, "epic"))
	click(`.filters:has([name=epic]) button`, "/p/atlas/board?epic=atlas-7&group=epic")
	if got := js[string](b, `[...document.querySelectorAll(".epicrow h2")].map((h) => h.innerText).join()`); got != "atlas-7 Notifications" {
		t.Errorf("the rows of the board of one epic are %q", got)
	}
	b.do(chromedp.Navigate(s.base + "/p/atlas/tasks?q=audit"))
	b.until(`document.readyState === "complete" && document.querySelector("tbody a.title")`)
	want := js[string](b, `document.querySelector("tbody a.title").getAttribute("href")`)
	click(`tbody a.title`, want)
	if text := js[string](b, `document.body.innerText`); !strings.Contains(text, "tasker show "+strings.TrimPrefix(want, "/t/")) ||
		!strings.Contains(text, "n the way") && !strings.Contains(text, "Done ") {
		t.Errorf("the task page says %s", text)
	}
	b.do(chromedp.Navigate(s.base + "/p/atlas/graph?fold=none"))
	b.until(`document.readyState === "complete" && document.getElementById("astable")`)
	b.do(chromedp.Click(`#astable summary`))
	if n := js[int](b, `[...document.querySelectorAll("#astable tbody tr")].filter((r) => r.getClientRects().length).length`); n != js[int](
		b,
		`document.querySelectorAll("#net .node").length`,
	) {
		t.Errorf("the table has %d lines, the picture another number of tasks", n)
	}
}

// media shows the page on a medium, with features.
func (b *tab) media(medium string, features ...*emulation.MediaFeature) {
	b.t.Helper()
	if _, err := chromedp.Call(b, emulation.SetEmulatedMedia, emulation.SetEmulatedMediaParams{Media: medium, Features: features}); err != nil {
		b.t.Fatal(err)
	}
}

// TestPagesFollowWhatTheReaderAsksFor: no motion, colours of one's own, and a phone on its side.
func TestPagesFollowWhatTheReaderAsksFor(t *testing.T) {
	t.Parallel()
	s := reading(t)
	b := open(t)
	b.visit(s.base + "/p/atlas/board")
	moves := `(() => { const n = document.createElement("div"); n.className = "arrived"; document.body.append(n); const name = ` +
		`getComputedStyle(n).animationName; n.remove(); return name; })()`
	b.media("", &emulation.MediaFeature{Name: "prefers-reduced-motion", Value: "no-preference"})
	if got := js[string](b, moves); got != "arrived" {
		t.Errorf("what is new is not marked by %q", got)
	}
	b.media("", &emulation.MediaFeature{Name: "prefers-reduced-motion", Value: "reduce"})
	if got := js[string](b, moves); got != "none" {
		t.Errorf("the mark of what is new is still animated: %q", got)
	}
	b.media("", &emulation.MediaFeature{Name: "forced-colors", Value: "active"})
	b.press("j")
	if got := js[string](b, `getComputedStyle(document.querySelector(".here")).outlineStyle`); got != "solid" {
		t.Errorf("without backgrounds the current line is marked by an outline %q", got)
	}
	b.media("")
	b.do(chromedp.EmulateViewport(844, 390))
	if got := js[string](b, `getComputedStyle(document.querySelector(".top")).position`); got != "static" {
		t.Errorf("the head of a low window is %s", got)
	}
}

func TestEmptyPagesSayWhatToDoNext(t *testing.T) {
	t.Parallel()
	nothing := serve(t, func(s *server) {})
	b := open(t)
	b.visit(nothing.base + "/")
	if text := js[string](b, `document.querySelector("main .empty")?.innerText ?? ""`); !strings.Contains(text, "tasker apply") {
		t.Errorf("a server without projects says %q", text)
	}
	s := serve(t, func(s *server) { s.run("ada", "project", "create", "atlas") })
	b.visit(s.base + "/p/atlas")
	for name, path := range pages {
		if strings.HasPrefix(name, "task-") || name == "task" || name == "graph-focus" || name == "board-epic" || name == "help" || name == "estate" {
			continue
		}
		// Pages that a script drives are opened, the others are read.
		if strings.HasPrefix(name, "graph") || name == "board" {
			b.visit(s.base + path)
		}
		if said := js[string](b, `fetch("`+path+`").then((r) => r.text()).then((text) => { const main = new DOMParser().parseFromString(text, `+
			`"text/html").getElementById("main"); return [...main.querySelectorAll(".empty, .quiet")].some((e) => e.textContent.trim().length > 20) ? `+
			`"" : main.textContent; })`); said != "" {
			t.Errorf("%s is empty and does not say why: %s", name, said)
		}
	}
	for _, w := range b.wrong() {
		t.Error(w)
	}
}
