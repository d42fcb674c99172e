package work

import (
	"context"

	"tasker/internal/core"
	"tasker/internal/fault"
	"tasker/internal/store"
	"tasker/internal/task"
)

// DecideIn records a decision about a task.
type DecideIn struct {
	Task      string `path:"id" json:"-"`
	Title     string `json:"title"`
	Rationale string `json:"rationale,omitzero"`
	Fence     *int64 `json:"fence,omitzero"`
}

// Decide records a decision about a task, with its reason. Anyone may. It extends the holder's lease.
func (s *Service) Decide(ctx context.Context, in DecideIn) (task.Decision, error) {
	if err := fault.At("title", task.CheckText("the title", in.Title, task.MaxTitle)); err != nil {
		return task.Decision{}, err
	}
	if err := fault.At("rationale", task.CheckOptional("the rationale", in.Rationale, task.MaxText)); err != nil {
		return task.Decision{}, err
	}
	return core.Write(ctx, s.Env, func(tx *store.Tx) (task.Decision, error) {
		t, err := s.openForRemarks(ctx, tx, in.Task, in.Fence)
		if err != nil {
			return task.Decision{}, err
		}
		d, err := tx.AddDecision(t, in.Title, task.Opt(in.Rationale))
		if err != nil {
			return d, err
		}
		_, err = addedTo(ctx, tx, t, in.Fence, d.ID)
		return d, err
	})
}
