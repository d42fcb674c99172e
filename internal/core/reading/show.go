package reading

import (
	"context"

	"tasker/internal/bundle"
	"tasker/internal/core"
	"tasker/internal/core/handover"
	"tasker/internal/fault"
)

// ShowIn asks for the context bundle of a task.
type ShowIn struct {
	Task   string `path:"id"`
	Budget *int   `query:"budget"`
}

// Show returns the context bundle of a task: everything a worker needs to know of it.
func (s *Service) Show(ctx context.Context, in ShowIn) (*bundle.Bundle, error) {
	budget := 0
	if in.Budget != nil {
		if budget = *in.Budget; budget <= 0 {
			return nil, fault.Bad("budget is %d", budget).WithMissing(fault.Parameter("budget")).
				WithHint("a whole number of tokens above 0, or leave it out")
		}
	}
	d, err := core.Read(ctx, s.Env, func(tx *core.ReadTx) (*handover.Draft, error) {
		t, err := core.Find(ctx, tx, in.Task)
		if err != nil {
			return nil, err
		}
		p, err := tx.Projects.Get(t.Project)
		if err != nil {
			return nil, err
		}
		pol, err := s.Settings.Policy(p)
		if err != nil {
			return nil, err
		}
		if err := tx.Tasks.Fill(t); err != nil {
			return nil, err
		}
		if err := core.Hear(ctx, tx, p.Slug, ""); err != nil {
			return nil, err
		}
		return handover.Compose(ctx, s.Env, tx, p, pol, t)
	})
	if err != nil {
		return nil, err
	}
	return d.Bundle, d.Finish(s.Env, budget)
}
