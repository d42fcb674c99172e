package plan

import (
	"sync"

	"tasker/internal/strict"
	"tasker/internal/task"
)

// taskBody is what POST /tasks accepts: a definition, and the project that it is for.
type taskBody struct {
	project task.Opt
	def     TaskDef
}

type shape struct {
	document *strict.Object[Document]
	create   *strict.Object[taskBody]
	edit     *strict.Object[Edit]
}

// shapes is the one declaration of every name and value that a document may contain. It is made on first use, since
// most commands never read one.
var shapes = sync.OnceValue(func() shape {
	v := newValues()
	fields := settable(fieldRules(v))

	def := []strict.Prop[TaskDef]{strict.Required("key", "the task's name in the project; a document that is applied again finds the task by it", v.key,
		func(d *TaskDef) *string { return &d.Key })}
	def = append(def, strict.Inner(strict.Demand(fields, "title"), func(d *TaskDef) *Fields { return &d.Fields })...)
	def = append(def,
		field("status", "", strict.Null(v.status), func(d *TaskDef) *Field[task.Status] { return &d.Status }),
		field("evidence", "added once per kind and value",
			strict.Clearable[[]task.EvidenceItem]{Rule: strict.List[task.EvidenceItem]{Item: v.evidence, Max: task.MaxListed}},
			func(d *TaskDef) *Field[[]task.EvidenceItem] { return &d.Evidence }),
	)

	create := []strict.Prop[taskBody]{
		strict.Optional("project", "slug of the project", strict.Null(v.optSlug), func(b *taskBody) *task.Opt { return &b.project }),
		strict.Optional("key", "the task's name in the project; its id by default",
			strict.Clearable[string]{Rule: v.key, Is: func(key string) bool { return key == "" }}, // left out; a text may not be empty
			func(b *taskBody) *string { return &b.def.Key }),
	}
	create = append(create, strict.Inner(def[1:], func(b *taskBody) *TaskDef { return &b.def })...)

	edit := strict.Inner(fields, func(e *Edit) *Fields { return &e.Fields })
	edit = append(edit,
		strict.Optional("addDeps", "", strict.Null(v.refs), func(e *Edit) *[]string { return &e.AddDeps }),
		strict.Optional("removeDeps", "", strict.Null(v.refs), func(e *Edit) *[]string { return &e.RemoveDeps }),
		strict.Optional("addCriteria", "", strict.Null(v.criteria), func(e *Edit) *[]string { return &e.AddCriteria }),
		strict.Optional("removeCriteria", "by their text", strict.Null(v.items), func(e *Edit) *[]string { return &e.RemoveCriteria }),
		strict.Optional("expectedVersion", "the version of the task that the edit is made for; another one is a conflict", v.number,
			func(e *Edit) **int64 { return &e.ExpectedVersion }),
		strict.Optional("fence", "the fence of the claim under which the edit is made", v.number, func(e *Edit) **int64 { return &e.Fence }),
	)

	return shape{
		document: &strict.Object[Document]{Props: []strict.Prop[Document]{
			strict.Required("project", "slug of the project; it begins every task id", v.slug, func(d *Document) *string { return &d.Project }),
			field("name", "", strict.Null(v.name), func(d *Document) *Field[task.Opt] { return &d.Name }),
			field("vision", "", strict.Null(strict.Text[task.Opt]{Max: task.MaxText, Bytes: true}), func(d *Document) *Field[task.Opt] { return &d.Vision }),
			field("gates", "gate name to the evidence kinds that it asks for, `$ go test ./...` being a command to run; merged by name", strict.Clearable[map[string][]string]{
				Rule: strict.Table[[]string]{Name: v.oneName, Value: v.kinds, Max: task.MaxListed},
			}, func(d *Document) *Field[map[string][]string] { return &d.Gates }),
			strict.Required("tasks", "", strict.List[TaskDef]{Item: &strict.Object[TaskDef]{Props: def}, Min: 1, Max: task.MaxTasks, Mark: `"key"`},
				func(d *Document) *[]TaskDef { return &d.Tasks }),
		}},
		create: &strict.Object[taskBody]{Props: create},
		edit: &strict.Object[Edit]{Props: edit, Refused: map[string]string{
			"key":      "cannot be changed: documents find the task by it",
			"status":   "is not changed by an edit; move the task instead",
			"evidence": "is not changed by an edit; add evidence to the task instead",
		}},
	}
})

// field declares a name that may be left out, stored in a Field.
func field[T, V any](name, about string, x strict.Rule[V], at func(*T) *Field[V]) strict.Prop[T] {
	return strict.Prop[T]{
		Name: name, About: about, Schema: x.Schema,
		Read: func(r *strict.Reader, into *T) {
			f := at(into)
			f.Value, f.Set = x.Read(r)
		},
		Check: func(n *strict.Notes, of *T) { x.Check(n, at(of).Value) },
		Given: func(of *T) bool { return at(of).Set },
	}
}
