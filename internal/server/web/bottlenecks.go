package web

import (
	"tasker/internal/op"
	"tasker/internal/task"
	"tasker/internal/views/reading"
)

// bottlenecksBody is what holds up the most work: tasks that somebody can act on, and tasks that are themselves waiting.
type bottlenecksBody struct {
	reading.BottlenecksOut
	Now, Later []reading.Bottleneck
}

// Cut reports whether more tasks hold others up than are listed.
func (b bottlenecksBody) Cut() bool { return len(b.Items) < b.Total }

// heldRows is how many tasks are listed by default.
const heldRows = 100

func (s *site) bottlenecks(a *asker, _ *shown) any {
	in := a.project()
	if in.Limit == nil {
		in.Limit = new(heldRows)
	}
	body := bottlenecksBody{BottlenecksOut: ask(a, op.Bottlenecks, in)}
	for _, b := range body.Items {
		if b.State == task.States[task.StateWaiting] {
			body.Later = append(body.Later, b)
		} else {
			body.Now = append(body.Now, b)
		}
	}
	return body
}
