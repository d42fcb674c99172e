// Package summary is the short form of the answers of operations, for readers with a budget: the command line prints it
// as text, and the tools write it as one compact JSON text with the names that the route uses.
//
// Nothing is said twice (a bundle leaves out what the task next to it has), empty and default values are left out, and
// long lists are cut, with the number of omitted items and the call that fetches them. The members that the specification
// names for an answer are always there. The route's whole body is available with `--json`, or with the argument full of a
// tool.
//
// A short form is the record of the answer itself, with lists and texts cut (see BundleOf), and a list of its members to
// write (see form).
package summary

import (
	"tasker/internal/bundle"
	"tasker/internal/hint"
	"tasker/internal/planning"
	"tasker/internal/task"
	"tasker/internal/views/reading"
	"tasker/internal/work"
)

// Shown is a task's bundle, with the explanation next to it if that was requested. Stale lists the evidence whose files
// have changed since it was run.
type Shown struct {
	*bundle.Bundle
	Explain *reading.ExplainOut `json:"explain,omitzero"`
	Stale   []hint.Advice       `json:"stale,omitzero"`
}

// Of returns the short form of an answer, or nil if it has none of its own: see Prune.
func Of(answer any) any {
	switch a := answer.(type) {
	case work.NextOut:
		return short{nextOf(a), nextForm}
	case work.MoveOut:
		return short{moveOf(a), moveForm}
	case *work.Idle:
		return short{a, idleForm}
	case *bundle.Bundle:
		return short{BundleOf(a), bundleForm}
	case Shown:
		return short{&Shown{BundleOf(a.Bundle), explainOf(a.Explain), a.Stale}, bundleForm}
	case reading.ListOut:
		return listOf(a)
	case reading.ReadyOut:
		return readyOf(a)
	case reading.WhoamiOut:
		return short{whoamiOf(a), whoamiForm}
	case reading.SearchOut:
		return short{&a, searchForm}
	case reading.ExplainOut:
		return short{explainOf(&a), explainForm}
	case *planning.Edited:
		return short{a, editedForm}
	case *task.Task:
		return short{a, progressForm}
	case task.Question:
		return short{&a, questionForm}
	case work.AskOut:
		return short{askedOf(a), askedForm}
	case work.ClaimOut:
		return short{&a, takenForm}
	}
	return nil
}
