package sqlite

import (
	"context"
	"errors"
	"strings"

	"tasker/internal/db"
	"tasker/internal/fault"
)

// Begin waits for the other processes and begins the turn. It creates a missing file.
func (e *Engine) Begin(ctx context.Context, a db.Asking) (db.Tx, error) {
	e.turn.Lock()
	t, err := e.begin(ctx, a)
	if err != nil {
		e.turn.Unlock()
		return nil, err
	}
	return t, nil
}

// begin is Begin with the engine's own lock held.
func (e *Engine) begin(ctx context.Context, a db.Asking) (*tx, error) {
	if err := e.take(ctx, a); err != nil {
		return nil, err
	}
	t := &tx{e: e, conn: e.writer}
	t.stats, t.err = db.Stats{}, nil
	err := t.do("BEGIN IMMEDIATE")
	if err == nil {
		if t.head, err = t.conn.head(e.world.Clock.Now().UnixMicro(), a.Recall); err != nil {
			t.back()
		} else {
			t.met.know(t.head)
		}
	}
	if err != nil {
		e.queue.Give()
		return nil, err
	}
	t.within = true
	return t, nil
}

// take waits until this process may write, and prepares the writer's connection. The lock is held if it succeeds.
func (e *Engine) take(ctx context.Context, a db.Asking) error {
	file, err := e.present()
	if err != nil {
		return err
	}
	if e.writer != nil && !e.same(e.writer.file, file) {
		e.forget() // the file was removed or replaced: what is open leads nowhere
	}
	if file == nil {
		if a.Known {
			return gone(e.path)
		}
		if err := e.create(); err != nil {
			return err
		}
		if file, err = e.world.Files.Lstat(e.path); err != nil {
			return e.pathError(err)
		}
		if err := e.acquaint(file); err != nil {
			return err
		}
	}
	if e.queue == nil {
		if e.queue, err = e.world.Locks.Queue(e.path); err != nil {
			return e.explain(err)
		}
	}
	if err := e.queue.Take(ctx, a); err != nil {
		return e.held(err)
	}
	if e.writer == nil {
		e.writer, err = e.openWriter()
	} else {
		err = e.whole()
	}
	if err != nil {
		e.queue.Give()
	}
	return err
}

// held says why the turn could not be taken.
func (e *Engine) held(err error) error {
	switch {
	case errors.Is(err, db.ErrHeld):
		return e.queue.Holder().Refusal(e.world.Clock.Now())
	case errors.Is(err, context.Canceled), errors.Is(err, context.DeadlineExceeded):
		return fault.Of(err)
	}
	return e.pathError(err)
}

func (e *Engine) forget() {
	_ = e.writer.close()
	e.queue.Close()
	e.writer, e.queue = nil, nil
}

// openWriter opens the one connection that writes. It does not touch a file of another program.
func (e *Engine) openWriter() (*conn, error) {
	file, err := e.world.Files.Lstat(e.path) // it may not be the one that present returned, nor have its mode
	if err != nil {
		return nil, e.pathError(err)
	}
	c, err := e.stay(file, (*conn).prepareToWrite)
	if err == nil {
		e.used(c)
	}
	return c, err
}

func (c *conn) prepareToWrite() error {
	h, err := c.head(0, db.Point{})
	if err != nil {
		return err
	}
	if h.Schema > 0 { // SQLite silently opens a read-only file, and then lets turns begin on it
		if err := c.once("UPDATE turn SET id = id WHERE id = 0"); err != nil {
			return err
		}
	}
	before, err := c.text("PRAGMA journal_mode")
	if err != nil {
		return err
	}
	if h.Schema > 0 && !strings.EqualFold(before, "wal") { // a copy that SQLite made: it has the mark of its origin
		if err := c.once("PRAGMA user_version = 0"); err != nil {
			return err
		}
	}
	mode, err := c.text("PRAGMA journal_mode = WAL")
	if err != nil {
		return err
	}
	if !strings.EqualFold(mode, "wal") {
		return fault.Decline("the database %s is on a file system where readers and writers cannot share it (its journal stays %q)", c.path, mode).
			WithHint("put it on a local disk")
	}
	for _, pragma := range []string{
		"PRAGMA synchronous = FULL",
		"PRAGMA foreign_keys = ON",
		"PRAGMA temp_store = MEMORY", // a savepoint's journal too
		"PRAGMA cache_size = -16384",
		"PRAGMA wal_autocheckpoint = 0", // see tidier
		"PRAGMA journal_size_limit = 16777216",
	} {
		if err := c.once(pragma); err != nil {
			return err
		}
	}
	return c.identify()
}

// tx implements db.Tx.
type tx struct {
	*conn
	e     *Engine
	head  db.Head
	saved bool // the open member has its savepoint
	ended bool
}

func (t *tx) Head() db.Head { return t.head }

func (t *tx) Savepoint() error {
	if t.err == nil {
		t.err = t.do("SAVEPOINT member")
		t.saved = t.err == nil
	}
	return t.err
}

func (t *tx) Release() error {
	if t.err == nil {
		t.err = t.do("RELEASE member")
		t.saved = t.err != nil
	}
	return t.err
}

// Late returns nothing: no statement waits.
func (t *tx) Late() (int, error) { return 0, nil }

func (t *tx) RollbackTo() error {
	saved := t.saved
	t.err, t.saved = nil, false
	if !saved || t.Gone() {
		return nil
	}
	if err := t.do("ROLLBACK TO member"); err != nil {
		return err
	}
	return t.do("RELEASE member")
}

func (t *tx) Commit(h db.Head) error {
	if h.LastEvent != t.head.LastEvent {
		sql, args := db.SaveHead(h)
		_ = t.Exec(1, sql, args...)
	}
	err := t.err
	if err == nil {
		err = t.do("COMMIT")
	}
	if err == nil {
		err = t.e.whole() // otherwise nobody can find what was written
	}
	t.end()
	return err
}

func (t *tx) Rollback() {
	if !t.ended {
		t.end()
	}
}

// Confirm returns false: what a commit would meet is met by taking the turn.
func (t *tx) Confirm() (waits bool) { return false }

func (t *tx) Gone() bool { return t.ended || t.db.AutocommitEnabled() }

// end leaves no transaction behind, gives the turn to the next process, and the connection to the next turn.
func (t *tx) end() {
	t.back()
	t.ended, t.err, t.within = true, nil, false
	t.e.queue.Give()
	t.e.turn.Unlock()
}

// back rolls back what is open. If even that fails, the connection is not used again.
func (t *tx) back() {
	if !t.db.AutocommitEnabled() && t.do("ROLLBACK") != nil {
		_ = t.conn.close()
		t.e.writer = nil
	}
}
