package postgres

import (
	"context"
	"errors"
	"time"
)

// A server holds a share of this lock, so that a restore can tell that the database is in use.
const (
	shareUse = `SELECT pg_try_advisory_lock_shared(1952542573, hashtext(current_schema()))`
	ownUse   = `SELECT pg_try_advisory_lock(1952542573, hashtext(current_schema()))`
)

// stillThere is how often a server looks whether its connection still holds the share.
const stillThere = 10 * time.Second

// use holds a share of the lock until ctx ends, on a connection of its own.
func (e *Engine) use(ctx context.Context) {
	for ctx.Err() == nil {
		if s, err := e.connect(ctx); err == nil {
			for _, err = s.value(ctx, shareUse); err == nil && e.world.Waiting.Sleep(ctx, stillThere) == nil; {
				_, err = s.value(ctx, "SELECT 1")
			}
			s.close()
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
	defer s.close() // and the lock with it
	got, err := s.value(ctx, ownUse)
	return got == "t", e.explain(err)
}

// Copy is not for a server's database: its records are exported.
func (e *Engine) Copy(context.Context, string) error { return errors.ErrUnsupported }

// Vacuum has the server give room back, and count anew what its planner goes by.
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
