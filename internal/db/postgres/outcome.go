package postgres

import (
	"context"
	"errors"
	"time"

	"tasker/internal/db"
	"tasker/internal/fault"
)

// origin identifies the history that a connection writes to. A standby that was promoted begins another timeline, on which
// it gives out again the transaction ids that its primary gave out last.
type origin struct {
	place    string // cluster, database and schema, which a standby shares with its primary
	timeline string // 8 hexadecimal digits, which grow with every promotion
}

// after reports whether a history continues another one in place of its server.
func (o origin) after(other origin) bool {
	return o.place == other.place && len(o.timeline) == len(other.timeline) && o.timeline > other.timeline
}

// pending is a commit whose answer was lost.
type pending struct {
	origin origin
	xid    string
	was    db.Head // before the turn
	head   db.Head // as the turn leaves it
	lost   error
	spent  time.Duration // that the commit had taken when its answer was lost
}

// The outcome of a commit, as a server tells it.
type outcome int

const (
	unknown outcome = iota
	running         // the server is still working on it, or waits for its standby
	made
	notMade
)

// decide finds out what happened to a commit whose answer was lost, by asking on new connections until the patience of
// commits is at its end. It never interferes with a commit that the server is still working on. An unknown outcome is
// Unavailable, and nothing is ever retried here.
func (e *Engine) decide(p pending) error {
	patience := e.setup.Patience.Commit
	ctx, cancel := context.WithTimeout(context.Background(), max(patience-p.spent, 0)+patience/3)
	defer cancel()
	var s *session
	defer func() {
		if s != nil {
			s.close()
		}
	}()
	errs := []error{p.lost}
	for wait := 10 * time.Millisecond; ; wait = min(2*wait, time.Second) {
		var err error
		if s == nil || s.pg.IsClosed() {
			s, err = e.connect(ctx)
		}
		if err == nil {
			var what outcome
			what, err = e.outcome(ctx, s, p)
			switch {
			case err == nil && what == made:
				return nil
			case err == nil && what == notMade:
				return fault.Unready("the connection was lost during the commit, and the change was not made").
					WithHint("send it again").WithCause(p.lost)
			case err == nil && what == unknown, code(err) != "" && !passing(err):
				return untold(append(errs, err)...)
			}
		}
		if e.world.Waiting.Sleep(ctx, wait) != nil {
			return untold(append(errs, err)...)
		}
	}
}

// untold is the answer if nobody can tell the outcome of a commit.
func untold(errs ...error) error {
	return fault.Unready("the connection was lost during the commit, and nobody can tell whether the change was made").
		WithHint("check whether it was before you send it again, or send it again with its Idempotency-Key").WithCause(errors.Join(errs...))
}

// outcome asks one server. The transaction's id means something only on the history that gave it out. On another one,
// what the turn wrote is looked for: its last event, with the checksum of the log up to it.
func (e *Engine) outcome(ctx context.Context, s *session, p pending) (what outcome, err error) {
	c := &conn{session: s, e: e, ctx: ctx}
	if s.origin == p.origin {
		err = c.Query(`SELECT pg_xact_status($1::text::xid8)`, []any{p.xid}, func(r db.Row) error {
			what = map[string]outcome{"committed": made, "aborted": notMade, "in progress": running}[r.Text(0)]
			return nil
		})
		return what, err
	}
	if p.head.LastEvent == p.was.LastEvent { // it left no event to look for
		return unknown, nil
	}
	var h db.Head
	found := int64(-1)
	err = c.Query(`SELECT t.event_id, t.instance, t.generation, (SELECT e.sum FROM event e WHERE e.id = $1) FROM turn t WHERE t.id = 1`,
		[]any{p.head.LastEvent}, func(r db.Row) error {
			h = db.Head{LastEvent: r.Int(0), Instance: r.Int(1), Generation: r.Int(2)}
			if !r.Null(3) {
				found = r.Int(3)
			}
			return nil
		})
	switch {
	case err != nil, h.Instance != p.was.Instance, h.Generation != p.was.Generation:
		return unknown, err
	case found == p.head.Sum:
		return made, nil
	case s.origin.after(p.origin) && (found > 0 || h.LastEvent < p.head.LastEvent): // and it will not come to that history later
		return notMade, nil
	}
	return unknown, nil
}
