package plan

import (
	"sync"

	"tasker/internal/fault"
	"tasker/internal/task"
)

// taskBody is what POST /tasks takes: a definition, and the project that it is for.
type taskBody struct {
	project task.Opt
	def     TaskDef
}

type shape struct {
	document *object[Document]
	create   *object[taskBody]
	edit     *object[Edit]
}

// The grammars of task.CheckSlug and task.ParseDue as expressions, for the schema.
const (
	slugPattern = `[a-z0-9](?:[a-z0-9-]{0,61}[a-z0-9])?`
	dayPattern  = `[0-9]{4}-(?:(?:0[13578]|1[02])-(?:0[1-9]|[12][0-9]|3[01])|(?:0[469]|11)-(?:0[1-9]|[12][0-9]|30)|02-(?:0[1-9]|1[0-9]|2[0-8]))` +
		`|(?:[0-9]{2}(?:0[48]|[2468][048]|[13579][26])|(?:[02468][048]|[13579][26])00)-02-29`
	duePattern = `(?:` + dayPattern + `)(?:T(?:[01][0-9]|2[0-3]):[0-5][0-9]:[0-5][0-9](?:\.[0-9]+)?(?:Z|[+-](?:[01][0-9]|2[0-3]):[0-5][0-9]))?`
)

// maxSafe is the largest whole number that every JSON reader keeps exactly.
const maxSafe = 1<<53 - 1

// shapes is the one declaration of every name and value that a document may hold. It is made when it is first
// needed, since most commands never read one.
var shapes = sync.OnceValue(func() shape {
	var (
		oneName  = text[string]{min: 1, max: task.MaxName, line: true}
		names    = list[string]{item: oneName, max: task.MaxListed}
		items    = list[string]{item: text[string]{min: 1, max: task.MaxItem}, max: task.MaxListed}
		refs     = list[string]{item: text[string]{min: 1, max: task.MaxKey}, max: task.MaxTasks}
		slug     = text[string]{min: 1, max: task.MaxKey, fits: why(task.CheckSlug), pattern: slugPattern}
		optSlug  = text[task.Opt]{max: task.MaxKey, fits: slug.fits, pattern: slugPattern}
		name     = text[task.Opt]{max: task.MaxName, line: true}
		key      = text[string]{min: 1, max: task.MaxKey, line: true}
		optKey   = text[string]{max: task.MaxKey, line: true}
		due      = text[task.Opt]{max: 40, fits: why(checkDue), pattern: duePattern}
		number   = maybe[int64]{whole[int64]{0, maxSafe}}
		autonomy = enum[task.Opt]{words: texts(task.Autonomies), blank: true}
		status   = enum[task.Status]{words: texts(task.Statuses), blank: true}
	)

	link := &object[task.Link]{props: []prop[task.Link]{
		required("kind", "", enum[string]{words: task.LinkKinds}, func(l *task.Link) *string { return &l.Kind }),
		required("ref", "", text[string]{min: 1, max: task.MaxItem}, func(l *task.Link) *string { return &l.Ref }),
		optional("note", "", null(text[task.Opt]{max: task.MaxItem}), func(l *task.Link) *task.Opt { return &l.Note }),
	}}
	evidence := &object[task.EvidenceItem]{props: []prop[task.EvidenceItem]{
		required("kind", "the kind that gates ask for", oneName, func(e *task.EvidenceItem) *string { return &e.Kind }),
		required("value", "", text[string]{min: 1, max: task.MaxText, bytes: true}, func(e *task.EvidenceItem) *string { return &e.Value }),
		optional("note", "", null(text[task.Opt]{max: task.MaxText, bytes: true}), func(e *task.EvidenceItem) *task.Opt { return &e.Note }),
	}}

	fields := []prop[Fields]{
		field("title", "", text[string]{min: 1, max: task.MaxTitle}, func(f *Fields) *Field[string] { return &f.Title }),
		field("body", "", null(text[task.Opt]{max: task.MaxBody, bytes: true}), func(f *Fields) *Field[task.Opt] { return &f.Body }),
		field("parent", "key or id of the parent task", null(text[task.Opt]{max: task.MaxKey}), func(f *Fields) *Field[task.Opt] { return &f.Parent }),
		field("deps", "keys or ids of the tasks that must be closed before this one is ready", null(refs), func(f *Fields) *Field[[]string] { return &f.Deps }),
		field("priority", "0 is most urgent; 2 unless given", clearable[int]{rule: whole[int]{0, task.MaxPriority}, cleared: task.DefaultPriority},
			func(f *Fields) *Field[int] { return &f.Priority }),
		field("severity", "1 is worst", clearable[task.Severity]{rule: whole[task.Severity]{1, task.MaxSeverity}, is: func(s task.Severity) bool { return s == 0 }},
			func(f *Fields) *Field[task.Severity] { return &f.Severity }),
		field("due", "a day (the end of it, UTC) or a moment, as in RFC 3339", null(due), func(f *Fields) *Field[task.Opt] { return &f.Due }),
		field("gate", "name of a gate, which says what evidence done asks for", null(name), func(f *Fields) *Field[task.Opt] { return &f.Gate }),
		field("autonomy", "how far an agent may take the task unsupervised; agents never claim a human_only one", null(autonomy),
			func(f *Fields) *Field[task.Opt] { return &f.Autonomy }),
		field("preferredActor", "who should do it; a bias, never a lock", null(name), func(f *Fields) *Field[task.Opt] { return &f.PreferredActor }),
		field("mayExecute", "roles or capabilities, one of which is needed to claim it", null(names), func(f *Fields) *Field[[]string] { return &f.MayExecute }),
		field("touches", "globs of the paths that the task touches", null(items), func(f *Fields) *Field[[]string] { return &f.Touches }),
		field("criteria", "acceptance criteria, each ticked on its own", null(items), func(f *Fields) *Field[[]string] { return &f.Criteria }),
		field("links", "", clearable[[]task.Link]{rule: list[task.Link]{item: link, max: task.MaxListed}}, func(f *Fields) *Field[[]task.Link] { return &f.Links }),
	}

	def := []prop[TaskDef]{required("key", "the task's name in the project; a document that is applied again finds it by this", key,
		func(d *TaskDef) *string { return &d.Key })}
	def = append(def, inner(demand(fields, "title"), func(d *TaskDef) *Fields { return &d.Fields })...)
	def = append(def,
		field("status", "", null(status), func(d *TaskDef) *Field[task.Status] { return &d.Status }),
		field("evidence", "added once per kind and value", clearable[[]task.EvidenceItem]{rule: list[task.EvidenceItem]{item: evidence, max: task.MaxListed}},
			func(d *TaskDef) *Field[[]task.EvidenceItem] { return &d.Evidence }),
	)

	create := []prop[taskBody]{
		optional("project", "slug of the project", null(optSlug), func(b *taskBody) *task.Opt { return &b.project }),
		optional("key", "the task's name in the project; its id unless given", null(optKey), func(b *taskBody) *string { return &b.def.Key }),
	}
	create = append(create, inner(def[1:], func(b *taskBody) *TaskDef { return &b.def })...)

	edit := inner(fields, func(e *Edit) *Fields { return &e.Fields })
	edit = append(edit,
		optional("addDeps", "", null(refs), func(e *Edit) *[]string { return &e.AddDeps }),
		optional("removeDeps", "", null(refs), func(e *Edit) *[]string { return &e.RemoveDeps }),
		optional("addCriteria", "", null(items), func(e *Edit) *[]string { return &e.AddCriteria }),
		optional("removeCriteria", "by their text", null(items), func(e *Edit) *[]string { return &e.RemoveCriteria }),
		optional("expectedVersion", "the version of the task that the edit is made for; another one is a conflict", number,
			func(e *Edit) **int64 { return &e.ExpectedVersion }),
		optional("fence", "the fence of the claim under which the edit is made", number, func(e *Edit) **int64 { return &e.Fence }),
	)

	return shape{
		document: &object[Document]{props: []prop[Document]{
			required("project", "slug of the project; it begins every task id", slug, func(d *Document) *string { return &d.Project }),
			field("name", "", null(name), func(d *Document) *Field[task.Opt] { return &d.Name }),
			field("vision", "", null(text[task.Opt]{max: task.MaxText, bytes: true}), func(d *Document) *Field[task.Opt] { return &d.Vision }),
			field("gates", "gate name to the evidence kinds that it asks for; merged by name", clearable[map[string][]string]{
				rule: table[[]string]{name: oneName, value: names, max: task.MaxListed},
			}, func(d *Document) *Field[map[string][]string] { return &d.Gates }),
			required("tasks", "", list[TaskDef]{item: &object[TaskDef]{props: def}, min: 1, max: task.MaxTasks, mark: `"key"`}, func(d *Document) *[]TaskDef { return &d.Tasks }),
		}},
		create: &object[taskBody]{props: create},
		edit: &object[Edit]{props: edit, refused: map[string]string{
			"key":      "cannot be changed: documents find the task by it",
			"status":   "is not changed by an edit; move the task: tasker move ID STATUS, or POST its transition",
			"evidence": "is not changed by an edit; add it: tasker evidence ID --kind K --value V, or POST to its evidence",
		}},
	}
})

// null lets null clear what the rule's own empty value clears too.
func null[V any](x rule[V]) clearable[V] { return clearable[V]{rule: x} }

func texts[S ~string](all []S) []string {
	out := make([]string, len(all))
	for i, s := range all {
		out[i] = string(s)
	}
	return out
}

func checkDue(s string) error {
	_, err := task.ParseDue(s)
	return err
}

// why turns a check of the domain into the text of a fault.
func why(check func(string) error) func(string) string {
	return func(s string) string {
		err := check(s)
		if err == nil {
			return ""
		}
		e := fault.Of(err)
		if e.Hint == "" {
			return e.Message
		}
		return e.Message + ": " + e.Hint
	}
}
