package sqlite

import (
	"context"
	"sync/atomic"

	"tasker/internal/db"
)

// longLog is how many pages the write-ahead log may hold before they are moved into the file: 12 MB. A page that many turns
// change is moved once.
const longLog = 3000

// rest is how many turns pass between two checks of the log; the first turn of a process checks.
const rest = 16

var background = context.Background()

// tidier keeps the write-ahead log short without delaying any answer. A checkpoint that runs alongside the writer moves
// most of the log while nobody waits. Under load it never reaches the end, so when it is done, the writer moves the few
// pages that were added in the meantime between two turns, and starts the log over.
type tidier struct {
	running db.Underway
	turns   int
	busy    atomic.Bool
	nearly  atomic.Bool
	marking bool // the mark of use is not in the file yet
}

// Settle returns when no checkpoint is running: a process that is stopped in one may block others that open or close the
// file.
func (e *Engine) Settle() { e.tidy.running.Drain(e.world.Waiting) }

// Tidy is called between turns.
func (e *Engine) Tidy() {
	e.turn.Lock()
	defer e.turn.Unlock()
	due := e.tidy.turns%rest == 0 || e.tidy.nearly.Load() || e.tidy.marking
	e.tidy.turns++
	if !due || e.writer == nil || e.tidy.busy.Load() || e.whole() != nil { // the log may belong to another file now
		return
	}
	if e.doubtful(e.writer) == nil && e.serving.Load() {
		settled, _ := e.mark(background, true)
		e.tidy.marking = !settled // tried again after the next turn
	}
	mode := "PRAGMA wal_checkpoint(NOOP)"
	if e.tidy.nearly.Swap(false) {
		mode = "PRAGMA wal_checkpoint(PASSIVE)"
	}
	if log, moved, err := e.writer.checkpoint(mode); err == nil && log >= longLog && moved < log {
		e.startCheckpoint()
	}
}

// startCheckpoint moves the log into the writer's file, in the background.
func (e *Engine) startCheckpoint() {
	t, file := &e.tidy, e.writer.file
	t.busy.Store(true)
	t.running.Begin()
	e.world.Start.Go(func() {
		defer t.running.End()
		defer t.busy.Store(false)
		c, err := e.open(file)
		if err != nil {
			return
		}
		defer func() { _ = c.close() }()
		if _, _, err := c.checkpoint("PRAGMA wal_checkpoint(PASSIVE)"); err == nil {
			t.nearly.Store(true)
		}
	})
}

// checkpoint returns the number of pages in the log, and how many of them are already in the file.
func (c *conn) checkpoint(pragma string) (log, moved int, err error) {
	err = c.one(pragma, nil, func(s *stmt) { log, moved = s.ColumnInt(1), s.ColumnInt(2) })
	return log, moved, err
}
