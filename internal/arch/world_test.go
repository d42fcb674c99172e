package arch_test

import (
	"fmt"
	"go/ast"
	"go/parser"
	"go/token"
	"slices"
	"strconv"
	"strings"
	"testing"
)

// worldly lists the packages whose time, waiting, goroutines, locks and files come from db.World, and the files that
// implement it in production.
var worldly = []string{"db", "db/sqlite", "db/postgres"}

var worldFiles = []string{
	"db/system.go", "db/queue_unix.go", "db/queue_other.go",
	"db/room_unix.go", "db/room_other.go", "db/held_unix.go", "db/held_other.go",
}

func TestTheDatabaseReachesTheWorldThroughItsInterfaces(t *testing.T) {
	for _, p := range load(t) {
		if !slices.Contains(worldly, p.name()) {
			continue
		}
		for _, f := range p.files {
			if slices.Contains(worldFiles, f.name) {
				continue
			}
			for _, place := range reachesWorld(t, f.path, nil) {
				t.Errorf("%s: it goes through db.World, so that a simulation can stand in for it", place)
			}
		}
	}
}

func TestAWayAroundTheWorldIsFound(t *testing.T) {
	for source, want := range map[string]int{
		`func f() { go f() }`:                                        1,
		`import "os"`:                                                1,
		`import "time"; var t = time.Now()`:                          1,
		`import "time"; var d = time.Second`:                         0,
		`import "time"; func f() { time.Sleep(1); <-time.After(1) }`: 2,
		`import "runtime"; func f() { runtime.Gosched(); runtime.GOMAXPROCS(0) }`: 1,
	} {
		if got := reachesWorld(t, "x.go", "package x; "+source); len(got) != want {
			t.Errorf("%s: found %v, want %d", source, got, want)
		}
	}
}

// reachesWorld returns the positions in a file that use the operating system, the clock or the scheduler.
func reachesWorld(t *testing.T, path string, source any) []string {
	t.Helper()
	set := token.NewFileSet()
	file, err := parser.ParseFile(set, path, source, parser.SkipObjectResolution)
	if err != nil {
		t.Fatal(err)
	}
	banned := map[string][]string{
		"time":    {"Now", "Since", "Until", "Sleep", "After", "AfterFunc", "NewTimer", "NewTicker", "Tick"},
		"runtime": {"Gosched"},
	}
	var out []string
	found := func(n ast.Node, what string) {
		out = append(out, fmt.Sprintf("%s uses %s", set.Position(n.Pos()), what))
	}
	for _, spec := range file.Imports {
		if name, _ := strconv.Unquote(spec.Path.Value); name == "os" || strings.HasPrefix(name, "os/") {
			found(spec, name)
		}
	}
	ast.Inspect(file, func(n ast.Node) bool {
		switch n := n.(type) {
		case *ast.GoStmt:
			found(n, "a go statement")
		case *ast.SelectorExpr:
			if x, ok := n.X.(*ast.Ident); ok && slices.Contains(banned[x.Name], n.Sel.Name) {
				found(n, x.Name+"."+n.Sel.Name)
			}
		}
		return true
	})
	return out
}
