package postgres

import (
	"context"
	"errors"
	"fmt"
	"strconv"

	"tasker/internal/db"
	"tasker/internal/fault"
	"tasker/internal/hint"
)

// Migrate brings the schema to the newest version. Unasked, it does so only if nothing was recorded yet.
func (e *Engine) Migrate(ctx context.Context, asked bool) (from, to int, err error) {
	s, err := e.connect(ctx)
	if err != nil {
		return 0, 0, err
	}
	defer s.close() // which releases its lock
	if err := s.run(ctx, lockMigration); err != nil {
		return 0, 0, e.explain(err)
	}
	for first := true; ; first = false {
		was, is, err := e.step(ctx, s, asked || !first)
		if first {
			from = was
		}
		if err != nil || was == is {
			return from, is, err
		}
	}
}

// lockMigration makes one process migrate at a time; before there is a table there is no row to lock. A process that cannot
// get the lock is told that another one has its turn.
const lockMigration = `SET lock_timeout = '25s'; SELECT pg_advisory_lock(1952542571, hashtext(current_schema()))`

// step runs the next migration, if any, in a transaction of its own; if nothing was recorded yet, it runs all that are
// left, so that a process that is killed in between leaves nothing half-made. It returns the version before and after.
func (e *Engine) step(ctx context.Context, s *session, asked bool) (was, is int, err error) {
	if err := s.run(ctx, beginTurn); err != nil {
		return 0, 0, e.explain(err)
	}
	defer func() {
		if !s.pg.IsClosed() && s.pg.TxStatus() != 'I' {
			_ = s.run(context.Background(), "ROLLBACK")
		}
	}()
	ours, others, err := s.tables(ctx)
	if err != nil {
		return 0, 0, e.explain(err)
	}
	blank := true
	if ours {
		// Turns wait until the migration is done.
		v, err := s.value(ctx, "SELECT schema_version FROM turn WHERE id = 1 FOR UPDATE")
		if err != nil {
			return 0, 0, e.explain(err)
		}
		last, err := s.value(ctx, "SELECT event_id FROM turn WHERE id = 1")
		if err != nil {
			return 0, 0, e.explain(err)
		}
		was, _ = strconv.Atoi(v)
		blank = last == "0"
	}
	switch {
	case was >= e.Latest():
		return was, was, nil
	case asked, was > 0 && blank:
	case was > 0:
		return was, was, fault.Decline("the database has schema version %d and this tasker needs %d", was, e.Latest()).
			WithHint("make a backup, then: %s", hint.Command("db migrate"))
	case others > 0:
		return was, was, fault.Decline("the schema of the database holds %d tables that are not tasker's", others).
			WithHint("give tasker a schema of its own (search_path in TASKER_DB), or, to share this one: %s", hint.Command("db migrate"))
	}
	is = was + 1
	if blank {
		is = e.Latest()
	}
	tells := ""
	for _, m := range e.setup.Migrations[was:is] {
		if err := e.migrate(ctx, s, m); err != nil {
			return was, was, fmt.Errorf("%s: %w", m.Name, err)
		}
		if m.Tells != nil && !blank {
			if tells, err = m.Tells(&conn{session: s, e: e, ctx: ctx}); err != nil {
				return was, was, fmt.Errorf("%s: %w", m.Name, err)
			}
		}
	}
	if err := s.run(ctx, fmt.Sprintf("UPDATE turn SET schema_version = %d WHERE id = 1; COMMIT", is)); err != nil {
		return was, was, e.explain(err)
	}
	if tells != "" {
		e.setup.Changes(tells)
	}
	return was, is, nil
}

// migrate runs the statements of one migration in the open transaction.
func (e *Engine) migrate(ctx context.Context, s *session, m db.Migration) error {
	for _, sql := range m.Statements(db.Postgres) {
		if err := s.run(ctx, sql); err != nil {
			return e.explain(err)
		}
	}
	if m.After == nil {
		return nil
	}
	c := &conn{session: s, e: e, ctx: ctx}
	return errors.Join(m.After(c), c.Flush())
}

// tables reports whether the first schema of the path has our tables, and how many others.
func (s *session) tables(ctx context.Context) (ours bool, others int, err error) {
	v, err := s.value(ctx, `SELECT to_regclass(quote_ident(current_schema()) || '.turn') IS NOT NULL`)
	if err != nil {
		return false, 0, err
	}
	n, err := s.value(ctx, `SELECT count(*) FROM pg_class WHERE relnamespace = to_regnamespace(quote_ident(current_schema()))
		AND relkind IN ('r', 'p', 'v', 'm', 'f')`)
	if err != nil {
		return false, 0, err
	}
	others, _ = strconv.Atoi(n)
	return v == "t", others, nil
}

// run runs statements without preparing them.
func (s *session) run(ctx context.Context, sql string) error {
	_, err := s.pg.Exec(ctx, sql).ReadAll()
	return err
}

// value returns the one value of a query.
func (s *session) value(ctx context.Context, sql string) (string, error) {
	results, err := s.pg.Exec(ctx, sql).ReadAll()
	if err != nil {
		return "", err
	}
	if rows := results[len(results)-1].Rows; len(rows) == 1 {
		return string(rows[0][0]), nil
	}
	return "", fmt.Errorf("no row: %s", sql)
}
