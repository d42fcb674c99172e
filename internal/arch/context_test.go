package arch_test

import (
	"fmt"
	"go/ast"
	"go/parser"
	"go/token"
	"go/types"
	"slices"
	"strconv"
	"testing"
)

// contextKeys lists what a context carries in addition to its end, with the reason: facts of a request that do not
// concern the code between them and their reader. Anything else is a parameter, a field of core.Caller or of core.Env, or
// part of an answer.
var contextKeys = map[string]string{
	"core/caller.go callerKey{}":    "who asks, through which face and under which request id; the way leads through net/http and the tool protocol",
	"telemetry/span.go spanKey{}":   "the current span, the parent of the spans that start within it",
	"telemetry/span.go tracerKey{}": "where the spans of requests to other systems go",
}

func TestContextsCarryWhatBelongsToARequest(t *testing.T) {
	unused := make(map[string]bool, len(contextKeys))
	for key := range contextKeys {
		unused[key] = true
	}
	for _, p := range load(t) {
		for _, f := range p.files {
			for _, v := range contextValues(t, f.path, nil) {
				key := f.name + " " + v.key
				if delete(unused, key); contextKeys[key] == "" {
					t.Errorf("%s puts a value into a context under %s: make it a parameter, a field of the caller or of the environment, or part of the answer", v.at, v.key)
				}
			}
		}
	}
	for key := range unused {
		t.Errorf("contextKeys lists %s, which is gone", key)
	}
}

func TestAValueInAContextIsFoundUnderAnyName(t *testing.T) {
	for _, c := range []struct {
		source string
		want   []string
	}{
		{`import "context"; func f(ctx context.Context) { context.WithValue(ctx, oneKey{}, 1) }`, []string{"oneKey{}"}},
		{`import c "context"; func f(ctx c.Context) { c.WithValue(ctx, two, 1) }`, []string{"two"}},
		{`import "context"; var with = context.WithValue`, []string{"any key"}},
		{`import "context"; func f() { context.WithCancel(context.Background()) }`, nil},
		{`type t struct{}; func (t) WithValue(any, any, any) {}; var context t; func f() { context.WithValue(1, 2, 3) }`, nil},
	} {
		var got []string
		for _, v := range contextValues(t, "x.go", "package x; "+c.source) {
			got = append(got, v.key)
		}
		if !slices.Equal(got, c.want) {
			t.Errorf("%s: found %v, want %v", c.source, got, c.want)
		}
	}
}

// contextValue is a position where a value is put into a context, and its key.
type contextValue struct{ at, key string }

// contextValues returns the positions in a file that put values into contexts. If source is nil, the file is read from
// the path.
func contextValues(t *testing.T, path string, source any) []contextValue {
	t.Helper()
	files := token.NewFileSet()
	file, err := parser.ParseFile(files, path, source, parser.SkipObjectResolution)
	if err != nil {
		t.Fatal(err)
	}
	alias := ""
	for _, spec := range file.Imports {
		if name, err := strconv.Unquote(spec.Path.Value); err == nil && name == "context" {
			if alias = "context"; spec.Name != nil {
				alias = spec.Name.Name
			}
		}
	}
	var out []contextValue
	keys := map[ast.Node]string{} // of the called functions, which are visited after their calls
	ast.Inspect(file, func(n ast.Node) bool {
		if call, ok := n.(*ast.CallExpr); ok && len(call.Args) == 3 {
			keys[call.Fun] = types.ExprString(call.Args[1])
		}
		fn, ok := n.(*ast.SelectorExpr)
		if !ok || fn.Sel.Name != "WithValue" {
			return true
		}
		if of, ok := fn.X.(*ast.Ident); ok && alias != "" && of.Name == alias {
			key := keys[fn]
			if key == "" {
				key = "any key"
			}
			out = append(out, contextValue{fmt.Sprint(files.Position(n.Pos())), key})
		}
		return true
	})
	return out
}
