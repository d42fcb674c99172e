package arch_test

import (
	"fmt"
	"go/ast"
	"go/parser"
	"go/token"
	"strings"
	"testing"
)

// An expression that is compiled in a package variable costs every command some time at its start, even commands that
// never use it. (test/packaging counts what other packages do at the start.)
func TestExpressionsAreCompiledWhenTheyAreAskedFor(t *testing.T) {
	for _, p := range load(t) {
		if !strings.HasPrefix(p.ImportPath, module+"/internal/") {
			continue
		}
		for _, f := range p.files {
			for _, fault := range compiledAtStart(t, f.path, nil) {
				t.Errorf("%s: wrap it in sync.OnceValue", fault)
			}
		}
	}
}

func TestAnExpressionCompiledAtTheStartIsFound(t *testing.T) {
	for _, c := range []struct {
		source string
		want   int
	}{
		{`var a = regexp.MustCompile("a")`, 1},
		{`var a, b = regexp.MustCompile("a"), []*regexp.Regexp{regexp.MustCompile("b")}`, 2},
		{`var a = sync.OnceValue(func() *regexp.Regexp { return regexp.MustCompile("a") })`, 0},
		{`func f() { regexp.MustCompile("a") }`, 0},
		{`func init() { regexp.MustCompile("a") }`, 1},
	} {
		if got := compiledAtStart(t, "x.go", "package x; "+c.source); len(got) != c.want {
			t.Errorf("%s: found %v, want %d", c.source, got, c.want)
		}
	}
}

// compiledAtStart returns the positions in a file where an expression is compiled before main begins. If source is nil,
// the file is read from the path.
func compiledAtStart(t *testing.T, path string, source any) []string {
	t.Helper()
	files := token.NewFileSet()
	file, err := parser.ParseFile(files, path, source, parser.SkipObjectResolution)
	if err != nil {
		t.Fatal(err)
	}
	var places []string
	find := func(n ast.Node) bool {
		if _, ok := n.(*ast.FuncLit); ok {
			return false
		}
		if s, ok := n.(*ast.SelectorExpr); ok && s.Sel.Name == "MustCompile" {
			places = append(places, fmt.Sprintf("%s compiles an expression at the start", files.Position(n.Pos())))
		}
		return true
	}
	for _, d := range file.Decls {
		switch d := d.(type) {
		case *ast.GenDecl:
			ast.Inspect(d, find)
		case *ast.FuncDecl:
			if d.Recv == nil && d.Name.Name == "init" {
				ast.Inspect(d, find)
			}
		}
	}
	return places
}
