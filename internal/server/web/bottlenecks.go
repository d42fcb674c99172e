package web

import (
	"net/http"

	"tasker/internal/op"
	"tasker/internal/reading"
	"tasker/internal/task"
)

// bottlenecksBody is what holds up the most work: tasks that somebody can act on, and tasks that are themselves waiting.
type bottlenecksBody struct {
	reading.BottlenecksOut
	Now, Later []reading.Bottleneck
}

func (s *site) bottlenecks(r *http.Request, p *shown) error {
	p.Title = "Work by what it holds up"
	a := s.asker(r)
	body := bottlenecksBody{BottlenecksOut: ask(a, op.Bottlenecks, a.project())}
	for _, b := range body.Items {
		if b.State == task.States[task.StateWaiting] {
			body.Later = append(body.Later, b)
		} else {
			body.Now = append(body.Now, b)
		}
	}
	p.Body = body
	return a.err
}
