package work

import (
	"context"

	"tasker/internal/core"
	"tasker/internal/store"
)

// PeekIn asks what next would select.
type PeekIn struct {
	Project string `query:"project" required:"true"`
	Under   string `query:"under"`
	Apart   bool   `query:"apart"`
}

// Peek returns what Next would select. It claims nothing, and returns the same while nothing changes.
func (s *Service) Peek(ctx context.Context, in PeekIn) (NextOut, error) {
	out, err := core.Read(ctx, s.Env, func(tx *store.Tx) (answered, error) {
		sel, err := s.selector(ctx, tx, in.Project, in.Under, in.Apart)
		if err != nil {
			return answered{}, err
		}
		if err := s.Hear(ctx, tx, sel.project.Slug, ""); err != nil {
			return answered{}, err
		}
		t, passed, err := sel.pick(ctx, tx, core.CompareTurnSteps)
		if err != nil {
			return answered{}, err
		}
		c := chosen{Project: sel.project.Slug, Under: sel.under, Apart: in.Apart, Passed: passed}
		if t != nil {
			c.Task, c.rec = t.ID, t
		}
		return sel.answer(ctx, tx, c)
	})
	if err != nil {
		return NextOut{}, err
	}
	return out.NextOut, out.draft.Finish(s.Env, 0)
}
