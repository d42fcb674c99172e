package web

import (
	"net/http"

	"tasker/internal/op"
	"tasker/internal/reading"
	"tasker/internal/task"
)

// workBody is what there is to do, the first of each list: all of it is on the page of tasks.
type workBody struct {
	reading.WorkOut
	limit *int // asked for
}

// workRows is how many tasks of a list stand on the page where nothing else is asked for.
const workRows = 15

func (s *site) work(r *http.Request, p *shown) error {
	p.Title = "Work"
	a := s.asker(r)
	in := a.project()
	p.Body = workBody{ask(a, op.Work, in), in.Limit}
	return a.err
}

// First returns the first ready tasks.
func (b workBody) First() []*task.Task { return top(b.Frontier, b.limit) }

// Waiting returns the first waiting tasks.
func (b workBody) Waiting() []reading.Blocked { return top(b.Blocked, b.limit) }

func top[T any](list []T, limit *int) []T {
	if limit != nil {
		return list
	}
	return list[:min(len(list), workRows)]
}
