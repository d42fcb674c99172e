package browser_test

import (
	"fmt"
	"maps"
	"os"
	"path/filepath"
	"slices"
	"testing"

	"github.com/chromedp/cdproto/page"
	"github.com/chromedp/chromedp"
)

// screens lists the window sizes of the screenshots: a phone, a tablet, a desktop, and a wide screen.
var screens = []struct{ width, height int64 }{{390, 844}, {768, 1024}, {1280, 800}, {1680, 1050}}

// TestScreenshotsOfEveryPageCanBeTaken takes them in light and dark at every width, into the directory that
// TASKER_SCREENSHOTS names (`make screenshots`) or a temporary one: PAGE-WIDTH-SCHEME.png, from the top of the page to
// its end, at most three windows high.
func TestScreenshotsOfEveryPageCanBeTaken(t *testing.T) {
	t.Parallel()
	dir := os.Getenv("TASKER_SCREENSHOTS")
	names, sizes := []string{"graph"}, screens[:1]
	if dir == "" {
		dir = t.TempDir()
	} else {
		names, sizes = slices.Sorted(maps.Keys(shopPages)), screens
	}
	s := shopping(t)
	for _, name := range names {
		b := open(t)
		for _, at := range sizes {
			b.do(chromedp.EmulateViewport(at.width, at.height))
			b.visit(s.base + shopPages[name])
			for _, scheme := range []string{"light", "dark"} {
				b.scheme(scheme)
				b.shoot(filepath.Join(dir, fmt.Sprintf("%s-%d-%s.png", name, at.width, scheme)), at.width, 3*at.height)
			}
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
