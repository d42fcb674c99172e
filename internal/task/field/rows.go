package field

import (
	"fmt"
	"maps"
	"slices"
	"strconv"
	"strings"
)

// slot is a field in a form: where its value comes from.
type slot struct {
	Field
	outer  *Field // the field that holds it, where it is a field of a field
	column string // with its alias, or an expression; empty: from the scanner
	place  int
	same   string // the field of the record that has the column already
}

// rowWriter writes the code that reads and writes rows.
type rowWriter struct {
	writer
	pkg *Package
}

// Rows returns the source of package rows.
func Rows(pkg *Package) ([]byte, error) {
	w := rowWriter{pkg: pkg}
	w.line("package rows\n")
	w.line("import (\n\"slices\"\n\n\"tasker/internal/db\"\n\"tasker/internal/task\"\n)\n")
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
	return w.source()
}

// slots returns the fields of a form in the order of its columns: the record's own, then those of fields of fields.
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
		column := of.Column
		if expr := f.columns[of.Name]; expr != "" {
			column = expr
		}
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
	name := f.name
	if name == "" {
		name = s.Name
	}
	n := 0
	for _, alias := range f.alias {
		var columns []string
		for _, one := range slots {
			if one.column == "" || one.same != "" {
				continue
			}
			if alias == "" || strings.ContainsAny(one.column, ". ") {
				columns = append(columns, one.column)
			} else {
				columns = append(columns, alias+"."+one.column)
			}
		}
		n = len(columns)
		columns = append(columns, f.also...)
		w.line("// %sColumns%s are the columns of %s.", name, strings.ToUpper(alias), f.doc)
		w.line("const %sColumns%s = `%s`\n", name, strings.ToUpper(alias), wrapped(columns))
	}
	w.places(name, f, slots, n)
	if id, ok := idOf(slots); ok && id.place != 0 && r.table == "task" {
		return fmt.Errorf("the columns of %s do not begin with the task's key, as rows.Ref expects", name)
	}
	w.line("// Read%s reads %s.", name, f.doc)
	w.line("func Read%s(s *Scanner, row db.Row, r *task.%s) (err error) {", name, s.Name)
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

// places writes constants for the places of columns that are read alone.
func (w *rowWriter) places(name string, f form, slots []slot, n int) {
	at := map[string]int{}
	for _, one := range slots {
		if one.outer == nil && slices.Contains(f.places, one.Name) {
			at["At"+one.Name] = one.place
		}
	}
	for i, column := range f.also {
		at["At"+camel(column)] = n + i
	}
	if f.end {
		at["End"] = n + len(f.also)
	}
	if len(at) == 0 {
		return
	}
	w.line("// Places among the columns of %s.", f.doc)
	w.line("const (")
	for _, key := range slices.Sorted(maps.Keys(at)) {
		w.line("%s%s = %d", name, key, at[key])
	}
	w.line(")\n")
}

// nested reads a field that is a record itself. One behind a pointer is there where its first column is not null.
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

func idOf(slots []slot) (slot, bool) {
	at := slices.IndexFunc(slots, func(o slot) bool { return o.outer == nil && o.Type == "ID" })
	if at < 0 {
		return slot{}, false
	}
	return slots[at], true
}

// read returns the statement that reads a slot. What is stored as a list can be broken, so it may end the function.
func (w *rowWriter) read(one slot, target string) string {
	text := fmt.Sprintf("s.text(row.Bytes(%d))", one.place)
	decode := ""
	switch one.Type {
	case "[]string":
		decode = "DecodeTexts(" + text + ")"
	case "[]Criterion":
		decode = "decodeCriteria(" + text + ")"
	case "Progress":
		decode = fmt.Sprintf("ProgressOf(row.Bytes(%d))", one.place)
	case "Via":
		decode = "decodeVia(" + text + ")"
	case "[]Link", "map[string][]string":
		return fmt.Sprintf("if err = DecodeJSON(%s, &%s); err != nil {\nreturn err\n}", text, target)
	default:
		return target + " = " + w.value(one)
	}
	return fmt.Sprintf("if %s, err = %s; err != nil {\nreturn err\n}", target, decode)
}

// value returns the expression that reads a slot.
func (w *rowWriter) value(one slot) string {
	number := fmt.Sprintf("row.Int(%d)", one.place)
	bytes := fmt.Sprintf("row.Bytes(%d)", one.place)
	text := "s.text(" + bytes + ")"
	switch {
	case one.Has("slug") && one.column == "":
		return "s.Slug"
	case one.Has("slug"):
		return "s.project(" + number + ")"
	case one.Has("ref"):
		return "s.parent(" + number + ")"
	case one.Has("repeated"):
		return "s.repeated(" + bytes + ")"
	case one.Has("not"):
		return number + " == 0"
	}
	switch one.Type {
	case "ID":
		return "s.ID(" + number + ")"
	case "Status":
		return "statusOf(" + bytes + ")"
	case "string":
		return text
	case "int":
		return "int(" + number + ")"
	case "int64":
		return number
	case "bool":
		return number + " != 0"
	case "[]byte", "jsontext.Value":
		return "bytesOf(" + bytes + ")"
	}
	switch w.pkg.Basic[one.Type] {
	case "string":
		return "task." + one.Type + "(" + text + ")"
	case "int", "int64":
		return "task." + one.Type + "(" + number + ")"
	default:
		return "unknown(" + strconv.Quote(one.Name+" "+one.Type) + ")" // does not compile
	}
}

// arg returns the argument that writes a field, and the statement that has to come before it.
func (w *rowWriter) arg(f Field, of string) (arg, before string) {
	switch {
	case f.Has("given"):
		return f.Column + "Key", ""
	case f.Has("ref"):
		return "refOf(ref, " + of + ")", ""
	case f.Has("not"):
		return "!" + of, ""
	case f.Type == "ID":
		return "ref", ""
	case strings.HasPrefix(f.Type, "[]") && f.Type != "[]byte", strings.HasPrefix(f.Type, "map["):
		name := strings.ToLower(f.Name[:1]) + f.Name[1:]
		encode := "EncodeList"
		if strings.HasPrefix(f.Type, "map[") {
			encode = "encodeMap"
		}
		return name, fmt.Sprintf("%s, err := %s(%s)\nif err != nil {\nreturn nil, err\n}", name, encode, of)
	case f.Type == "[]byte", f.Type == "jsontext.Value":
		return "string(" + of + ")", ""
	case f.Type == "Via":
		return "encodeVia(" + of + ")", ""
	}
	switch basic := w.pkg.Basic[f.Type]; basic {
	case "":
		return of, ""
	default:
		return basic + "(" + of + ")", ""
	}
}

// stored returns the fields of a record with columns of their own, with those of fields of fields: which are in a
// group of columns that are written together, or all of them.
func (w *rowWriter) stored(s *Struct, group string) []slot {
	slots, _ := w.slots(s, form{})
	return slices.DeleteFunc(slots, func(o slot) bool {
		in := o.Value("set")
		if o.outer != nil {
			in = o.outer.Value("set")
		}
		return o.column == "" || o.same != "" || group != "" && in != group
	})
}

// function writes a function that returns the arguments for columns, between those that stand first and last. It also
// returns an error where a column is a list, which has to be encoded.
func (w *rowWriter) function(name, params string, slots []slot, first, last []string) {
	list, lines := first, []string(nil)
	failing, claim := false, false
	for _, one := range slots {
		of := "r." + one.Name
		if one.outer != nil {
			of = "r." + one.outer.Name + "." + one.Name
		}
		if one.outer != nil && strings.HasPrefix(one.outer.Type, "*") {
			of = "claim." + one.Name
			if !claim {
				claim = true
				lines = append(lines, "claim, holder := claimOf(r."+one.outer.Name+")")
				list = append(list, "holder")
				continue
			}
		}
		arg, before := w.arg(one.Field, of)
		if before != "" {
			lines, failing = append(lines, before), true
		}
		list = append(list, arg)
	}
	for _, one := range slots {
		if one.Value("moment") != "" {
			list = append(list, "MomentOf(r."+one.Name+")")
		}
	}
	list = append(list, last...)
	result, end := "[]any", "}"
	if failing {
		result, end = "([]any, error)", "}, nil"
	}
	w.line("func %s(%s) %s {", name, params, result)
	for _, l := range lines {
		w.line("%s", l)
	}
	w.line("return []any{\n%s,\n%s\n}\n", strings.Join(list, ",\n"), end)
}

// columnsOf returns the columns that function has arguments for.
func columnsOf(slots []slot) []string {
	var out []string
	for _, one := range slots {
		out = append(out, one.column)
	}
	for _, one := range slots {
		if c := one.Value("moment"); c != "" {
			out = append(out, c)
		}
	}
	return out
}

// insert writes the columns of a new row, or the statement, and its arguments.
func (w *rowWriter) insert(s *Struct, r record) {
	slots := w.stored(s, "")
	columns, params := columnsOf(slots), "r *task."+s.Name
	var last []string
	if r.project {
		columns, last = append(columns, "project"), []string{"ProjectOf(ref)"}
	}
	if _, ok := idOf(slots); ok {
		params = "ref int64, " + params
	}
	for _, one := range slots {
		if one.Has("given") {
			params += ", " + one.Column + "Key int64"
		}
	}
	for _, column := range r.given {
		columns, last, params = append(columns, column), append(last, column), params+", "+column+" any"
	}
	if r.bulk {
		w.line("// %sNames are the columns of %sValues.", s.Name, s.Name)
		w.line("var %sNames = []string{\n%s,\n}\n", s.Name, wrapped(quotedAll(columns)))
	}
	if !r.bulk || r.single {
		values := make([]string, len(columns))
		for i := range values {
			values[i] = fmt.Sprintf("$%d", i+1)
		}
		w.line("// Insert%s adds a row of %sValues.", s.Name, s.Name)
		w.line("const Insert%s = `INSERT INTO %s (%s)\n\tVALUES (%s)`\n", s.Name, r.table, wrapped(columns), strings.Join(values, ","))
	}
	w.line("// %sValues returns a new row of %s.", s.Name, r.table)
	w.function(s.Name+"Values", params, slots, nil, last)
}

// updates writes, for each group of columns, the statement that sets them, its arguments, and whether it is needed.
// Where a column of the group is a guard, the row must still have the value that it had before.
func (w *rowWriter) updates(s *Struct, r record) {
	var groups []string
	for _, f := range s.Fields {
		if g := f.Value("set"); g != "" && !slices.Contains(groups, g) {
			groups = append(groups, g)
		}
	}
	for _, group := range groups {
		slots := w.stored(s, group)
		name := s.Name + camel(group)
		first, params, where := []string{"ref"}, "ref int64, r *task."+s.Name, "id=$1"
		for _, one := range slots {
			if one.Has("guard") {
				first = append(first, "before."+one.Name)
				where += fmt.Sprintf(" AND %s=$%d", one.column, len(first))
			}
		}
		if len(first) > 1 {
			params = "ref int64, before, r *task." + s.Name
		}
		var set []string
		for i, c := range columnsOf(slots) {
			set = append(set, fmt.Sprintf("%s=$%d", c, len(first)+i+1))
		}
		w.line("// Update%s sets the columns of a %s that change with its %s.", name, strings.ToLower(s.Name), group)
		w.line("const Update%s = `UPDATE %s SET %s WHERE %s`\n", name, r.table, wrapped(set), where)
		w.line("// %sArgs returns the arguments of Update%s.", name, name)
		w.function(name+"Args", params, slots, first, nil)
		if !slices.Contains(r.compared, group) {
			continue
		}
		var same []string
		for _, one := range slots {
			if strings.HasPrefix(one.Type, "[]") {
				same = append(same, fmt.Sprintf("slices.Equal(a.%s, b.%s)", one.Name, one.Name))
			} else {
				same = append(same, fmt.Sprintf("a.%s == b.%s", one.Name, one.Name))
			}
		}
		w.line("// Same%s reports whether these columns are the same of two records.", name)
		w.line("func Same%s(a, b *task.%s) bool {\nreturn %s\n}\n", name, s.Name, strings.Join(same, " &&\n"))
	}
}
