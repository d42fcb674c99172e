package work

import (
	"context"
	"slices"

	"tasker/internal/core"
	"tasker/internal/glob"
	"tasker/internal/store"
	"tasker/internal/task"
)

// This file has what the hooks of an agent ask for: each acts for one session of the agent, in which tasks were claimed.

// InHand returns the tasks that the caller holds from claims in this session of it.
func (s *Service) InHand(ctx context.Context) ([]task.InHand, error) {
	return core.Read(ctx, s.Env, func(tx *store.Tx) ([]task.InHand, error) { return s.inHand(ctx, tx) })
}

func (s *Service) inHand(ctx context.Context, tx *store.Tx) ([]task.InHand, error) {
	held, err := tx.InHand(core.CallerOf(ctx).Session)
	if err != nil {
		return nil, err
	}
	var out []task.InHand
	for _, h := range held {
		a, err := core.ActingFor(ctx, tx, h.Task, core.CallerOf(ctx).Actor, &h.Task.Claim.Fence)
		if err != nil {
			return nil, err
		}
		if a.Holds(h.Task.Claim) {
			out = append(out, h)
		}
	}
	return out, nil
}

// Beat keeps what the session holds while its agent uses other tools. It is no write of the holder, and no event.
func (s *Service) Beat(ctx context.Context) error {
	held, err := s.InHand(ctx)
	if err != nil || len(held) == 0 {
		return err
	}
	_, err = core.WriteBy(ctx, s.Env, core.By(ctx), func(tx *store.Tx) (core.None, error) {
		return core.None{}, s.lengthen(ctx, tx, func(t *task.Task, now task.Time) (task.Claim, bool) { return t.Kept(now) })
	})
	return err
}

// lengthen gives the claims of the session the ends that last returns, without an event.
func (s *Service) lengthen(ctx context.Context, tx *store.Tx, last func(t *task.Task, now task.Time) (task.Claim, bool)) error {
	held, err := s.inHand(ctx, tx)
	if err != nil {
		return err
	}
	for _, h := range held {
		if claim, longer := last(h.Task, tx.Now()); longer {
			if err := tx.Extend(h.Task, claim); err != nil {
				return err
			}
		}
	}
	return nil
}

// Await keeps what the session holds until a limit of its agent ends, and notes that on each task.
func (s *Service) Await(ctx context.Context, until task.Time, note string) error {
	_, err := core.Write(ctx, s.Env, func(tx *store.Tx) (core.None, error) {
		held, err := s.inHand(ctx, tx)
		if err != nil {
			return core.None{}, err
		}
		for _, h := range held {
			if _, err := tx.AddNote(h.Task, note); err != nil {
				return core.None{}, err
			}
		}
		return core.None{}, s.lengthen(ctx, tx, func(t *task.Task, now task.Time) (task.Claim, bool) { return t.Awaited(until, now) })
	})
	return err
}

// Leave gives back what the session holds, with a note; no attempt is counted.
func (s *Service) Leave(ctx context.Context, note string) error {
	_, err := core.Write(ctx, s.Env, func(tx *store.Tx) (core.None, error) {
		held, err := s.inHand(ctx, tx)
		if err != nil {
			return core.None{}, err
		}
		for _, h := range held {
			fence := h.Task.Claim.Fence
			t, _, a, _, err := s.toWrite(ctx, tx, string(h.Task.ID), &fence)
			if err != nil {
				return core.None{}, err
			}
			if _, err := tx.AddNote(t, note); err != nil {
				return core.None{}, err
			}
			s.LetGo(t)
			if _, err := core.Release(tx, a, t, &fence, false); err != nil {
				return core.None{}, err
			}
		}
		return core.None{}, nil
	})
	return err
}

// maxOthers is how many other holders' tasks are named for one path.
const maxOthers = 3

// Others returns the tasks of a project, or of the assumed one, whose touches match a path, from the root of the repository with slashes, and that
// somebody else holds.
func (s *Service) Others(ctx context.Context, project, file string) ([]*task.Task, error) {
	return core.Read(ctx, s.Env, func(tx *store.Tx) ([]*task.Task, error) {
		p, err := core.ProjectOf(ctx, tx, project)
		if err != nil {
			return nil, err
		}
		mine, err := s.inHand(ctx, tx)
		if err != nil {
			return nil, err
		}
		held, _, err := tx.Touching(p.Slug, glob.Starts([]string{file}), "", core.MaxApart)
		if err != nil {
			return nil, err
		}
		var out []*task.Task
		steps := glob.NewBudget(core.CompareSteps)
		for _, t := range held {
			if len(out) == maxOthers || slices.ContainsFunc(mine, func(h task.InHand) bool { return h.Task.ID == t.ID }) ||
				!steps.Covers(ctx, glob.New(t.Touches), file) {
				continue
			}
			if t.Claim.Name() == core.CallerOf(ctx).Actor.Name { // perhaps this very session, if nothing tells in which it was claimed
				if told, err := tx.SessionTold(t); err != nil || !told {
					continue
				}
			}
			out = append(out, t)
		}
		return out, nil
	})
}
