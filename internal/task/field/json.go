package field

import (
	"cmp"
	"fmt"
	"slices"
	"strings"
)

// jsonWriter writes the methods that write records as JSON without reflection.
type jsonWriter struct {
	writer
	pkg *Package
	all map[string]*Package // by name; only packages with a marked type
}

// JSON returns the source of the writers of a package's marked types.
func JSON(pkg *Package, all map[string]*Package) ([]byte, error) {
	w := jsonWriter{pkg: pkg, all: all}
	for _, s := range pkg.Marked {
		if err := w.members(s); err != nil {
			return nil, err
		}
	}
	return w.file(pkg.Name, "github.com/go-json-experiment/json/jsontext", "", "tasker/internal/bundle", "tasker/internal/strict",
		"tasker/internal/task")
}

func (w *jsonWriter) members(s *Struct) error {
	if slices.Contains(s.Marks, "marshal") {
		w.line("// MarshalJSONTo writes the record, for values that contain it and are written by reflection.\n"+
			"func (r *%s) MarshalJSONTo(enc *jsontext.Encoder) error { return strict.EncodeRecord(enc, r) }\n", s.Name)
	}
	if slices.Contains(s.Marks, "answer") {
		w.line("// Answer returns the record as what an operation answers.\n"+
			"func (r %s) Answer() strict.Record { return &r }\n", s.Name)
	}
	w.line("// Members writes the members of the record.\n"+
		"func (r *%s) Members(o *strict.Writer) {", s.Name)
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

// named splits the name of a type into its package and its name there.
func (w *jsonWriter) named(name string) (*Package, string) {
	name = cmp.Or(w.pkg.Alias[name], name)
	if pkg, of, other := strings.Cut(name, "."); other {
		return w.all[pkg], of
	}
	return w.pkg, name
}

// record reports whether a type is written without reflection, and returns how this package refers to it.
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

// basic returns the underlying type.
func (w *jsonWriter) basic(name string) string {
	if pkg, of := w.named(name); pkg != nil {
		return cmp.Or(pkg.Basic[of], name)
	}
	return name
}

// member returns the statement that writes a field.
func (w *jsonWriter) member(f Field) string {
	write := w.writes(f.Type)
	if f.Type[0] == '*' {
		write = "if VALUE == nil {\no.Null(NAME)\n} else {\n" + write + "\n}"
	}
	return strings.NewReplacer("NAME", fmt.Sprintf("%q", f.JSON), "VALUE", "r."+f.Name).Replace(write)
}

// byType are the statements that write a value VALUE of a type under the name NAME.
var byType = map[string]string{
	"task.Opt": "o.Opt(NAME, string(VALUE))", "task.Severity": "o.OptInt(NAME, int64(VALUE))", "task.EvidenceID": "o.OptInt(NAME, int64(VALUE))",
	"task.Time": "task.WriteTime(o, NAME, VALUE)", "jsontext.Value": "o.Raw(NAME, VALUE)", "string": "o.Text(NAME, VALUE)", "int64": "o.Int(NAME, VALUE)", "bool": "o.Bool(NAME, VALUE)",
}

// byBasic are the statements for types that are defined by another type.
var byBasic = map[string]string{"string": "o.Text(NAME, string(VALUE))", "int": "o.Int(NAME, int64(VALUE))", "int64": "o.Int(NAME, int64(VALUE))"}

// writes returns the statement that writes a non-nil value VALUE of a type under the name NAME.
func (w *jsonWriter) writes(of string) string {
	if of, list := strings.CutPrefix(of, "[]"); list {
		return w.list(of)
	}
	if of, pointer := strings.CutPrefix(of, "*"); pointer {
		switch s, _, ok := w.record(of); {
		case ok && slices.Contains(s.Marks, "shared"):
			return "strict.WriteShared(o, NAME, VALUE)"
		case ok:
			return "o.Record(NAME, VALUE)"
		case w.basic(of) == "int":
			return "o.Int(NAME, int64(*VALUE))"
		}
		return "o.Value(NAME, VALUE)"
	}
	name := of
	if pkg, n := w.named(of); pkg != nil && pkg.Name == "task" {
		name = "task." + n
	}
	if _, _, ok := w.record(of); ok && byType[name] == "" {
		return "o.Record(NAME, &VALUE)"
	}
	return strings.Replace(cmp.Or(byType[name], byType[of], byBasic[w.basic(of)], "o.Value(NAME, VALUE)"), w.pkg.Name+".", "", 1)
}

// list returns the statement that writes a list of a type.
func (w *jsonWriter) list(of string) string {
	if _, called, ok := w.record(of); ok {
		return "strict.WriteRecords(o, NAME, VALUE, func(e *" + called + ") strict.Record { return e })"
	}
	if _, called, ok := w.record(strings.TrimPrefix(of, "*")); ok {
		return "strict.WriteRecords(o, NAME, VALUE, func(e **" + called + ") strict.Record { return *e })"
	}
	if w.basic(of) == "string" {
		return "strict.WriteTexts(o, NAME, VALUE)"
	}
	return "strict.WriteList(o, NAME, VALUE)"
}
