package plan

import (
	"tasker/internal/strict"
	"tasker/internal/task"
)

// settable declares the fields of a task that a document, a new task and an edit can set, in the order of the schema.
// A new settable field is declared here.
func settable(v values) []strict.Prop[Fields] {
	return []strict.Prop[Fields]{
		field("title", "", strict.Text[string]{Min: 1, Max: task.MaxTitle}, func(f *Fields) *Field[string] { return &f.Title }),
		field("body", "", strict.Null(strict.Text[task.Opt]{Max: task.MaxBody, Bytes: true}), func(f *Fields) *Field[task.Opt] { return &f.Body }),
		field("parent", "key or id of the parent task", strict.Null(strict.Text[task.Opt]{Max: task.MaxKey}),
			func(f *Fields) *Field[task.Opt] { return &f.Parent }),
		field("deps", "keys or ids of the tasks that must be closed before this one is ready", strict.Null(v.refs),
			func(f *Fields) *Field[[]string] { return &f.Deps }),
		field("priority", "0 is most urgent; 2 unless given", strict.Clearable[int]{Rule: strict.Whole[int]{Max: task.MaxPriority}, Cleared: task.DefaultPriority},
			func(f *Fields) *Field[int] { return &f.Priority }),
		field("severity", "1 is worst", strict.Clearable[task.Severity]{
			Rule: strict.Whole[task.Severity]{Min: 1, Max: task.MaxSeverity}, Is: func(s task.Severity) bool { return s == 0 },
		},
			func(f *Fields) *Field[task.Severity] { return &f.Severity }),
		field("due", "a day (the end of it, UTC) or a moment, as in RFC 3339", strict.Null(v.due), func(f *Fields) *Field[task.Opt] { return &f.Due }),
		field("gate", "name of a gate, which says what evidence done asks for", strict.Null(v.name), func(f *Fields) *Field[task.Opt] { return &f.Gate }),
		field("autonomy", "how far an agent may take the task unsupervised; agents never claim a human_only one", strict.Null(v.autonomy),
			func(f *Fields) *Field[task.Opt] { return &f.Autonomy }),
		field("preferredActor", "who should do it; a bias, never a lock", strict.Null(v.name),
			func(f *Fields) *Field[task.Opt] { return &f.PreferredActor }),
		field("mayExecute", "roles or capabilities, one of which is needed to claim it", strict.Null(v.names),
			func(f *Fields) *Field[[]string] { return &f.MayExecute }),
		field("touches", "globs of the paths that the task touches", strict.Null(v.items), func(f *Fields) *Field[[]string] { return &f.Touches }),
		field("criteria", "acceptance criteria, each ticked on its own", strict.Null(v.items), func(f *Fields) *Field[[]string] { return &f.Criteria }),
		field("links", "", strict.Clearable[[]task.Link]{Rule: strict.List[task.Link]{Item: v.link, Max: task.MaxListed}},
			func(f *Fields) *Field[[]task.Link] { return &f.Links }),
	}
}
