package field

import (
	"cmp"
	"fmt"
	"go/ast"
	"go/parser"
	"go/token"
	"go/types"
	"io/fs"
	"reflect"
	"slices"
	"strings"
)

// Struct is a record as its package declares it.
type Struct struct {
	Name   string
	Fields []Field
	Marks  []string // what its //field:json says; nil without one
}

// Field is one field of a record with what its tags say.
type Field struct {
	Name string
	Type string // as written in the source: Opt, []string, *Claim
	JSON string // its name in JSON; empty if it is not shown
	Omit bool   // it is left out of JSON while it is zero

	Stored  bool     // it has a db tag
	Column  string   // empty: it has none of its own
	Options []string // the rest of the db tag

	Settable bool
	Apart    bool   // package plan carries it over with code of its own
	As       string // its type in a document, if different
	Label    string // what people read before its value
}

// Has reports whether the db tag has an option.
func (f Field) Has(option string) bool { return slices.Contains(f.Options, option) }

// Value returns the value of an option such as moment=due_at, or the empty text.
func (f Field) Value(option string) string {
	for _, o := range f.Options {
		if v, ok := strings.CutPrefix(o, option+"="); ok {
			return v
		}
	}
	return ""
}

// Package is what the generator knows of a package: its records, and the underlying types of its named types.
type Package struct {
	Name    string
	Structs map[string]*Struct
	Basic   map[string]string // Status -> string
	Alias   map[string]string // Bundle -> bundle.Bundle
	Marked  []*Struct         // types with a //field:json, in source order
}

// basic returns the underlying type of a named type of the package; any other type is its own.
func (p *Package) basic(name string) string { return cmp.Or(p.Basic[name], name) }

// ReadPackage reads the declarations of a package from its source. It does not type-check, so that it also reads a
// package whose generated files are missing or stale.
func ReadPackage(root fs.FS, dir string) (*Package, error) {
	files, err := fs.Glob(root, dir+"/*.go")
	if err != nil {
		return nil, err
	}
	p := &Package{Structs: map[string]*Struct{}, Basic: map[string]string{}, Alias: map[string]string{}}
	set := token.NewFileSet()
	for _, path := range files {
		if strings.HasSuffix(path, "_test.go") || strings.HasSuffix(path, "_gen.go") {
			continue
		}
		src, err := fs.ReadFile(root, path)
		if err != nil {
			return nil, err
		}
		file, err := parser.ParseFile(set, path, src, parser.SkipObjectResolution|parser.ParseComments)
		if err != nil {
			return nil, err
		}
		p.Name = file.Name.Name
		for _, d := range file.Decls {
			if err := p.declare(d); err != nil {
				return nil, fmt.Errorf("%s: %w", path, err)
			}
		}
	}
	return p, nil
}

func (p *Package) declare(d ast.Decl) error {
	group, ok := d.(*ast.GenDecl)
	if !ok {
		return nil
	}
	for _, spec := range group.Specs {
		t, ok := spec.(*ast.TypeSpec)
		if !ok || t.TypeParams != nil {
			continue
		}
		if t.Assign.IsValid() {
			p.Alias[t.Name.Name] = types.ExprString(t.Type)
			continue
		}
		switch of := t.Type.(type) {
		case *ast.Ident:
			p.Basic[t.Name.Name] = of.Name
		case *ast.StructType:
			s, err := readStruct(t.Name.Name, of)
			if err != nil {
				return err
			}
			p.Structs[s.Name] = s
			if s.Marks = marks(group.Doc); s.Marks != nil {
				p.Marked = append(p.Marked, s)
			}
		}
	}
	return nil
}

// marks returns the words after //field:json in a comment, or nil without one.
func marks(doc *ast.CommentGroup) []string {
	if doc == nil {
		return nil
	}
	for _, c := range doc.List {
		if words, ok := strings.CutPrefix(c.Text, "//field:json"); ok {
			return append([]string{}, strings.Fields(words)...)
		}
	}
	return nil
}

func readStruct(name string, of *ast.StructType) (*Struct, error) {
	s := &Struct{Name: name}
	for _, f := range of.Fields.List {
		var tag reflect.StructTag
		if f.Tag != nil {
			tag = reflect.StructTag(strings.Trim(f.Tag.Value, "`"))
		}
		one := Field{Type: types.ExprString(f.Type)}
		one.JSON, one.Omit = jsonName(tag)
		if db, ok := tag.Lookup("db"); ok {
			parts := strings.Split(db, ",")
			one.Stored, one.Column, one.Options = true, parts[0], parts[1:]
		}
		one.Label = tag.Get("label")
		for option := range strings.SplitSeq(tag.Get("plan"), ",") {
			switch as, typed := strings.CutPrefix(option, "as="); {
			case typed:
				one.As = as
			case option == "settable":
				one.Settable = true
			case option == "apart":
				one.Apart = true
			case option != "":
				return nil, fmt.Errorf("%s: no plan tag says %q", name, option)
			}
		}
		if len(f.Names) > 1 && f.Tag != nil {
			return nil, fmt.Errorf("%s: fields with a tag stand on lines of their own", name)
		}
		for _, n := range f.Names {
			one.Name = n.Name
			s.Fields = append(s.Fields, one)
		}
		if len(f.Names) == 0 { // embedded
			one.Name = one.Type[strings.LastIndexAny(one.Type, "*.")+1:]
			s.Fields = append(s.Fields, one)
		}
	}
	return s, nil
}

func jsonName(tag reflect.StructTag) (name string, omit bool) {
	name, options, _ := strings.Cut(tag.Get("json"), ",")
	if name == "-" {
		name = ""
	}
	return name, strings.Contains(options, "omit")
}

// field returns a field of the struct by its name.
func (s *Struct) field(name string) (Field, bool) {
	at := slices.IndexFunc(s.Fields, func(f Field) bool { return f.Name == name })
	if at < 0 {
		return Field{}, false
	}
	return s.Fields[at], true
}
