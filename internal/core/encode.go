package core

import (
	"tasker/internal/jsonout"
	"tasker/internal/task"
)

// The answers of the loop that agents run are written by hand; see jsonout.

// Members writes the members of the answer.
func (n NextOut) Members(o *jsonout.Object) {
	if n.Task == nil {
		o.Null("task")
	} else {
		jsonout.Shared(o, "task", n.Task)
	}
	if n.Claimed == nil {
		o.Null("claimed")
	} else {
		o.Record("claimed", n.Claimed)
	}
	jsonout.Records(o, "skipped", n.Skipped, func(s *Skipped) jsonout.Record { return s })
	o.Bool("skippedMore", n.SkippedMore)
	jsonout.Texts(o, "selectedBy", n.SelectedBy)
	if n.Routing == nil {
		o.Null("routing")
	} else {
		o.Record("routing", n.Routing)
	}
	o.Opt("selectionReason", string(n.SelectionReason))
	if n.Bundle == nil {
		o.Null("bundle")
	} else {
		o.Record("bundle", n.Bundle)
	}
	if n.Idle == nil {
		o.Null("idle")
	} else {
		o.Value("idle", n.Idle)
	}
}

// Members writes the members of the passed-over task.
func (s *Skipped) Members(o *jsonout.Object) {
	o.Text("task", string(s.Task))
	o.Text("reason", s.Reason)
}

// Members writes the members of the answer.
func (r ReadyOut) Members(o *jsonout.Object) {
	o.Text("project", r.Project)
	jsonout.Texts(o, "selectedBy", r.SelectedBy)
	o.Int("total", int64(r.Total))
	jsonout.Records(o, "tasks", r.Tasks, func(t **task.Task) jsonout.Record { return *t })
}
