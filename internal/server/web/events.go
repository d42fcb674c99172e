package web

import (
	"net/http"

	"tasker/internal/op"
	"tasker/internal/reading"
	"tasker/internal/task"
)

// eventsBody is a page of the log, newest first.
type eventsBody struct {
	Events []task.Event
	Kinds  []task.Kind
	Older  int64 // where the page before begins, 0 where there is none to name
	Newer  int64
	Kind   string
	By     string
	Task   string
}

func (s *site) events(r *http.Request, p *shown) error {
	p.Title = "Events"
	q := r.URL.Query()
	limit, err := number(q, "limit")
	if err != nil {
		return err
	}
	since, err := number(q, "since_id")
	if err != nil {
		return err
	}
	before, err := number(q, "before_id")
	if err != nil {
		return err
	}
	in := reading.EventsIn{Project: r.PathValue("slug"), Kind: q.Get("kind"), By: q.Get("by"), Task: q.Get("task"), Since: q.Get("since"), Limit: limit}
	if since != nil {
		in.SinceID = new(int64(*since))
	}
	if before != nil {
		in.BeforeID = new(int64(*before))
	}
	events, err := op.Events.Do(r.Context(), s.Ops, in)
	if err != nil {
		return err
	}
	body := eventsBody{Kinds: task.Kinds, Kind: in.Kind, By: in.By, Task: in.Task}
	for i := len(events) - 1; i >= 0; i-- {
		body.Events = append(body.Events, events[i])
	}
	if len(events) > 0 {
		if in.SinceID != nil || in.BeforeID != nil {
			body.Newer = events[len(events)-1].ID
		}
		one := in
		one.Since, one.SinceID, one.BeforeID, one.Limit = "", nil, &events[0].ID, new(1)
		rest, err := op.Events.Do(r.Context(), s.Ops, one)
		if err != nil {
			return err
		}
		if len(rest) > 0 {
			body.Older = events[0].ID
		}
	}
	p.Body = body
	return nil
}
