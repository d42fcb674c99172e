package web

import (
	"net/http"

	"tasker/internal/core/reading"
	"tasker/internal/op"
	"tasker/internal/task"
)

// tasksBody is a page of a project's tasks by number.
type tasksBody struct {
	reading.ListOut
	Status   string
	State    string
	Q        string
	HeldBy   string
	Parent   string
	Gate     string
	Priority string
	Overdue  bool
	Statuses []task.Status
	States   []string
}

func (s *site) tasks(r *http.Request, p *shown) error {
	p.Title = "Tasks"
	q := r.URL.Query()
	limit, err := number(q, "limit")
	if err != nil {
		return err
	}
	priority, err := number(q, "priority")
	if err != nil {
		return err
	}
	in := reading.ListIn{
		Project: r.PathValue("slug"), Status: q.Get("status"), State: q.Get("state"), HeldBy: q.Get("heldBy"), Parent: q.Get("parent"), Gate: q.Get("gate"),
		Priority: priority, Overdue: q.Get("due") == "overdue", Q: q.Get("q"), Cursor: q.Get("cursor"), Limit: limit,
	}
	out, err := op.List.Do(r.Context(), s.Ops, in)
	if err != nil {
		return err
	}
	p.Body = tasksBody{ListOut: out, Status: in.Status, State: in.State, Q: in.Q, HeldBy: in.HeldBy, Parent: in.Parent, Gate: in.Gate,
		Priority: q.Get("priority"), Overdue: in.Overdue, Statuses: task.Statuses, States: task.States}
	return nil
}

// Priorities returns the priorities that there are, as a filter names them.
func (tasksBody) Priorities() []string { return []string{"0", "1", "2", "3"} }

// Everything reports whether nothing is asked of the tasks.
func (b tasksBody) Everything() bool {
	return b.Status+b.State+b.Q+b.HeldBy+b.Parent+b.Gate+b.Priority == "" && !b.Overdue
}
