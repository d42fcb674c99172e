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
	in := reading.ListIn{Project: r.PathValue("slug"), Status: q.Get("status"), State: q.Get("state"), HeldBy: q.Get("heldBy"),
		Q: q.Get("q"), Cursor: q.Get("cursor"), Limit: limit}
	out, err := op.List.Do(r.Context(), s.Ops, in)
	if err != nil {
		return err
	}
	p.Body = tasksBody{ListOut: out, Status: in.Status, State: in.State, Q: in.Q, Statuses: task.Statuses, States: task.States}
	return nil
}
