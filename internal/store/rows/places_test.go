package rows_test

import (
	"io/fs"
	"os"
	"regexp"
	"strings"
	"testing"
)

// TestNoColumnIsReadByItsPlace checks that code written by hand does not number columns: the generated readers,
// db.Scan2 and its like, and constants name them. In inboxdb each statement stands next to what reads its few columns.
func TestNoColumnIsReadByItsPlace(t *testing.T) {
	place := regexp.MustCompile(`\.(Int|Text|Bytes|Null)\([0-9]+\)`)
	err := fs.WalkDir(os.DirFS(".."), ".", func(path string, _ fs.DirEntry, err error) error {
		if err != nil || !strings.HasSuffix(path, ".go") || strings.HasSuffix(path, "_test.go") || strings.HasSuffix(path, "_gen.go") ||
			strings.HasPrefix(path, "inboxdb/") || path == "rows/rows.go" { // Ref, with which every form of a task begins
			return err
		}
		src, err := fs.ReadFile(os.DirFS(".."), path)
		for i, line := range strings.Split(string(src), "\n") {
			if place.MatchString(line) {
				t.Errorf("store/%s:%d reads a column by its place: %s", path, i+1, strings.TrimSpace(line))
			}
		}
		return err
	})
	if err != nil {
		t.Fatal(err)
	}
}
