package field

import "strings"

// Plan returns the source of what package plan does with each field of a task that can be set.
func Plan(task *Package) ([]byte, error) {
	w := writer{}
	fields := settable(task)
	w.line("package plan\n")
	w.line("import (\n\"tasker/internal/strict\"\n\"tasker/internal/task\"\n)\n")
	w.line("// Fields are what a task in a document, a task to create and an edit have in common. Parent and Deps are keys or")
	w.line("// ids.")
	w.line("type Fields struct {")
	for _, f := range fields {
		w.line("%s Field[%s] `json:\"%s,omitzero\"`", f.Name, planType(task, f), f.JSON)
	}
	w.line("}\n")
	w.line("// rules say of each field what it is for, and what it may be.")
	w.line("type rules struct {")
	for _, f := range fields {
		w.line("%s rule[%s]", f.Name, planType(task, f))
	}
	w.line("}\n")
	w.line("// settable declares the fields, in the order of the schema.")
	w.line("func settable(r rules) []strict.Prop[Fields] {\nreturn []strict.Prop[Fields]{")
	for _, f := range fields {
		w.line("field(%q, r.%s.about, r.%s.may, func(f *Fields) *Field[%s] { return &f.%s }),", f.JSON, f.Name, f.Name, planType(task, f), f.Name)
	}
	w.line("}\n}\n")
	w.line("// plain carries over the fields that a task has as the document gives them.")
	w.line("func (c *changer) plain(f *Fields) {")
	for _, f := range fields {
		if f.Apart {
			continue
		}
		set := "set"
		if strings.HasPrefix(f.Type, "[]") {
			set = "setList"
		}
		w.line("%s(c, %q, f.%s, func(t *task.Task) *%s { return &t.%s })", set, f.JSON, f.Name, planType(task, f), f.Name)
	}
	w.line("}\n")
	w.line("// FieldsOf returns what a task has as a document gives it; what it has not is left out. Parent and Deps, which name other")
	w.line("// tasks, are not among them.")
	w.line("func FieldsOf(t *task.Task) Fields {\nvar f Fields")
	for _, f := range fields {
		switch {
		case f.Type == "[]ID" || f.Has("ref"):
		case f.Type == "[]Criterion":
			w.line("if len(t.%s) > 0 {\nf.%s = Give(criterionTexts(t.%s))\n}", f.Name, f.Name, f.Name)
		case f.Type == "int": // one that has no value which stands for none
			w.line("f.%s = Give(t.%s)", f.Name, f.Name)
		default:
			w.line("if %s {\nf.%s = Give(t.%s)\n}", present(task, f, "t."+f.Name), f.Name, f.Name)
		}
	}
	w.line("return f\n}")
	return w.source()
}

// Details returns the source of what package task does with each field of a task.
func Details(task *Package) ([]byte, error) {
	w := writer{}
	w.line("package task\n")
	w.line("// Settable lists the fields that documents and edits can set, by their JSON names.")
	w.line("var Settable = []string{")
	for _, f := range settable(task) {
		w.line("%q,", f.JSON)
	}
	w.line("}\n")
	w.line("// AddGiven adds to a payload every settable field that the task has. Parent and Deps, which name other tasks, are not")
	w.line("// among them.")
	w.line("func (t *Task) AddGiven(p Payload) {")
	for _, f := range settable(task) {
		if f.Type == "[]ID" || f.Has("ref") {
			continue
		}
		w.line("if %s {\np[%q] = t.%s\n}", present(task, f, "t."+f.Name), f.JSON, f.Name)
	}
	w.line("}\n")
	w.line("// Details returns the fields of the task that have a label, and a value, as people read them.")
	w.line("func (t *Task) Details() []Detail {\nvar out []Detail")
	for _, f := range task.Structs["Task"].Fields {
		if f.Label != "" {
			w.line("if %s {\nout = append(out, Detail{%q, shownValue(t.%s)})\n}", present(task, f, "t."+f.Name), f.Label, f.Name)
		}
	}
	w.line("return out\n}")
	return w.source()
}

func settable(task *Package) []Field {
	var out []Field
	for _, f := range task.Structs["Task"].Fields {
		if f.Settable {
			out = append(out, f)
		}
	}
	return out
}

// present is the condition that a field is not empty.
func present(task *Package, f Field, v string) string {
	basic := f.Type
	if b := task.Basic[f.Type]; b != "" {
		basic = b
	}
	switch {
	case strings.HasPrefix(basic, "[]"):
		return "len(" + v + ") > 0"
	case basic == "string":
		return v + ` != ""`
	case basic == "bool":
		return v
	default:
		return v + " != 0"
	}
}

// planType is the type of a field in a document, as package plan calls it.
func planType(task *Package, f Field) string {
	t := f.Type
	if f.As != "" {
		t = f.As
	}
	of := strings.TrimPrefix(t, "[]")
	if task.Basic[of] != "" || task.Structs[of] != nil {
		return t[:len(t)-len(of)] + "task." + of
	}
	return t
}
