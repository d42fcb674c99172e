package postgres

import (
	"context"
	"errors"
	"slices"
	"strconv"
	"time"

	"github.com/jackc/pgx/v5/pgxpool"

	"tasker/internal/db"
	"tasker/internal/fault"
)

const (
	beginTurn = `BEGIN ISOLATION LEVEL READ COMMITTED READ WRITE`

	// If a row is updated while a transaction waits for it, the transaction looks for the new version and waits again,
	// behind the ones that came later: a server could wait for minutes among commands. Waiting for this lock is a queue;
	// the row's own lock is then nearly always free.
	queueUp = `SELECT pg_advisory_xact_lock(1952542572, hashtext(current_schema()))`

	// The clock is read above the lock, and so after the wait for it.
	turnHead = `SELECT t.schema_version, t.event_id, t.at, (extract(epoch FROM clock_timestamp()) * 1000000)::bigint, ` + identity + `,
		pg_current_xact_id()::text
		FROM (SELECT * FROM turn WHERE id = 1 FOR UPDATE) t`

	// identity also works on an older schema, which has no such columns.
	identity = `coalesce((to_jsonb(t)->>'instance')::bigint, 0), coalesce((to_jsonb(t)->>'generation')::bigint, 0),
		coalesce((to_jsonb(t)->>'sum')::bigint, 0), coalesce((to_jsonb(t)->>'lost_from')::bigint, 0), coalesce((to_jsonb(t)->>'lost_to')::bigint, 0)`
)

// Begin waits for the other processes' turns and begins ours. An idle connection that was lost, or whose prepared
// statements went stale, is noticed only when it is used: then Begin tries again, at most until it has a new one.
func (e *Engine) Begin(ctx context.Context, a db.Asking) (db.Tx, error) {
	e.turn.Lock()
	for tries := 0; ; tries++ {
		t, again, err := e.begin(ctx, a)
		if err == nil {
			return t, nil
		}
		if !again || tries > e.Readers() {
			e.turn.Unlock()
			return nil, err
		}
	}
}

// begin returns a turn, or the error and whether another connection may help; the old one is then abandoned.
func (e *Engine) begin(ctx context.Context, a db.Asking) (_ *tx, again bool, err error) {
	got := e.kept
	if e.kept = nil; got == nil {
		if got, err = e.acquire(ctx, a.Patience.Connect); err != nil {
			return nil, false, err
		}
	}
	t := &tx{from: got, conn: &conn{session: sessionOf(got.Conn()), e: e, ctx: context.Background()}}
	t.plain(beginTurn)
	t.plain(e.asking(a))
	t.plain(queueUp)
	t.plain(othersLocks)
	over := e.watch(ctx, t.session, a)
	again, err = t.enter(turnHead, a.Recall, &t.head, &t.xid)
	if holder := over(); holder != nil && errors.Is(err, db.ErrHeld) {
		err = holder.Refusal(e.world.Clock.Now()).WithCause(err)
	}
	if err != nil {
		again = again && t.used
		t.back()
		return nil, again, err
	}
	return t, false, nil
}

// enter sends the queue and reads the head of a transaction. If it fails, again reports whether another connection may
// help.
func (c *conn) enter(sql string, recall db.Point, h *db.Head, xid *string) (again bool, err error) {
	err = c.head(sql, h, xid)
	if err == nil && c.moved(*h) {
		err = errMoved
	}
	if err == nil {
		err = c.recall(recall, h)
	}
	if err != nil {
		c.stale = c.stale || stale(err)
		return c.pg.IsClosed() || c.stale, err
	}
	c.stats, c.within = db.Stats{}, true
	return false, nil
}

// recallAgain is how long what was found of an event holds on a connection. On one connection a log that lost its end would
// have to grow past it again in that time, behind the back of the server.
const recallAgain = time.Second

// recall checks whether the log still has an event, if it has gone on since: mostly on a new connection, which may be to
// another server.
func (c *conn) recall(p db.Point, h *db.Head) error {
	now := c.e.world.Clock.Now()
	if p.Event == 0 || h.LastEvent <= p.Event || h.Schema != c.e.Latest() || now.Sub(c.recalled) < recallAgain && now.After(c.recalled) {
		return nil
	}
	err := c.Query(`SELECT sum FROM event WHERE id = $1`, []any{p.Event}, func(r db.Row) error {
		h.Differs = r.Int(0) != 0 && r.Int(0) != p.Sum // an older event may have no checksum
		return nil
	})
	if !h.Differs {
		c.recalled = now
	}
	return err
}

// moved reports whether the schema differs from the one that the session's statements were prepared on.
func (s *session) moved(h db.Head) bool {
	was := s.schema
	if h.Schema != 0 {
		s.schema = h.Schema
	}
	return was != 0 && was != s.schema
}

// stale reports whether an error means that a connection's prepared statements are unusable.
func stale(err error) bool {
	return code(err) == cachedPlan || code(err) == noSuchStmt || errors.Is(err, errMoved)
}

// head sends the queue and the statement that every transaction begins with. A database without our tables has schema 0.
func (c *conn) head(sql string, h *db.Head, xid *string) error {
	found := false
	err := c.Query(sql, nil, func(r db.Row) error {
		found = true
		*h = db.Head{
			Schema: int(r.Int(0)), LastEvent: r.Int(1), Newest: r.Int(2), Instance: r.Int(4), Generation: r.Int(5), Sum: r.Int(6),
			Lost: db.Lost{From: r.Int(7), To: r.Int(8)},
		}.HeadAt(r.Int(3))
		if xid != nil {
			*xid = r.Text(9)
		}
		return nil
	})
	if code(err) == undefinedTable {
		*h, c.err = db.Head{}, nil
		return nil
	}
	if err == nil && !found {
		return fault.Decline("the table turn of the database is empty, so it is not tasker's").
			WithHint("change search_path in TASKER_DB")
	}
	return err
}

// enough is how many statements of released members are queued before they are sent unasked.
const enough = 12

// tx implements db.Tx. Savepoints are queued like everything else, so that a member costs as many round trips as it has
// queries; what it left in the queue when it was released is sent with what comes next.
type tx struct {
	*conn
	from    *pgxpool.Conn
	head    db.Head
	xid     string
	members int
	saved   bool
	unsent  int // position of the open savepoint in the queue, while none of it was sent
	ended   bool
}

func (t *tx) Head() db.Head { return t.head }

func (t *tx) Savepoint() error {
	if t.err == nil {
		t.members++
		t.by, t.saved, t.unsent = t.members, true, len(t.queue)
		t.plain("SAVEPOINT member")
	}
	return t.err
}

// queued reports whether nothing since the savepoint was sent.
func (t *tx) queued() bool {
	return t.unsent < len(t.queue) && t.queue[t.unsent].by == t.by && t.queue[t.unsent].own
}

func (t *tx) Release() error {
	if t.err != nil {
		return t.err
	}
	if t.saved {
		if t.queued() {
			// Nothing of the member was sent, so nothing will roll back to its savepoint: if one of its statements fails,
			// the turn runs again without the member.
			t.queue = slices.Delete(t.queue, t.unsent, t.unsent+1)
		} else {
			t.plain("RELEASE SAVEPOINT member")
		}
	}
	t.by, t.saved = 0, false
	if len(t.queue) >= enough {
		return t.push()
	}
	return nil
}

func (t *tx) RollbackTo() error {
	t.err = nil
	saved := t.saved
	t.saved = false
	switch {
	case !saved || t.Gone():
	case t.queued():
		t.queue = t.queue[:t.unsent]
	default: // what is queued is the member's own
		t.drop()
		t.by = 0
		t.plain("ROLLBACK TO SAVEPOINT member")
		t.plain("RELEASE SAVEPOINT member")
	}
	t.by = 0
	return nil
}

func (t *tx) Late() (int, error) { return t.late.by - 1, t.late.err }

// Commit ends a turn that wrote nothing without the cost of a commit: there is nothing to make durable.
func (t *tx) Commit(h db.Head) error {
	defer t.end()
	if h.LastEvent == t.head.LastEvent && !t.wrote {
		return nil
	}
	if err := t.Flush(); err != nil {
		return err
	}
	if h.LastEvent != t.head.LastEvent {
		sql, args := db.SaveHead(h)
		_ = t.add(1, sql, args, nil)
		if err := t.add(db.Any, `SELECT pg_notify($1, $2)`, []any{t.channel, strconv.FormatInt(h.LastEvent, 10)}, nil); err != nil {
			return err
		}
	}
	t.plain("COMMIT")
	began := t.e.world.Clock.Now()
	t.route.mute.Store(true) // until its answer
	err := t.Flush()
	switch {
	case err == nil && t.pg.TxStatus() == 'I':
		t.route.mute.Store(false)
		return nil
	case err == nil:
		return fault.Unready("the change could not be committed").WithHint("send it again")
	case !t.pg.IsClosed():
		t.route.mute.Store(false)
		return err
	}
	return t.e.decide(pending{t.origin, t.xid, t.head, h, err, t.e.world.Clock.Now().Sub(began)})
}

// Confirm makes the commit of a turn that changes nothing wait for the same as a change: the log on the disk, and the
// standby.
func (t *tx) Confirm() (waits bool) {
	t.wrote = true
	t.plain("SELECT pg_logical_emit_message(true, 'tasker', '')")
	return true
}

func (t *tx) Rollback() {
	if !t.ended {
		t.end()
	}
}

func (t *tx) Gone() bool {
	return t.ended || t.pg.IsClosed() || t.pg.TxStatus() == 'I'
}

func (t *tx) end() {
	t.back()
	t.ended = true
	t.e.turn.Unlock()
}

// back returns the connection without a transaction; if that fails, it abandons the connection.
func (t *tx) back() {
	t.drop()
	t.err = nil
	if !t.pg.IsClosed() && t.pg.TxStatus() != 'I' {
		t.plain("ROLLBACK")
		_ = t.Flush()
	}
	if t.stale || t.pg.IsClosed() || t.pg.TxStatus() != 'I' {
		t.session.close()
	}
	t.err, t.used = nil, true
	if t.e.turns = min(t.e.turns+1, enoughTurns); t.e.turns == enoughTurns && !t.pg.IsClosed() {
		t.e.kept = t.from
		return
	}
	t.from.Release()
}

// enoughTurns is after how many turns a process keeps a connection for them: a server, whose statements are then prepared
// on one connection only. A command, which writes once or twice, shares its one connection between turns and reads.
const enoughTurns = 32
