package dbconform

import (
	"context"
	"errors"
	"runtime"
	"strings"
	"sync"
	"sync/atomic"
	"testing"
	"testing/fstest"
	"time"

	"go.uber.org/goleak"

	"tasker/internal/db"
	"tasker/internal/db/postgres"
	"tasker/internal/db/sqlite"
	"tasker/internal/testkit/dbtest"
)

func TestMain(m *testing.M) { goleak.VerifyTestMain(m) }

// The schema of these tests: what turns need, and a few tables to write to. A child's parent is checked at the commit, so
// that a test can make a commit fail.
const schema1 = `
CREATE TABLE turn (
  id             BIGINT PRIMARY KEY,
  schema_version BIGINT NOT NULL,
  event_id       BIGINT NOT NULL,
  at             BIGINT NOT NULL,
  instance       BIGINT NOT NULL,
  generation     BIGINT NOT NULL,
  sum            BIGINT NOT NULL,
  removed        BIGINT NOT NULL DEFAULT 0,
  lost_from      BIGINT NOT NULL DEFAULT 0,
  lost_to        BIGINT NOT NULL DEFAULT 0
);
CREATE TABLE event (
  id  BIGINT PRIMARY KEY,
  sum BIGINT NOT NULL
);
INSERT INTO turn (id, schema_version, event_id, at, instance, generation, sum) VALUES (1, 0, 0, 0, 7, 1, 0);
CREATE TABLE item (
  id   BIGINT PRIMARY KEY,
  name TEXT NOT NULL, -- in byte order; everywhere
  n    BIGINT,
  b    BLOB
);
CREATE TABLE child (
  id   BIGINT PRIMARY KEY,
  item BIGINT NOT NULL REFERENCES item (id) DEFERRABLE INITIALLY DEFERRED
);
`

const schema2 = `ALTER TABLE item ADD COLUMN more TEXT NOT NULL DEFAULT 'more';
-- only sqlite
CREATE TABLE here (id BIGINT PRIMARY KEY);
-- only postgres
CREATE TABLE there (id BIGINT PRIMARY KEY);
`

func migrations(t testing.TB, sql ...string) []db.Migration {
	t.Helper()
	fs := fstest.MapFS{}
	for i, s := range sql {
		fs["migrations/000"+string(rune('1'+i))+"_x.sql"] = &fstest.MapFile{Data: []byte(s)}
	}
	ms, err := db.Migrations(fs)
	if err != nil {
		t.Fatal(err)
	}
	return ms
}

// database is one database under test; each DB that it opens stands for a process.
type database struct {
	t    *testing.T
	at   string
	lite bool
}

func each(t *testing.T, fn func(d *database)) {
	t.Helper()
	dbtest.EachEmpty(t, func(t *testing.T, at string) {
		fn(&database{t: t, at: at, lite: !strings.HasPrefix(at, "postgres")})
	})
}

func (d *database) engine(setup db.Setup) *counted {
	d.t.Helper()
	if setup.Migrations == nil {
		setup.Migrations = migrations(d.t, schema1)
	}
	var e db.Engine
	var err error
	if d.lite {
		e, err = sqlite.Open(d.at, setup)
	} else {
		e, err = postgres.Open(d.at, setup)
	}
	if err != nil {
		d.t.Fatal(err)
	}
	return &counted{Engine: e}
}

func (d *database) open() *process { d.t.Helper(); return d.openWith(db.Setup{}, db.Hooks{}) }

// still opens the database with a clock that moves only by hand, so that a slow machine ends no turn early.
func (d *database) still() *process {
	d.t.Helper()
	clock := &handClock{now: time.Date(2026, 1, 2, 3, 4, 5, 0, time.UTC)}
	p := d.openWith(db.Setup{World: db.World{Clock: clock}}, db.Hooks{})
	p.clock = clock
	return p
}

// handClock is moved by hand.
type handClock struct {
	mu  sync.Mutex
	now time.Time
}

func (c *handClock) Now() time.Time {
	c.mu.Lock()
	defer c.mu.Unlock()
	return c.now
}

func (c *handClock) pass(d time.Duration) {
	c.mu.Lock()
	defer c.mu.Unlock()
	c.now = c.now.Add(d)
}

func (d *database) openWith(setup db.Setup, hooks db.Hooks) *process {
	d.t.Helper()
	e := d.engine(setup)
	db := db.New(e, hooks)
	d.t.Cleanup(func() {
		if err := db.Close(); err != nil {
			d.t.Errorf("closing: %v", err)
		}
	})
	return &process{DB: db, t: d.t, turns: &e.turns, limit: e.Readers()}
}

// counted is an engine that counts the turns it began.
type counted struct {
	db.Engine
	turns atomic.Int64
}

func (c *counted) Begin(ctx context.Context, a db.Asking) (db.Tx, error) {
	c.turns.Add(1)
	return c.Engine.Begin(ctx, a)
}

// process is a DB with helpers for tests.
type process struct {
	*db.DB
	t     *testing.T
	turns *atomic.Int64
	limit int        // for concurrent reads
	clock *handClock // set by still
}

var ctx = context.Background()

var errNo = errors.New("no")

// write writes, and fails the test on an error.
func (p *process) write(fn func(*db.Turn) error) {
	p.t.Helper()
	if err := p.Write(ctx, db.Request{}, fn); err != nil {
		p.t.Fatalf("write: %v", err)
	}
}

// add returns a member that inserts an item and records an event.
func add(id int) func(*db.Turn) error {
	return func(t *db.Turn) error {
		t.Record()
		return t.Exec(1, `INSERT INTO item (id, name, n) VALUES ($1, $2, $3)`, id, "item", 0)
	}
}

// then returns a member that runs others one after another.
func then(fns ...func(*db.Turn) error) func(*db.Turn) error {
	return func(t *db.Turn) error {
		for _, fn := range fns {
			if err := fn(t); err != nil {
				return err
			}
		}
		return nil
	}
}

func fail(err error) func(*db.Turn) error { return func(*db.Turn) error { return err } }

// items returns the ids of all items.
func (p *process) items() []int64 {
	p.t.Helper()
	ids := []int64{}
	err := p.Read(ctx, db.Request{}, func(c db.Conn, _ db.Head) error {
		return c.Query(`SELECT id FROM item ORDER BY id`, nil, func(r db.Row) error {
			ids = append(ids, r.Int(0))
			return nil
		})
	})
	if err != nil {
		p.t.Fatalf("read: %v", err)
	}
	return ids
}

func (p *process) lastEvent() (last int64) {
	p.t.Helper()
	if err := p.Read(ctx, db.Request{}, func(_ db.Conn, h db.Head) error { last = h.LastEvent; return nil }); err != nil {
		p.t.Fatalf("read: %v", err)
	}
	return last
}

// together queues members in this order while it holds a turn, and returns their answers. They share the following turns.
func (p *process) together(members ...func(*db.Turn) error) []error {
	p.t.Helper()
	free := p.hold()
	answers := make([]chan error, len(members))
	for i, fn := range members {
		answers[i] = p.queue(ctx, false, fn)
	}
	free()
	out := make([]error, len(members))
	for i := range answers {
		out[i] = <-answers[i]
	}
	return out
}

// hold takes a turn and holds it until the returned function is called.
func (p *process) hold() (free func()) { p.t.Helper(); return p.holdAs(db.Request{Alone: true}) }

// holdAs is hold with another request.
func (p *process) holdAs(r db.Request) (free func()) {
	p.t.Helper()
	held, go_ := make(chan struct{}), make(chan struct{})
	answer := make(chan error, 1)
	go func() {
		answer <- p.Write(ctx, r, func(*db.Turn) error {
			select {
			case held <- struct{}{}:
			case <-go_: // it runs again
			}
			<-go_
			return nil
		})
	}()
	select {
	case <-held:
	case err := <-answer:
		p.t.Fatalf("holding a turn: %v", err)
	}
	return func() {
		close(go_)
		if err := <-answer; err != nil {
			p.t.Errorf("holding a turn: %v", err)
		}
	}
}

// queue starts a write and returns once it waits for its turn.
func (p *process) queue(ctx context.Context, alone bool, fn func(*db.Turn) error) chan error {
	p.t.Helper()
	before := p.Waiting()
	answer := make(chan error, 1)
	go func() { answer <- p.Write(ctx, db.Request{Alone: alone}, fn) }()
	until(func() bool { return p.Waiting() > before })
	return answer
}

// until spins until a condition holds, or the test's time limit ends it.
func until(yes func() bool) {
	for !yes() {
		runtime.Gosched()
	}
}
