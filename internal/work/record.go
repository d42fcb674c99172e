package work

import (
	"context"

	"tasker/internal/core"
	"tasker/internal/store"
	"tasker/internal/task"
)

// record is a task in a turn's answer, with what a replay needs to fill it again.
type record struct {
	Task    *task.Task `json:"task"`
	HasBody bool       `json:"hasBody"`
}

func recordOf(t *task.Task) record { return record{Task: t, HasBody: t.HasBody} }

// filled returns the task of a record as it was after the turn, with body and dependencies.
func (s *Service) filled(ctx context.Context, r record) (*task.Task, error) {
	return core.Read(core.Uncharged(ctx), s.Env, func(tx *store.Tx) (*task.Task, error) { return r.fill(tx) })
}

// fill returns the task with its body and dependencies.
func (r record) fill(tx *store.Tx) (*task.Task, error) {
	t := *r.Task
	t.HasBody = r.HasBody
	return &t, tx.Fill(&t)
}
