package sqlite

import (
	"context"
	"fmt"

	"zombiezen.com/go/sqlite"

	"tasker/internal/db"
)

// wholePages is how many pages are checked in one go: 64 MB. A larger file is checked table by table.
const wholePages = 16_000

// met records an error that indicates damage. Readiness reports it, because the next requests will run into it too.
func met(d *db.Damage, err error) {
	if err == nil {
		return
	}
	if c := sqlite.ErrCode(err).ToPrimary(); c == sqlite.ResultCorrupt || c == sqlite.ResultNotADB {
		d.Add(err)
	}
}

// Damage returns what was found broken in the file, until an inspection finds nothing.
func (e *Engine) Damage() error {
	if found := e.damage.Found(); found != nil {
		return damaged(e.path).WithCause(found)
	}
	return nil
}

// How to check a file. A server's repeated check does not compare indexes with their tables, which takes many times as
// long.
const (
	quickly    = "quick_check"
	thoroughly = "integrity_check"
)

// Examine checks the file once, including indexes.
func (e *Engine) Examine(ctx context.Context) error {
	e.damage.Look(ctx, func(ctx context.Context) bool { return e.inspect(ctx, thoroughly, wholePages) })
	return e.Damage()
}

// Inspect checks the file again and again. It works for a twentieth of its time.
func (e *Engine) Inspect(ctx context.Context) {
	done := e.serve(ctx)
	defer done()
	e.damage.Watch(ctx, e.world, func(ctx context.Context) bool { return e.inspect(ctx, quickly, wholePages) })
}

// inspect checks the file once, on a separate connection, and reports whether it saw all of it and found it intact. A file
// of more pages than atOnce is checked table by table.
func (e *Engine) inspect(ctx context.Context, how string, atOnce int64) bool {
	file, err := e.present()
	if err != nil || file == nil {
		return false
	}
	c, err := e.open(file)
	if err != nil {
		met(&e.damage, err)
		return false
	}
	defer func() { _ = c.close() }()
	c.db.SetInterrupt(ctx.Done())
	parts, err := c.parts(atOnce)
	if err != nil {
		return false
	}
	for _, part := range parts {
		began := e.world.Clock.Now()
		said, err := c.text("PRAGMA " + how + part)
		if err != nil {
			return false
		}
		if said != "ok" {
			e.damage.Add(fmt.Errorf("%s: %s", how, said))
			return false
		}
		if len(parts) > 1 && e.world.Waiting.Sleep(ctx, db.InspectShare*e.world.Clock.Now().Sub(began)) != nil {
			return false
		}
	}
	return true
}

// parts returns the arguments of the checks that together cover the whole file.
func (c *conn) parts(atOnce int64) ([]string, error) {
	pages, err := c.number("PRAGMA page_count")
	if err != nil || pages <= atOnce {
		return []string{"(1)"}, err
	}
	tables, err := db.Values[string](c, `SELECT '(' || quote(name) || ')' FROM sqlite_schema WHERE type = 'table' AND rootpage > 0 ORDER BY name`)
	return append([]string{"('sqlite_schema')"}, tables...), err
}
