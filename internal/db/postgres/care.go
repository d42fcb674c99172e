package postgres

import (
	"context"
	"errors"
	"time"
)

// A server holds this lock in shared mode, so that a restore can see that the database is in use.
const (
	shareUse = `SELECT pg_try_advisory_lock_shared(1952542573, hashtext(current_schema()))`
	ownUse   = `SELECT pg_try_advisory_lock(1952542573, hashtext(current_schema()))`
)

// stillThere is how often a server checks that its connection still holds the lock.
const stillThere = 10 * time.Second

// use holds the lock in shared mode until ctx ends, on a separate connection, on which the server is also asked whether it
// still answers.
func (e *Engine) use(ctx context.Context) {
	for ctx.Err() == nil {
		if s, err := e.connect(ctx); err == nil {
			s.route.mute.Store(true)
			e.pulse.put(s)
			for err = e.pulse.ask(ctx, s, shareUse); err == nil && e.world.Waiting.Sleep(ctx, stillThere) == nil; {
				err = e.pulse.ask(ctx, s, "SELECT 1")
			}
			e.pulse.put(nil)
		}
		_ = e.world.Waiting.Sleep(ctx, between)
	}
}

// Alone reports whether no server has the database open.
func (e *Engine) Alone(ctx context.Context) (bool, error) {
	s, err := e.connect(ctx)
	if err != nil {
		return false, err
	}
	defer s.close() // which releases the lock
	got, err := s.value(ctx, ownUse)
	return got == "t", e.explain(err)
}

// Copy is not supported: the records of a server's database are exported.
func (e *Engine) Copy(context.Context, string) error { return errors.ErrUnsupported }

// Vacuum makes the server free space, and update the statistics of its planner.
func (e *Engine) Vacuum(ctx context.Context) error {
	s, err := e.connect(ctx)
	if err != nil {
		return err
	}
	defer s.close()
	tables, err := s.value(ctx, `SELECT coalesce(string_agg(quote_ident(relname), ', ' ORDER BY relname), '')
		FROM pg_class WHERE relkind = 'r' AND relnamespace = current_schema()::regnamespace`)
	if err != nil || tables == "" {
		return e.explain(err)
	}
	return e.explain(s.run(ctx, "VACUUM (ANALYZE) "+tables))
}
