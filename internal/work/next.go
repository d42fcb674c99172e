// Package work has the operations of a worker's loop: select the next task and claim it, tick its criteria, add notes,
// evidence, decisions and questions, wait for answers, approve, move it on, and give it back. Each write is one turn.
package work

import (
	"cmp"
	"context"
	"slices"
	"time"

	"tasker/internal/bundle"
	"tasker/internal/core"
	"tasker/internal/fault"
	"tasker/internal/glob"
	"tasker/internal/hint"
	"tasker/internal/store"
	"tasker/internal/task"
	"tasker/internal/task/query"
)

// Service carries out the operations of this package.
type Service struct{ *core.Env }

// New returns the service over env.
func New(env *core.Env) *Service { return &Service{env} }

// In returns the service in another environment, for one call.
func (s *Service) In(env *core.Env) *Service { return &Service{env} }

// NextIn selects and claims the next task.
type NextIn struct {
	Project string `json:"project" required:"true"`
	LeaseMs *int64 `json:"leaseMs,omitzero"`
	Under   string `json:"under,omitzero"`
	Apart   bool   `json:"apart,omitzero"`
	Resume  bool   `json:"resume,omitzero" about:"first the task you hold whose lease ends soonest, renewed"` // first a task that the caller already holds, renewed
	// Last are tasks that come only where there is no other, such as those that a runner has just failed.
	Last []string `json:"last,omitzero" about:"ids of at most 100 tasks to choose only where there is no other"`
}

// maxLast limits NextIn.Last.
const maxLast = 100

// NextOut is the selected task and why.
//
//field:json answer
type NextOut struct {
	Task            *task.Task       `json:"task"`
	Claimed         *task.Claim      `json:"claimed"`
	Skipped         []Skipped        `json:"skipped"`
	SkippedMore     bool             `json:"skippedMore"`
	SelectedBy      []task.SelectKey `json:"selectedBy"`
	Routing         *task.Routing    `json:"routing"`
	SelectionReason task.Opt         `json:"selectionReason"`
	Bundle          *bundle.Bundle   `json:"bundle"`
	Idle            *Idle            `json:"idle"`
}

// Skipped is a task that comes before the selected one but was passed over.
//
//field:json
type Skipped struct {
	Task   task.ID `json:"task"`
	Reason string  `json:"reason"`
	Brief  string  `json:"brief"` // the reason in about three words: held by bot/2, asked alice 23, for people
}

// Idle is why there is nothing to select.
type Idle struct {
	Finished        bool      `json:"finished"`
	Held            int       `json:"held"`            // by others
	Yours           int       `json:"yours"`           // by the caller, its instance included
	Unheld          int       `json:"unheld"`          // in progress, but nobody holds it
	WaitingForHuman int       `json:"waitingForHuman"` // in review, kept back by a question, or for people
	Blocked         int       `json:"blocked"`         // waits for a dependency or a part
	NotForYou       int       `json:"notForYou"`       // ready, but routing keeps it from the caller; without tasks for people
	NextExpiry      task.Time `json:"nextExpiry"`
	Waits           []Wait    `json:"waits"`  // the first that wait for somebody else, and for whom
	WaitMs          int64     `json:"waitMs"` // how long it is worth waiting for work; 0 if none will come until a person acts

	// Advice says how to begin if the project has no task at all, and is null otherwise.
	Advice hint.Advice `json:"advice"`
}

// How long it is worth waiting while others work: until a lease ends, within bounds.
const (
	leastWait   = time.Minute
	longestWait = time.Hour
)

// worthWaiting returns how long it is worth waiting: a held task is closed or given back at the latest when its lease
// ends. If nobody holds anything, only people can bring work.
func (i *Idle) worthWaiting(now task.Time) int64 {
	switch {
	case i.Finished || i.Held == 0:
		return 0
	case i.NextExpiry == 0:
		return longestWait.Milliseconds()
	}
	return min(max(i.NextExpiry.Go().Sub(now.Go()), leastWait), longestWait).Milliseconds()
}

// Next selects the next task for the caller and claims it, in one step: two callers never get the same task. With
// resume, a task that the caller already holds comes first, and is renewed.
func (s *Service) Next(ctx context.Context, in NextIn) (NextOut, error) {
	if in.LeaseMs != nil {
		if err := task.CheckLease(*in.LeaseMs); err != nil {
			return NextOut{}, err
		}
	}
	if len(in.Last) > maxLast {
		return NextOut{}, fault.Bad("last names %d tasks", len(in.Last)).WithMissing("last").WithHint("name at most %d", maxLast)
	}
	out, err := core.Guided(ctx, s.Env, func(guidance core.Prints) (answered, error) {
		return core.WriteThen(ctx, s.Env, func(tx *store.Tx) (chosen, error) { return s.claimNext(ctx, tx, in, guidance) },
			func(tx *store.Tx, c chosen) (answered, error) {
				_ = s.Hear(ctx, tx, c.Project, c.Task) // the task is claimed, whether or not there is news
				return s.answerNext(ctx, tx, c)
			},
			func(c chosen) (answered, bool) { return answered{NextOut: c.bare()}, c.rec != nil })
	})
	if err != nil {
		return NextOut{}, err
	}
	s.finish(&out.NextOut, out.draft)
	return out.NextOut, nil
}

// finish cuts the bundle of a claimed task to its budget. The task is claimed, whether or not that succeeds.
func (s *Service) finish(out *NextOut, draft *bundle.Draft) {
	if err := draft.Finish(s.Env, 0); err != nil {
		out.Bundle = nil
		s.Unread(err)
	}
}

// chosen is what the turn of a selection returns; the rest is read after it.
type chosen struct {
	Project string      `json:"project"`
	Under   task.ID     `json:"under"`
	Apart   bool        `json:"apart"`
	Task    task.ID     `json:"task"` // empty: nothing was selected
	Claim   *task.Claim `json:"claim"`
	Passed  []task.ID   `json:"passed"` // ready, but passed over because they overlap a held one

	rec *task.Task // as it was after the claim; nil in a replay, which reads it again
}

// bare returns the answer of a selection as far as its turn knows it.
func (c chosen) bare() NextOut { return NextOut{Task: c.rec, Claimed: c.Claim} }

// claimNext selects and claims in a turn.
func (s *Service) claimNext(ctx context.Context, tx *store.Tx, in NextIn, guidance core.Prints) (chosen, error) {
	sel, err := s.selector(ctx, tx, in.Project, in.Under, in.Apart)
	if err != nil {
		return chosen{}, err
	}
	if err := core.Writable(sel.project); err != nil {
		return chosen{}, err
	}
	sel.last = in.Last
	out := chosen{Project: sel.project.Slug, Under: sel.under, Apart: in.Apart}
	if in.Resume {
		if out.rec, err = sel.resume(tx, in.LeaseMs); err != nil {
			return out, err
		}
	}
	if out.rec == nil {
		t, passed, err := sel.pick(context.WithoutCancel(ctx), tx, core.CompareTurnSteps)
		out.Passed = passed
		if err != nil || t == nil {
			return out, err
		}
		after, renewed, err := t.ClaimBy(sel.actor, sel.policy, nil, in.LeaseMs, tx.Now())
		if err != nil {
			return out, err
		}
		if err := tx.Save(task.ClaimChange(sel.actor, t, after, renewed, "next")); err != nil {
			return out, err
		}
		if err := guidance.Keep(tx, after); err != nil {
			return out, err
		}
		out.rec = after
	}
	out.Task, out.Claim = out.rec.ID, out.rec.Claim
	return out, nil
}

// answerNext composes the answer of a selection from a snapshot after it.
func (s *Service) answerNext(ctx context.Context, tx *store.Tx, c chosen) (answered, error) {
	sel, err := s.selector(ctx, tx, c.Project, string(c.Under), c.Apart)
	if err != nil {
		return answered{}, err
	}
	if c.Task != "" && c.rec == nil {
		if c.rec, err = tx.Task(c.Task); err != nil {
			return answered{}, err
		}
	}
	return sel.answer(ctx, tx, c)
}

// selector is a selection: for which actor, under which policy, among which tasks.
type selector struct {
	services *core.Env
	project  *task.Project
	policy   task.Policy
	actor    task.Actor
	under    task.ID
	apart    bool
	last     []string // tasks that come only where there is no other
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

// pick returns the first task that the actor may hold, or nil; one that should come last, only if there is no other. If it
// must avoid overlaps with held tasks, it also returns the tasks that it passed over for that reason, or because they could
// not be compared within the steps.
func (s selector) pick(ctx context.Context, tx *store.Tx, steps int) (*task.Task, []task.ID, error) {
	q := s.walk(query.LaneHoldable)
	if !s.apart {
		q.Limit = 1 + len(s.last)
	}
	near := nearness{tx: tx, project: s.project.Slug, budget: glob.NewBudget(steps)}
	var found *task.Task
	var passed []task.ID
	err := tx.Walk(q, func(t *task.Task) bool {
		if s.apart && !near.free(ctx, t) {
			passed = append(passed, t.ID)
			return near.err == nil && near.seen < core.MaxApart
		}
		last := slices.Contains(s.last, string(t.ID))
		if !last || found == nil {
			found = t
		}
		return last && near.seen < core.MaxApart
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
		return after, tx.Save(task.ClaimChange(s.actor, t, after, renewed, "next"))
	}
	return nil, nil
}

// isBelow reports whether a task is a descendant of another.
func isBelow(tx *store.Tx, t *task.Task, top task.ID) (bool, error) {
	chain, err := core.Ancestors(tx, t)
	return slices.ContainsFunc(chain, func(a *task.Task) bool { return a.ID == top }), err
}
