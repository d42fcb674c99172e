package store

import (
	"strconv"
	"strings"

	"tasker/internal/fault"
	"tasker/internal/task"
)

// List gives a page of a project's tasks by number, and how many there are in all.
func (r *Reader) List(q task.ListQuery) (tasks []*task.Task, total int, next string, err error) {
	p, err := r.project(q.Project)
	if err != nil {
		return nil, 0, "", err
	}
	where, args, err := r.where(p, q)
	if err != nil {
		return nil, 0, "", err
	}
	after := int64(0)
	if q.Cursor != "" {
		if after, err = strconv.ParseInt(q.Cursor, 10, 64); err != nil || after < 0 || after >= 1<<shift {
			return nil, 0, "", fault.Bad("cursor %q is none of ours", q.Cursor).WithHint("take nextCursor of the answer before, or leave it out")
		}
	}
	if q.Text != "" {
		tasks, total, err = r.listText(p, q, where, args, after)
	} else {
		tasks, total, err = r.listPage(p, q, where, args, after)
	}
	if err != nil {
		return nil, 0, "", err
	}
	if q.Limit > 0 && len(tasks) > q.Limit {
		tasks = tasks[:q.Limit]
		_, n, _ := task.ParseID(string(tasks[q.Limit-1].ID))
		next = strconv.FormatInt(n, 10)
	}
	return tasks, total, next, nil
}

// where is the condition of a query, all of it but the text and the cursor.
func (r *Reader) where(p *project, q task.ListQuery) (string, []any, error) {
	lo, hi := p.span()
	args := []any{lo, hi, int64(r.head.Now)}
	lapsed := `(holder IS NOT NULL AND expires_at>0 AND expires_at<=$3)`
	cond := []string{`id BETWEEN $1 AND $2`, `CAST($3 AS BIGINT)>0`}
	add := func(c string, more ...any) { cond, args = append(cond, c), append(args, more...) }
	switch q.Status {
	case "":
	case task.Open:
		add(`(status='open' OR ` + lapsed + `)`)
	case task.InProgress:
		add(`status='in_progress' AND NOT ` + lapsed)
	default:
		add(`status=$`+strconv.Itoa(len(args)+1), string(q.Status))
	}
	if q.HeldBy != "" {
		c, more := heldBy(q.HeldBy, false, len(args))
		add(`holder IS NOT NULL AND NOT `+lapsed+c, more...)
	}
	if q.Parent != "" {
		_, parent, err := r.refOf(q.Parent)
		if err != nil {
			return "", nil, err
		}
		add(`parent=$`+strconv.Itoa(len(args)+1), parent)
	}
	ready := `((status='open' AND holder IS NULL) OR ` + lapsed + `) AND open_deps=0 AND live_children=0 AND questions=0`
	if q.Ready != nil && *q.Ready {
		add(ready)
	} else if q.Ready != nil {
		add(`NOT (` + ready + `)`)
	}
	blocked := `open_deps>0 AND status<>'done' AND status<>'cancelled'`
	if q.Blocked != nil && *q.Blocked {
		add(blocked)
	} else if q.Blocked != nil {
		add(`NOT (` + blocked + `)`)
	}
	return strings.Join(cond, " AND "), args, nil
}

func (r *Reader) listPage(p *project, q task.ListQuery, where string, args []any, after int64) ([]*task.Task, int, error) {
	total := 0
	if q.Status == "" && q.HeldBy == "" && q.Parent == "" && q.Ready == nil && q.Blocked == nil {
		n := p.rec.Tasks
		total = n.Open + n.InProgress + n.InReview + n.Done + n.Cancelled
	} else if err := r.c.Query(`SELECT COUNT(*) FROM task WHERE `+where, args, func(row Row) error {
		total = int(row.Int(0))
		return nil
	}); err != nil {
		return nil, 0, err
	}
	n := strconv.Itoa(len(args) + 1)
	sql := `SELECT ` + taskCols + ` FROM task WHERE ` + where + ` AND id>$` + n + ` ORDER BY id`
	args = append(args, p.ref(after))
	if q.Limit > 0 {
		sql += ` LIMIT ` + strconv.Itoa(q.Limit+1)
	}
	tasks, err := r.some(p, sql, args...)
	return tasks, total, err
}

// listText looks at every task of the project: case and spelling are compared in Go, alike on both databases.
func (r *Reader) listText(p *project, q task.ListQuery, where string, args []any, after int64) ([]*task.Task, int, error) {
	text, total := strings.ToLower(q.Text), 0
	var out []*task.Task
	err := r.c.Query(`SELECT `+taskCols+` FROM task WHERE `+where+` ORDER BY id`, args, func(row Row) error {
		id := p.id2(row.Int(0))
		if !strings.Contains(strings.ToLower(row.Text(2)), text) && !strings.Contains(strings.ToLower(row.Text(1)), text) &&
			!strings.Contains(string(id), text) {
			return nil
		}
		total++
		if number(row.Int(0)) <= after || (q.Limit > 0 && len(out) > q.Limit) {
			return nil
		}
		t, err := scanTask(p.rec.Slug, row)
		if err != nil {
			return err
		}
		out = append(out, t.At(r.head.Now))
		return nil
	})
	return out, total, err
}
