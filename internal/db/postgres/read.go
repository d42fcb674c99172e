package postgres

import (
	"context"
	"errors"
	"time"

	"github.com/jackc/pgx/v5/pgxpool"

	"tasker/internal/db"
	"tasker/internal/fault"
)

const (
	beginRead = `BEGIN ISOLATION LEVEL REPEATABLE READ READ ONLY`
	readHead  = `SELECT schema_version, event_id, at, (extract(epoch FROM clock_timestamp()) * 1000000)::bigint, ` + identity + `
		FROM turn t WHERE id = 1`
)

// Snapshot begins a read transaction; its first statement, the head, fixes what it sees.
func (e *Engine) Snapshot(ctx context.Context, wait time.Duration) (db.Snapshot, error) {
	for tries := 0; ; tries++ {
		s, again, err := e.snapshot(ctx, wait)
		if err == nil || !again || tries > 2 {
			return s, err
		}
	}
}

// snapshot also reports whether another try is worthwhile: the pool's connection was lost long ago, or belongs to an older
// schema.
func (e *Engine) snapshot(ctx context.Context, wait time.Duration) (_ db.Snapshot, again bool, err error) {
	pool, err := e.readers()
	if err != nil {
		return nil, false, err
	}
	got, err := acquire(ctx, pool, wait)
	switch {
	case err != nil && ctx.Err() != nil:
		return nil, false, fault.Of(ctx.Err())
	case errors.Is(err, errNoneFree):
		return nil, false, fault.Unready("no connection to %s was available within %s", e.place(), wait.Round(time.Second)).
			WithHint("see whether it answers; send it again in a moment").WithCause(err)
	case err != nil:
		return nil, false, e.explain(err)
	}
	s := &snapshot{from: got, conn: &conn{session: sessionOf(got.Conn()), e: e, ctx: ctx}}
	s.plain(beginRead)
	err = s.conn.head(readHead, &s.head, nil)
	if err == nil && s.moved(s.head) {
		err = errMoved
	}
	if err != nil {
		s.stale = s.stale || stale(err)
		again := s.pg.IsClosed() || s.stale
		s.End()
		if ctx.Err() != nil {
			return nil, false, fault.Of(ctx.Err())
		}
		return nil, again, e.explain(err)
	}
	s.stats, s.within = db.Stats{}, true
	return s, false, nil
}

var errNoneFree = errors.New("no connection came free")

// acquire waits for a connection of the pool, which may still be connecting, or until the request ends.
func acquire(ctx context.Context, pool *pgxpool.Pool, wait time.Duration) (*pgxpool.Conn, error) {
	limited, cancel := context.WithTimeoutCause(ctx, wait, errNoneFree)
	defer cancel()
	got, err := pool.Acquire(limited)
	if err != nil && errors.Is(context.Cause(limited), errNoneFree) {
		err = errors.Join(errNoneFree, err)
	}
	return got, err
}

// Readers returns how many connections the pool may have.
func (e *Engine) Readers() int { return int(e.config.MaxConns) }

// readers returns the pool, and creates it on first use.
func (e *Engine) readers() (*pgxpool.Pool, error) {
	e.mu.Lock()
	defer e.mu.Unlock()
	if e.pool == nil {
		pool, err := pgxpool.NewWithConfig(context.Background(), e.config)
		if err != nil {
			return nil, e.explain(err)
		}
		e.pool = pool
	}
	return e.pool, nil
}

type snapshot struct {
	*conn
	from *pgxpool.Conn
	head db.Head
}

func (s *snapshot) Head() db.Head { return s.head }

// End returns the connection once its transaction has ended, which nobody has to wait for. The pool discards a connection
// that is not idle.
func (s *snapshot) End() {
	s.drop()
	s.err = nil
	if s.stale {
		s.session.close()
	}
	if s.pg.IsClosed() || s.pg.TxStatus() == 'I' {
		s.from.Release()
		return
	}
	s.e.world.Start.Go(func() {
		s.ctx = context.Background()
		s.plain("ROLLBACK")
		_ = s.Flush()
		s.from.Release()
	})
}
