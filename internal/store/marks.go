package store

import (
	"slices"
	"strconv"
	"strings"

	"tasker/internal/db"
	"tasker/internal/task"
)

// This file finds tasks by their marks. It says in SQL what Task.NeedsAnswer and Task.Trouble decide, one condition for
// each trouble, because each has an index of its own.

// troubled are the conditions on a row of the table task, worst first. A lease that has run out and is not swept yet is
// found as stalled: half of it has passed as well.
func troubled(now, reader string) []string {
	return []string{
		`questions>0 AND status<>'done' AND status<>'cancelled'`,
		`lapsed>0 AND lapsed>(SELECT COALESCE(MAX(m.event), 0) FROM mark m WHERE m.actor=` + reader + `) AND NOT EXISTS
			(SELECT 1 FROM seen s WHERE s.actor=` + reader + ` AND s.task=task.id AND s.item='lease_expired' AND s.stamp>=task.lapsed)`,
		`lease_ms>0 AND expires_at-lease_ms*500<=` + now,
		`failing>0`,
		`unheld>0`,
	}
}

// markedIn returns the statement that selects the keys of the tasks with a mark, each once, and its arguments. n is the
// number of arguments before them.
func (tx *Tx) markedIn(p *Project, mark task.Mark, reader string, n int) (sql string, args []any) {
	at := func(i int) string { return `$` + strconv.Itoa(n+i) }
	if mark == task.MarkNeedsAnswer {
		return `SELECT id FROM task WHERE project=` + at(1) + ` AND ` + troubled("", "")[0], []any{p.ID}
	}
	var each []string
	for _, condition := range troubled(at(2), at(3)) {
		each = append(each, `SELECT id FROM task WHERE project=`+at(1)+` AND `+condition)
	}
	return strings.Join(each, ` UNION `), []any{p.ID, tx.Head.Now, reader}
}

// Marked counts the tasks of a project that have a mark for a reader.
func (tx *Tx) Marked(slug string, mark task.Mark, reader string) (int, error) {
	p, err := tx.Find(slug)
	if err != nil {
		return 0, err
	}
	sql, args := tx.markedIn(p, mark, reader, 0)
	return db.Value[int](tx.C, `SELECT COUNT(*) FROM (`+sql+`) w`, args...)
}

// Troubles returns why tasks of a project are stuck for a reader: the worst reason of each, of up to limit rows.
func (tx *Tx) Troubles(slug, reader string, limit int) (map[task.ID]task.Trouble, error) {
	p, err := tx.Find(slug)
	if err != nil {
		return nil, err
	}
	lapsed, err := tx.Lapsed(p)
	if err != nil {
		return nil, err
	}
	var each []string
	for i, condition := range troubled(`$2`, `$3`) {
		each = append(each, `SELECT id, `+strconv.Itoa(i)+` AS why FROM task WHERE project=$1 AND `+condition)
	}
	worst := map[task.ID]int{}
	err = tx.C.Query(`SELECT id, why FROM (`+strings.Join(each, ` UNION ALL `)+`) w ORDER BY why, id LIMIT `+strconv.Itoa(limit),
		[]any{p.ID, tx.Head.Now, reader}, db.Scan2(func(ref int64, why int) error {
			id := p.TaskID(ref)
			if _, known := worst[id]; !known {
				worst[id] = why
			}
			return nil
		}))
	if err != nil {
		return nil, err
	}
	for _, t := range lapsed {
		if why, ok := worst[t.ID]; ok {
			worst[t.ID] = min(why, slices.Index(task.Troubles, task.TroubleLapsed))
		}
	}
	out := make(map[task.ID]task.Trouble, len(worst))
	for id, why := range worst {
		out[id] = task.Troubles[why]
	}
	return out, nil
}
