package glob_test

import (
	"fmt"
	"strings"
	"testing"

	"tasker/internal/glob"
)

func TestStartsAreWhereEverythingLies(t *testing.T) {
	many := make([]string, 100)
	for i := range many {
		many[i] = fmt.Sprintf("src/part%d/deep/file%d.go", i%20, i)
	}
	for _, c := range []struct {
		globs []string
		want  string
	}{
		{[]string{"src/store/*.go"}, "[src/store/]"},
		{[]string{"src/store/a.go"}, "[src/store/a.go/]"},
		{[]string{"**/*.go"}, "[]"},
		{[]string{"a/b*/c", "/x/./y/"}, "[a/ x/y/]"},
		{[]string{"{a,b/c}/d/**"}, "[a/d/ b/c/d/]"},
		{[]string{`a/\*`, "[b]/c"}, "[ a/]"},
		{[]string{"[a"}, "[]"},
		{[]string{""}, "[]"},
		{nil, "[]"},
		{[]string{"a/b\x00c/d", "e/" + strings.Repeat("x", 300)}, "[a/ e/]"},
		{many, "[src/]"},
	} {
		if got := fmt.Sprint(glob.Starts(c.globs)); got != c.want {
			t.Errorf("%.60q start in %s, want %s", c.globs, got, c.want)
		}
	}
	if got := glob.Starts([]string{""}); len(got) != 0 {
		t.Errorf("a glob that matches nothing starts in %q", got)
	}
	if got := fmt.Sprintf("%q", glob.Above("a/b/c/")); got != `["" "a/" "a/b/" "a/b/c/"]` {
		t.Errorf("got %s", got)
	}
}
