package store

import (
	"context"

	"tasker/internal/db"
)

// Observer is called before each transaction. The functions that it returns are called during and after it. A turn may
// run more than once before it is committed.
type Observer func(ctx context.Context, write bool) Observed

// Observed holds an Observer's functions for one transaction. Each may be nil.
type Observed struct {
	// First runs first in a turn; its error refuses the turn.
	First func(*Tx) error
	// During wraps the work of the transaction: in a turn, and again in the read that follows it.
	During func(c db.Conn, run func() error) error
	// Ended is called after a turn or a snapshot with its error, and with what the turn did to claims.
	Ended func(Claims, error)
}

// Claims counts what became of claims in a turn.
type Claims struct{ Made, Released int64 }

// Observe adds an observer. Call it before the store is used.
func (s *Store) Observe(o Observer) { s.observers = append(s.observers, o) }

// observed holds what all observers of a store want to see of one transaction.
type observed []Observed

func (s *Store) observed(ctx context.Context, write bool) observed {
	if len(s.observers) == 0 {
		return nil
	}
	out := make(observed, len(s.observers))
	for i, o := range s.observers {
		out[i] = o(ctx, write)
	}
	return out
}

// turn wraps fn for a turn, and counts in claims what it did to them.
func (all observed) turn(fn func(*Tx) error, claims *Claims) func(*Tx) error {
	return func(tx *Tx) error {
		for _, o := range all {
			if o.First != nil {
				if err := o.First(tx); err != nil {
					return err
				}
			}
		}
		err := all.during(tx, fn)
		*claims = tx.claims
		return err
	}
}

// during runs fn in a transaction.
func (all observed) during(tx *Tx, fn func(*Tx) error) error {
	run := func() error { return fn(tx) }
	for _, o := range all {
		if o.During != nil {
			inner := run
			run = func() error { return o.During(tx.C, inner) }
		}
	}
	return run()
}

// ended reports to the observers how a transaction ended.
func (all observed) ended(c Claims, err error) {
	for _, o := range all {
		if o.Ended != nil {
			o.Ended(c, err)
		}
	}
}
