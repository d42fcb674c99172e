package store

import (
	"cmp"
	"slices"
	"strconv"
	"strings"

	"tasker/internal/db"
	"tasker/internal/store/rows"
	"tasker/internal/task"
)

// lasts is the condition that a lease has not run out at $2. Its end is compared as a sum: otherwise SQLite would plan the
// statement anew whenever the moment is bound, for the sake of the indexes over leases.
const lasts = `(expires_at=0 OR expires_at+0>$2)`

// HeldFirst gives what is held by when it was claimed, at most most of it.
func (r TaskReader) HeldFirst(slug string, most int) ([]task.Hold, error) {
	p, err := r.project(slug)
	if err != nil {
		return nil, err
	}
	out, scan := make([]task.Hold, 0, min(most, 50)), rows.Scanner{Slug: p.rec.Slug, Limit: most}
	err = r.c.Query(`SELECT `+rows.HoldColumnsH+`
		FROM (SELECT id, title, criteria, holder, claimed_at, expires_at, (SELECT MAX(n.id) FROM event n WHERE n.task=task.id) AS last
			FROM task WHERE project=$1 AND holder IS NOT NULL AND `+lasts+`
			ORDER BY holder, id LIMIT `+strconv.Itoa(most)+`) h
		LEFT JOIN event e ON e.id=h.last`, []any{p.id, r.head.Now}, func(row db.Row) (err error) {
		var h task.Hold
		err = rows.ReadHold(&scan, row, &h)
		out = append(out, h)
		return err
	})
	slices.SortFunc(out, func(a, b task.Hold) int {
		return cmp.Or(cmp.Compare(a.Since, b.Since), strings.Compare(a.Actor, b.Actor), task.CompareIDs(a.Task, b.Task))
	})
	return out, err
}

// Closed gives closed tasks of a status ("" for both), newest first, closed at since or later.
func (r TaskReader) Closed(slug string, status task.Status, since task.Time, most int) ([]*task.Task, error) {
	p, err := r.project(slug)
	if err != nil {
		return nil, err
	}
	wanted := []task.Status{status}
	if status == "" {
		wanted = []task.Status{task.Done, task.Cancelled}
	}
	var out []*task.Task
	for _, s := range wanted {
		found, err := r.some(p, `SELECT `+rows.TaskColumns+` FROM task WHERE project=$1 AND status=`+literal(s)+` AND closed_at>0 AND closed_at>=$2
			ORDER BY closed_at DESC, id DESC LIMIT `+strconv.Itoa(most), p.id, int64(since))
		if err != nil {
			return nil, err
		}
		out = append(out, found...)
	}
	slices.SortFunc(out, func(a, b *task.Task) int {
		if a.ClosedAt != b.ClosedAt {
			return int(b.ClosedAt - a.ClosedAt)
		}
		return task.CompareIDs(b.ID, a.ID)
	})
	return out[:min(len(out), most)], nil
}

// Below gives every descendant of a task, by level and number.
func (r GraphReader) Below(id task.ID) ([]*task.Task, error) {
	p, root, err := r.refOf(id)
	if err != nil {
		return nil, err
	}
	return r.some(p, `WITH RECURSIVE below(id, level) AS (
			SELECT id, 1 FROM task WHERE parent=$1 UNION ALL SELECT c.id, below.level+1 FROM below CROSS JOIN task c WHERE c.parent=below.id)
		SELECT `+rows.TaskColumnsT+` FROM below CROSS JOIN task t WHERE t.id=below.id ORDER BY below.level, t.id`, root)
}

// literal writes a status into a statement. SQLite plans a statement anew whenever a parameter is bound that decides
// which of the partial indexes may serve it, and a status is one of five words.
func literal(s task.Status) string { return `'` + string(s) + `'` }

// Flow gives the open tasks of a project by number, and the dependencies among them.
func (r GraphReader) Flow(slug string) ([]task.ID, []task.Edge, error) {
	p, err := r.project(slug)
	if err != nil {
		return nil, nil, err
	}
	lo, hi := p.span()
	var ids []task.ID
	open := map[int64]task.ID{}
	err = r.c.Query(`SELECT id FROM task WHERE id BETWEEN $1 AND $2 AND status<>'done' AND status<>'cancelled' ORDER BY id`, []any{lo, hi}, db.Scan1(func(ref int64) error {
		id := p.id2(ref)
		ids = append(ids, id)
		open[ref] = id
		return nil
	}))
	if err != nil {
		return nil, nil, err
	}
	var edges []task.Edge
	err = r.c.Query(`SELECT task, on_task FROM dep WHERE task BETWEEN $1 AND $2`, []any{lo, hi}, db.Scan2(func(ref, on int64) error {
		from, to := open[ref], open[on]
		if from != "" && to != "" {
			edges = append(edges, task.Edge{From: from, To: to})
		}
		return nil
	}))
	return ids, edges, err
}
