package arch_test

import (
	"fmt"
	"go/ast"
	"go/parser"
	"go/token"
	"slices"
	"strconv"
	"testing"
)

// clockReaders lists the functions of package time that read the machine's clock.
var clockReaders = []string{"Now", "Since", "Until"}

func TestTheDomainAndTheCoreAreHandedTheTime(t *testing.T) {
	for _, p := range load(t) {
		if !covered(clockless, p.name()) {
			continue
		}
		for _, f := range p.files {
			if exceptionOf(f).clock {
				continue
			}
			for _, fault := range readsClock(t, f.path, nil) {
				t.Errorf("%s: %s takes its time from the turn or its caller, so that rules can be replayed", fault, p.name())
			}
		}
	}
}

func TestAReadOfTheClockIsFoundUnderAnyName(t *testing.T) {
	for _, c := range []struct {
		source string
		want   int
	}{
		{`import "time"; var t = time.Now()`, 1},
		{`import "time"; var clock = time.Now`, 1},
		{`import clock "time"; var d = clock.Since(clock.Time{})`, 1},
		{`import "time"; var d time.Duration = time.Second`, 0},
		{`type t struct{}; func (t) Now() {}; var time t; func f() { time.Now() }`, 0},
	} {
		if got := readsClock(t, "x.go", "package x; "+c.source); len(got) != c.want {
			t.Errorf("%s: found %v, want %d", c.source, got, c.want)
		}
	}
}

// readsClock returns the positions in a file that read the clock. If source is nil, the file is read from the path.
func readsClock(t *testing.T, path string, source any) []string {
	t.Helper()
	files := token.NewFileSet()
	file, err := parser.ParseFile(files, path, source, parser.SkipObjectResolution)
	if err != nil {
		t.Fatal(err)
	}
	alias := ""
	for _, spec := range file.Imports {
		if name, err := strconv.Unquote(spec.Path.Value); err == nil && name == "time" {
			alias = "time"
			if spec.Name != nil {
				alias = spec.Name.Name
			}
		}
	}
	var places []string
	ast.Inspect(file, func(n ast.Node) bool {
		selector, ok := n.(*ast.SelectorExpr)
		if !ok || alias == "" {
			return true
		}
		if x, ok := selector.X.(*ast.Ident); ok && x.Name == alias && slices.Contains(clockReaders, selector.Sel.Name) {
			places = append(places, fmt.Sprintf("%s reads the clock with %s.%s", files.Position(n.Pos()), alias, selector.Sel.Name))
		}
		return true
	})
	return places
}
