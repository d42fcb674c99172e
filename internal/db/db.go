package db

import (
	"context"
	"sync"
	"sync/atomic"

	"tasker/internal/fault"
	"tasker/internal/hint"
)

// Hooks let the records above this package take part in turns.
type Hooks struct {
	// Flush runs once before the commit of a turn that keeps something, so that counters held in Go are written. The commit
	// itself writes LastEvent and Now.
	Flush func(*Turn) error
	// Kept is called for every committed turn, before its answers are given.
	Kept func(*Turn)
	// Share prepares a snapshot for several replies; each of them gets what it returned.
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

	meter    Meter // nil: commits are not metered
	patience Patience
	turning  chan struct{}   // full while a turn is running
	waits    context.Context // for writes that wait for a turn; ends when the database is closed
	endWaits context.CancelFunc
	waitsFor atomic.Pointer[Holder] // set while a wait for the turn is long enough to report
	writes   atomic.Pointer[Holder] // the write of this process that is running

	beforeWriting func() // runs only on its first call

	seen   atomic.Pointer[history] // how this process recognizes the database; nil before it has met one
	memory memory

	readers readers

	inspecting atomic.Bool // this process inspects the database for damage in the background

	mu      sync.Mutex
	reading Underway
	closed  bool
}

// New returns a DB over an engine, which it owns from now on. It opens nothing before the first use.
func New(e Engine, h Hooks) *DB {
	db := &DB{engine: e, hooks: h, world: e.Setup().World, patience: e.Setup().Patience, meter: e.Setup().Meter}
	db.turning, db.beforeWriting = make(chan struct{}, 1), func() {}
	db.waits, db.endWaits = context.WithCancel(context.Background())
	db.feed.start()
	return db
}

// WaitsFor returns the holder that this process has waited for more than a second to write, or nil.
func (db *DB) WaitsFor() *Holder { return db.waitsFor.Load() }

// reportWait is called when the wait for a turn has become long.
func (db *DB) reportWait(h Holder) {
	db.waitsFor.Store(&h)
	db.engine.Setup().Notice(h.Told(db.world.Clock.Now()))
}

// sound returns the known damage of a database: nothing is written to it, whatever part a write would touch. If nothing
// inspects the database in this process, sound inspects it now, so that a repair is noticed.
func (db *DB) sound(was *history) error {
	if was == nil {
		return nil // the write reports what it runs into
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

// snapshot returns a snapshot with a schema that this binary knows, after a migration if the engine migrates by itself.
func (db *DB) snapshot(ctx context.Context, r Request) (*admitted, error) {
	for tries := 0; ; tries++ {
		was := db.seen.Load()
		s, err := db.take(ctx, r, was.newest())
		if err != nil {
			return nil, was.lost(err)
		}
		if was == nil && db.recollect(s.Head()) {
			db.end(s)
			continue
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

// reconcile handles a schema that is not this binary's: it migrates, or refuses.
func (db *DB) reconcile(ctx context.Context, have, tries int) error {
	if have > db.engine.Latest() {
		return fault.Unready("the database has schema version %d and this tasker knows %d", have, db.engine.Latest()).
			WithHint("get a newer tasker: %s; or go back to the state before the upgrade: an SQLite file was copied to a file next to it that ends in .v%d.backup, "+
				"and for PostgreSQL you have your own backup", hint.Command("upgrade"), db.engine.Latest())
	}
	if tries > 2 {
		return fault.Unready("the database's schema stays at version %d although it was migrated to %d", have, db.engine.Latest()).
			WithHint("check whether another program changes the same database: %s", hint.Command("db status"))
	}
	db.beforeWriting()
	_, _, err := db.engine.Migrate(ctx, false)
	return err
}

// Version returns the schema version of the database, even a newer one; 0 if there is no database yet.
func (db *DB) Version(ctx context.Context) (int, error) {
	if err := db.enter(); err != nil {
		return 0, err
	}
	defer db.reading.End()
	if db.engine.Absent() {
		return 0, nil
	}
	s, err := db.take(ctx, Request{}, Point{})
	if err != nil {
		return 0, err
	}
	defer db.end(s)
	return s.Head().Schema, nil
}

// Migrate migrates the database to the schema of this binary. It succeeds if nothing is left to do.
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

// Close accepts no new work, waits until all accepted work is answered, and closes the database.
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
	db.rememberLast()
	db.turning <- struct{}{} // closing locks the file too, so a process must not be suspended in it
	defer func() { <-db.turning }()
	return db.engine.Close()
}

// drain returns when all that wait for a turn have been answered. After a while it stops waiting for other processes.
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
