package work

import (
	"context"
	"fmt"

	"tasker/internal/core"
	"tasker/internal/fault"
	"tasker/internal/hint"
	"tasker/internal/policy"
	"tasker/internal/store"
	"tasker/internal/task"
)

// ClaimIn claims a task, or renews the claim with the given fence.
type ClaimIn struct {
	Task    string `path:"id" json:"-"`
	Fence   *int64 `json:"fence,omitzero"`
	LeaseMs *int64 `json:"leaseMs,omitzero"`
}

// ClaimOut is a claim as its holder gets it.
type ClaimOut struct {
	Held

	// How says how the holder ends the task once the work is done; null where the claim was only renewed.
	How hint.Advice `json:"how"`
}

// Held is the record of a claim.
type Held task.Claim

// Record returns the record of the claim.
func (o ClaimOut) Record() task.Claim { return task.Claim(o.Held) }

// Claim claims a task for the caller, or renews the claim with the given fence.
func (s *Service) Claim(ctx context.Context, in ClaimIn) (ClaimOut, error) {
	c, err := core.Guided(ctx, s.Env, func(guidance core.Prints) (task.Claim, error) { return s.claim(ctx, in, guidance) })
	out := ClaimOut{Held: Held(c)}
	if err == nil && c.RenewedAt == 0 {
		out.How = core.Completed(ctx, s.Env, nil, func(tx *store.Tx) (hint.Advice, error) { return s.ending(ctx, tx, c.Task) })
	}
	return out, err
}

// ending returns how the caller ends a task that it holds.
func (s *Service) ending(ctx context.Context, tx *store.Tx, id task.ID) (hint.Advice, error) {
	t, err := tx.Task(id)
	if err != nil {
		return nil, err
	}
	p, err := tx.Project(t.Project)
	if err != nil {
		return nil, err
	}
	a, pol, err := s.Writer(ctx, tx, p, t, nil)
	if err != nil || !a.Holds(t.Claim) {
		return nil, err
	}
	left, _, err := policy.Obstacles(tx, a, pol, policy.Asked{Task: t})
	return hint.Advice(left.Ending(t.ID, pol)), err
}

func (s *Service) claim(ctx context.Context, in ClaimIn, guidance core.Prints) (task.Claim, error) {
	return core.Write(ctx, s.Env, func(tx *store.Tx) (task.Claim, error) {
		if _, err := tx.Sweep(); err != nil { // each selection and each claim sweeps for everybody
			return task.Claim{}, err
		}
		t, _, a, pol, err := s.toWrite(ctx, tx, in.Task, in.Fence)
		if err != nil {
			return task.Claim{}, err
		}
		after, renewed, err := t.ClaimBy(a, pol, in.Fence, in.LeaseMs, tx.Now())
		if err != nil {
			return task.Claim{}, nameOpenDeps(tx, t, err)
		}
		if err := tx.Save(task.ClaimChange(a, t, after, renewed, "")); err != nil || renewed {
			return *after.Claim, err
		}
		return *after.Claim, guidance.Keep(tx, after)
	})
}

// nameOpenDeps adds the tasks that a task waits for to the refusal of a claim.
func nameOpenDeps(tx *store.Tx, t *task.Task, refusal error) error {
	if t.OpenDeps == 0 || t.Claim != nil || !fault.Is(refusal, fault.Declined) {
		return refusal
	}
	neighbours, err := tx.Neighbours(t, 20) // open ones first
	if err != nil {
		return err
	}
	e := *fault.Of(refusal)
	for _, d := range neighbours.Deps {
		if !d.Status.Closed() {
			e.Missing = append(e.Missing, fmt.Sprintf("%s: %s (%s)", d.ID, d.Title, d.Status))
		}
	}
	return &e
}

// ReleaseIn gives a task back.
type ReleaseIn struct {
	Task   string  `path:"id" json:"-"`
	Fence  *int64  `json:"fence,omitzero"`
	Note   *string `json:"note,omitzero"`
	Failed bool    `json:"failed,omitzero" about:"the attempt did not work out; it is counted"`
}

// ReleaseOut is who held the task, or null.
type ReleaseOut struct {
	Actor task.Opt `json:"actor"`
}

// Release gives a task back, with a note if one is given, and returns who held it, if anybody.
func (s *Service) Release(ctx context.Context, in ReleaseIn) (ReleaseOut, error) {
	if err := checkNote(in.Note); err != nil {
		return ReleaseOut{}, err
	}
	return core.Write(ctx, s.Env, func(tx *store.Tx) (ReleaseOut, error) {
		t, _, a, _, err := s.toWrite(ctx, tx, in.Task, in.Fence)
		if err != nil {
			return ReleaseOut{}, err
		}
		if _, _, err := t.ReleaseBy(a, in.Fence, in.Failed, tx.Now()); err != nil {
			return ReleaseOut{}, err
		}
		if in.Note != nil {
			if _, err := tx.AddNote(t, *in.Note); err != nil {
				return ReleaseOut{}, err
			}
		}
		if a.Holds(t.Claim) {
			s.LetGo(t)
		}
		held, err := core.Release(tx, a, t, in.Fence, in.Failed)
		return ReleaseOut{Actor: task.Opt(held)}, err
	})
}

// record is a task in a turn's answer, with what a replay needs to fill it again.
type record struct {
	Task    *task.Task `json:"task"`
	HasBody bool       `json:"hasBody"`
}

func recordOf(t *task.Task) record { return record{Task: t, HasBody: t.HasBody} }

// filled returns the task of a record as it was after the turn, with body and dependencies if they can be read.
func (s *Service) filled(ctx context.Context, r record) *task.Task {
	return core.Completed(ctx, s.Env, r.Task, func(tx *store.Tx) (*task.Task, error) { return r.fill(tx) })
}

// fill returns the task with its body and dependencies.
func (r record) fill(tx *store.Tx) (*task.Task, error) {
	t := *r.Task
	t.HasBody = r.HasBody
	return &t, tx.Fill(&t)
}

// toWrite returns a task that the caller writes to, its project, the caller as it acts on the task, and the policy that
// counts there. It refuses an archived project.
func (s *Service) toWrite(ctx context.Context, tx *store.Tx, name string, fence *int64) (t *task.Task, p *task.Project, a task.Actor, pol task.Policy, err error) {
	if t, p, err = s.FindToWrite(ctx, tx, name); err == nil {
		a, pol, err = s.Writer(ctx, tx, p, t, fence)
	}
	return t, p, a, pol, err
}
