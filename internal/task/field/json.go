package field

import (
	"fmt"
	"slices"
	"strings"
)

// jsonWriter writes the methods that write records as JSON without reflection.
type jsonWriter struct {
	writer
	pkg *Package
	all map[string]*Package // by name, those with a marked type
}

// JSON returns the source of the writers of a package's marked types.
func JSON(pkg *Package, all map[string]*Package) ([]byte, error) {
	w := jsonWriter{pkg: pkg, all: all}
	for _, s := range pkg.Marked {
		if err := w.members(s); err != nil {
			return nil, err
		}
	}
	body := w.b.String()
	w.b.Reset()
	w.line("package %s\n", pkg.Name)
	w.line("import (")
	for _, path := range []string{
		"github.com/go-json-experiment/json/jsontext", "", "tasker/internal/bundle", "tasker/internal/strict/jsonout", "tasker/internal/task",
	} {
		switch {
		case path == "":
			w.line("")
		case strings.Contains(body, path[strings.LastIndexByte(path, '/')+1:]+"."):
			w.line("%q", path)
		}
	}
	w.line(")\n")
	w.b.WriteString(body)
	return w.source()
}

func (w *jsonWriter) members(s *Struct) error {
	if slices.Contains(s.Marks, "marshal") {
		w.line("// MarshalJSONTo writes the record, for those that hold it and are written by reflection.")
		w.line("func (r *%s) MarshalJSONTo(enc *jsontext.Encoder) error { return jsonout.Encode(enc, r) }\n", s.Name)
	}
	if slices.Contains(s.Marks, "answer") {
		w.line("// Answer returns the record as what an operation answers.")
		w.line("func (r %s) Answer() jsonout.Record { return &r }\n", s.Name)
	}
	w.line("// Members writes the members of the record.")
	w.line("func (r *%s) Members(o *jsonout.Object) {", s.Name)
	for _, f := range s.Fields {
		if f.JSON == "" {
			continue
		}
		if f.Omit {
			return fmt.Errorf("%s.%s: a member that is left out while it is zero is not written by //field:json", s.Name, f.Name)
		}
		w.line("%s", w.member(f))
	}
	w.line("}\n")
	return nil
}

// named is a type by its package and name.
func (w *jsonWriter) named(name string) (*Package, string) {
	pkg := w.pkg
	if to := pkg.Alias[name]; to != "" {
		name = to
	}
	if at := strings.IndexByte(name, '.'); at >= 0 {
		pkg, name = w.all[name[:at]], name[at+1:]
	}
	return pkg, name
}

// record reports whether a type is written without reflection, and how the package calls it.
func (w *jsonWriter) record(name string) (s *Struct, called string, ok bool) {
	pkg, of := w.named(name)
	if pkg == nil || pkg.Structs[of] == nil || pkg.Structs[of].Marks == nil {
		return nil, "", false
	}
	if called = of; pkg != w.pkg {
		called = pkg.Name + "." + of
	}
	return pkg.Structs[of], called, true
}

// basic returns what a type is made of.
func (w *jsonWriter) basic(name string) string {
	if pkg, of := w.named(name); pkg != nil && pkg.Basic[of] != "" {
		return pkg.Basic[of]
	}
	return name
}

// member returns the statement that writes a field.
func (w *jsonWriter) member(f Field) string {
	n, v := fmt.Sprintf("%q", f.JSON), "r."+f.Name
	if of, list := strings.CutPrefix(f.Type, "[]"); list {
		return w.list(of, n, v)
	}
	if of, pointer := strings.CutPrefix(f.Type, "*"); pointer {
		write := fmt.Sprintf("o.Value(%s, %s)", n, v)
		if s, _, ok := w.record(of); ok && slices.Contains(s.Marks, "shared") {
			write = fmt.Sprintf("jsonout.Shared(o, %s, %s)", n, v)
		} else if ok {
			write = fmt.Sprintf("o.Record(%s, %s)", n, v)
		} else if w.basic(of) == "int" {
			write = fmt.Sprintf("o.Int(%s, int64(*%s))", n, v)
		}
		return fmt.Sprintf("if %s == nil {\no.Null(%s)\n} else {\n%s\n}", v, n, write)
	}
	if pkg, name := w.named(f.Type); pkg != nil && pkg.Name == "task" {
		switch name {
		case "Opt":
			return fmt.Sprintf("o.Opt(%s, string(%s))", n, v)
		case "Severity", "EvidenceID":
			return fmt.Sprintf("o.OptInt(%s, int64(%s))", n, v)
		case "Time":
			if pkg == w.pkg {
				return fmt.Sprintf("WriteTime(o, %s, %s)", n, v)
			}
			return fmt.Sprintf("task.WriteTime(o, %s, %s)", n, v)
		}
	}
	if _, _, ok := w.record(f.Type); ok {
		return fmt.Sprintf("o.Record(%s, &%s)", n, v)
	}
	switch basic := w.basic(f.Type); {
	case f.Type == "jsontext.Value":
		return fmt.Sprintf("o.Raw(%s, %s)", n, v)
	case f.Type == "string":
		return fmt.Sprintf("o.Text(%s, %s)", n, v)
	case f.Type == "int64":
		return fmt.Sprintf("o.Int(%s, %s)", n, v)
	case f.Type == "bool":
		return fmt.Sprintf("o.Bool(%s, %s)", n, v)
	case basic == "string":
		return fmt.Sprintf("o.Text(%s, string(%s))", n, v)
	case basic == "int", basic == "int64":
		return fmt.Sprintf("o.Int(%s, int64(%s))", n, v)
	default:
		return fmt.Sprintf("o.Value(%s, %s)", n, v)
	}
}

// list returns the statement that writes a list of a type.
func (w *jsonWriter) list(of, n, v string) string {
	if _, called, ok := w.record(of); ok {
		return fmt.Sprintf("jsonout.Records(o, %s, %s, func(e *%s) jsonout.Record { return e })", n, v, called)
	}
	if _, called, ok := w.record(strings.TrimPrefix(of, "*")); ok {
		return fmt.Sprintf("jsonout.Records(o, %s, %s, func(e **%s) jsonout.Record { return *e })", n, v, called)
	}
	if w.basic(of) == "string" {
		return fmt.Sprintf("jsonout.Texts(o, %s, %s)", n, v)
	}
	return fmt.Sprintf("jsonout.List(o, %s, %s)", n, v)
}
