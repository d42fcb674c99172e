package core

import (
	"context"

	"tasker/internal/store"
	"tasker/internal/task"
)

// Snapshot runs fn on one snapshot of what the caller may see. fn may run more than once.
func (s *Env) Snapshot(ctx context.Context, fn func(*store.Tx) error) error {
	c := CallerOf(ctx)
	return s.Store.ReadFor(ctx, named(ctx, By(ctx)), c.Charge, within(c.Scope, fn))
}

// Turn runs fn in a turn, within what the caller may see, and returns after the commit. It refuses a read-only caller.
// Every operation writes through Turn or TurnThen, so none can forget that check.
func (s *Env) Turn(ctx context.Context, by task.By, fn func(*store.Tx) error) error {
	scope := CallerOf(ctx).Scope
	if scope.ReadOnly {
		return MayOnlyRead()
	}
	return s.Store.Write(ctx, named(ctx, by), within(scope, fn))
}

// TurnThen is Turn followed by a short read for the answer: then sees a snapshot that begins after the commit, even if
// ctx has ended in the meantime. Answers of several turns may share a snapshot.
func (s *Env) TurnThen(ctx context.Context, by task.By, fn, then func(*store.Tx) error) error {
	scope := CallerOf(ctx).Scope
	if scope.ReadOnly {
		return MayOnlyRead()
	}
	return s.Store.WriteThen(ctx, named(ctx, by), within(scope, fn), within(scope, then))
}

// named returns by with the running operation.
func named(ctx context.Context, by task.By) task.By {
	by.Doing = CallerOf(ctx).Doing
	return by
}

// within limits a transaction to a scope.
func within(scope task.Scope, fn func(*store.Tx) error) func(*store.Tx) error {
	return func(tx *store.Tx) error {
		tx.Within(scope.Projects)
		return fn(tx)
	}
}
