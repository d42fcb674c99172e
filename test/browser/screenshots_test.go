package browser_test

import (
	"encoding/json"
	"fmt"
	"maps"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/chromedp/cdproto/page"
	"github.com/chromedp/chromedp"
)

type screen struct{ width, height int64 }

// screens lists the window sizes of the screenshots: a phone, a tablet, a desktop, and a wide screen.
var screens = []screen{{390, 844}, {768, 1024}, {1280, 800}, {1680, 1050}}

// TestScreenshotsOfEveryPageCanBeTaken takes them in light and dark at every width, into the directory that
// TASKER_SCREENSHOTS names (`make screenshots`) or a temporary one: PAGE-WIDTH-SCHEME.png, from the top of the page to
// its end, at most three windows high. There, odd plans are shown as well.
func TestScreenshotsOfEveryPageCanBeTaken(t *testing.T) {
	t.Parallel()
	dir := os.Getenv("TASKER_SCREENSHOTS")
	s := shopping(t)
	if dir == "" {
		open(t).shots(t.TempDir(), s.base+shopPages["graph"], "graph", screens[:1])
		return
	}
	odd := serve(t, func(s *server) {
		for _, doc := range oddPlans(t) {
			s.feed("ada", doc, "apply", "-f", "-")
		}
		s.run("ada", "claim", "rough-1")
		s.run("ada", "ask", "rough-1", strings.Repeat("why ", 200), "--blocking")
		s.run("ada", "project", "create", "empty")
		s.run("ada", "project", "archive", "over")
	})
	addresses := map[string]string{}
	for name, path := range shopPages {
		addresses[name] = s.base + path
	}
	for _, slug := range []string{"empty", "one", "over", "large", "rough"} {
		for _, page := range []string{"", "/inbox", "/board", "/graph", "/work", "/timeline", "/tasks", "/machine", "/proof"} {
			addresses["odd-"+slug+strings.ReplaceAll(page, "/", "-")] = odd.base + "/p/" + slug + page
		}
	}
	for name, path := range map[string]string{"all": "/", "rough-task": "/t/rough-1", "one-task": "/t/one-1", "over-task": "/t/over-1", "lost": "/p/nothing"} {
		addresses["odd-"+name] = odd.base + path
	}
	for _, name := range slices.Sorted(maps.Keys(addresses)) {
		t.Run(name, func(t *testing.T) { open(t).shots(dir, addresses[name], name, screens) })
	}
}

// oddPlans returns plans of one task, of closed tasks, of a thousand tasks, and of texts that are hard to show.
func oddPlans(t *testing.T) (out []string) {
	t.Helper()
	word, many := strings.Repeat("Donaudampfschifffahrt", 8), strings.Repeat("a title that goes on and on ", 12)
	for _, doc := range []map[string]any{
		{"project": "one", "tasks": []any{map[string]any{"key": "a", "title": "Write the letter", "body": "To the **bank**."}}},
		{"project": "over", "tasks": []any{map[string]any{"key": "a", "title": "First", "status": "done"}, map[string]any{"key": "b", "title": "Second", "status": "cancelled"}}},
		{"project": "rough", "name": ("Rough <b>&amp; " + many)[:180], "vision": many, "tasks": []any{
			map[string]any{
				"key": "a", "title": word[:120], "body": "<script>alert(1)</script>\n\n" + word + "\n\n```\n" + strings.Repeat("x", 400) + "\n```\n\n" + many,
				"criteria": []string{word, many, "<img src=x>"}, "touches": []string{word + "/**"},
				"links": []any{map[string]any{"kind": "url", "ref": "https://example.org/" + word, "note": many}},
			},
			map[string]any{"key": "b", "title": "\u202eRight to left \u05d0\u05d1 <img src=x>", "deps": []string{"a"}, "priority": 0},
			map[string]any{"key": "c", "title": many[:190], "deps": []string{"a", "b"}, "parent": "e"}, map[string]any{"key": "e", "title": strings.Repeat("\U0001f4e6", 60)},
		}},
	} {
		text, err := json.Marshal(doc)
		if err != nil {
			t.Fatal(err)
		}
		out = append(out, string(text))
	}
	return append(out, plan(t, "large", 1000))
}

// shots opens a page and takes its pictures.
func (b *tab) shots(dir, address, name string, sizes []screen) {
	b.t.Helper()
	for _, at := range sizes {
		b.do(chromedp.EmulateViewport(at.width, at.height))
		b.visit(address)
		for _, scheme := range []string{"light", "dark"} {
			b.scheme(scheme)
			b.shoot(filepath.Join(dir, fmt.Sprintf("%s-%d-%s.png", name, at.width, scheme)), at.width, 3*at.height)
		}
	}
}

// shoot takes a picture of the page down to its end or a height.
func (b *tab) shoot(path string, width, height int64) {
	b.t.Helper()
	height = min(height, js[int64](b, `document.documentElement.scrollHeight`))
	shot, err := chromedp.Call(b, page.CaptureScreenshot, page.CaptureScreenshotParams{
		CaptureBeyondViewport: new(true), Clip: &page.Viewport{Width: float64(width), Height: float64(height), Scale: 1},
	})
	if err != nil {
		b.t.Fatal(err)
	}
	if len(shot.Data) < 4000 {
		b.t.Errorf("%s has %d bytes: nothing can be on it", path, len(shot.Data))
	}
	if err := os.WriteFile(path, shot.Data, 0o644); err != nil {
		b.t.Fatal(err)
	}
}
