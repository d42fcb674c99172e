package script_test

import (
	"io/fs"
	"os"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"testing"
)

// kept matches the first line of a page: what keeps it true, and the tests that do.
var kept = regexp.MustCompile(`^<!-- (Typed by a test|Generated from|Compared with the program)[^:]*: go test \./([a-z/]+)( -(?:run|update)[^>]*)? -->\n# `)

// TestEveryPageSaysWhatKeepsItTrue looks at the first line of every page below docs: it is typed by a test, generated, or
// compared with the program. A page that nothing keeps true has no place there.
func TestEveryPageSaysWhatKeepsItTrue(t *testing.T) {
	t.Parallel()
	root := filepath.Join("..", "..")
	found := 0
	err := filepath.WalkDir(filepath.Join(root, "docs"), func(path string, _ fs.DirEntry, err error) error {
		if err != nil || filepath.Ext(path) != ".md" {
			return err
		}
		found++
		page, err := filepath.Rel(root, path)
		if err != nil {
			return err
		}
		m := kept.FindStringSubmatch(read(t, page))
		if m == nil {
			t.Errorf("the first line of %s does not say which test keeps it true", page)
			return nil
		}
		if typed := strings.HasPrefix(m[1], "Typed") && m[2] == "test/script"; typed != slices.Contains(pages, filepath.ToSlash(page)) {
			t.Errorf("%s says that it is typed here: %t, and that is not so", page, typed)
		}
		_, err = os.Stat(filepath.Join(root, m[2]))
		return err
	})
	if err != nil || found < 20 {
		t.Errorf("%d pages: %v", found, err)
	}
}

// TestThePagesLeaveNoCommandUntyped looks for blocks with commands of ours that the tests above would pass over.
func TestThePagesLeaveNoCommandUntyped(t *testing.T) {
	t.Parallel()
	for _, page := range pages {
		language, in := "", false
		for line := range strings.Lines(read(t, page)) {
			if after, fence := strings.CutPrefix(line, "```"); fence {
				language, in = strings.TrimSpace(after), !in
			} else if in && language != "sh" && strings.HasPrefix(line, "tasker ") {
				t.Errorf("%s has a command that no test types: %s", page, line)
			}
		}
	}
}

// TestTheReadmeFitsOnOneScreen keeps the first page short: what it is and the picture first, then what to type.
func TestTheReadmeFitsOnOneScreen(t *testing.T) {
	t.Parallel()
	text := read(t, "README.md")
	if n := strings.Count(text, "\n"); n > 66 {
		t.Errorf("the README has %d lines, and a screen has 66", n)
	}
	picture, begin := strings.Index(text, "\n!["), strings.Index(text, "```sh")
	if picture < 0 || begin < 0 || picture > 500 || begin < picture {
		t.Errorf("the picture begins at %d, and what to type at %d", picture, begin)
	}
}
