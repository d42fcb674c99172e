package core

import (
	"cmp"
	"context"
	"slices"

	"tasker/internal/fault"
	"tasker/internal/glob"
	"tasker/internal/task"
)

// Next selects the next task for the caller and claims it, in one step: two callers never receive the same one.
// With resume it is first what the caller holds already, renewed.
func (s *Services) Next(ctx context.Context, in NextIn) (NextOut, error) {
	if in.LeaseMs != nil {
		if err := task.CheckLease(*in.LeaseMs); err != nil {
			return NextOut{}, err
		}
	}
	guidance, err := s.prints(ctx)
	if err != nil {
		return NextOut{}, err
	}
	out, err := writeThen(ctx, s, func(tx WriteTx) (chosen, error) { return s.claimNext(ctx, tx, in, guidance) },
		func(c chosen) []task.Need { return []task.Need{c.need()} },
		func(tx ReadTx, c chosen) (answered, error) { return s.answerNext(ctx, tx, c) })
	if err != nil {
		return NextOut{}, err
	}
	return out.NextOut, out.draft.finish(s, 0)
}

// Peek shows which task Next would choose. It claims nothing, and answers the same while nothing changes.
func (s *Services) Peek(ctx context.Context, in PeekIn) (NextOut, error) {
	out, err := read(ctx, s, func(tx ReadTx) (answered, error) {
		sel, err := s.selector(ctx, tx, in.Project, in.Under, in.Apart)
		if err != nil {
			return answered{}, err
		}
		t, passed, err := sel.pick(tx)
		if err != nil {
			return answered{}, err
		}
		c := chosen{Project: sel.project.Slug, Under: sel.under, Apart: in.Apart, Passed: passed}
		if t != nil {
			c.Task, c.rec = t.ID, t
		}
		return sel.answer(tx, c)
	})
	if err != nil {
		return NextOut{}, err
	}
	return out.NextOut, out.draft.finish(s, 0)
}

// chosen is what the turn of a selection answers; the rest is read after it.
type chosen struct {
	Project string      `json:"project"`
	Under   task.ID     `json:"under"`
	Apart   bool        `json:"apart"`
	Task    task.ID     `json:"task"` // empty: there is nothing
	Claim   *task.Claim `json:"claim"`
	Passed  []task.ID   `json:"passed"` // ready, and passed over because they overlap a held one

	rec *task.Task // as it was after the claim; nil in a replay, which reads it anew
}

// need is what the answer will ask for.
func (c chosen) need() task.Need { return task.Need{Task: c.rec, Around: true} }

// claimNext selects and claims in a turn.
func (s *Services) claimNext(ctx context.Context, tx WriteTx, in NextIn, guidance prints) (chosen, error) {
	sel, err := s.selector(ctx, tx, in.Project, in.Under, in.Apart)
	if err != nil {
		return chosen{}, err
	}
	if err := alive(sel.project); err != nil {
		return chosen{}, err
	}
	out := chosen{Project: sel.project.Slug, Under: sel.under, Apart: in.Apart}
	if in.Resume {
		if out.rec, err = sel.resume(tx, in.LeaseMs); err != nil {
			return out, err
		}
	}
	if out.rec == nil {
		t, passed, err := sel.pick(tx)
		out.Passed = passed
		if err != nil || t == nil {
			return out, err
		}
		after, renewed, err := t.ClaimBy(sel.actor, sel.policy, nil, in.LeaseMs, tx.Now())
		if err != nil {
			return out, err
		}
		if err := tx.Save(claimChange(t, after, renewed, "next")); err != nil {
			return out, err
		}
		if err := guidance.keep(tx, after); err != nil {
			return out, err
		}
		out.rec = after
	}
	out.Task, out.Claim = out.rec.ID, out.rec.Claim
	return out, nil
}

// answerNext composes the answer of a selection from a snapshot after it.
func (s *Services) answerNext(ctx context.Context, tx ReadTx, c chosen) (answered, error) {
	sel, err := s.selector(ctx, tx, c.Project, string(c.Under), c.Apart)
	if err != nil {
		return answered{}, err
	}
	if c.Task != "" && c.rec == nil {
		if c.rec, err = tx.Task(c.Task); err != nil {
			return answered{}, err
		}
	}
	return sel.answer(tx, c)
}

// selector is a selection: for whom, under which policy, among what.
type selector struct {
	services *Services
	project  *task.Project
	policy   task.Policy
	actor    task.Actor
	under    task.ID
	apart    bool
}

func (s *Services) selector(ctx context.Context, tx ReadTx, project, under string, apart bool) (selector, error) {
	p, id, err := below(ctx, tx, project, under)
	if err != nil {
		return selector{}, err
	}
	a, pol, err := s.rules(ctx, p)
	return selector{services: s, project: p, policy: pol, actor: a, under: id, apart: apart}, err
}

// walk is the query of one lane.
func (s selector) walk(lane task.Lane) task.FrontierQuery {
	return task.FrontierQuery{Project: s.project.Slug, Policy: s.policy, Actor: s.actor, Lane: lane, Under: s.under}
}

// maxApart is how many tasks a selection that keeps apart looks at.
const maxApart = 1000

// pick gives the first task that the actor may hold, nil where there is none. Apart from what is held, it walks on
// past tasks that overlap it, and gives those too.
func (s selector) pick(tx ReadTx) (*task.Task, []task.ID, error) {
	if !s.apart {
		first, err := head(tx, s.walk(task.LaneHoldable), 1)
		if err != nil || len(first) == 0 {
			return nil, nil, err
		}
		return first[0], nil, nil
	}
	held, err := touching(tx, s.project.Slug)
	if err != nil {
		return nil, nil, err
	}
	var found *task.Task
	var passed []task.ID
	seen := 0
	err = tx.Frontier(s.walk(task.LaneHoldable), func(t *task.Task) bool {
		if seen++; overlapped(held, t) == nil {
			found = t
			return false
		}
		passed = append(passed, t.ID)
		return seen < maxApart
	})
	return found, passed, err
}

// touching gives the held tasks of a project that declare what they touch, a bounded number of them.
func touching(tx ReadTx, project string) ([]*task.Task, error) {
	return tx.Touching(project, maxApart)
}

// overlapped gives the first of the held tasks whose touches overlap those of t, nil where none does.
func overlapped(held []*task.Task, t *task.Task) *task.Task {
	for _, h := range held {
		if _, ok := glob.Overlap(t.Touches, h.Touches); ok && h.ID != t.ID {
			return h
		}
	}
	return nil
}

// resume renews the claim of the caller's own that ends soonest; nil where it holds nothing that it may renew.
func (s selector) resume(tx WriteTx, leaseMs *int64) (*task.Task, error) {
	held, err := tx.Held(s.project.Slug, s.actor.Full(), true)
	if err != nil {
		return nil, err
	}
	slices.SortStableFunc(held, func(a, b *task.Task) int { // no expiry comes last
		return cmp.Compare(uint64(a.Claim.ExpiresAt)-1, uint64(b.Claim.ExpiresAt)-1)
	})
	for _, t := range held {
		if s.under != "" {
			if ok, err := isBelow(tx, t, s.under); err != nil {
				return nil, err
			} else if !ok {
				continue
			}
		}
		after, renewed, err := t.ClaimBy(s.actor, s.policy, &t.Claim.Fence, leaseMs, tx.Now())
		if fault.Is(err, fault.Declined) {
			continue // no longer for this actor: its lease may end
		}
		if err != nil {
			return nil, err
		}
		return after, tx.Save(claimChange(t, after, renewed, "next"))
	}
	return nil, nil
}

// isBelow tells whether a task is a descendant of another.
func isBelow(tx ReadTx, t *task.Task, top task.ID) (bool, error) {
	chain, err := ancestors(tx, t)
	return slices.ContainsFunc(chain, func(a *task.Task) bool { return a.ID == top }), err
}

// ancestors gives a task's ancestors from its parent up. Parents have no cycle; the bound is for a database that
// was tampered with.
func ancestors(tx ReadTx, t *task.Task) ([]*task.Task, error) {
	var out []*task.Task
	for up := t.Parent; up != "" && len(out) < task.MaxTasks; {
		parent, err := tx.Task(task.ID(up))
		if err != nil {
			return out, err
		}
		out = append(out, parent)
		up = parent.Parent
	}
	return out, nil
}
