package plan

import (
	"tasker/internal/strict"
	"tasker/internal/task"
	"tasker/internal/text/words"
)

// rule is what a field is for, as the schema words it, and what it may be.
type rule[V any] struct {
	about string
	may   strict.Rule[V]
}

// fieldRules declares the values of the fields of a task that documents, new tasks and edits can set. A field that
// package task declares settable needs its rule here.
func fieldRules(v values) rules {
	return rules{
		Title: rule[string]{"", strict.Text[string]{Min: 1, Max: task.MaxTitle, Visible: true}},
		Body:  rule[task.Opt]{"", strict.Null(strict.Text[task.Opt]{Max: task.MaxText, Bytes: true})},
		Parent: rule[task.Opt]{
			"key or id of the parent task",
			strict.Null(strict.Text[task.Opt]{Max: task.MaxKey}),
		},
		Deps: rule[[]string]{
			"keys or ids of the tasks that must be closed before this one is ready",
			strict.Null(v.refs),
		},
		Priority: rule[int]{
			"0 is most urgent; 2 by default",
			strict.Clearable[int]{Rule: strict.Whole[int]{Max: task.MaxPriority}, Cleared: task.DefaultPriority},
		},
		Severity: rule[task.Severity]{
			"1 is worst",
			strict.Clearable[task.Severity]{
				Rule: strict.Whole[task.Severity]{Min: 1, Max: task.MaxSeverity}, Is: func(s task.Severity) bool { return s == 0 },
			},
		},
		Due: rule[task.Opt]{
			"a day (the end of it, UTC) or a moment, as in RFC 3339",
			strict.Null(v.due),
		},
		Gate: rule[task.Opt]{
			"name of a gate, which says what evidence done asks for",
			strict.Null(v.name),
		},
		Autonomy: rule[task.Opt]{
			"how far an agent may take the task unsupervised; agents never claim a human_only one",
			strict.Null(v.autonomy),
		},
		PreferredActor: rule[task.Opt]{
			"who should do it; a bias, never a lock",
			strict.Null(v.name),
		},
		MayExecute: rule[[]string]{
			"roles or capabilities, one of which is needed to claim it",
			strict.Null(v.names),
		},
		Touches: rule[[]string]{
			"globs of the paths that the task touches",
			strict.Null(v.globs),
		},
		Criteria: rule[[]string]{
			"acceptance criteria, each ticked on its own",
			strict.Null(v.criteria),
		},
		Links: rule[[]task.Link]{
			"",
			strict.Clearable[[]task.Link]{Rule: strict.List[task.Link]{Item: v.link, Max: task.MaxListed, Bytes: task.MaxList, Size: linkSize}},
		},
	}
}

func criterionTexts(list []task.Criterion) []string {
	return words.Each(list, func(c task.Criterion) string { return c.Text })
}

// FieldNames returns the names of the fields that a document or an edit can set, in the order of the schema.
func FieldNames() []string {
	return words.Each(settable(fieldRules(newValues())), func(p strict.Prop[Fields]) string { return p.Name })
}
