package web

import (
	"tasker/internal/op"
	"tasker/internal/task"
	"tasker/internal/views/reading"
)

// eventsBody is a page of the log, newest first.
type eventsBody struct {
	Events []task.Event
	Kinds  []task.Kind
	Older  int64 // where the previous page begins; 0 if there is none
	Newer  int64
	Kind   string
	By     string
	Task   string
}

func (s *site) events(a *asker, _ *shown) any {
	in := reading.EventsIn{
		Project: a.slug(), Kind: a.value("kind"), By: a.value("by"), Task: a.value("task"), Since: a.value("since"),
		Limit: a.number("limit"), SinceID: a.long("since_id"), BeforeID: a.long("before_id"),
	}
	events := ask(a, op.Events, in)
	body := eventsBody{Events: newest(events), Kinds: task.Kinds, Kind: in.Kind, By: in.By, Task: in.Task}
	if len(events) > 0 {
		if in.SinceID != nil || in.BeforeID != nil {
			body.Newer = events[len(events)-1].ID
		}
		one := in
		one.Since, one.SinceID, one.BeforeID, one.Limit = "", nil, &events[0].ID, new(1)
		if len(ask(a, op.Events, one)) > 0 {
			body.Older = events[0].ID
		}
	}
	return body
}
