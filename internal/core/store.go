package core

import (
	"context"

	"tasker/internal/fault"
	"tasker/internal/store"
	"tasker/internal/task"
)

// Snapshot runs fn on one snapshot of what the caller may see. fn may run more than once.
func (s *Env) Snapshot(ctx context.Context, fn func(*store.Tx) error) error {
	c := CallerOf(ctx)
	return s.Store.ReadFor(ctx, named(ctx, By(ctx)), c.Charge, s.within(ctx, fn))
}

// Turn runs fn in a turn, within what the caller may see, and returns after the commit. It refuses a read-only caller.
// Every operation writes through Turn or TurnThen, so none can forget that check.
func (s *Env) Turn(ctx context.Context, by task.By, fn func(*store.Tx) error) error {
	if CallerOf(ctx).Scope.ReadOnly {
		return MayOnlyRead()
	}
	return s.Store.Write(ctx, named(ctx, by), s.within(ctx, s.placing(ctx, s.admitting(ctx, fn))))
}

// TurnThen is Turn followed by a short read for the answer: then sees a snapshot that begins after the commit, even if
// ctx has ended in the meantime. Answers of several turns may share a snapshot.
func (s *Env) TurnThen(ctx context.Context, by task.By, fn, then func(*store.Tx) error) error {
	if CallerOf(ctx).Scope.ReadOnly {
		return MayOnlyRead()
	}
	return s.Store.WriteThen(ctx, named(ctx, by), s.within(ctx, s.placing(ctx, s.admitting(ctx, fn))), s.within(ctx, then))
}

// named returns by with the running operation.
func named(ctx context.Context, by task.By) task.By {
	by.Doing = CallerOf(ctx).Doing
	return by
}

// within limits a transaction to what the caller may see, and words its refusals for the caller. Every operation passes
// here, so none can forget either.
func (s *Env) within(ctx context.Context, fn func(*store.Tx) error) func(*store.Tx) error {
	return func(tx *store.Tx) error {
		tx.Within(CallerOf(ctx).Scope.Projects)
		err := fn(tx)
		if err != nil {
			s.word(ctx, tx, err)
		}
		return err
	}
}

// word phrases the hint of a refusal for the caller: an agent may have to read who can do something, and not how.
func (s *Env) word(ctx context.Context, tx *store.Tx, refusal error) {
	e := fault.Of(refusal)
	slug, ok := e.HumansOf()
	if !ok {
		return
	}
	reader := fault.Reader{Agent: true, Humans: "a human"} // to be safe, if nobody can tell who reads it
	if p, err := tx.Project(slug); err == nil {
		if a, pol, err := s.Rules(ctx, tx, p); err == nil {
			reader = pol.Reader(a)
		}
	}
	e.For(reader)
}
