package faults

import (
	"context"
	"slices"
	"strings"

	"tasker/internal/db"
	"tasker/internal/db/postgres"
	"tasker/internal/db/sqlite"
	"tasker/internal/store"
)

// engine opens the database below the records until the end of the test, to read the rows themselves.
func (w *world) engine() db.Engine {
	w.Helper()
	e := w.open()
	w.Cleanup(func() {
		if err := e.Close(); err != nil {
			w.Error(err)
		}
	})
	return e
}

func (w *world) open() db.Engine {
	w.Helper()
	var e db.Engine
	var err error
	if w.postgres() {
		e, err = postgres.Open(w.db, db.Setup{Migrations: store.Schema()})
	} else {
		e, err = sqlite.Open(w.db, db.Setup{Migrations: store.Schema()})
	}
	w.must(err)
	return e
}

// settled waits until nothing that a killed process had begun can still be committed: that would hold the turn.
func (w *world) settled(e db.Engine) {
	w.Helper()
	tx, err := e.Begin(context.Background(), e.Setup().Asking("test"))
	w.must(err)
	tx.Rollback()
}

// query reads rows outside of any operation.
func (w *world) query(e db.Engine, sql string, row func(db.Row)) {
	w.Helper()
	snap, err := e.Snapshot(context.Background(), patience, db.Point{})
	w.must(err)
	defer snap.End()
	w.must(snap.Query(sql, nil, func(r db.Row) error { row(r); return nil }))
}

// indexParts are the tables in which SQLite stores a text index; how much is in them depends on when it tidies up.
var indexParts = []string{"config", "content", "data", "docsize", "idx"}

// rows counts the rows of every table, and adds the row that every turn writes: the result is the same if nothing was
// written in between. No connection is left behind.
func (w *world) rows() map[string]int64 {
	w.Helper()
	e := w.open()
	defer func() { w.must(e.Close()) }()
	w.settled(e)
	tables := `SELECT name FROM sqlite_master WHERE type = 'table'`
	if w.postgres() {
		tables = `SELECT tablename::text FROM pg_tables WHERE schemaname = current_schema()`
	}
	var names []string
	w.query(e, tables, func(r db.Row) { names = append(names, r.Text(0)) })
	slices.Sort(names)
	if !slices.Contains(names, "frontier") {
		w.Fatalf("the tables are %v", names)
	}
	out := map[string]int64{}
	for _, name := range names {
		if of, part, ok := strings.Cut(name, "_"); ok && slices.Contains(names, of) && slices.Contains(indexParts, part) {
			continue
		}
		w.query(e, `SELECT COUNT(*) FROM `+name, func(r db.Row) { out[name] = r.Int(0) })
	}
	w.query(e, `SELECT event_id, at FROM turn`, func(r db.Row) { out["turn.event_id"], out["turn.at"] = r.Int(0), r.Int(1) })
	return out
}

// grown returns how much each count grew, without the counts that did not.
func grown(before, after map[string]int64) map[string]int64 {
	out := map[string]int64{}
	for name, n := range after {
		if n != before[name] {
			out[name] = n - before[name]
		}
	}
	return out
}
