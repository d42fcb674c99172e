package store

import (
	"tasker/internal/db"
	"tasker/internal/task"
	"tasker/internal/task/query"
)

// This file counts in SQL how a project grew and was closed, so that a large project needs no task loaded for it.

// FirstCreated returns when the first task of a project was created, or zero if it has none.
func (tx *Tx) FirstCreated(slug string) (task.Time, error) {
	p, err := tx.Find(slug)
	if err != nil {
		return 0, err
	}
	first, err := db.Value[int64](tx.C, `SELECT CAST(COALESCE(MIN(created_at), 0) AS BIGINT) FROM task WHERE project=$1`, p.ID)
	return task.Time(first), err
}

// CreatedBySpan counts the tasks of a project by creation time, in n consecutive spans. The first span also has
// everything before it, and the last everything after.
func (tx *Tx) CreatedBySpan(slug string, s query.Spans) ([]int, error) {
	return tx.countSpans(slug, `created_at`, ``, s)
}

// ClosedBySpan counts the tasks with a closed status by when they were closed, as CreatedBySpan does.
func (tx *Tx) ClosedBySpan(slug string, status task.Status, s query.Spans) ([]int, error) {
	return tx.countSpans(slug, `closed_at`, ` AND status=`+literal(status)+` AND closed_at>0`, s)
}

func (tx *Tx) countSpans(slug, column, what string, s query.Spans) ([]int, error) {
	p, err := tx.Find(slug)
	if err != nil {
		return nil, err
	}
	out := make([]int, s.N)
	// A span includes the moment that it begins at, and everything up to the next one.
	return out, tx.C.Query(`SELECT span, COUNT(*) FROM (SELECT CASE WHEN `+column+`<$2 THEN 0 WHEN `+column+`>=$3 THEN $4 ELSE (`+column+`-$2)/$5 END AS span
		FROM task WHERE project=$1`+what+`) spans GROUP BY span`,
		[]any{p.ID, int64(s.From), int64(s.From) + int64(s.Each)*int64(s.N), int64(s.N - 1), int64(s.Each)}, db.Scan2(func(span, n int) error {
			out[span] += n
			return nil
		}))
}

// Underway returns the open tasks of a project that have been started or have a gate, with only those fields.
func (tx *Tx) Underway(slug string, limit int) ([]query.Underway, error) {
	p, err := tx.Find(slug)
	if err != nil {
		return nil, err
	}
	return db.All(tx.C, `SELECT id, gate, CASE WHEN holder IS NOT NULL THEN claimed_at WHEN status<>'open' THEN updated_at ELSE 0 END FROM task
		WHERE project=$1 AND status<>'done' AND status<>'cancelled' AND (holder IS NOT NULL OR status<>'open' OR gate<>'') ORDER BY id LIMIT $2`,
		[]any{p.ID, int64(limit)}, db.Read3(func(key int64, gate string, began int64) query.Underway {
			return query.Underway{Task: p.TaskID(key), Gate: gate, Began: task.Time(began)}
		}))
}

// Parts counts the parts of every task of a project that has any.
func (tx *Tx) Parts(slug string) (map[task.ID]query.Parts, error) {
	p, err := tx.Find(slug)
	if err != nil {
		return nil, err
	}
	out := map[task.ID]query.Parts{}
	return out, tx.C.Query(`SELECT parent, COUNT(*), SUM(CASE WHEN status='done' OR status='cancelled' THEN 1 ELSE 0 END) FROM task
		WHERE project=$1 AND parent IS NOT NULL GROUP BY parent`, []any{p.ID}, db.Scan3(func(key int64, all, closed int) error {
		out[p.TaskID(key)] = query.Parts{All: all, Closed: closed}
		return nil
	}))
}
