// Package records shows the store as the core asks for it: transactions by what is read and written in them, within what
// the caller may see.
package records

import (
	"context"

	"tasker/internal/core"
	"tasker/internal/store"
	"tasker/internal/task"
)

// Store is a store that answers the core.
type Store struct{ *store.Store }

var _ core.Store = Store{}

// Read runs fn on one snapshot of what the caller may see.
func (s Store) Read(ctx context.Context, fn func(*core.ReadTx) error) error {
	scope := core.CallerOf(ctx).Scope
	return s.Store.Read(ctx, func(r *store.Reader) error {
		r.Within(scope.Projects)
		return fn(Read(r))
	})
}

// Write runs fn in a turn, within what the caller may see. Who may only read has none. Every operation comes this way or
// by WriteThen, so none can forget to ask.
func (s Store) Write(ctx context.Context, by task.By, fn func(*core.WriteTx) error) error {
	scope := core.CallerOf(ctx).Scope
	if scope.ReadOnly {
		return core.MayOnlyRead()
	}
	return s.Store.Write(ctx, by, func(w *store.Writer) error {
		w.Within(scope.Projects)
		return fn(Write(w))
	})
}

// WriteThen is Write, and then a read of what the caller may see.
func (s Store) WriteThen(ctx context.Context, by task.By, fn func(*core.WriteTx) error, then func(*core.ReadTx) error) error {
	scope := core.CallerOf(ctx).Scope
	if scope.ReadOnly {
		return core.MayOnlyRead()
	}
	return s.Store.WriteThen(ctx, by, func(w *store.Writer) error {
		w.Within(scope.Projects)
		return fn(Write(w))
	}, func(r *store.Reader) error {
		r.Within(scope.Projects)
		return then(Read(r))
	})
}

// Read returns a snapshot of the store as the core reads it.
func Read(r *store.Reader) *core.ReadTx {
	tx := reads(r)
	return &tx
}

// Write returns a member's part of a turn as the core writes it.
func Write(w *store.Writer) *core.WriteTx {
	return &core.WriteTx{
		ReadTx: reads(w.Reader), Keeper: w, Projects: w, Tasks: w, Annotations: w, Guidance: w, Log: w, Marks: w, Sessions: w,
		Replies: w,
	}
}

func reads(r *store.Reader) core.ReadTx {
	return core.ReadTx{
		Clock: r, Projects: r, Tasks: r, Graph: r, Annotations: r, Guidance: r, Frontier: r, Log: r, Waiting: r, Marks: r,
		Sessions: r, Index: r, Replies: r,
	}
}
