package sqlite

import (
	"context"
	"strings"

	"tasker/internal/db"
	"tasker/internal/fault"
)

// Copy copies a snapshot of the database, on a separate connection: writers are not blocked.
func (e *Engine) Copy(ctx context.Context, path string) error {
	file, err := e.present()
	if err != nil {
		return err
	}
	if file == nil {
		return fault.Missing("there is no database at %s", e.path)
	}
	c, err := e.open(file)
	if err != nil {
		return err
	}
	defer func() { _ = c.close() }()
	c.db.SetInterrupt(ctx.Done())
	if err := c.Exec(db.Any, "VACUUM INTO $1", path); err != nil {
		if ctx.Err() != nil {
			return fault.Of(ctx.Err())
		}
		return err
	}
	return nil
}

// Vacuum rewrites the file without the space of removed records. Other processes wait during that time.
func (e *Engine) Vacuum(ctx context.Context) error {
	e.turn.Lock()
	defer e.turn.Unlock()
	if err := e.take(ctx, e.setup.Asking("vacuum of the database")); err != nil {
		return err
	}
	defer e.queue.Give()
	for _, sql := range []string{"VACUUM", "PRAGMA optimize"} {
		if err := e.writer.once(sql); err != nil {
			return err
		}
	}
	_, _, err := e.writer.checkpoint("PRAGMA wal_checkpoint(TRUNCATE)")
	return err
}

// Alone reports whether no other process has the file open. It folds the log into the file.
func (e *Engine) Alone(context.Context) (bool, error) {
	e.turn.Lock()
	defer e.turn.Unlock()
	e.pool.close()
	if e.writer != nil {
		e.forget()
	}
	file, err := e.present()
	if err != nil || file == nil {
		return true, err
	}
	c, err := e.open(file)
	if err != nil {
		return false, err
	}
	defer func() { _ = c.close() }()
	mode, err := c.text("PRAGMA journal_mode = DELETE") // refused while another process has it open
	c.err = nil
	return err == nil && strings.EqualFold(mode, "delete"), nil
}
