package core

import (
	"context"

	"tasker/internal/fault"
)

// Show gives the context bundle of a task: everything a worker needs to know of it.
func (s *Services) Show(ctx context.Context, in ShowIn) (*Bundle, error) {
	budget := 0
	if in.Budget != nil {
		if budget = *in.Budget; budget <= 0 {
			return nil, fault.Bad("budget is %d", budget).WithHint("a whole number of tokens above 0, or leave it out")
		}
	}
	d, err := read(ctx, s, func(tx ReadTx) (*draft, error) {
		t, err := find(ctx, tx, in.Task)
		if err != nil {
			return nil, err
		}
		p, err := tx.Project(t.Project)
		if err != nil {
			return nil, err
		}
		pol, err := s.Settings.Policy(p)
		if err != nil {
			return nil, err
		}
		if err := tx.Fill(t); err != nil {
			return nil, err
		}
		return compose(s, tx, p, pol, t)
	})
	if err != nil {
		return nil, err
	}
	return d.Bundle, d.finish(s, budget)
}

// finish completes a bundle with the guidance that this process sees, and cuts it to the budget: the request's own,
// else the configuration's. Files are read and tokens counted here, after the snapshot, which others may wait for.
func (d *draft) finish(s *Services, budget int) error {
	if d == nil {
		return nil
	}
	if err := d.guide(s); err != nil {
		return err
	}
	limit := d.settings.BundleBudget(budget)
	if limit == 0 {
		return nil
	}
	return d.Cut(limit, d.keep...)
}
