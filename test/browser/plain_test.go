package browser_test

import (
	"strings"
	"testing"

	"github.com/chromedp/cdproto/emulation"
	"github.com/chromedp/chromedp"
)

func TestListsAndTasksWorkWithoutScripts(t *testing.T) {
	s := serve(t, atlas(t))
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
		// Nothing is offered that does nothing.
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
	b.do(chromedp.Navigate(s.base + "/"))
	click(`.project a.title`, "/p/atlas")
	click(`.tabs a[href$="/tasks"]`, "/p/atlas/tasks")
	b.do(chromedp.SendKeys(`.filters input[name=q]`, "audit"))
	click(`.filters button`, "/p/atlas/tasks?status=&state=&due=&priority=&heldBy=&parent=&gate=&q=audit")
	if n := js[int](b, `[...document.querySelectorAll("tbody tr")].filter((r) => /audit/i.test(r.innerText)).length`); n == 0 ||
		n != js[int](b, `document.querySelectorAll("tbody tr").length`) {
		t.Errorf("only %d of the tasks found have the word", n)
	}
	want := js[string](b, `document.querySelector("tbody a.title").getAttribute("href")`)
	click(`tbody a.title`, want)
	if text := js[string](b, `document.body.innerText`); !strings.Contains(text, "tasker show "+strings.TrimPrefix(want, "/t/")) ||
		!strings.Contains(text, "Why it stands there") && !strings.Contains(text, "It is over") {
		t.Errorf("the task page says %s", text)
	}
	b.do(chromedp.Navigate(s.base + "/p/atlas/graph"))
	b.until(`document.readyState === "complete" && document.getElementById("astable")`)
	b.do(chromedp.Click(`#astable summary`))
	if n := js[int](b, `[...document.querySelectorAll("#astable tbody tr")].filter((r) => r.getClientRects().length).length`); n != js[int](
		b,
		`document.querySelectorAll("#net .node").length`,
	) {
		t.Errorf("the table has %d lines, the picture another number of tasks", n)
	}
}

// media makes the page be shown on a medium, with features.
func (b *tab) media(medium string, features ...*emulation.MediaFeature) {
	b.t.Helper()
	if _, err := chromedp.Call(b, emulation.SetEmulatedMedia, emulation.SetEmulatedMediaParams{Media: medium, Features: features}); err != nil {
		b.t.Fatal(err)
	}
}

func TestPagesCanBePrinted(t *testing.T) {
	s := serve(t, atlas(t))
	b := open(t)
	b.media("print", &emulation.MediaFeature{Name: "prefers-color-scheme", Value: "dark"})
	b.do(chromedp.EmulateViewport(794, 1123))
	for name, path := range pages {
		b.visit(s.base + path)
		if seen := js[string](b, `[...document.querySelectorAll(".tabs, .find, .live, .foot, .copy, .minimap, .graphbar, .filters")].filter((e) => `+
			`e.getClientRects().length).map((e) => e.className).join(" ")`); seen != "" {
			t.Errorf("%s prints %s", name, seen)
		}
		// On paper everything is dark on white, whatever the system likes.
		if back := js[string](b, `getComputedStyle(document.documentElement).backgroundColor + `+
			`getComputedStyle(document.querySelector("h1")).color`); back != "rgb(255, 255, 255)rgb(0, 0, 0)" {
			t.Errorf("%s prints %s", name, back)
		}
		if pale := js[string](b, `[...document.querySelectorAll("main .st, main .mark, main .quiet, main .title")].filter((e) => { const c = `+
			`getComputedStyle(e).color.match(/\d+/g).map(Number); return c[0] + c[1] + c[2] > 3 * 140; }).map((e) => e.className + " " + `+
			`getComputedStyle(e).color)[0] ?? ""`); pale != "" {
			t.Errorf("%s prints %s, which cannot be read on white", name, pale)
		}
		if over := js[int](b, `document.documentElement.scrollWidth - innerWidth`); over > 0 {
			t.Errorf("%s is %d pixels wider than the paper", name, over)
		}
		if strings.HasPrefix(name, "graph") { // the whole picture, whatever was to be seen of it
			b.until(`!document.getElementById("world").hasAttribute("transform")`)
			if cut := js[string](b, `(() => { const p = document.getElementById("net").getBoundingClientRect(); if (p.height < 60 && `+
				`p.width < innerWidth * 0.9) return "it is " + `+
				`p.height + " high"; return [...document.querySelectorAll("#net .node")].filter((n) => { const r = n.getBoundingClientRect(); return r.left `+
				`< p.left - 1 || r.right > innerWidth + 1 || r.bottom > p.bottom + 1; }).map((n) => n.dataset.id)[0] ?? ""; })()`); cut != "" {
				t.Errorf("%s prints no more than a part: %s", name, cut)
			}
		}
	}
}

func TestNothingMovesForReadersWhoWantNoMotion(t *testing.T) {
	s := serve(t, atlas(t))
	b := open(t)
	b.visit(s.base + "/p/atlas/board")
	moves := `(() => { const n = document.createElement("div"); n.className = "fresh"; document.body.append(n); const name = ` +
		`getComputedStyle(n).animationName; n.remove(); return name; })()`
	b.media("", &emulation.MediaFeature{Name: "prefers-reduced-motion", Value: "no-preference"})
	if got := js[string](b, moves); got != "fresh" {
		t.Errorf("what is new is not marked by %q", got)
	}
	b.media("", &emulation.MediaFeature{Name: "prefers-reduced-motion", Value: "reduce"})
	if got := js[string](b, moves); got != "none" {
		t.Errorf("the mark of what is new is still animated: %q", got)
	}
}

func TestEmptyPagesSayWhatToDoNext(t *testing.T) {
	nothing := serve(t, func(s *server) {})
	b := open(t)
	b.visit(nothing.base + "/")
	if text := js[string](b, `document.querySelector("main .empty")?.innerText ?? ""`); !strings.Contains(text, "tasker apply") {
		t.Errorf("a server without projects says %q", text)
	}
	s := serve(t, func(s *server) { s.run("ada", "project", "create", "atlas") })
	for name, path := range pages {
		if strings.HasPrefix(name, "task-") || name == "task" || name == "graph-focus" || name == "help" || name == "estate" {
			continue
		}
		b.visit(s.base + path)
		if !js[bool](b, `[...document.querySelectorAll("main .empty, main .quiet")].some((e) => e.innerText.length > 20)`) {
			t.Errorf("%s is empty and does not say why: %s", name, js[string](b, `document.getElementById("main").innerText`))
		}
	}
	for _, w := range b.wrong() {
		t.Error(w)
	}
}

func TestTimesAreRelativeWithTheExactOneOnHover(t *testing.T) {
	s := serve(t, atlas(t))
	b := open(t)
	for name, path := range pages {
		b.visit(s.base + path)
		if bad := js[string](b, `[...document.querySelectorAll("main time")].filter((e) => !/^\d{4}-\d\d-\d\dT/.test(e.dateTime) || `+
			`!/\d\d:\d\d/.test(e.title) || !/(now|ago|in `+
			`\d)/.test(e.textContent)).map((e) => e.outerHTML)[0] ?? ""`); bad != "" {
			t.Errorf("%s: %s", name, bad)
		}
		if name == "board" && js[int](b, `document.querySelectorAll("main time").length`) == 0 {
			t.Error("the board shows no time")
		}
	}
}
