package web_test

import (
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"
)

// TestEveryPageHasItsFile checks that pages are easy to find: NAME.go reads what templates/NAME.html shows.
func TestEveryPageHasItsFile(t *testing.T) {
	found, err := filepath.Glob("templates/*.html")
	if err != nil || len(found) < 10 {
		t.Fatalf("%d templates, %v", len(found), err)
	}
	shared := []string{"base", "parts", "refused"} // the frame, shared parts, and refusals
	for _, path := range found {
		name := strings.TrimSuffix(filepath.Base(path), ".html")
		if _, err := os.Stat(name + ".go"); err != nil && !slices.Contains(shared, name) {
			t.Errorf("templates/%s.html has no %s.go", name, name)
		}
	}
}
