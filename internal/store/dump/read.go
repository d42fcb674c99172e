package dump

import (
	"errors"
	"fmt"
	"slices"
	"strings"

	"tasker/internal/db"
	"tasker/internal/store"
	"tasker/internal/task/query"
)

const (
	atOnce  = 1000    // rows per query
	inBytes = 1 << 20 // roughly, of rows held in memory
)

// Dumped says which database this is. It refuses a missing database or project, before the caller
// has written the head of a document.
func Dumped(tx *store.Tx, project string) (query.Dumped, error) {
	_, err := only(tx, project)
	return query.Dumped{Schema: tx.Head.Schema, LastEvent: tx.Head.LastEvent, Instance: tx.Head.Instance, Generation: tx.Head.Generation}, err
}

// only returns the row id of the requested project, or 0 for all projects.
func only(tx *store.Tx, project string) (int64, error) {
	if tx.Head.Absent != "" {
		return 0, store.NoDatabase(tx.Head.Absent)
	}
	if project == "" {
		return 0, nil
	}
	p, err := tx.Find(project)
	if err != nil {
		return 0, err
	}
	return p.ID, nil
}

// EachRecord calls yield with every record of a project, or of the whole database, table by table
// in an order in which they can be written again. No statement is open during the call, so yield
// may take its time. Without outputs, what runs printed is left out.
func EachRecord(tx *store.Tx, project string, outputs bool, yield func(query.Record) error) error {
	only, err := only(tx, project)
	if err != nil {
		return err
	}
	all, err := tables(store.Schema())
	for _, t := range all {
		if err == nil && (only == 0 || t.scope() != "") && (t.name != "evidence_output" || outputs) {
			err = each(tx, t, only, yield)
		}
	}
	return err
}

// errFull ends a page whose rows use enough memory.
var errFull = errors.New("the page is full")

// each reads a table in the order of its key, one page at a time.
func each(tx *store.Tx, t *table, project int64, yield func(query.Record) error) error {
	names := t.names()
	var after []any
	for {
		sql, args := t.page(project, after)
		var rows [][]any
		bytes := 0
		err := tx.C.Query(sql, args, func(row db.Row) error {
			values := make([]any, len(t.columns))
			for i, c := range t.columns {
				bytes += 16
				switch {
				case c.null && row.Null(i):
				case c.text:
					text := row.Text(i)
					bytes += len(text)
					values[i] = text
				default:
					values[i] = row.Int(i)
				}
			}
			if rows = append(rows, values); bytes > inBytes {
				return errFull
			}
			return nil
		})
		full := errors.Is(err, errFull)
		if err != nil && !full {
			return err
		}
		for _, values := range rows {
			if err := yield(query.Record{Table: t.name, Columns: names, Values: values}); err != nil {
				return err
			}
		}
		if len(rows) < atOnce && !full {
			return nil
		}
		after = t.keyOf(rows[len(rows)-1])
	}
}

// page returns the query for the rows after a key.
func (t *table) page(project int64, after []any) (string, []any) {
	var where []string
	var args []any
	if project != 0 {
		args = append(args, project)
		where = append(where, t.scope())
	}
	if after != nil {
		where = append(where, "("+strings.Join(t.key, ", ")+") > "+db.In(len(args)+1, len(after)))
		args = append(args, after...)
	}
	sql := "SELECT " + strings.Join(t.names(), ", ") + " FROM " + t.name
	if len(where) > 0 {
		sql += " WHERE " + strings.Join(where, " AND ")
	}
	return fmt.Sprintf("%s ORDER BY %s LIMIT %d", sql, strings.Join(t.key, ", "), atOnce), args
}

func (t *table) keyOf(values []any) []any {
	var out []any
	for _, name := range t.key {
		out = append(out, values[slices.Index(t.names(), name)])
	}
	return out
}
