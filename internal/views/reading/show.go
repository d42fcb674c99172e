package reading

import (
	"context"
	"fmt"
	"slices"

	"tasker/internal/asof"
	"tasker/internal/bundle"
	"tasker/internal/core"
	"tasker/internal/fault"
	"tasker/internal/store"
	"tasker/internal/task"
	"tasker/internal/task/proven"
)

// ShowIn asks for the context bundle of a task.
type ShowIn struct {
	Task   string `path:"id"`
	Budget *int   `query:"budget"`
	At     *int64 `query:"at" about:"as it was after this event"`
}

// Show returns the context bundle of a task: everything a worker needs to know about it.
func (s *Service) Show(ctx context.Context, in ShowIn) (*bundle.Bundle, error) {
	budget := 0
	if in.Budget != nil {
		if budget = *in.Budget; budget <= 0 {
			return nil, fault.Bad("budget is %d", budget).WithMissing(fault.Parameter("budget")).
				WithHint("a whole number of tokens above 0, or leave it out")
		}
	}
	d, err := core.Read(ctx, s.Env, func(tx *store.Tx) (*bundle.Draft, error) {
		t, p, err := found(ctx, tx, in.Task)
		if err != nil {
			return nil, err
		}
		pol, err := s.Policy(tx, p)
		if err != nil {
			return nil, err
		}
		if in.At != nil {
			return s.showAt(ctx, core.Scene{Tx: tx, View: tx, Project: p, Policy: pol}, t.ID, in.At)
		}
		if err := tx.Fill(t); err != nil {
			return nil, err
		}
		if err := s.Hear(ctx, tx, p.Slug, ""); err != nil {
			return nil, err
		}
		d, err := bundle.Compose(ctx, s.Env, tx, p, pol, t)
		if err != nil {
			return d, err
		}
		if d.ActOn, err = s.causeOf(core.Scene{Tx: tx, View: tx, Project: p}, t); err != nil || !slices.ContainsFunc(d.Evidence, proven.Ran) {
			return d, err
		}
		return d, tx.Outputs(t.ID, d.Evidence)
	})
	if err != nil {
		return nil, err
	}
	return d.Bundle, d.Finish(s.Env, budget)
}

// showAt composes the bundle of a task as it was after an event. Gates, required approvals and guidance files are the
// current ones.
func (s *Service) showAt(ctx context.Context, now core.Scene, id task.ID, at *int64) (*bundle.Draft, error) {
	return asof.Back(s.Env, now, at, func(sc core.Scene, was *asof.Was) (*bundle.Draft, error) {
		found, err := sc.View.Task(id)
		if err != nil {
			return nil, err
		}
		t := *found
		if err := sc.View.Fill(&t); err != nil {
			return nil, err
		}
		d, err := bundle.Compose(ctx, s.Env, sc.View, sc.Project, sc.Policy, &t)
		if err != nil {
			return nil, err
		}
		warning := fmt.Sprintf("this is %s as it was at %s, after event %d", t.ID, was.At, was.Event)
		if was.Cut {
			warning += fmt.Sprintf(": too much has happened since to go back to event %d", *at)
		}
		d.At, d.Moment, d.Warnings = was, warning, append([]string{warning}, d.Warnings...)
		return d, nil
	})
}
