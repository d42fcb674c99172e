package db

import (
	"context"
	"sync"
	"sync/atomic"

	"tasker/internal/fault"
	"tasker/internal/fault/hint"
)

// Hooks are what the records above the machinery take part in turns with.
type Hooks struct {
	// Flush runs once before the commit of a turn that keeps something, so that counters kept in Go are written.
	// LastEvent and Now are written by the commit itself.
	Flush func(*Turn) error
	// Kept is told of every turn that was committed, before its answers are given.
	Kept func(*Turn)
	// Share prepares a snapshot for several replies, each of which is then given what it returned.
	Share func(Conn, Head, []Reply) (any, error)
}

// DB runs reads in snapshots and writes in turns.
type DB struct {
	engine  Engine
	world   World
	hooks   Hooks
	group   group
	replies replies
	feed    feed

	meter    Meter // nil: nobody is told of commits
	patience Patience
	turning  chan struct{}   // full while a turn is under way
	waits    context.Context // of those who wait for a turn; ends when the database is closed
	endWaits context.CancelFunc
	waitsFor atomic.Pointer[Holder] // while a wait for the turn is long enough to be told

	beforeWriting func() // does something the first time it is called

	seen atomic.Pointer[history] // what this process knows the database by; nil before it met one

	readers readers

	inspecting atomic.Bool // somebody looks through the database for damage, again and again

	mu      sync.Mutex
	reading Underway
	closed  bool
}

// New makes a DB over an engine, which it owns from now on. Nothing is opened before the first use.
func New(e Engine, h Hooks) *DB {
	db := &DB{engine: e, hooks: h, world: e.Setup().World, patience: e.Setup().Patience, meter: e.Setup().Meter}
	db.turning, db.beforeWriting = make(chan struct{}, 1), func() {}
	db.waits, db.endWaits = context.WithCancel(context.Background())
	db.feed.start()
	return db
}

// WaitsFor tells for whom this process has waited for more than a second to write, nil while it does not.
func (db *DB) WaitsFor() *Holder { return db.waitsFor.Load() }

// told is called when the wait for a turn has become long.
func (db *DB) told(h Holder) {
	db.waitsFor.Store(&h)
	db.engine.Setup().Notice(h.Told(db.world.Clock.Now()))
}

// sound returns the damage that is known of a database that was met: nothing is written to it, whatever part of it a write
// would touch. Where nobody looks through it in this process, it is looked through now, so that what was mended is noticed.
func (db *DB) sound(was *history) error {
	if was == nil {
		return nil // what it meets it is told
	}
	err := db.engine.Damage()
	if err == nil || db.inspecting.Load() {
		return err
	}
	return db.engine.Examine(db.waits)
}

// Read runs fn on one consistent snapshot. When ctx ends, so do its statements.
func (db *DB) Read(ctx context.Context, r Request, fn func(Conn, Head) error) error {
	if err := db.enter(); err != nil {
		return err
	}
	defer db.reading.End()
	s, err := db.snapshot(ctx, r)
	if err != nil {
		return err
	}
	defer db.end(s)
	return fn(metered(s.Snapshot, r.Charge), s.Head())
}

// snapshot returns one whose schema this binary knows, after a migration where the engine does that by itself.
func (db *DB) snapshot(ctx context.Context, r Request) (*admitted, error) {
	for tries := 0; ; tries++ {
		was := db.seen.Load()
		s, err := db.take(ctx, r)
		if err != nil {
			return nil, was.lost(err)
		}
		if err := db.follow(was, s.Head()); err != nil {
			db.end(s)
			return nil, err
		}
		have, latest := s.Head().Schema, db.engine.Latest()
		if have == latest {
			return s, nil
		}
		db.end(s)
		if err := db.reconcile(ctx, have, tries); err != nil {
			return nil, err
		}
	}
}

// reconcile is called for a schema that is not this binary's: it migrates, or refuses.
func (db *DB) reconcile(ctx context.Context, have, tries int) error {
	if have > db.engine.Latest() {
		return fault.Unready("the database has schema version %d and this tasker knows %d", have, db.engine.Latest()).
			WithHint("get a newer tasker: %s; or go back to what was before the upgrade: an SQLite file was copied to one beside it that ends in .v%d.backup, "+
				"and of PostgreSQL you have your own backup", hint.Command("upgrade"), db.engine.Latest())
	}
	if tries > 2 {
		return fault.Unready("the database's schema stays at version %d although it was brought to %d", have, db.engine.Latest()).
			WithHint("see whether another program changes the same database: %s", hint.Command("db status"))
	}
	db.beforeWriting()
	_, _, err := db.engine.Migrate(ctx, false)
	return err
}

// Version is the schema version that the database has, newer ones included; 0 where there is none yet.
func (db *DB) Version(ctx context.Context) (int, error) {
	if err := db.enter(); err != nil {
		return 0, err
	}
	defer db.reading.End()
	if db.engine.Absent() {
		return 0, nil
	}
	s, err := db.take(ctx, Request{})
	if err != nil {
		return 0, err
	}
	defer db.end(s)
	return s.Head().Schema, nil
}

// Migrate brings the database to the schema of this binary, and is a success where it has it.
func (db *DB) Migrate(ctx context.Context) (from, to int, err error) {
	if err := db.enter(); err != nil {
		return 0, 0, err
	}
	defer db.reading.End()
	db.beforeWriting()
	db.turning <- struct{}{}
	defer func() { <-db.turning }()
	from, to, err = db.engine.Migrate(ctx, true)
	if err == nil && from > db.engine.Latest() {
		err = db.reconcile(ctx, from, 0)
	}
	return from, to, err
}

// Close takes no new work, waits until what was taken is answered, and closes the database.
func (db *DB) Close() error {
	db.mu.Lock()
	if db.closed {
		db.mu.Unlock()
		return nil
	}
	db.closed = true
	db.mu.Unlock()
	db.drain()
	db.feed.stop(db.world.Waiting)
	db.reading.Drain(db.world.Waiting)
	db.turning <- struct{}{} // closing locks the file too, so a process is not suspended in it
	defer func() { <-db.turning }()
	return db.engine.Close()
}

// drain returns when those who wait for a turn have been answered. What waits for another process waits no longer after a while.
func (db *DB) drain() {
	defer db.endWaits()
	idle := db.group.close()
	if idle == nil {
		return
	}
	drained, done := context.WithCancel(context.Background())
	defer done()
	db.world.Start.Go(func() {
		_ = db.world.Waiting.Sleep(drained, closeAfter)
		db.endWaits()
	})
	_ = db.world.Waiting.Wait(background, idle)
}

func (db *DB) enter() error {
	db.mu.Lock()
	defer db.mu.Unlock()
	if db.closed {
		return errClosed()
	}
	db.reading.Begin()
	return nil
}

func errClosed() error {
	return fault.Unready("the database is being closed").WithHint("send it again in a moment")
}
