package postgres

import (
	"fmt"
	"strings"
	"testing"
	"time"

	"github.com/jackc/pgx/v5"

	"tasker/internal/db"
	"tasker/internal/fault"
	"tasker/internal/store"
	"tasker/internal/testkit/dbtest"
)

// A promoted standby gives out the transaction ids of its primary again. What it says of one decides nothing: here it says
// that a commit was made which its log does not have.
func TestACommitIsNotDecidedByAnotherHistory(t *testing.T) {
	e, p := engineBehindProxy(t)
	d := opened(t, e)
	var head db.Head
	if err := d.Write(ctx, db.Request{}, func(turn *db.Turn) error { head = turn.Head; return record(turn) }); err != nil {
		t.Fatal(err)
	}
	other := dbtest.Postgres(t) // the standby, which lacks the last write and has another one
	standby, err := pgx.ParseConfig(other)
	if err != nil {
		t.Fatal(err)
	}
	dbtest.Exec(t, other, fmt.Sprintf(`UPDATE turn SET instance=%d, event_id=2, sum=77`, head.Instance),
		`INSERT INTO event (id, at, project, task, actor, kind, payload, batch, via, sum) VALUES (2, 1, 0, 0, '', 'x', '', 0, '', 77)`)
	p.mu.Lock()
	p.atCommit = after
	p.mu.Unlock()
	here := e.config.ConnConfig.Database
	e.config.ConnConfig.Database = standby.Database // of every new connection
	err = d.Write(ctx, db.Request{}, record)
	if !fault.Is(err, fault.Unavailable) || !strings.Contains(err.Error(), "nobody can tell") {
		t.Errorf("a write that the new primary does not have is answered with %v", err)
	}
	e.config.ConnConfig.Database = here
}

// What decides a commit on another history is the last event that the turn wrote.
func TestWhatDecidesACommit(t *testing.T) {
	e, err := Open(dbtest.Postgres(t), db.Setup{Migrations: store.Schema()})
	if err != nil {
		t.Fatal(err)
	}
	d := opened(t, e)
	var head db.Head
	for range 2 {
		err := d.Write(ctx, db.Request{}, func(turn *db.Turn) error {
			err := record(turn)
			head = turn.Head
			return err
		})
		if err != nil {
			t.Fatal(err)
		}
	}
	s, err := e.connect(ctx)
	if err != nil {
		t.Fatal(err)
	}
	defer s.close()
	xid, err := s.value(ctx, `SELECT pg_current_xact_id()`) // committed by now
	if err != nil {
		t.Fatal(err)
	}
	if len(s.origin.timeline) != 8 || strings.Count(s.origin.place, "/") != 2 {
		t.Errorf("the history is %+v", s.origin)
	}
	here, before, later, elsewhere := s.origin, s.origin, s.origin, s.origin
	before.timeline, later.timeline, elsewhere.place = "00000000", "FFFFFFFF", "another cluster"
	was := head
	was.LastEvent--
	silent, beyond, forked, restored := head, head, head, was
	beyond.LastEvent, forked.Sum, restored.Generation = head.LastEvent+1, head.Sum+1, was.Generation+1
	for _, c := range []struct {
		name string
		p    pending
		want outcome
	}{
		{"the same history", pending{origin: here, xid: xid, was: head, head: head}, made},
		{"before the promotion, and there", pending{origin: before, was: was, head: head}, made},
		{"before the promotion, and another event in its place", pending{origin: before, was: was, head: forked}, notMade},
		{"before the promotion, and not there", pending{origin: before, was: was, head: beyond}, notMade},
		{"before the promotion, and no event to look for", pending{origin: before, was: head, head: silent}, unknown},
		{"before a restore", pending{origin: before, was: restored, head: beyond}, unknown},
		{"from a later history, and there", pending{origin: later, was: was, head: head}, made},
		{"from a later history, and not there", pending{origin: later, was: was, head: beyond}, unknown},
		{"from another cluster", pending{origin: elsewhere, was: was, head: beyond}, unknown},
	} {
		if got, err := e.outcome(ctx, s, c.p); err != nil || got != c.want {
			t.Errorf("%s: %d, %v, want %d", c.name, got, err, c.want)
		}
	}
}

// A commit that waits, for a standby or for anything else, is left to the server: it is never canceled, and its backend
// never ended. Here it waits for a lock, where a cancellation would undo the change; a wait for a standby would end with
// a change that no standby has.
func TestACommitThatWaitsIsNeverCanceled(t *testing.T) {
	e, p := openBehindProxy(t, db.Setup{Patience: db.Patience{Tell: 20 * time.Millisecond, GiveUp: 4 * time.Second, Commit: 300 * time.Millisecond}})
	d := opened(t, e)
	if err := d.Write(ctx, db.Request{}, record); err != nil {
		t.Fatal(err)
	}
	lock, err := pgx.Connect(ctx, e.config.ConnString())
	if err != nil {
		t.Fatal(err)
	}
	defer func() { _ = lock.Close(ctx) }()
	if _, err := lock.Exec(ctx, `SELECT pg_advisory_lock(hashtext(current_schema()));
		CREATE FUNCTION standby() RETURNS trigger LANGUAGE plpgsql AS $$ BEGIN
			PERFORM pg_advisory_xact_lock_shared(hashtext(current_schema())); RETURN NULL; END $$;
		CREATE CONSTRAINT TRIGGER standby AFTER INSERT ON event DEFERRABLE INITIALLY DEFERRED FOR EACH ROW EXECUTE FUNCTION standby()`); err != nil {
		t.Fatal(err)
	}
	err = d.Write(ctx, db.Request{}, record)
	if !fault.Is(err, fault.Unavailable) || !strings.Contains(err.Error(), "nobody can tell") {
		t.Errorf("a write whose commit hangs is answered with %v", err)
	}
	if n := p.cancels.Load(); n != 0 {
		t.Errorf("%d requests to cancel were sent", n)
	}
	if _, err := lock.Exec(ctx, `SELECT pg_advisory_unlock(hashtext(current_schema()))`); err != nil {
		t.Fatal(err)
	}
	if err := d.Write(ctx, db.Request{}, record); err != nil { // behind it
		t.Errorf("the next write: %v", err)
	}
	if last, count := events(t, d); last != 3 || count != 3 {
		t.Errorf("%d events, the last is %d: the commit was ended", count, last)
	}
}
