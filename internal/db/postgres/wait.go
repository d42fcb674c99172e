package postgres

import (
	"context"
	"fmt"
	"strings"
	"sync"
	"time"

	"tasker/internal/db"
)

const (
	// othersLocks ends the patience with the turn: any other lock is not ours to wait for.
	othersLocks = `SET LOCAL lock_timeout = '5s'`

	blockers = `SELECT coalesce(application_name, ''), pid::bigint, coalesce((extract(epoch FROM xact_start) * 1000)::bigint, 0)
		FROM pg_stat_activity WHERE pid = ANY(pg_blocking_pids($1::int4)) ORDER BY xact_start LIMIT 1`
)

// asking returns the statement that says how long we wait for the turn, and tells others who we are while we have it.
func (e *Engine) asking(a db.Asking) string {
	name := fmt.Sprintf("tasker %d %s", e.world.Process, a.Who)
	return fmt.Sprintf("SELECT set_config('lock_timeout', '%d', true), set_config('application_name', %s, true)",
		a.Patience.GiveUp.Milliseconds(), literal(name))
}

// literal quotes a text for a statement. Depending on the server's configuration, a backslash would have a meaning.
func literal(text string) string {
	text = strings.Map(func(r rune) rune {
		if r < ' ' || r > '~' || r == '\\' {
			return '?'
		}
		return r
	}, text)
	return "'" + strings.ReplaceAll(text, "'", "''") + "'"
}

// watch reports when the wait for the turn becomes long, and ends the wait with ctx. The function that it returns ends the
// watch, and returns who has the turn if that was looked up.
func (e *Engine) watch(ctx context.Context, s *session, a db.Asking) (over func() *db.Holder) {
	waiting, stop := context.WithCancel(ctx)
	var mu sync.Mutex
	var found *db.Holder
	ended := false // from here on, the connection may be somebody else's
	e.world.Start.Go(func() {
		if e.world.Waiting.Sleep(waiting, a.Patience.Tell) == nil {
			h := e.holder(waiting, s.backend)
			mu.Lock()
			found = &h
			mu.Unlock()
			if waiting.Err() == nil {
				a.Waits(h)
				_ = e.world.Waiting.Sleep(waiting, a.Patience.GiveUp)
			}
		}
		mu.Lock()
		defer mu.Unlock()
		if ctx.Err() != nil && !ended {
			s.cut()
		}
	})
	return func() *db.Holder {
		stop()
		mu.Lock()
		defer mu.Unlock()
		ended = true
		return found
	}
}

// holder finds out who blocks one of the server's processes.
func (e *Engine) holder(ctx context.Context, pid uint32) (h db.Holder) {
	ctx, cancel := context.WithTimeout(ctx, closePatience)
	defer cancel()
	s, err := e.connect(ctx)
	if err != nil {
		return h
	}
	defer s.close()
	c := &conn{session: s, e: e, ctx: ctx}
	_ = c.Query(blockers, []any{int(pid)}, func(r db.Row) error {
		h.Who = r.Text(0)
		var n int
		if rest, ok := strings.CutPrefix(h.Who, "tasker "); ok {
			if _, err := fmt.Sscanf(rest, "%d", &n); err == nil {
				_, h.Who, _ = strings.Cut(rest, " ")
			}
		}
		if h.PID = n; n == 0 {
			h.Who = fmt.Sprintf("%s (PostgreSQL's process %d)", h.Who, r.Int(1))
		}
		if at := r.Int(2); at > 0 {
			h.Since = time.UnixMilli(at)
		}
		return nil
	})
	return h
}

// cut closes the connection, even while it is in use.
func (s *session) cut() { _ = s.pg.Conn().Close() }

// guard doubts a server that keeps a round trip waiting, and cuts the connection when it lasts longer than a wait for a
// turn, or than a commit, may. It lasts as long as the session.
func (s *session) guard(e *Engine) {
	p := e.setup.Patience
	tick := p.Tell / 2
	was, waited := uint64(0), time.Duration(0)
	for e.world.Waiting.Sleep(s.life, tick) == nil {
		now := s.trips.Load()
		if now%2 == 0 || now != was {
			was, waited = now, 0
			continue
		}
		limit := p.GiveUp + p.Tell
		if s.route.mute.Load() {
			limit = p.Commit
		}
		if waited += tick; waited >= limit {
			s.cut()
			return
		}
		e.doubt(s.route.host)
	}
}
