package sqlite

import (
	"context"

	"tasker/internal/db"
)

// Additions returns the triggers, views and virtual tables in the file that are not ours, in words. A trigger runs with our
// statements, and a view may stand where a table was. It reads nothing but the schema, so that none of them runs.
func (e *Engine) Additions(ctx context.Context) ([]string, error) {
	file, err := e.present()
	if err != nil || file == nil {
		return nil, err
	}
	c, err := e.open(file)
	if err != nil {
		return nil, err
	}
	defer func() { _ = c.close() }()
	c.db.SetInterrupt(ctx.Done())
	return db.Values[string](c, `SELECT CASE type WHEN 'table' THEN 'virtual table' ELSE type END || ' ' || quote(name) FROM sqlite_schema
		WHERE type IN ('trigger', 'view') OR type = 'table' AND rootpage = 0 AND name <> 'words' ORDER BY type, name`)
}
