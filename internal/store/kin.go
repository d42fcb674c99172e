package store

import (
	"slices"
	"strconv"

	"tasker/internal/task"
)

// Kin gives the tasks around one: its children, what it waits for and what waits for it, each by number and at most
// most of them. They come in brief: id, title and status.
func (r *Reader) Kin(id task.ID, most int) (task.Kin, error) {
	p, ref, err := r.refOf(id)
	if err != nil {
		return task.Kin{}, err
	}
	if got := r.aheadOf(id); got != nil && got.around && !got.cut {
		return got.kin.Head(most), nil
	}
	var out task.Kin
	for sort, from := range kinFrom {
		list := out.Lists()[sort]
		sql := `SELECT ` + kinColsT + ` FROM ` + from.tables + ` WHERE ` + from.of + `=$1 ORDER BY ` + from.order + ` LIMIT ` + strconv.Itoa(most)
		if err := r.c.Ask(sql, []any{ref}, func(row Row) error {
			*list = append(*list, r.scanKin(p, row, 0))
			return nil
		}); err != nil {
			return out, err
		}
	}
	return out, r.c.Flush()
}

// sortKin sorts what was read in no order.
func sortKin(k *task.Kin) {
	for _, list := range k.Lists() {
		slices.SortFunc(*list, func(a, b *task.Task) int { return task.CompareIDs(a.ID, b.ID) })
	}
}

// kinFrom is where the sorts of kin are found: of what they are kin, who they are, and what tells them apart.
var kinFrom = [3]struct{ of, tables, order string }{
	{`t.parent`, `task t`, `t.id`},
	{`dep.task`, `dep JOIN task t ON t.id=dep.on_task`, `dep.on_task`},
	{`dep.on_task`, `dep JOIN task t ON t.id=dep.task`, `dep.task`},
}

const kinColsT = `t.id, t.title, t.status, t.holder, t.expires_at`

// scanKin reads a task in brief, a lapsed lease as it will be swept.
func (r *Reader) scanKin(p *project, row Row, at int) *task.Task {
	t := &task.Task{ID: p.id2(row.Int(at)), Project: p.rec.Slug, Title: row.Text(at + 1), Status: task.Status(row.Text(at + 2))}
	if end := row.Int(at + 4); !row.Null(at+3) && end > 0 && end <= int64(r.head.Now) {
		t.Status = task.Open
	}
	return t
}

// Ancestry gives a task's ancestors from its parent up, at most most of them: id, title, status and body.
func (r *Reader) Ancestry(id task.ID, most int) ([]*task.Task, error) {
	p, ref, err := r.refOf(id)
	if err != nil {
		return nil, err
	}
	var out []*task.Task
	err = r.c.Query(`WITH RECURSIVE up(id, parent, level) AS (
			SELECT id, parent, 0 FROM task WHERE id=$1
			UNION ALL SELECT t.id, t.parent, up.level+1 FROM up CROSS JOIN task t WHERE t.id=up.parent AND up.level<$2)
		SELECT `+kinColsT+`, b.body FROM up CROSS JOIN task t LEFT JOIN task_body b ON b.task=up.id
		WHERE t.id=up.id AND up.level>0 ORDER BY up.level`, []any{ref, most}, func(row Row) error {
		t := r.scanKin(p, row, 0)
		t.Body = task.Opt(row.Text(5))
		out = append(out, t)
		return nil
	})
	return out, err
}

// NewestEvidence gives the newest evidence of a task, oldest first, and every kind that there is.
func (r *Reader) NewestEvidence(id task.ID, newest int) (items []task.Evidence, kinds []string, err error) {
	_, ref, err := r.refOf(id)
	if err != nil {
		return nil, nil, err
	}
	err = r.c.Query(`SELECT id, task, actor, kind, value, note, at FROM evidence WHERE task=$1 ORDER BY id DESC LIMIT `+strconv.Itoa(newest), []any{ref}, func(row Row) error {
		items = append(items, scanEvidence(id, row))
		return nil
	})
	if err != nil {
		return nil, nil, err
	}
	slices.Reverse(items)
	if len(items) < newest {
		for _, e := range items {
			kinds = append(kinds, e.Kind)
		}
		return items, kinds, nil
	}
	err = r.c.Query(`SELECT DISTINCT kind FROM evidence WHERE task=$1`, []any{ref}, func(row Row) error {
		kinds = append(kinds, row.Text(0))
		return nil
	})
	return items, kinds, err
}
