package store

import (
	"slices"
	"strconv"
	"strings"

	"tasker/internal/db"
	"tasker/internal/store/rows"
	"tasker/internal/task"
	"tasker/internal/task/query"
)

// This file reads what a plan is compared with: the tasks that it names, and only as many others as a rule needs. The
// cost depends on the document, not on the project.

// TasksByKeys returns the tasks of a project that have one of the keys, by number, without bodies and dependencies.
func (tx *Tx) TasksByKeys(slug string, keys []string) ([]*task.Task, error) {
	p, err := tx.Find(slug)
	if err != nil {
		return nil, err
	}
	refs := make([]int64, 0, len(keys))
	if err := tx.named(p, keys, func(ref int64, _ string) { refs = append(refs, ref) }); err != nil {
		return nil, err
	}
	out, err := tx.someIn(p, `SELECT `+rows.TaskColumns+` FROM task WHERE id IN KEYS`, refs)
	slices.SortFunc(out, byNumber)
	return out, err
}

// named looks up each key by itself: given a list, PostgreSQL may compare every task of the project with all of it.
func (tx *Tx) named(p *Project, keys []string, found func(ref int64, key string)) error {
	return db.Batches(keys, func(run []any) error {
		seen := map[string]bool{} // a run may end with the same key repeated
		sql := `SELECT (SELECT t.id FROM task t WHERE t.project=$1 AND t.key=w.column1), w.column1 FROM (VALUES ` + eachParam(2, len(run)) + `) w`
		return tx.C.Query(sql, append([]any{p.ID}, run...), db.Each2(func(ref *int64, key string) {
			if ref != nil && !seen[key] {
				seen[key] = true
				found(*ref, key)
			}
		}))
	})
}

// eachParam writes "($first), …" for n rows of one parameter.
func eachParam(first, n int) string { return strings.ReplaceAll(db.In(first, n), `,`, `),(`) }

// Refs returns the tasks of a project that have one of the keys or ids, each once, by number.
func (tx *Tx) Refs(slug string, keys []string, ids []task.ID) ([]query.Ref, error) {
	p, refs, err := tx.FindKeys(slug, ids)
	if err != nil {
		return nil, err
	}
	var out []query.Ref
	if err := tx.named(p, keys, func(ref int64, key string) { out = append(out, p.refOf(ref, key)) }); err != nil {
		return nil, err
	}
	byID, err := db.AllIn(tx.C, `SELECT id, key FROM task WHERE id IN KEYS`, refs, db.Read2(p.refOf))
	out = append(out, byID...)
	slices.SortFunc(out, func(a, b query.Ref) int { return task.CompareIDs(a.ID, b.ID) })
	return slices.Compact(out), err
}

// RefsAfter returns up to limit tasks of a project after one, by number; only open ones, if open is set.
func (tx *Tx) RefsAfter(slug string, after task.ID, open bool, limit int) ([]query.Ref, error) {
	p, err := tx.Find(slug)
	if err != nil {
		return nil, err
	}
	from, to := p.Span()
	if after != "" {
		if _, from, err = tx.KeyOf(after); err != nil {
			return nil, err
		}
	}
	sql, args := `SELECT id, key FROM task WHERE id>$1 AND id<=$2`, []any{from, to}
	if open { // use the index of open tasks; any other walk would read the whole project
		sql, args = sql+` AND project=$3 AND status<>'done' AND status<>'cancelled'`, append(args, p.ID)
	}
	return db.All(tx.C, sql+` ORDER BY id LIMIT `+strconv.Itoa(limit), args, db.Read2(p.refOf))
}

// CircledUnder returns the children of tasks that are marked as standing in a circle with them.
func (tx *Tx) CircledUnder(slug string, parents []task.ID) ([]query.Tie, error) {
	p, refs, err := tx.FindKeys(slug, parents)
	if err != nil {
		return nil, err
	}
	return db.AllIn(tx.C, `SELECT parent, id FROM task WHERE in_circle=1 AND parent IN KEYS`, refs, db.Read2(p.circledTie))
}

// refOf returns the reference to a task by its key in the database and its key in the plan.
func (p *Project) refOf(ref int64, key string) query.Ref {
	return query.Ref{Key: key, ID: p.TaskID(ref)}
}
