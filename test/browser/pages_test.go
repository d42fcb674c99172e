package browser_test

import (
	"encoding/json"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/chromedp/chromedp"
)

// pages are the addresses of every page on a server with the project atlas.
var pages = map[string]string{
	"estate": "/", "overview": "/p/atlas", "board": "/p/atlas/board", "graph": "/p/atlas/graph", "graph-all": "/p/atlas/graph?show=all",
	"graph-focus": "/p/atlas/graph?focus=atlas-150&up=2&down=2", "graph-folded": "/p/atlas/graph?fold=atlas-6,atlas-7", "work": "/p/atlas/work",
	"timeline": "/p/atlas/timeline", "inbox": "/p/atlas/inbox", "inbox-all": "/p/atlas/inbox?all=true", "machine": "/p/atlas/machine",
	"bottlenecks": "/p/atlas/bottlenecks", "proof": "/p/atlas/proof?days=7", "tasks": "/p/atlas/tasks?status=open", "events": "/p/atlas/events?kind=task.claimed",
	"sync": "/p/atlas/sync", "conflicts": "/p/atlas/conflicts",
	"search": "/search?q=layout&project=atlas", "search-empty": "/search", "task": "/t/atlas-150", "task-parent": "/t/atlas-4",
	"help": "/help",
}

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

// violations runs axe-core on the page and says what it objects to.
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

func TestEveryPageOpensWithoutErrorsAndWithoutViolations(t *testing.T) {
	s := serve(t, atlas(t))
	source := axe(t)
	b := open(t)
	for name, path := range pages {
		t.Run(name, func(t *testing.T) {
			b.t = t
			// In the dark only colours differ.
			for scheme, options := range map[string]string{"light": `{resultTypes: ["violations"]}`, "dark": `{runOnly: ["color-contrast"]}`} {
				b.scheme(scheme)
				b.visit(s.base + path)
				for _, v := range b.violations(source, options) {
					t.Errorf("%s: %s", scheme, v)
				}
			}
			for _, w := range b.wrong() {
				t.Error(w)
			}
			if h := js[int](b, `document.documentElement.scrollWidth - document.documentElement.clientWidth`); h > 0 {
				t.Errorf("the page is %d pixels wider than the window", h)
			}
			if h := js[int](b, `document.querySelectorAll("h1").length`); h != 1 {
				t.Errorf("%d headings of the first level", h)
			}
		})
	}
}

func TestPagesFitAPhone(t *testing.T) {
	s := serve(t, atlas(t))
	b := open(t)
	b.do(chromedp.EmulateViewport(390, 800))
	for name, path := range pages {
		b.visit(s.base + path)
		if over := js[int](b, `document.documentElement.scrollWidth - innerWidth`); over > 0 {
			t.Errorf(
				"%s is %d pixels wider than a phone: %s",
				name,
				over,
				js[string](
					b,
					`[...document.querySelectorAll("main *, header *")].filter((e) => e.getBoundingClientRect().right > innerWidth + 1 && !e.closest(".scroll, `+
						`.canvas, .tabs, .board")).slice(0, 3).map((e) => e.outerHTML.slice(0, 120)).join(" | ")`,
				),
			)
		}
	}
}

func TestNoPageTakesAPost(t *testing.T) {
	s := serve(t, atlas(t))
	for name, path := range pages {
		path, _, _ = strings.Cut(path, "?")
		if got := status(t, "POST", s.base+path); got != 405 {
			t.Errorf("POST to %s is answered %d, want 405", name, got)
		}
	}
}
