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
	if got := r.aheadOf(id); got != nil && got.around && most == aheadKin {
		return got.kin, nil
	}
	var out task.Kin
	if err := r.askKin(p, ref, most, &out); err != nil {
		return out, err
	}
	if err := r.c.Flush(); err != nil {
		return out, err
	}
	sortKin(&out)
	return out, nil
}

// sortKin sorts what a statement of several branches gave.
func sortKin(k *task.Kin) {
	for _, list := range [][]*task.Task{k.Children, k.Deps, k.Dependents} {
		slices.SortFunc(list, func(a, b *task.Task) int { return task.CompareIDs(a.ID, b.ID) })
	}
}

// askKin asks for the kin of a task, in no order.
func (r *Reader) askKin(p *project, ref int64, most int, out *task.Kin) error {
	limit := ` LIMIT ` + strconv.Itoa(most)
	lists := []*[]*task.Task{&out.Children, &out.Deps, &out.Dependents}
	return r.c.Ask(`SELECT 0, `+kinCols+` FROM (SELECT `+kinCols+` FROM task WHERE parent=$1 ORDER BY id`+limit+`) c
		UNION ALL SELECT 1, `+kinCols+` FROM (SELECT `+kinColsT+` FROM dep JOIN task t ON t.id=dep.on_task WHERE dep.task=$1 ORDER BY dep.on_task`+limit+`) d
		UNION ALL SELECT 2, `+kinCols+` FROM (SELECT `+kinColsT+` FROM dep JOIN task t ON t.id=dep.task WHERE dep.on_task=$1 ORDER BY dep.task`+limit+`) w`,
		[]any{ref}, func(row Row) error {
			list := lists[row.Int(0)]
			*list = append(*list, r.scanKin(p, row, 1))
			return nil
		})
}

const (
	kinCols  = `id, title, status, holder, expires_at`
	kinColsT = `t.id, t.title, t.status, t.holder, t.expires_at`
)

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
			UNION ALL SELECT t.id, t.parent, up.level+1 FROM up JOIN task t ON t.id=up.parent WHERE up.level<$2)
		SELECT `+kinColsT+`, b.body FROM up JOIN task t ON t.id=up.id LEFT JOIN task_body b ON b.task=up.id
		WHERE up.level>0 ORDER BY up.level`, []any{ref, most}, func(row Row) error {
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
