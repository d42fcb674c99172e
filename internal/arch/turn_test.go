package arch_test

import (
	"fmt"
	"go/ast"
	"go/parser"
	"go/token"
	"slices"
	"testing"
)

// transactions are the methods of the store that begin a transaction. They know no caller.
var transactions = []string{"Read", "ReadFor", "Write", "WriteThen"}

func TestOperationsBeginTransactionsThroughTheCore(t *testing.T) {
	for _, p := range load(t) {
		if !covered(append([]string{"core"}, features...), p.name()) {
			continue
		}
		for _, f := range p.files {
			if f.name == "core/turn.go" {
				continue
			}
			for _, at := range beginsTransaction(t, f.path, nil) {
				t.Errorf("%s: use core.Read, core.Write, Env.Snapshot or Env.Turn, which keep to what the caller may see and write", at)
			}
		}
	}
}

func TestATransactionOfTheStoreIsFound(t *testing.T) {
	for _, c := range []struct {
		source string
		want   int
	}{
		{`func f(s *Service) { s.Store.Write(nil, nil, nil) }`, 1},
		{`func f(s *Service) { read := s.Env.Store.Read; _ = read }`, 1},
		{`func f(s *Service) { s.Store.ReadFor(nil, nil, nil, nil) }`, 1},
		{`func f(s *Service) { s.Store.Wait(nil, 0); core.Read(nil, nil, nil) }`, 0},
	} {
		if got := beginsTransaction(t, "x.go", "package x; "+c.source); len(got) != c.want {
			t.Errorf("%s: found %v, want %d", c.source, got, c.want)
		}
	}
}

// beginsTransaction returns the positions in a file that begin a transaction of the store itself. If source is nil, the
// file is read from the path.
func beginsTransaction(t *testing.T, path string, source any) []string {
	t.Helper()
	files := token.NewFileSet()
	file, err := parser.ParseFile(files, path, source, parser.SkipObjectResolution)
	if err != nil {
		t.Fatal(err)
	}
	var places []string
	ast.Inspect(file, func(n ast.Node) bool {
		method, ok := n.(*ast.SelectorExpr)
		if !ok || !slices.Contains(transactions, method.Sel.Name) {
			return true
		}
		if of, ok := method.X.(*ast.SelectorExpr); ok && of.Sel.Name == "Store" {
			places = append(places, fmt.Sprintf("%s begins a transaction with Store.%s", files.Position(n.Pos()), method.Sel.Name))
		}
		return true
	})
	return places
}
