package eventlog

import (
	"math"
	"slices"
	"strconv"
	"strings"

	"tasker/internal/task/query"
)

// walk is a walk of the log by id, among events that share the values of the leading columns of an index.
type walk struct {
	lead   []string
	values []any
	cond   []string // further conditions, with their arguments
	args   []any
	newest bool // newest first
}

func (w *walk) along(column string, v any) {
	w.lead, w.values = append(w.lead, column), append(w.values, v)
}

// statement returns the walk as a range of the index. If a leading column is compared for equality, PostgreSQL may walk
// by id through all events to find those of a quiet project; so there a leading column is part of the range's ends, and
// only one index has that order. PostgreSQL ends a walk where the first column of a row value changes, so of two
// leading columns the second goes there. SQLite keeps equality, because it would not use an id at the end of a row
// value.
func (w *walk) statement(q query.Events, give string, inPlaces bool) (string, []any) {
	after, until := int64(0), int64(math.MaxInt64)
	if q.SinceID != nil {
		after = *q.SinceID
	}
	after = max(after, q.From-1)
	if q.BeforeID != nil {
		until = *q.BeforeID - 1
	}
	cond, args, place := slices.Clone(w.cond), slices.Clone(w.args), []string{}
	add := func(v any) string {
		args = append(args, v)
		return `$` + strconv.Itoa(len(args))
	}
	equal := len(w.lead) // how many leading columns are compared for equality
	if inPlaces {
		equal = max(0, len(w.lead)-1)
	}
	for i, column := range w.lead {
		v := add(w.values[i])
		if i < equal {
			is := column + `=` + v
			if i > 0 && !inPlaces {
				is = `unlikely(` + is + `)` // SQLite has no statistics, and would consider the index without this column just as good
			}
			cond = append(cond, is)
		} else {
			place = append(place, v+`, `)
		}
	}
	columns, lead := append(slices.Clone(w.lead[equal:]), `id`), strings.Join(place, ``)
	at, direction := strings.Join(columns, `, `), ``
	cond = append(cond, `(`+at+`)>(`+lead+add(after)+`)`, `(`+at+`)<=(`+lead+add(until)+`)`)
	if w.newest {
		direction = ` DESC`
	}
	sql := `SELECT ` + give + ` FROM event WHERE ` + strings.Join(cond, ` AND `) + ` ORDER BY ` + strings.Join(columns, direction+`, `) + direction
	if q.Limit > 0 {
		sql += ` LIMIT ` + strconv.Itoa(q.Limit)
	}
	return sql, args
}
