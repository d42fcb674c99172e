package work

import (
	"cmp"
	"context"
	"slices"

	"tasker/internal/core"
	"tasker/internal/fault"
	"tasker/internal/glob"
	"tasker/internal/store"
	"tasker/internal/task"
	"tasker/internal/task/query"
)

// selector is a selection: for which actor, under which policy, among which tasks.
type selector struct {
	services *core.Env
	project  *task.Project
	policy   task.Policy
	actor    task.Actor
	under    task.ID
	apart    bool
}

func (s *Service) selector(ctx context.Context, tx *store.Tx, project, under string, apart bool) (selector, error) {
	p, id, err := core.Below(ctx, tx, project, under)
	if err != nil {
		return selector{}, err
	}
	a, pol, err := s.Rules(ctx, tx, p)
	return selector{services: s.Env, project: p, policy: pol, actor: a, under: id, apart: apart}, err
}

// walk returns the query of one lane.
func (s selector) walk(lane query.Lane) query.Frontier {
	return query.Frontier{Project: s.project.Slug, Policy: s.policy, Actor: s.actor, Lane: lane, Under: s.under}
}

// pick returns the first task that the actor may hold, or nil. If it must avoid overlaps with held tasks, it also
// returns the tasks that it passed over for that reason, or because they could not be compared within the steps.
func (s selector) pick(ctx context.Context, tx *store.Tx, steps int) (*task.Task, []task.ID, error) {
	if !s.apart {
		first, err := core.Head(tx, s.walk(query.LaneHoldable), 1)
		if err != nil || len(first) == 0 {
			return nil, nil, err
		}
		return first[0], nil, nil
	}
	near := nearness{tx: tx, project: s.project.Slug, budget: glob.NewBudget(steps)}
	var found *task.Task
	var passed []task.ID
	err := tx.Walk(s.walk(query.LaneHoldable), func(t *task.Task) bool {
		if near.free(ctx, t) {
			found = t
			return false
		}
		passed = append(passed, t.ID)
		return near.err == nil && near.seen < core.MaxApart
	})
	return found, passed, cmp.Or(err, near.err)
}

// nearness finds tasks that overlap no held one. For the first few, only the held tasks in their own directories are
// read; for the rest, all held tasks are read, once.
type nearness struct {
	tx      *store.Tx
	project string
	budget  *glob.Budget
	seen    int
	held    *core.Touching
	err     error
}

// free reports whether a task overlaps no held one. It returns false if that could not be determined.
func (n *nearness) free(ctx context.Context, t *task.Task) bool {
	const few = 16
	n.seen++
	held := n.held
	switch {
	case n.seen <= few:
		held, n.err = core.TouchingAs(n.tx, t, n.budget)
	case held == nil:
		n.held, n.err = core.TouchingAny(n.tx, n.project, n.budget)
		held = n.held
	}
	if n.err != nil {
		return false
	}
	h, _, all := held.First(ctx, t)
	return h == nil && all
}

// resume renews the caller's own claim that ends first, and returns nil if there is none that it may renew.
func (s selector) resume(tx *store.Tx, leaseMs *int64) (*task.Task, error) {
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
			continue // no longer for this actor; the lease will run out
		}
		if err != nil {
			return nil, err
		}
		return after, tx.Save(claimChange(t, after, renewed, "next"))
	}
	return nil, nil
}

// isBelow reports whether a task is a descendant of another.
func isBelow(tx *store.Tx, t *task.Task, top task.ID) (bool, error) {
	chain, err := core.Ancestors(tx, t)
	return slices.ContainsFunc(chain, func(a *task.Task) bool { return a.ID == top }), err
}
