package arch_test

import (
	"os"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"testing"
)

// The pages that show a newcomer where things are.
const (
	pictureOfTheHouse = "docs/internals/architecture.md"
	pagesOfTheHouse   = "docs/internals/web.md"
	howToContribute   = "CONTRIBUTING.md"
)

// recipes lists the headings of the page that explain how to add something; each names the files to touch.
var recipes = []string{"Add an operation", "Add a field to a task", "Add a setting", "Add a page", "Add an integration"}

func TestThePagesNameWhatIsThere(t *testing.T) {
	for _, page := range []string{pictureOfTheHouse, pagesOfTheHouse, howToContribute} {
		text := pageText(t, page)
		for _, name := range paths(t, text) {
			if !exists(t, name) {
				t.Errorf("%s names %s, which is not there", page, name)
			}
		}
	}
}

func TestEveryRoomHasItsLineInThePicture(t *testing.T) {
	_, table, _ := strings.Cut(pageText(t, pictureOfTheHouse), "\n## The rooms\n")
	table, _, _ = strings.Cut(table, "\n## ")
	var listed []string
	for _, line := range strings.Split(table, "\n") {
		if cells := strings.Split(line, "|"); len(cells) > 2 {
			for _, name := range inBackticks.FindAllStringSubmatch(cells[1], -1) {
				listed = append(listed, name[1])
			}
		}
	}
	slices.Sort(listed)
	if rooms := roomsOf(t); !slices.Equal(listed, rooms) {
		t.Errorf("%s lists the rooms %q; internal/ has %q", pictureOfTheHouse, listed, rooms)
	}
}

var inBackticks = regexp.MustCompile("`([a-z]+)`")

// roomsOf returns the folders directly below internal/, in order.
func roomsOf(t *testing.T) (out []string) {
	t.Helper()
	entries, err := os.ReadDir("..")
	if err != nil {
		t.Fatal(err)
	}
	for _, e := range entries {
		if e.IsDir() {
			out = append(out, e.Name())
		}
	}
	return out
}

func TestTheRecipesNameTheirFiles(t *testing.T) {
	text := pageText(t, howToContribute)
	for _, heading := range recipes {
		_, recipe, found := strings.Cut(text, "\n## "+heading+"\n")
		if !found {
			t.Errorf("%s has no recipe %q", howToContribute, heading)
			continue
		}
		recipe, _, _ = strings.Cut(recipe, "\n## ")
		if n := len(paths(t, recipe)); n < 3 {
			t.Errorf("the recipe %q names %d files", heading, n)
		}
	}
}

func TestPathsAreToldFromOtherCode(t *testing.T) {
	text := "`internal/op/table.go`, `op/wire`, `POST /v1/next`, `/v1/next`, `tasker next`, `internal/**/*.go`, `a/b`, `docs/none.md`"
	want := []string{"internal/op/table.go", "op/wire", "docs/none.md"}
	if got := paths(t, text); !slices.Equal(got, want) {
		t.Errorf("paths = %q, want %q", got, want)
	}
	if exists(t, "docs/none.md") || !exists(t, "internal/arch/docs_test.go") || !exists(t, "op/wire") {
		t.Error("exists does not distinguish existing files from missing ones")
	}
}

var inCode = regexp.MustCompile("`([^`\\s]+/[^`\\s]*)`")

// paths returns the paths in a text's code spans that begin with a folder of this project, or of internal/.
func paths(t *testing.T, text string) (out []string) {
	t.Helper()
	for _, m := range inCode.FindAllStringSubmatch(text, -1) {
		name := m[1]
		first, _, _ := strings.Cut(name, "/")
		if first == "" || strings.Contains(name, "**") {
			continue
		}
		if isDir("../../"+first) || isDir("../"+first) {
			out = append(out, name)
		}
	}
	return out
}

func isDir(path string) bool {
	info, err := os.Stat(path)
	return err == nil && info.IsDir()
}

// exists reports whether a path, or a pattern of paths, names something in the project or in internal/.
func exists(t *testing.T, name string) bool {
	t.Helper()
	for _, base := range []string{"../..", ".."} {
		found, err := filepath.Glob(filepath.Join(base, name))
		if err != nil {
			t.Fatalf("%s: %v", name, err)
		}
		if len(found) > 0 {
			return true
		}
	}
	return false
}

func pageText(t *testing.T, name string) string {
	t.Helper()
	text, err := os.ReadFile(filepath.Join("../..", name))
	if err != nil {
		t.Fatal(err)
	}
	return string(text)
}
