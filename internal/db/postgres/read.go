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

// Snapshot begins a read transaction; its first statement, the head, fixes what it sees. Like Begin, it goes through the
// pool's lost connections until it has a new one.
func (e *Engine) Snapshot(ctx context.Context, wait time.Duration, recall db.Point) (db.Snapshot, error) {
	for tries := 0; ; tries++ {
		s, again, err := e.snapshot(ctx, wait, recall)
		if err == nil || !again || tries > e.Readers() {
			return s, err
		}
	}
}

// snapshot also reports whether another try is worthwhile: the pool's connection was lost long ago, or belongs to an older
// schema.
func (e *Engine) snapshot(ctx context.Context, wait time.Duration, recall db.Point) (_ db.Snapshot, again bool, err error) {
	got, err := e.acquire(ctx, wait)
	if err != nil {
		return nil, false, err
	}
	s := &snapshot{from: got, conn: &conn{session: sessionOf(got.Conn()), e: e, ctx: ctx}}
	s.plain(beginRead)
	again, err = s.enter(readHead, recall, &s.head, nil)
	if err != nil {
		again = again && s.used
		s.End()
		if ctx.Err() != nil {
			return nil, false, fault.Of(ctx.Err())
		}
		return nil, again, e.explain(err)
	}
	return s, false, nil
}

var errNoneFree = errors.New("no connection became free")

// acquire waits for a connection of the pool, which may still be connecting, or until the request ends.
func (e *Engine) acquire(ctx context.Context, wait time.Duration) (*pgxpool.Conn, error) {
	wait = min(wait, e.setup.Patience.Connect)
	pool, ending, err := e.connections()
	if err != nil {
		return nil, err
	}
	limited, cancel := context.WithTimeoutCause(ctx, wait, errNoneFree)
	defer cancel()
	if ending != nil && pool.Stat().IdleConns() == 0 {
		e.await(limited, ending)
	}
	got, err := pool.Acquire(limited)
	switch {
	case err == nil:
		return got, nil
	case ctx.Err() != nil:
		return nil, fault.Of(ctx.Err())
	case errors.Is(context.Cause(limited), errNoneFree):
		return nil, e.unreachable(silent, errors.Join(errNoneFree, err))
	}
	return nil, e.explain(err)
}

// Readers returns how many connections of the pool read: one is left for the turn.
func (e *Engine) Readers() int { return int(e.config.MaxConns) - 1 }

// connections returns the pool, which it creates on first use, and the end of the last snapshot.
func (e *Engine) connections() (*pgxpool.Pool, <-chan struct{}, error) {
	e.mu.Lock()
	defer e.mu.Unlock()
	if e.pool == nil {
		pool, err := pgxpool.NewWithConfig(context.Background(), e.config)
		if err != nil {
			return nil, nil, e.explain(err)
		}
		e.pool = pool
	}
	return e.pool, e.ending, nil
}

// soon is how long a connection that is becoming free is waited for, before another one is made: a command that reads and
// then writes makes do with one.
const soon = time.Second

// await waits for a snapshot that is ending, but not for long.
func (e *Engine) await(ctx context.Context, ending <-chan struct{}) {
	ctx, cancel := context.WithTimeout(ctx, soon)
	defer cancel()
	_ = e.world.Waiting.Wait(ctx, ending)
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
		s.used = true
		s.from.Release()
		return
	}
	free := make(chan struct{})
	s.e.mu.Lock()
	s.e.ending = free
	s.e.mu.Unlock()
	s.e.world.Start.Go(func() {
		defer close(free)
		s.ctx = context.Background()
		s.plain("ROLLBACK")
		_ = s.Flush()
		s.used = true
		s.from.Release()
	})
}
