package field

import (
	"fmt"
	"slices"
	"strings"
)

// arg returns the argument that writes a slot, and the statement that must come before it.
func (w *rowWriter) arg(one slot) (arg, before string) {
	of := "r." + one.Name
	switch {
	case one.outer == nil:
	case one.column == "holder":
		return "holder", "claim, holder := claimOf(r." + one.outer.Name + ")"
	case strings.HasPrefix(one.outer.Type, "*"):
		of = "claim." + one.Name
	default:
		of = "r." + one.outer.Name + "." + one.Name
	}
	for _, by := range args {
		if one.Has(by.of) || one.Type == by.of {
			return strings.NewReplacer("COLUMN", one.Column, "VALUE", of).Replace(by.write), ""
		}
	}
	if encode := encodes[one.Type]; encode != "" {
		name := strings.ToLower(one.Name[:1]) + one.Name[1:]
		return name, fmt.Sprintf("%s, err := %s(%s)\nif err != nil {\nreturn nil, err\n}", name, encode, of)
	}
	if basic := w.pkg.Basic[one.Type]; basic != "" {
		return basic + "(" + of + ")", ""
	}
	return of, ""
}

// args are the expressions that write a value VALUE, by its tag and by its type.
var args = []struct{ of, write string }{
	{"given", "COLUMNKey"},
	{"ref", "refOf(ref, VALUE)"},
	{"not", "!VALUE"},
	{"ID", "ref"},
	{"[]byte", "string(VALUE)"},
	{"jsontext.Value", "string(VALUE)"},
	{"Via", "encodeVia(VALUE)"},
}

// encodes are the functions that write the lists and maps in a column. They can fail.
var encodes = map[string]string{
	"[]string": "EncodeList", "[]Criterion": "EncodeList", "[]Link": "EncodeList", "map[string][]string": "encodeMap",
}

// stored returns the fields of a record that have columns, nested ones included: the fields of one group of columns
// that are written together, or all of them.
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

// function writes a function that returns the arguments for columns, between the first and last ones given. It also
// returns an error if a column is a list, which must be encoded.
func (w *rowWriter) function(name, params string, slots []slot, first, last []string) {
	list, lines := first, []string(nil)
	for _, one := range slots {
		arg, before := w.arg(one)
		list = append(list, arg)
		if before != "" {
			lines = append(lines, before)
		}
	}
	for _, one := range slots {
		if one.Value("moment") != "" {
			list = append(list, "MomentOf(r."+one.Name+")")
		}
	}
	list = append(list, last...)
	result, end := "[]any", "}"
	if slices.ContainsFunc(slots, func(o slot) bool { return encodes[o.Type] != "" }) {
		result, end = "([]any, error)", "}, nil"
	}
	lines = append(lines, "return []any{", strings.Join(list, ",\n")+",", end)
	w.line("func %s(%s) %s {\n%s\n}\n", name, params, result, strings.Join(lines, "\n"))
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
	if idOf(slots) >= 0 {
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
		w.line("// %sNames are the columns of %[1]sValues.\nvar %[1]sNames = %#[2]v\n", s.Name, columns)
	}
	if !r.bulk || r.single {
		values := make([]string, len(columns))
		for i := range values {
			values[i] = fmt.Sprintf("$%d", i+1)
		}
		w.line("// Insert%s adds a row of %[1]sValues.\nconst Insert%[1]s = `INSERT INTO %[2]s (%[3]s)\n\tVALUES (%[4]s)`\n",
			s.Name, r.table, wrapped(columns), strings.Join(values, ","))
	}
	w.line("// %sValues returns a new row of %s.", s.Name, r.table)
	w.function(s.Name+"Values", params, slots, nil, last)
}

// updates writes, for each group of columns, the statement that sets them, its arguments, and whether it is needed. If
// a column of the group is a guard, the row must still have the old value.
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
		w.line("// Update%s sets the columns of a %s that change with its %s.\nconst Update%[1]s = `UPDATE %[4]s SET %[5]s WHERE %[6]s`\n",
			name, strings.ToLower(s.Name), group, r.table, wrapped(set), where)
		w.line("// %sArgs returns the arguments of Update%[1]s.", name)
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
		w.line("// Same%s reports whether these columns are the same of two records.\nfunc Same%[1]s(a, b *task.%[2]s) bool {\nreturn %[3]s\n}\n",
			name, s.Name, strings.Join(same, " &&\n"))
	}
}
