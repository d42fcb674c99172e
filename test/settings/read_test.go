package settings

import (
	"bytes"
	"encoding/json"
	"errors"
	"go/ast"
	"go/importer"
	"go/parser"
	"go/token"
	"go/types"
	"io"
	"maps"
	"os"
	"os/exec"
	"path/filepath"
	"reflect"
	"slices"
	"strings"
	"testing"

	"tasker/internal/config"
	"tasker/internal/config/format"
)

const configPath = "tasker/internal/config"

// byLoader lists the keys that the loader itself uses, by name; effects shows each.
var byLoader = []string{"version", "project", "notices.deprecations"}

// TestEveryKeyIsRead reads the program: the Go field of every key is used outside package config, or by a method of it
// that is. It fails if a key is declared and nothing reads it.
func TestEveryKeyIsRead(t *testing.T) {
	read := fieldsRead(t)
	keys := format.Keys()
	fields := fieldsOf(t)
	for _, key := range slices.Sorted(maps.Keys(fields)) {
		field := fields[key]
		if slices.ContainsFunc(keys, func(k string) bool { return strings.HasPrefix(k, key+".") || strings.HasPrefix(k, key+"[].") }) ||
			slices.Contains(byLoader, key) {
			continue
		}
		if !read[field] {
			t.Errorf("%s is declared, and nothing reads %s", key, field)
		}
	}
}

// fieldsOf returns the Go field of each key, as Type.Field.
func fieldsOf(t *testing.T) map[string]string {
	t.Helper()
	out := map[string]string{}
	var below func(prefix string, v reflect.Type)
	below = func(prefix string, v reflect.Type) {
		for v.Kind() == reflect.Pointer {
			v = v.Elem()
		}
		switch v.Kind() {
		case reflect.Slice, reflect.Array:
			below(strings.TrimSuffix(prefix, ".")+"[].", v.Elem())
		case reflect.Map:
			below(prefix+"<name>.", v.Elem())
		case reflect.Struct:
			for f := range v.Fields() {
				name, _, _ := strings.Cut(f.Tag.Get("json"), ",")
				out[prefix+name] = v.Name() + "." + f.Name
				below(prefix+name+".", f.Type)
			}
		default:
		}
	}
	below("", reflect.TypeFor[config.Config]())
	for _, key := range format.Keys() {
		if _, ok := out[key]; !ok && key != "$schema" {
			t.Errorf("%s has no field", key)
		}
	}
	return out
}

// source is a package of the module as go list prints it.
type source struct {
	ImportPath, Dir, Export string
	GoFiles                 []string
	Module                  *struct{ Main bool }
}

// fieldsRead returns the fields of package config that the shipped program reads.
func fieldsRead(t *testing.T) map[string]bool {
	t.Helper()
	list := exec.Command("go", "list", "-export", "-deps", "-json=ImportPath,Dir,Export,GoFiles,Module", "tasker/cmd/tasker")
	list.Stderr = os.Stderr
	text, err := list.Output()
	if err != nil {
		t.Fatal(err)
	}
	var own []source
	exports := map[string]string{}
	for dec := json.NewDecoder(bytes.NewReader(text)); ; {
		var s source
		if err := dec.Decode(&s); errors.Is(err, io.EOF) {
			break
		} else if err != nil {
			t.Fatal(err)
		}
		exports[s.ImportPath] = s.Export
		if s.Module != nil && s.Module.Main {
			own = append(own, s)
		}
	}
	set := token.NewFileSet()
	imports := importer.ForCompiler(set, "gc", func(path string) (io.ReadCloser, error) { return os.Open(exports[path]) })
	read, called, seams := map[string]bool{}, map[string]bool{}, map[string][]string{}
	for _, s := range own {
		for _, f := range check(t, set, imports, s) {
			for _, d := range f.file.Decls {
				fields, methods := uses(f.info, d)
				if s.ImportPath != configPath {
					for _, name := range fields {
						read[name] = true
					}
					for _, name := range methods {
						called[name] = true
					}
				} else if fn, ok := d.(*ast.FuncDecl); ok && fn.Recv != nil && fn.Name.IsExported() && filepath.Base(set.Position(d.Pos()).Filename) == "use.go" {
					seams[fn.Name.Name] = fields
				}
			}
		}
	}
	for name, fields := range seams {
		for _, field := range fields {
			read[field] = read[field] || called[name]
		}
	}
	if len(read) < 20 || len(seams) < 5 {
		t.Fatalf("only %d fields and %d methods were found: nothing was looked at", len(read), len(seams))
	}
	return read
}

type checked struct {
	file *ast.File
	info *types.Info
}

func check(t *testing.T, set *token.FileSet, imports types.Importer, s source) []checked {
	t.Helper()
	info := &types.Info{Selections: map[*ast.SelectorExpr]*types.Selection{}}
	var files []*ast.File
	for _, name := range s.GoFiles {
		f, err := parser.ParseFile(set, filepath.Join(s.Dir, name), nil, parser.SkipObjectResolution)
		if err != nil {
			t.Fatal(err)
		}
		files = append(files, f)
	}
	if _, err := (&types.Config{Importer: imports}).Check(s.ImportPath, set, files, info); err != nil {
		t.Fatal(err)
	}
	out := make([]checked, len(files))
	for i, f := range files {
		out[i] = checked{f, info}
	}
	return out
}

// aliased reports whether a type of the domain is one of package config by an alias.
func aliased(of types.Type) bool {
	if p, ok := of.Underlying().(*types.Pointer); ok {
		of = p.Elem()
	}
	return types.Unalias(of).String() == "tasker/internal/task.Requirement"
}

// uses returns the fields (Type.Field) and methods of package config that a declaration selects, including those on the
// way to an embedded one.
func uses(info *types.Info, d ast.Decl) (fields, methods []string) {
	ast.Inspect(d, func(n ast.Node) bool {
		sel, ok := n.(*ast.SelectorExpr)
		if !ok {
			return true
		}
		s := info.Selections[sel]
		if s == nil || s.Obj().Pkg() == nil || s.Obj().Pkg().Path() != configPath && !aliased(s.Recv()) {
			return true
		}
		if s.Kind() != types.FieldVal {
			methods = append(methods, s.Obj().Name())
			return true
		}
		at := s.Recv()
		for _, i := range s.Index() {
			if p, ok := at.Underlying().(*types.Pointer); ok {
				at = p.Elem()
			}
			st, ok := at.Underlying().(*types.Struct)
			if !ok {
				return true
			}
			if named, ok := types.Unalias(at).(*types.Named); ok {
				fields = append(fields, named.Obj().Name()+"."+st.Field(i).Name())
			}
			at = st.Field(i).Type()
		}
		return true
	})
	return fields, methods
}
