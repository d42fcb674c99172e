package web

import (
	"tasker/internal/core"
	"tasker/internal/op"
	"tasker/internal/task"
	"tasker/internal/views/reading"
)

// workBody is the work to do, the beginning of each list: the tasks page has all of it.
type workBody struct {
	reading.WorkOut
	limit *int // the requested limit
}

// workRows is how many tasks of a list are shown by default.
const workRows = 15

func (s *site) work(a *asker, _ *shown) any {
	in := a.project()
	asked := in.Limit
	if asked == nil {
		in.Limit = new(core.DefaultLimit) // a page shows the beginning of each list
	}
	out := ask(a, op.Work, reading.WorkIn(in))
	out.Frontier = markedForPeople(out.Frontier, out.ForPeople)
	return workBody{out, asked}
}

// First returns the first ready tasks.
func (b workBody) First() []*task.Task { return top(b.Frontier, b.limit) }

// Title returns the title of a ready task.
func (b workBody) Title(id task.ID) string {
	for _, t := range b.Frontier {
		if t.ID == id {
			return t.Title
		}
	}
	return ""
}

// Waiting returns the first waiting tasks.
func (b workBody) Waiting() []reading.Blocked { return top(b.Blocked, b.limit) }

func top[T any](list []T, limit *int) []T {
	if limit != nil {
		return list
	}
	return list[:min(len(list), workRows)]
}
