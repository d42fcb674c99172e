package field

import (
	"fmt"
	"slices"
	"strings"
)

// arg returns the argument that writes a field, and the statement that must come before it.
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
	if basic := w.pkg.Basic[f.Type]; basic != "" {
		return basic + "(" + of + ")", ""
	}
	return of, ""
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
		w.line("// %sNames are the columns of %sValues.", s.Name, s.Name)
		quoted := make([]string, len(columns))
		for i, c := range columns {
			quoted[i] = fmt.Sprintf("%q", c)
		}
		w.line("var %sNames = []string{\n%s,\n}\n", s.Name, wrapped(quoted))
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
