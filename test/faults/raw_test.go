package faults

import (
	"context"
	"fmt"
	"slices"
	"strings"

	"tasker/internal/store"
	"tasker/internal/store/postgres"
	"tasker/internal/store/sqlite"
)

// engine opens the database below the records, for looks at the rows themselves.
func (w *world) engine() store.Engine {
	w.Helper()
	var e store.Engine
	var err error
	if w.postgres() {
		e, err = postgres.Open(w.db, store.Setup{})
	} else {
		e, err = sqlite.Open(w.db, store.Setup{})
	}
	w.must(err)
	w.Cleanup(func() {
		if err := e.Close(); err != nil {
			w.Error(err)
		}
	})
	return e
}

// settled waits until nothing that a killed process had begun can still be committed: what can has the turn.
func (w *world) settled(e store.Engine) {
	w.Helper()
	tx, err := e.Begin()
	w.must(err)
	tx.Rollback()
}

// query reads rows outside of any operation.
func (w *world) query(e store.Engine, sql string, row func(store.Row)) {
	w.Helper()
	snap, err := e.Snapshot(context.Background())
	w.must(err)
	defer snap.End()
	w.must(snap.Query(sql, nil, func(r store.Row) error { row(r); return nil }))
}

// rows counts the rows of every table, and adds the row that every turn writes: what it says is the same where
// nothing was written in between.
func (w *world) rows(e store.Engine) string {
	w.Helper()
	w.settled(e)
	tables := `SELECT name FROM sqlite_master WHERE type = 'table'`
	if w.postgres() {
		tables = `SELECT tablename::text FROM pg_tables WHERE schemaname = current_schema()`
	}
	var names, out []string
	w.query(e, tables, func(r store.Row) { names = append(names, r.Text(0)) })
	slices.Sort(names)
	if !slices.Contains(names, "frontier") {
		w.Fatalf("the tables are %v", names)
	}
	for _, name := range names {
		w.query(e, `SELECT COUNT(*) FROM `+name, func(r store.Row) { out = append(out, fmt.Sprintf("%s %d", name, r.Int(0))) })
	}
	w.query(e, `SELECT schema_version, event_id, at FROM turn`, func(r store.Row) {
		out = append(out, fmt.Sprintf("turn: schema %d, event %d, at %d", r.Int(0), r.Int(1), r.Int(2)))
	})
	return strings.Join(out, "\n")
}
