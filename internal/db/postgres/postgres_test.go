package postgres

import (
	"context"
	"crypto/rand"
	"net/url"
	"runtime"
	"slices"
	"strings"
	"sync"
	"sync/atomic"
	"testing"
	"time"

	"github.com/jackc/pgx/v5"
	"go.uber.org/goleak"

	"tasker/internal/db"
	"tasker/internal/fault"
	"tasker/internal/store"
	"tasker/internal/testkit/dbtest"
)

func TestMain(m *testing.M) { goleak.VerifyTestMain(m) }

var ctx = context.Background()

func opened(t *testing.T, e *Engine) *db.DB {
	t.Helper()
	d := db.New(e, db.Hooks{})
	t.Cleanup(func() {
		if err := d.Close(); err != nil {
			t.Error(err)
		}
	})
	return d
}

// record returns a member that records an event.
func record(t *db.Turn) error {
	t.Record()
	return t.Exec(1, `INSERT INTO event (id, at, project, task, actor, kind, payload, batch, via, sum)
		VALUES ($1, $2, 0, 0, '', $3, '', 0, '', $4)`, t.LastEvent, t.Now, "x", t.Sum)
}

func events(t *testing.T, d *db.DB) (last, count int64) {
	t.Helper()
	err := d.Read(ctx, db.Request{}, func(c db.Conn, h db.Head) error {
		last = h.LastEvent
		return c.Query(`SELECT count(*) FROM event`, nil, func(r db.Row) error { count = r.Int(0); return nil })
	})
	if err != nil {
		t.Fatal(err)
	}
	return last, count
}

func TestACommitWhoseAnswerIsLostIsDecidedByTheServer(t *testing.T) {
	for _, c := range []struct {
		name string
		at   cut
		made int64
	}{{"the server never saw it", before, 0}, {"the server carried it out", after, 1}} {
		t.Run(c.name, func(t *testing.T) {
			e, p := engineBehindProxy(t)
			d := opened(t, e)
			if err := d.Write(ctx, db.Request{}, record); err != nil {
				t.Fatal(err)
			}
			p.mu.Lock()
			p.atCommit = c.at
			p.mu.Unlock()
			err := d.Write(ctx, db.Request{}, record)
			if c.made == 1 && err != nil {
				t.Errorf("the answer is %v", err)
			}
			if c.made == 0 && (!fault.Is(err, fault.Unavailable) || !strings.Contains(err.Error(), "was not made")) {
				t.Errorf("the answer is %v", err)
			}
			if last, count := events(t, d); last != 1+c.made || count != last {
				t.Errorf("%d events, the last is %d", count, last)
			}
			if err := d.Write(ctx, db.Request{}, record); err != nil {
				t.Errorf("the next write: %v", err)
			}
		})
	}
}

func TestACommitThatNobodyCanTellOfIsUnavailable(t *testing.T) {
	e, p := openBehindProxy(t, db.Setup{Patience: db.Patience{Tell: time.Second, GiveUp: 20 * time.Second, Commit: 200 * time.Millisecond}})
	d := opened(t, e)
	if err := d.Write(ctx, db.Request{}, record); err != nil {
		t.Fatal(err)
	}
	p.deaf.Store(true)
	p.mu.Lock()
	p.atCommit = after
	p.mu.Unlock()
	err := d.Write(ctx, db.Request{}, record)
	if !fault.Is(err, fault.Unavailable) || !strings.Contains(err.Error(), "nobody can tell") {
		t.Errorf("the answer is %v", err)
	}
	p.deaf.Store(false)
	if last, count := events(t, d); last != 2 || count != 2 {
		t.Errorf("%d events, the last is %d: the write was tried again", count, last)
	}
}

// A stopped server, or a connection that swallows everything, delays a write for a limited time, and the next write
// succeeds.
func TestAPeerThatHangsIsLeft(t *testing.T) {
	e, p := openBehindProxy(t, db.Setup{Patience: db.Patience{Tell: 20 * time.Millisecond, GiveUp: 2 * time.Second, Commit: time.Second}})
	d := opened(t, e)
	if err := d.Write(ctx, db.Request{}, record); err != nil {
		t.Fatal(err)
	}
	p.mu.Lock()
	p.atCommit = hung
	p.mu.Unlock()
	if err := d.Write(ctx, db.Request{}, record); !fault.Is(err, fault.Unavailable) || !strings.Contains(err.Error(), "was not made") {
		t.Errorf("the answer is %v", err)
	}
	if err := d.Write(ctx, db.Request{}, record); err != nil {
		t.Errorf("the next write: %v", err)
	}
	if last, count := events(t, d); last != 2 || count != 2 {
		t.Errorf("%d events, the last is %d", count, last)
	}
}

// A table that somebody else has locked refuses all members of a turn together: run again one by one, each would wait as
// long as the first.
func TestALockOnATableRefusesAWholeTurnOnce(t *testing.T) {
	t.Parallel()
	url := dbtest.Postgres(t)
	e, err := Open(url, db.Setup{Migrations: store.Schema()})
	if err != nil {
		t.Fatal(err)
	}
	d := opened(t, e)
	other, err := pgx.Connect(ctx, url)
	if err != nil {
		t.Fatal(err)
	}
	defer func() { _ = other.Close(ctx) }()
	const members = 8
	var ran atomic.Int32
	entered, release := make(chan struct{}), make(chan struct{})
	var wg sync.WaitGroup
	wg.Go(func() {
		// The others arrive in the meantime, and share this turn or the next.
		err := d.Write(ctx, db.Request{}, func(*db.Turn) error { close(entered); <-release; return nil })
		if err != nil && !fault.Is(err, fault.Unavailable) {
			t.Errorf("the first: %v", err)
		}
	})
	<-entered
	if _, err := other.Exec(ctx, "BEGIN; LOCK TABLE event IN ACCESS EXCLUSIVE MODE"); err != nil {
		t.Fatal(err)
	}
	for range members {
		wg.Go(func() {
			err := d.Write(ctx, db.Request{}, func(turn *db.Turn) error { ran.Add(1); return record(turn) })
			if !fault.Is(err, fault.Unavailable) || !strings.Contains(err.Error(), "holds a lock") {
				t.Errorf("a member: %v", err)
			}
		})
	}
	for d.Waiting() < members {
		runtime.Gosched()
	}
	close(release)
	wg.Wait()
	if ran.Load() > members {
		t.Errorf("%d members ran %d times", members, ran.Load())
	}
	if _, err := other.Exec(ctx, "ROLLBACK"); err != nil {
		t.Fatal(err)
	}
	if err := d.Write(ctx, db.Request{}, record); err != nil {
		t.Errorf("without the lock: %v", err)
	}
}

func TestAConnectionThatWasLostInBetweenIsMadeAnew(t *testing.T) {
	e, p := engineBehindProxy(t)
	d := opened(t, e)
	for range 3 {
		if err := d.Write(ctx, db.Request{}, record); err != nil {
			t.Fatal(err)
		}
		events(t, d)
		p.hangUp()
	}
	if last, count := events(t, d); last != 3 || count != 3 {
		t.Errorf("%d events, the last is %d", count, last)
	}
	p.deaf.Store(true)
	p.hangUp()
	if err := d.Write(ctx, db.Request{}, record); !fault.Is(err, fault.Unavailable) {
		t.Errorf("without a server: %v", err)
	}
	if err := d.Read(ctx, db.Request{}, func(db.Conn, db.Head) error { return nil }); !fault.Is(err, fault.Unavailable) {
		t.Errorf("a read without a server: %v", err)
	}
}

// A restart of PostgreSQL leaves a pool of lost connections. Nobody gets their error, however many they are.
func TestAPoolOfLostConnectionsIsMadeAnew(t *testing.T) {
	for _, again := range []func(*testing.T, *db.DB){
		func(t *testing.T, d *db.DB) { events(t, d) },
		func(t *testing.T, d *db.DB) {
			if err := d.Write(ctx, db.Request{}, record); err != nil {
				t.Error(err)
			}
		},
	} {
		e, p := engineBehindProxy(t)
		d := opened(t, e)
		events(t, d)
		var open []db.Snapshot
		for range e.Readers() {
			s, err := e.Snapshot(ctx, time.Minute, db.Point{})
			if err != nil {
				t.Fatal(err)
			}
			open = append(open, s)
		}
		for _, s := range open {
			s.End()
			_, ending, err := e.connections()
			if err != nil {
				t.Fatal(err)
			}
			<-ending
		}
		p.hangUp()
		again(t, d)
	}
}

func TestTheFeedComesBackAfterALostConnection(t *testing.T) {
	e, p := engineBehindProxy(t)
	d := opened(t, e)
	if err := d.Write(ctx, db.Request{}, record); err != nil {
		t.Fatal(err)
	}
	limited, cancel := context.WithTimeout(ctx, 30*time.Second)
	defer cancel()
	if err := d.Wait(limited, 0); err != nil {
		t.Fatal(err)
	}
	p.hangUp()
	direct, err := Open(e.config.ConnString(), db.Setup{Migrations: store.Schema()})
	if err != nil {
		t.Fatal(err)
	}
	if err := opened(t, direct).Write(ctx, db.Request{}, record); err != nil {
		t.Fatal(err)
	}
	if err := d.Wait(limited, 1); err != nil {
		t.Error(err)
	}
}

// stopped is a clock that does not move, so that a slow machine ends no turn early.
type stopped struct{ at time.Time }

func (c stopped) Now() time.Time { return c.at }

func TestRoundTrips(t *testing.T) {
	e, p := openBehindProxy(t, db.Setup{World: db.World{Clock: stopped{time.Date(2026, 1, 2, 3, 4, 5, 0, time.UTC)}}})
	d := opened(t, e)
	look := func(c db.Conn) error {
		return c.Query(`SELECT count(*) FROM event WHERE id = $1`, []any{1}, func(db.Row) error { return nil })
	}
	operation := func(t *db.Turn) error {
		if err := look(t); err != nil {
			return err
		}
		if err := record(t); err != nil {
			return err
		}
		return record(t)
	}
	read := func(c db.Conn, _ db.Head) error { return look(c) }
	for _, c := range []struct {
		name string
		want int64
		do   func() error
	}{
		{"a write: the turn, its query, its statements, the commit", 4, func() error { return d.Write(ctx, db.Request{}, operation) }},
		{"a write that does nothing: the turn and its end", 2, func() error {
			return d.Write(ctx, db.Request{}, func(*db.Turn) error { return nil })
		}},
		{"ten writes: the turn, a query each, the statements, the commit; and the two of the turn before them", 15, func() error {
			for _, err := range together(t, d, slices.Repeat([]func(*db.Turn) error{operation}, 10)) {
				if err != nil {
					return err
				}
			}
			return nil
		}},
		{"a read: the snapshot, the query, and the end in the background", 3, func() error {
			err := d.Read(ctx, db.Request{}, read)
			for e.pool.Stat().AcquiredConns() > 0 {
				runtime.Gosched()
			}
			return err
		}},
	} {
		if err := c.do(); err != nil { // connections are made, statements are prepared
			t.Fatal(err)
		}
		p.syncs.Store(0)
		if err := c.do(); err != nil {
			t.Fatal(err)
		}
		if got := p.syncs.Load(); got != c.want {
			t.Errorf("%s: %d round trips", c.name, got)
		}
	}
}

// together queues members in this order, so that they share a turn, and returns their answers.
func together(t *testing.T, d *db.DB, members []func(*db.Turn) error) []error {
	t.Helper()
	held, free := make(chan struct{}), make(chan struct{})
	var group sync.WaitGroup
	group.Go(func() {
		if err := d.Write(ctx, db.Request{Alone: true}, func(*db.Turn) error { close(held); <-free; return nil }); err != nil {
			t.Error(err)
		}
	})
	<-held
	answers := make([]error, len(members))
	for i, fn := range members {
		group.Go(func() { answers[i] = d.Write(ctx, db.Request{}, fn) })
		for d.Waiting() <= i {
			runtime.Gosched()
		}
	}
	close(free)
	group.Wait()
	return answers
}

func TestRefusalsTellWhatToDoAndNoSecret(t *testing.T) {
	url := dbtest.Empty(t)
	for _, c := range []struct {
		name, url, says string
		kind            fault.Kind
	}{
		{"no such schema", strings.Replace(url, "search_path=t_", "search_path=nowhere_", 1), "exists in the database", fault.Declined},
		{"nobody there", "postgres://me:s3cret@127.0.0.1:1/x?sslmode=disable", "cannot be reached", fault.Unavailable},
	} {
		t.Run(c.name, func(t *testing.T) {
			e, err := Open(c.url, db.Setup{Migrations: store.Schema()})
			if err != nil {
				t.Fatal(err)
			}
			d := opened(t, e)
			_, version := d.Version(ctx)
			_, _, migrate := d.Migrate(ctx)
			for _, err := range []error{d.Write(ctx, db.Request{}, record), d.Read(ctx, db.Request{}, func(db.Conn, db.Head) error { return nil }), version, migrate} {
				f := fault.Of(err)
				if f == nil || f.Kind != c.kind || !strings.Contains(f.Message, c.says) || f.Hint == "" {
					t.Errorf("%+v", f)
				}
				if f != nil && strings.Contains(f.Message+f.Hint, "s3cret") {
					t.Errorf("%+v", f)
				}
			}
		})
	}
	_, err := Open("postgres://me:s3cret@host:port/x", db.Setup{Migrations: store.Schema()})
	if f := fault.Of(err); f == nil || f.Kind != fault.Invalid || strings.Contains(f.Message+f.Hint, "s3cret") {
		t.Errorf("%+v", f)
	}
}

// An examination tells of a role that may only read, as readiness does.
func TestAnExaminationTellsOfARoleThatMayOnlyRead(t *testing.T) {
	at := dbtest.Empty(t)
	u, err := url.Parse(at)
	if err != nil {
		t.Fatal(err)
	}
	owner, err := Open(at, db.Setup{Migrations: store.Schema()})
	if err != nil {
		t.Fatal(err)
	}
	if err := opened(t, owner).Write(ctx, db.Request{}, record); err != nil {
		t.Fatal(err)
	}
	schema, role := u.Query().Get("search_path"), "reader_"+strings.ToLower(rand.Text()[:12])
	dbtest.Exec(t, at, "CREATE ROLE "+role+" LOGIN PASSWORD 'secret'", "GRANT USAGE ON SCHEMA "+schema+" TO "+role,
		"GRANT SELECT ON ALL TABLES IN SCHEMA "+schema+" TO "+role)
	t.Cleanup(func() { dbtest.Exec(t, at, "DROP OWNED BY "+role, "DROP ROLE "+role) })
	examined := func(at string) ([]db.Trouble, []db.Trouble) {
		e, err := Open(at, db.Setup{Migrations: store.Schema()})
		if err != nil {
			t.Fatal(err)
		}
		d := opened(t, e)
		found, err := d.Examine(ctx)
		if err != nil {
			t.Fatal(err)
		}
		return found, d.Ready(ctx)
	}
	if found, ready := examined(at); len(found)+len(ready) > 0 {
		t.Errorf("for the owner: %+v, %+v", found, ready)
	}
	u.User = url.UserPassword(role, "secret")
	if found, ready := examined(u.String()); len(found) != 1 || len(ready) != 1 || found[0].About != ready[0].About ||
		!strings.Contains(found[0].Err.Error(), "permission denied") {
		t.Errorf("for a reader: %+v, %+v", found, ready)
	}
}

func TestManyDifferentStatementsAreNotAllCached(t *testing.T) {
	e, err := Open(dbtest.Postgres(t), db.Setup{Migrations: store.Schema()})
	if err != nil {
		t.Fatal(err)
	}
	d := opened(t, e)
	err = d.Write(ctx, db.Request{}, func(t *db.Turn) error {
		for i := range maxStmts + 100 {
			sql := "SELECT $1 + " + strings.Repeat("0 + ", i%50) + "1 -- " + strings.Repeat("x", i)
			got := int64(0)
			if err := t.Query(sql, []any{i}, func(r db.Row) error { got = r.Int(0); return nil }); err != nil {
				return err
			}
			if got != int64(i)+1 {
				return fault.New(fault.Internal, "%d in place of %d", got, i+1)
			}
		}
		return nil
	})
	if err != nil {
		t.Error(err)
	}
	for _, c := range e.pool.AcquireAllIdle(ctx) {
		if n := len(sessionOf(c.Conn()).stmts); n == 0 || n > maxStmts {
			t.Errorf("%d prepared statements", n)
		}
		c.Release()
	}
}

// patient waits for as long as it takes, however slow the machine.
type patient struct{ db.Waiting }

func (p patient) Wait(_ context.Context, done <-chan struct{}) error {
	return p.Waiting.Wait(context.Background(), done)
}

// A command that reads, writes and reads again has one connection: for the server, a second one is a second process.
func TestReadsAndTurnsShareAConnection(t *testing.T) {
	e, err := Open(dbtest.Postgres(t), db.Setup{Migrations: store.Schema()})
	if err != nil {
		t.Fatal(err)
	}
	e.world.Waiting = patient{e.world.Waiting}
	d := opened(t, e)
	for range 20 {
		events(t, d)
		if err := d.Write(ctx, db.Request{}, record); err != nil {
			t.Fatal(err)
		}
	}
	events(t, d)
	if made := e.pool.Stat().NewConnsCount(); made != 1 {
		t.Errorf("%d connections were made", made)
	}
	for range enoughTurns {
		if err := d.Write(ctx, db.Request{}, record); err != nil {
			t.Fatal(err)
		}
	}
	if e.kept == nil {
		t.Error("many turns have kept no connection")
	}
}
