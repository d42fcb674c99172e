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

// markedIn returns the statement that selects the keys of the tasks with a mark, each once, and adds its arguments.
func (tx *Tx) markedIn(p *Project, mark task.Mark, reader string, args *params) string {
	sql := `SELECT id FROM task WHERE project=` + args.add(p.ID) + ` AND `
	if mark == task.MarkNeedsAnswer {
		return sql + troubled("", "")[0]
	}
	return sql + strings.Join(troubled(args.add(tx.Head.Now), args.add(reader)), ` UNION `+sql)
}

// Marked counts the tasks of a project that have a mark for a reader.
func (tx *Tx) Marked(slug string, mark task.Mark, reader string) (int, error) {
	p, err := tx.Find(slug)
	if err != nil {
		return 0, err
	}
	var args params
	sql := tx.markedIn(p, mark, reader, &args)
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
	out := map[task.ID]task.Trouble{}
	err = tx.C.Query(`SELECT id, why FROM (`+strings.Join(each, ` UNION ALL `)+`) w ORDER BY why, id LIMIT `+strconv.Itoa(limit),
		[]any{p.ID, tx.Head.Now, reader}, db.Each2(func(ref int64, why int) {
			id := p.TaskID(ref)
			if _, known := out[id]; !known {
				out[id] = task.Troubles[why]
			}
		}))
	for _, t := range lapsed {
		if why, ok := out[t.ID]; ok && slices.Index(task.Troubles, why) > slices.Index(task.Troubles, task.TroubleLapsed) {
			out[t.ID] = task.TroubleLapsed
		}
	}
	return out, err
}
