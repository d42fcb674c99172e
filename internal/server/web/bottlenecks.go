package web

import (
	"net/http"

	"tasker/internal/op"
	"tasker/internal/reading"
	"tasker/internal/task"
)

// bottlenecksBody is what holds the most up: what somebody can act on, and what waits for something else itself.
type bottlenecksBody struct {
	reading.BottlenecksOut
	Now, Later []reading.Bottleneck
}

func (s *site) bottlenecks(r *http.Request, p *shown) error {
	p.Title = "Work by what it holds up"
	in, err := s.projectIn(r)
	if err != nil {
		return err
	}
	out, err := op.Bottlenecks.Do(r.Context(), s.Ops, in)
	body := bottlenecksBody{BottlenecksOut: out}
	for _, b := range out.Items {
		if b.State == task.States[task.StateWaiting] {
			body.Later = append(body.Later, b)
		} else {
			body.Now = append(body.Now, b)
		}
	}
	p.Body = body
	return err
}
