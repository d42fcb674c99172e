package store

import (
	"slices"
	"strconv"

	"tasker/internal/db"
	"tasker/internal/store/rows"
	"tasker/internal/task"
)

// unblocking is how many dependents of a task are searched for open ones.
const unblocking = 1000

// Gists returns what inbox items show about their tasks.
func (tx *Tx) Gists(slug string, ids []task.ID) (map[task.ID]task.Gist, error) {
	p, refs, err := tx.FindKeys(slug, ids)
	if err != nil {
		return nil, err
	}
	out, s := make(map[task.ID]task.Gist, len(ids)), rows.Scanner{Slug: p.Rec.Slug}
	return out, db.EachIn(tx.C, `SELECT `+rows.GistColumnsT+`,
		(SELECT COUNT(*) FROM (SELECT dep.task FROM dep WHERE dep.on_task=t.id LIMIT `+strconv.Itoa(unblocking)+`) d
			JOIN task w ON w.id=d.task WHERE w.status<>'done' AND w.status<>'cancelled')
		FROM task t WHERE t.id IN KEYS`, refs, func(row db.Row) error {
		g := task.Gist{Unblocks: int(row.Int(rows.GistEnd))}
		err := rows.ReadGist(&s, row, &g)
		out[g.ID] = g
		return err
	})
}

// Titles returns the titles of tasks of a project.
func (tx *Tx) Titles(slug string, ids []task.ID) (map[task.ID]string, error) {
	p, refs, err := tx.FindKeys(slug, ids)
	if err != nil {
		return nil, err
	}
	slices.Sort(refs)
	out := make(map[task.ID]string, len(ids))
	return out, db.EachIn(tx.C, `SELECT id, title FROM task WHERE id IN KEYS`, slices.Compact(refs), db.Each2(func(ref int64, title string) {
		out[p.TaskID(ref)] = title
	}))
}

// OldestReady returns the ready tasks of a project whose newest event is oldest, up to limit and in that order. They
// have their id, what they declare for routing, and LastEvent.
func (tx *Tx) OldestReady(slug string, limit int) ([]*task.Task, error) {
	p, err := tx.Find(slug)
	if err != nil {
		return nil, err
	}
	return db.All(tx.C, `SELECT `+rows.AgedTaskColumns+` FROM task WHERE project=$1 AND status='open' AND holder IS NULL
		AND open_deps=0 AND parts=0 AND questions=0 ORDER BY stirred LIMIT `+strconv.Itoa(limit), []any{p.ID}, rows.TaskOf(p.Rec.Slug, rows.ReadAgedTask))
}
