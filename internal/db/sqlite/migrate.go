package sqlite

import (
	"context"
	"errors"
	"fmt"
	"io/fs"

	"tasker/internal/db"
	"tasker/internal/fault"
)

// Migrate brings the file to the newest schema, asked or not. If nothing was recorded yet, it uses one transaction, so that
// a process that is killed in between leaves nothing half-made. A file that has records is copied first, next to itself.
// Other processes wait: the turn is held until the last step is committed.
func (e *Engine) Migrate(ctx context.Context, _ bool) (from, to int, err error) {
	e.turn.Lock()
	defer e.turn.Unlock()
	if err := e.take(ctx, e.setup.Asking("migration of the database")); err != nil {
		return 0, 0, err
	}
	defer e.queue.Give()
	w := e.writer
	h, err := w.head(0, db.Point{}) // no other process writes now
	if err != nil {
		return 0, 0, err
	}
	from = h.Schema
	if from >= e.Latest() {
		return from, from, nil
	}
	if h.LastEvent == 0 {
		if err := w.step(e.setup.Migrations[from:]...); err != nil {
			return from, from, err
		}
		err := w.identify()
		if err == nil {
			e.used(w) // it has an identity from now on
		}
		return from, e.Latest(), err
	}
	backup, err := e.backup(from)
	if err != nil {
		return from, from, err
	}
	for to = from; to < e.Latest(); to++ {
		if err := ctx.Err(); err != nil {
			return from, to, fault.Of(err)
		}
		if err := w.step(e.setup.Migrations[to]); err != nil {
			return from, to, err
		}
	}
	if err := w.identify(); err != nil {
		return from, to, err
	}
	e.setup.Notice(fmt.Sprintf("the database %s was migrated from schema version %d to %d; it was copied to %s first", e.path, from, to, backup))
	for _, m := range e.setup.Migrations[from:to] {
		if m.Tells == nil {
			continue
		}
		text, err := m.Tells(w)
		if w.err = nil; err != nil {
			return from, to, err
		}
		if text != "" {
			e.setup.Changes(text)
		}
	}
	return from, to, nil
}

// step runs migrations in a transaction of their own.
func (c *conn) step(all ...db.Migration) error {
	err := c.do("BEGIN IMMEDIATE")
	if err != nil {
		return err
	}
	for _, m := range all {
		if err == nil {
			err = c.migrate(m)
		}
	}
	if err == nil {
		err = c.do("COMMIT")
	}
	c.err = nil
	if err != nil && !c.db.AutocommitEnabled() {
		_ = c.do("ROLLBACK")
	}
	return err
}

func (c *conn) migrate(m db.Migration) error {
	for _, sql := range m.Statements(db.SQLite) {
		if err := c.once(sql); err != nil {
			return err
		}
	}
	if m.After != nil {
		if err := m.After(c); err != nil {
			return err
		}
	}
	return c.Exec(1, db.SetVersion, m.Version)
}

// backup copies the database to a new file next to it, and returns its path.
func (e *Engine) backup(version int) (string, error) {
	for i := 1; ; i++ {
		path := fmt.Sprintf("%s.v%d.backup", e.path, version)
		if i > 1 {
			path = fmt.Sprintf("%s.v%d.backup%d", e.path, version, i)
		}
		err := e.world.Files.Create(path)
		if errors.Is(err, fs.ErrExist) {
			continue
		}
		if err != nil {
			return "", place{e.world.Files, path, e.setup.Shell}.pathError(err)
		}
		err = e.writer.Exec(db.Any, "VACUUM INTO $1", path)
		e.writer.err = nil
		if err != nil {
			_ = e.world.Files.Remove(path) // ours, and incomplete
			return "", err
		}
		return path, nil
	}
}
