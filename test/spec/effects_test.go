package spec

import (
	"go/ast"
	"go/parser"
	"go/token"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
	"testing"
)

// tried are the tests of test/settings, by the key whose effect they show.
var tried = readEffects()

// effectsOf returns the names of the tests that show what some keys change.
func effectsOf(keys ...string) (out []string) {
	for _, key := range keys {
		out = append(out, tried[key]...)
	}
	return out
}

// readEffects reads the rows of test/settings from their source: a composite literal with the members key and, for a second
// row of a key, also.
func readEffects() map[string][]string {
	out := map[string][]string{}
	files, err := filepath.Glob("../settings/*_test.go")
	if err != nil {
		panic(err)
	}
	for _, file := range files {
		src, err := parser.ParseFile(token.NewFileSet(), file, nil, 0)
		if err != nil {
			panic(err)
		}
		ast.Inspect(src, func(n ast.Node) bool {
			lit, ok := n.(*ast.CompositeLit)
			if !ok {
				return true
			}
			if key := textOf(lit, "key"); key != "" {
				name := key
				if also := textOf(lit, "also"); also != "" {
					name += "/" + also
				}
				out[key] = append(out[key], name)
			}
			return true
		})
	}
	return out
}

// textOf returns the text of a member of a literal, or "".
func textOf(lit *ast.CompositeLit, name string) string {
	for _, elt := range lit.Elts {
		kv, ok := elt.(*ast.KeyValueExpr)
		if !ok {
			continue
		}
		if id, ok := kv.Key.(*ast.Ident); !ok || id.Name != name {
			continue
		}
		if text, ok := kv.Value.(*ast.BasicLit); ok {
			if s, err := strconv.Unquote(text.Value); err == nil {
				return s
			}
		}
	}
	return ""
}

// TestAStatementOnAKeyNamesATestOfItsEffect fails if a statement says what a key changes, but the page would only name a
// test of its form. Statements that are only about the form are for keys that hold others, and the editor hint.
func TestAStatementOnAKeyNamesATestOfItsEffect(t *testing.T) {
	t.Parallel()
	holders := []string{"object", "object, optional", "array of object", "map of name to object", "object; external issue tracker link",
		"object; external code host link", "string, optional; editor hint"}
	for _, st := range configurationFields {
		_, says, _ := strings.Cut(st.says, ": ")
		if form := slices.Contains(holders, says); form == (len(st.effects) > 0) {
			t.Errorf("%s: the tests of its effect are %q", st.says, st.effects)
		}
	}
}
