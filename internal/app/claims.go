package app

import (
	"context"

	"tasker/internal/core"
	"tasker/internal/task"
	meters "tasker/internal/telemetry/metrics"
)

// claims is a store that counts the claims that are made and given back through it, once they are committed.
type claims struct {
	core.Store
	total *meters.Counters // by what became of them; nil: nobody counts
}

// Write is the store's.
func (c *claims) Write(ctx context.Context, by task.By, fn func(*core.WriteTx) error) error {
	return c.counting(fn, func(fn func(*core.WriteTx) error) error { return c.Store.Write(ctx, by, fn) })
}

// WriteThen is the store's.
func (c *claims) WriteThen(ctx context.Context, by task.By, fn func(*core.WriteTx) error, then func(*core.ReadTx) error) error {
	return c.counting(fn, func(fn func(*core.WriteTx) error) error { return c.Store.WriteThen(ctx, by, fn, then) })
}

func (c *claims) counting(fn func(*core.WriteTx) error, write func(func(*core.WriteTx) error) error) error {
	if c.total == nil {
		return write(fn)
	}
	saved := &savedClaims{}
	err := write(func(tx *core.WriteTx) error {
		*saved = savedClaims{TaskStore: tx.Tasks} // a turn may run it again
		counted := *tx
		counted.Tasks = saved
		return fn(&counted)
	})
	if err == nil {
		c.total.Of("made").Add(saved.made)
		c.total.Of("released").Add(saved.released)
	}
	return err
}

// savedClaims counts the claims among what is saved.
type savedClaims struct {
	core.TaskStore
	made, released int64
}

// Save is the store's.
func (s *savedClaims) Save(changes ...task.Change) error {
	for _, c := range changes {
		for _, ev := range c.Events {
			switch ev.Kind { //nolint:exhaustive // the others are of no claim
			case task.TaskClaimed:
				s.made++
			case task.ClaimReleased:
				s.released++
			}
		}
	}
	return s.TaskStore.Save(changes...)
}
