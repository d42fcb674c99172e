package field

import (
	"cmp"
	"slices"
	"strings"
	"text/template"
)

// planSource is what package plan does with each settable field of a task.
const planSource = `package plan

import (
"tasker/internal/strict"
"tasker/internal/task"
)

// Fields are what a task in a document, a task to create and an edit have in common. Parent and Deps are keys or
// ids.
type Fields struct {
{{range .}}{{.Name}} Field[{{planType .}}] {{tick}}json:"{{.JSON}},omitzero"{{tick}}
{{end}}}

// rules say of each field what it is for, and what it may be.
type rules struct {
{{range .}}{{.Name}} rule[{{planType .}}]
{{end}}}

// settable declares the fields, in the order of the schema.
func settable(r rules) []strict.Prop[Fields] {
return []strict.Prop[Fields]{
{{range .}}field("{{.JSON}}", r.{{.Name}}.about, r.{{.Name}}.may, func(f *Fields) *Field[{{planType .}}] { return &f.{{.Name}} }),
{{end}}}
}

// plain carries over the fields that a task has as the document gives them.
func (c *changer) plain(f *Fields) {
{{range .}}{{if not .Apart}}set{{if list .}}List{{end}}(c, "{{.JSON}}", f.{{.Name}}, func(t *task.Task) *{{planType .}} { return &t.{{.Name}} })
{{end}}{{end}}}

// FieldsOf returns what a task has as a document gives it; what it does not have is left out. Parent and Deps, which name other
// tasks, are not among them.
func FieldsOf(t *task.Task) Fields {
var f Fields
{{range .}}{{if names .}}{{else if eq .Type "[]Criterion"}}if len(t.{{.Name}}) > 0 {
f.{{.Name}} = Give(criterionTexts(t.{{.Name}}))
}
{{else if eq .Type "int"}}f.{{.Name}} = Give(t.{{.Name}})
{{else}}if {{present .}} {
f.{{.Name}} = Give(t.{{.Name}})
}
{{end}}{{end}}return f
}
`

// taskSource is what package task does with each field of a task.
const taskSource = `package task

// Settable lists the fields that documents and edits can set, by their JSON names.
var Settable = []string{
{{range .}}{{if .Settable}}"{{.JSON}}",
{{end}}{{end}}}

// AddGiven adds to a payload every settable field that the task has. Parent and Deps, which name other tasks, are not
// among them.
func (t *Task) AddGiven(p Payload) {
{{range .}}{{if and .Settable (not (names .))}}if {{present .}} {
p["{{.JSON}}"] = t.{{.Name}}
}
{{end}}{{end}}}

// Details returns the fields of the task that have a label, and a value, as people read them.
func (t *Task) Details() []Detail {
var out []Detail
{{range .}}{{if .Label}}if {{present .}} {
out = append(out, Detail{"{{.Label}}", shownValue(t.{{.Name}})})
}
{{end}}{{end}}return out
}
`

// Plan returns the source of what package plan does with each settable field of a task.
func Plan(task *Package) ([]byte, error) {
	fields := slices.DeleteFunc(slices.Clone(task.Structs["Task"].Fields), func(f Field) bool { return !f.Settable })
	return filled(planSource, task, fields)
}

// Details returns the source of what package task does with each field of a task.
func Details(task *Package) ([]byte, error) {
	return filled(taskSource, task, task.Structs["Task"].Fields)
}

// filled fills a template with fields.
func filled(source string, task *Package, fields []Field) ([]byte, error) {
	w := writer{}
	err := template.Must(template.New("").Funcs(template.FuncMap{
		"tick":     func() string { return "`" },
		"list":     func(f Field) bool { return strings.HasPrefix(f.Type, "[]") },
		"names":    func(f Field) bool { return f.Type == "[]ID" || f.Has("ref") }, // other tasks
		"present":  func(f Field) string { return present(task, f) },
		"planType": func(f Field) string { return planType(task, f) },
	}).Parse(source)).Execute(&w.b, fields)
	if err != nil {
		return nil, err
	}
	return w.source()
}

// present returns the condition that a field is not empty.
func present(task *Package, f Field) string {
	v := "t." + f.Name
	switch basic := task.basic(f.Type); {
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

// planType returns the type of a field in a document, as package plan names it.
func planType(task *Package, f Field) string {
	t := cmp.Or(f.As, f.Type)
	of := strings.TrimPrefix(t, "[]")
	if task.Basic[of] != "" || task.Structs[of] != nil {
		return t[:len(t)-len(of)] + "task." + of
	}
	return t
}
