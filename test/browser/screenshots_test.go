package browser_test

import (
	"os"
	"path/filepath"
	"testing"

	"github.com/chromedp/chromedp"
)

// TestScreenshotsOfEveryPageCanBeTaken takes them in light and dark into the directory that TASKER_SCREENSHOTS names
// (`make screenshots`), or one that is thrown away.
func TestScreenshotsOfEveryPageCanBeTaken(t *testing.T) {
	t.Parallel()
	dir := os.Getenv("TASKER_SCREENSHOTS")
	names, fill := []string{"graph"}, atlas(t)
	if dir == "" {
		dir = t.TempDir()
	} else {
		fill = lived(t)
		names = names[:0]
		for name := range pages {
			names = append(names, name)
		}
	}
	s := serve(t, fill)
	b := open(t)
	b.do(chromedp.EmulateViewport(1280, 800))
	for _, name := range names {
		for _, scheme := range []string{"light", "dark"} {
			b.scheme(scheme)
			b.visit(s.base + shown(name))
			shot, err := chromedp.Run(b, chromedp.CaptureScreenshot())
			if err != nil {
				t.Fatal(err)
			}
			if len(shot) < 4000 {
				t.Errorf("the screenshot of %s has %d bytes: nothing can be on it", name, len(shot))
			}
			if err := os.WriteFile(filepath.Join(dir, name+"-"+scheme+".png"), shot, 0o644); err != nil {
				t.Fatal(err)
			}
		}
	}
}

// shown returns the address of a page with something to see on it.
func shown(name string) string {
	if name == "task" {
		return "/t/atlas-301"
	}
	return pages[name]
}
