package dump

import (
	"fmt"
	"slices"
	"strings"

	"tasker/internal/db"
	"tasker/internal/fault"
	"tasker/internal/store"
	"tasker/internal/store/recount"
	"tasker/internal/task"
	"tasker/internal/task/query"
)

// LoadRecords writes every record that next returns, until it returns none, and then computes what
// is derived from them. It needs a turn of its own, and a database without projects and events.
func LoadRecords(tx *store.Tx, of query.Dumped, next func() (*query.Record, error)) (int, error) {
	if of.Schema != tx.Turn.Schema {
		return 0, fault.Decline("the export has schema version %d, and this database has %d", of.Schema, tx.Turn.Schema).
			WithHint("import it with the tasker that wrote it, and upgrade after that")
	}
	if tx.Turn.LastEvent != 0 {
		return 0, fault.Decline("the database is not empty: it has events").WithHint("name a new database")
	}
	all, err := tables(store.Schema())
	if err != nil {
		return 0, err
	}
	open, err := vacate(tx, all)
	if err != nil {
		return 0, err
	}
	l := &loading{w: tx, tables: all, of: of}
	for {
		rec, err := next()
		if err != nil {
			return l.n, err
		}
		if rec == nil {
			break
		}
		if err := l.add(rec); err != nil {
			return l.n, err
		}
	}
	if err := l.flush(); err != nil {
		return l.n, err
	}
	tx.Turn.LastEvent = of.LastEvent
	reopen(tx, open)
	return l.n, complete(tx, l.slugs)
}

// lease says who delivers to a channel of the target database.
type lease struct {
	channel, holder string
	until           int64
}

// vacate empties the tables of records and returns the channels that were in them. A database
// without projects and events has rows only in tables without projects: how far a reader or a
// channel has come in a log that is empty.
func vacate(tx *store.Tx, all []*table) (open []lease, err error) {
	open, err = db.All(tx.C, `SELECT id, holder, expires_at FROM channel ORDER BY id`, nil,
		db.Read3(func(id, holder string, until int64) lease { return lease{id, holder, until} }))
	for _, t := range all {
		if err == nil && t.scope() == "" {
			err = tx.C.Exec(db.Any, "DELETE FROM "+t.name)
		}
	}
	return open, err
}

// reopen puts back the channels that were here. A channel in the imported records continues from
// its position there; any other begins at the end of the log, because it is not sent what happened
// before it was declared. Leases stay those of this database.
func reopen(tx *store.Tx, open []lease) {
	for _, c := range open {
		tx.Exec(1, `INSERT INTO channel (id, cursor, stalls, holder, expires_at) VALUES ($1,$2,$3,$4,$5)
			ON CONFLICT (id) DO UPDATE SET holder=excluded.holder, expires_at=excluded.expires_at`,
			c.channel, tx.Turn.LastEvent, tx.Turn.Now, c.holder, c.until)
	}
}

// complete computes what is derived from the records of the projects.
func complete(tx *store.Tx, slugs []string) error {
	for _, slug := range slugs {
		p, err := tx.Loaded(slug)
		if err != nil {
			return err
		}
		if _, err := tx.Places.Order(p.Front, task.Order{}); err != nil { // as in a new project: without an order no task has a route
			return err
		}
		graph, flow := p.Rec.GraphVersion, p.Rec.FlowVersion
		if err := recount.Complete(tx, p); err != nil {
			return err
		}
		p.Rec.GraphVersion, p.Rec.FlowVersion = graph, flow // nobody has seen them yet
	}
	return nil
}

// loading writes records, several at a time.
type loading struct {
	w      *store.Tx
	of     query.Dumped
	tables []*table // in the order of records

	at    int    // index of the table being written
	table *table // nil before the first
	rows  [][]any
	bytes int
	n     int // records so far
	slugs []string
}

// fault returns the refusal of a record.
func (l *loading) fault(format string, args ...any) error {
	return fault.Bad("record %d: %s", l.n, fmt.Sprintf(format, args...)).WithHint("export it again: this file was changed or truncated; nothing was written")
}

// add takes a record. Tables come in order, so that everything a record refers to exists.
func (l *loading) add(rec *query.Record) error {
	l.n++
	if l.table == nil || l.table.name != rec.Table {
		at := slices.IndexFunc(l.tables, func(t *table) bool { return t.name == rec.Table })
		if at < 0 {
			return l.fault("there is no table %q", rec.Table)
		}
		if err := l.flush(); err != nil {
			return err
		}
		if at < l.at {
			return l.fault("%s comes after %s", rec.Table, l.table.name)
		}
		l.at, l.table = at, l.tables[at]
	}
	row, err := l.row(l.table, rec)
	if err != nil {
		return err
	}
	if l.rows = append(l.rows, row); len(l.rows) >= atOnce || l.bytes > inBytes {
		return l.flush()
	}
	return nil
}

// row returns the values of a record in the order of the columns.
func (l *loading) row(t *table, rec *query.Record) ([]any, error) {
	if len(rec.Columns) != len(t.columns) {
		return nil, l.fault("%s has %d columns, and this has %d", t.name, len(t.columns), len(rec.Columns))
	}
	row := make([]any, len(t.columns))
	for i, c := range t.columns {
		k := i
		if rec.Columns[i] != c.name {
			if k = slices.Index(rec.Columns, c.name); k < 0 {
				return nil, l.fault("%s has no %s", t.name, c.name)
			}
		}
		switch v := rec.Values[k].(type) {
		case nil:
			if !c.null {
				return nil, l.fault("%s of %s is null", c.name, t.name)
			}
		case string:
			if !c.text || strings.ContainsRune(v, 0) {
				return nil, l.fault("%s of %s has a text that is not allowed", c.name, t.name)
			}
			l.bytes += len(v)
		case int64:
			if c.text {
				return nil, l.fault("%s of %s is a number, and must be a text", c.name, t.name)
			}
			if t.name == "event" && c.name == "id" && v > l.of.LastEvent {
				return nil, l.fault("event %d is newer than the newest, %d", v, l.of.LastEvent)
			}
		}
		row[i] = rec.Values[k]
		if t.name == "project" && c.name == "slug" {
			l.slugs = append(l.slugs, fmt.Sprint(row[i]))
		}
	}
	l.bytes += 16 * len(row)
	return row, nil
}

// flush writes the rows collected so far.
func (l *loading) flush() error {
	if len(l.rows) == 0 {
		return nil
	}
	rows := l.rows
	l.rows, l.bytes = l.rows[:0:0], 0
	return l.w.C.Bulk(l.table.name, l.table.names(), len(rows), func(i int) []any { return rows[i] })
}
