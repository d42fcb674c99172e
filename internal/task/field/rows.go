package field

import (
	"cmp"
	"fmt"
	"slices"
	"strings"
)

// slot is a field in a form: where its value comes from.
type slot struct {
	Field
	outer  *Field // the field that holds it, if it is a field of a field
	column string // with its alias, or an expression; empty: from the scanner
	place  int
	same   string // the field of the record that already has the column
}

// rowWriter writes the code that reads and writes rows.
type rowWriter struct {
	writer
	pkg *Package
}

// Rows returns the generated file of package rows: every form of every record, each followed by the code that writes it.
func Rows(pkg *Package) ([]byte, error) {
	w := rowWriter{pkg: pkg}
	for _, r := range records {
		s := pkg.Structs[r.of]
		if s == nil {
			return nil, fmt.Errorf("package task has no type %s", r.of)
		}
		for _, f := range r.forms {
			if err := w.form(s, r, f); err != nil {
				return nil, err
			}
		}
		if r.table != "" {
			w.insert(s, r)
			w.updates(s, r)
		}
	}
	return w.file("rows", "slices", "", "tasker/internal/db", "tasker/internal/task")
}

// slots returns the fields of a form in the order of its columns: the record's own, then nested ones.
func (w *rowWriter) slots(s *Struct, f form) ([]slot, error) {
	for _, name := range slices.Concat(f.only, f.except, f.plus) {
		outer, inner, nested := strings.Cut(name, ".")
		of, ok := s.field(outer)
		if ok && nested {
			_, ok = w.pkg.Structs[strings.TrimPrefix(of.Type, "*")].field(inner)
		}
		if !ok {
			return nil, fmt.Errorf("%s has no field %s", s.Name, name)
		}
	}
	chosen := func(of Field, name string) bool {
		outer, _, _ := strings.Cut(name, ".")
		switch {
		case slices.Contains(f.plus, name):
			return true
		case slices.Contains(f.except, name), slices.Contains(f.except, outer), f.shown && of.JSON == "":
			return false
		default:
			return len(f.only) == 0 || slices.Contains(f.only, name)
		}
	}
	var out []slot
	for _, of := range s.Fields {
		column := cmp.Or(f.columns[of.Name], of.Column)
		if chosen(of, of.Name) && (column != "" || of.Has("slug")) {
			out = append(out, slot{Field: of, column: column})
		}
	}
	own := len(out)
	for i := range s.Fields {
		of := &s.Fields[i]
		if !of.Stored || of.Column != "" || of.Has("slug") {
			continue
		}
		for _, in := range w.pkg.Structs[strings.TrimPrefix(of.Type, "*")].Fields {
			if !in.Stored || !chosen(*of, of.Name+"."+in.Name) {
				continue
			}
			one := slot{Field: in, outer: of, column: in.Column}
			if at := slices.IndexFunc(out[:own], func(o slot) bool { return o.column == in.Column }); at >= 0 {
				one.same = out[at].Name
			}
			out = append(out, one)
		}
	}
	n := 0
	for i := range out {
		if out[i].column != "" && out[i].same == "" {
			out[i].place = n
			n++
		}
	}
	return out, nil
}

func (w *rowWriter) form(s *Struct, r record, f form) error {
	slots, err := w.slots(s, f)
	if err != nil {
		return err
	}
	name, n := cmp.Or(f.name, s.Name), 0
	for _, alias := range f.alias {
		var columns []string
		for _, one := range slots {
			switch {
			case one.column == "", one.same != "":
			case alias == "", strings.ContainsAny(one.column, ". "):
				columns = append(columns, one.column)
			default:
				columns = append(columns, alias+"."+one.column)
			}
		}
		n = len(columns)
		columns = append(columns, f.also...)
		w.line("// %sColumns%s are the columns of %s.\nconst %[1]sColumns%[2]s = `%[4]s`\n", name, strings.ToUpper(alias), f.doc, wrapped(columns))
	}
	w.places(name, f, slots, n)
	if i := idOf(slots); i >= 0 && slots[i].place != 0 && r.table == "task" {
		return fmt.Errorf("the columns of %s do not begin with the task's key, as rows.Ref expects", name)
	}
	w.line("// Read%s reads %s.\nfunc Read%[1]s(s *Scanner, row db.Row, r *task.%[3]s) (err error) {", name, f.doc, s.Name)
	for _, one := range slots {
		if one.outer == nil {
			w.line("%s", w.read(one, "r."+one.Name))
		}
	}
	for i := range s.Fields {
		w.nested(&s.Fields[i], slots)
	}
	w.line("return err\n}\n")
	return nil
}

// places writes constants for the positions of columns that are read on their own.
func (w *rowWriter) places(name string, f form, slots []slot, n int) {
	var lines []string
	for _, one := range slots {
		if one.outer == nil && slices.Contains(f.places, one.Name) {
			lines = append(lines, fmt.Sprintf("%sAt%s = %d", name, one.Name, one.place))
		}
	}
	for i, column := range f.also {
		lines = append(lines, fmt.Sprintf("%sAt%s = %d", name, camel(column), n+i))
	}
	if f.end {
		lines = append(lines, fmt.Sprintf("%sEnd = %d", name, n+len(f.also)))
	}
	if len(lines) > 0 {
		w.line("// Places among the columns of %s.\nconst (\n%s\n)\n", f.doc, strings.Join(lines, "\n"))
	}
}

// nested reads a field that is a record itself. A record behind a pointer exists if its first column is not null.
func (w *rowWriter) nested(of *Field, slots []slot) {
	var values []string
	first := -1
	for _, one := range slots {
		if one.outer != of {
			continue
		}
		if one.same != "" {
			values = append(values, one.Name+": r."+one.same)
			continue
		}
		if first < 0 {
			first = one.place
		}
		values = append(values, one.Name+": "+w.value(one))
	}
	if first < 0 {
		return
	}
	if inner, pointer := strings.CutPrefix(of.Type, "*"); pointer {
		w.line("if !row.Null(%d) {\nr.%s = &task.%s{\n%s,\n}\n}", first, of.Name, inner, strings.Join(values, ",\n"))
	} else {
		w.line("r.%s = task.%s{\n%s,\n}", of.Name, of.Type, strings.Join(values, ",\n"))
	}
}

// idOf returns the index of the slot with the task's own key, or -1.
func idOf(slots []slot) int {
	return slices.IndexFunc(slots, func(o slot) bool { return o.outer == nil && o.Type == "ID" })
}

// read returns the statement that reads a slot. A stored list can be broken, so the statement may return from the
// function.
func (w *rowWriter) read(one slot, target string) string {
	decode := decodes[one.Type]
	if decode == "" {
		return target + " = " + w.value(one)
	}
	return fmt.Sprintf("if "+decode+"; err != nil {\nreturn err\n}", target, one.place)
}

// decodes are the statements that read the lists and records in a column, into a target and from a position.
var decodes = map[string]string{
	"[]string":            "%s, err = DecodeTexts(s.text(row.Bytes(%d)))",
	"[]Criterion":         "%s, err = decodeCriteria(s.text(row.Bytes(%d)))",
	"Progress":            "%s, err = ProgressOf(row.Bytes(%d))",
	"Via":                 "%s, err = decodeVia(s.text(row.Bytes(%d)))",
	"[]Link":              "err = DecodeJSON(s.text(row.Bytes(%[2]d)), &%[1]s)",
	"map[string][]string": "err = DecodeJSON(s.text(row.Bytes(%[2]d)), &%[1]s)",
}

// value returns the expression that reads a slot.
func (w *rowWriter) value(one slot) string {
	if one.Has("slug") && one.column == "" {
		return "s.Slug"
	}
	for _, by := range values {
		if one.Has(by.of) || one.Type == by.of {
			return fmt.Sprintf(by.read, one.place)
		}
	}
	for _, by := range values {
		if w.pkg.Basic[one.Type] == by.of && by.made != "" {
			return fmt.Sprintf(by.made, one.Type, one.place)
		}
	}
	return fmt.Sprintf("unknown(%q)", one.Name+" "+one.Type) // does not compile
}

// values are the expressions that read a column at a position: by its tag, by its type, and, under made, for a type
// that is defined by that type.
var values = []struct{ of, read, made string }{
	{of: "slug", read: "s.project(row.Int(%d))"},
	{of: "ref", read: "s.parent(row.Int(%d))"},
	{of: "repeated", read: "s.repeated(row.Bytes(%d))"},
	{of: "not", read: "row.Int(%d) == 0"},
	{of: "ID", read: "s.ID(row.Int(%d))"},
	{of: "Status", read: "statusOf(row.Bytes(%d))"},
	{of: "string", read: "s.text(row.Bytes(%d))", made: "task.%s(s.text(row.Bytes(%d)))"},
	{of: "int", read: "int(row.Int(%d))", made: "task.%s(row.Int(%d))"},
	{of: "int64", read: "row.Int(%d)", made: "task.%s(row.Int(%d))"},
	{of: "bool", read: "row.Int(%d) != 0"},
	{of: "[]byte", read: "bytesOf(row.Bytes(%d))"},
	{of: "jsontext.Value", read: "bytesOf(row.Bytes(%d))"},
}
