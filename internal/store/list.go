package store

import (
	"errors"
	"slices"
	"strconv"
	"strings"

	"tasker/internal/db"
	"tasker/internal/fault"
	"tasker/internal/store/rows"
	"tasker/internal/store/tx"
	"tasker/internal/task"
	"tasker/internal/task/query"
)

// List returns a page of a project's tasks by number, and how many there are in all, counted up to query.MaxCounted where
// something is asked of them.
func (r TaskReader) List(q query.List) (tasks []*task.Task, total query.Count, next string, err error) {
	p, err := r.Find(q.Project)
	if err != nil {
		return nil, total, "", err
	}
	l, err := r.listing(p, q)
	if err != nil {
		return nil, total, "", err
	}
	after := int64(0)
	if q.Cursor != "" {
		if after, err = strconv.ParseInt(q.Cursor, 10, 64); err != nil || after < 0 || after >= 1<<rows.Shift {
			return nil, total, "", fault.Bad("cursor %q is none of ours", q.Cursor).WithHint("take nextCursor of the answer before, or leave it out")
		}
	}
	var more bool
	if q.Text != "" {
		tasks, more, total, err = r.listText(p, q, l, after)
	} else {
		tasks, more, total, err = r.listPage(p, q, l, after)
	}
	if err != nil {
		return nil, total, "", err
	}
	if q.Bytes > 0 {
		fit, err := r.FillWithin(q.Bytes, tasks...)
		if err != nil {
			return nil, total, "", err
		}
		tasks, more = tasks[:fit], more || fit < len(tasks)
	}
	if more {
		_, n, _ := task.ParseID(string(tasks[len(tasks)-1].ID))
		next = strconv.FormatInt(n, 10)
	}
	return tasks, total, next, nil
}

// listing is a list's tables, the column of the task's number in them, and the condition with its arguments for all of
// the query but the text and the cursor.
type listing struct {
	from, key, where string
	args             []any
}

func (r TaskReader) listing(p *tx.Project, q query.List) (listing, error) {
	l := listing{from: `task`, key: `id`}
	lo, hi := p.Span()
	args := []any{lo, hi, r.Head.Now}
	lapsed := rows.Lapsed(`$3`)
	span := `id BETWEEN $1 AND $2`
	if q.HeldBy != "" {
		span = `+` + span // as a sum it is no way into the table: what is held has an index of its own
	}
	cond := []string{span, `CAST($3 AS BIGINT)>0`}
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
		add(`project=$`+strconv.Itoa(len(args)+1), p.ID)
		c, more := heldBy(q.HeldBy, false, len(args))
		add(`holder IS NOT NULL AND NOT `+lapsed+c, more...)
	}
	if q.Key != "" {
		add(`project=$`+strconv.Itoa(len(args)+1)+` AND key=$`+strconv.Itoa(len(args)+2), p.ID, q.Key)
	}
	if q.Parent != "" {
		_, parent, err := r.KeyOf(q.Parent)
		if err != nil {
			return l, err
		}
		add(`parent=$`+strconv.Itoa(len(args)+1), parent)
	}
	for _, along := range []struct {
		of                task.ID
		table, whose, key string
	}{{q.DependsOn, `behind`, `on_task`, `task`}, {q.DependencyOf, `before`, `task`, `on_task`}} {
		if along.of == "" {
			continue
		}
		_, of, err := r.KeyOf(along.of)
		if err != nil {
			return l, err
		}
		l.from, l.key = `dep `+along.table+` CROSS JOIN `+l.from, along.table+`.`+along.key
		add(along.table+`.`+along.whose+`=$`+strconv.Itoa(len(args)+1)+` AND `+l.key+`=id`, of)
	}
	if q.State != nil {
		add(rows.InState(*q.State, `$3`))
	}
	for _, in := range []struct {
		wanted *bool
		state  task.State
	}{{q.Ready, task.StateReady}, {q.Blocked, task.StateWaiting}} {
		switch {
		case in.wanted == nil:
		case *in.wanted:
			add(rows.InState(in.state, `$3`))
		default:
			add(`NOT ` + rows.InState(in.state, `$3`))
		}
	}
	l.where, l.args = strings.Join(cond, " AND "), args
	return l, nil
}

// count returns how many tasks a query finds. Without a filter the number is stored; for dependencies alone their index is
// counted.
func (r TaskReader) count(p *tx.Project, q query.List, l listing) (total query.Count, err error) {
	found, args := `FROM `+l.from+` WHERE `+l.where, l.args
	q.Project, q.Limit, q.Bytes, q.Cursor = "", 0, 0, ""
	switch q {
	case query.List{}:
		n := p.Rec.Tasks
		return query.Count{N: n.Open + n.InProgress + n.InReview + n.Done + n.Cancelled}, nil
	case query.List{DependsOn: q.DependsOn}:
		found, args = `FROM dep WHERE on_task=$1`, args[len(args)-1:]
	case query.List{DependencyOf: q.DependencyOf}:
		found, args = `FROM dep WHERE task=$1`, args[len(args)-1:]
	}
	err = r.C.Query(`SELECT COUNT(*) FROM (SELECT 1 AS one `+found+` LIMIT `+strconv.Itoa(query.MaxCounted+1)+`) w`, args, db.Scan1(func(n int64) error {
		total = query.Count{N: min(int(n), query.MaxCounted), More: n > query.MaxCounted}
		return nil
	}))
	return total, err
}

// listPage returns the tasks past a number that fit a page, and whether there are more.
func (r TaskReader) listPage(p *tx.Project, q query.List, l listing, after int64) (tasks []*task.Task, more bool, total query.Count, err error) {
	if total, err = r.count(p, q, l); err != nil {
		return nil, false, total, err
	}
	taken := query.Page{Records: q.Limit, Bytes: q.Bytes}.Taken()
	for {
		args, sql := slices.Clone(l.args), `SELECT `+rows.TaskColumns+` FROM `+l.from+` WHERE `+l.where
		if l.key == `id` { // one lower bound: of two, SQLite seeks to the first and reads on to the second
			args[0] = p.Ref(after + 1)
		} else {
			args = append(args, p.Ref(after))
			sql += ` AND ` + l.key + `>$` + strconv.Itoa(len(args))
		}
		sql += ` ORDER BY ` + l.key
		n := taken.Run()
		if n > 0 {
			sql += ` LIMIT ` + strconv.Itoa(n+1) // one more, to see whether there is one
		}
		run, whole, err := r.SomeWhile(p, func(t *task.Task) bool { return taken.Add(query.TaskBytes(t)) }, sql, args...)
		tasks = append(tasks, run...)
		if err != nil || !whole || len(run) <= n || n == 0 {
			return tasks, !whole, total, err
		}
		_, after, _ = task.ParseID(string(tasks[len(tasks)-1].ID))
	}
}

// listText goes through the tasks of the project: case and spelling are compared in Go, so that both databases agree. It ends
// where the page is full and no more are counted.
func (r TaskReader) listText(p *tx.Project, q query.List, l listing, after int64) (out []*task.Task, more bool, total query.Count, err error) {
	text, s := strings.ToLower(q.Text), rows.Scanner{Slug: p.Rec.Slug}
	taken := query.Page{Records: q.Limit, Bytes: q.Bytes}.Taken()
	err = r.C.Query(`SELECT `+rows.TaskColumns+` FROM `+l.from+` WHERE `+l.where+` ORDER BY `+l.key, l.args, func(row db.Row) error {
		ref := rows.Ref(row)
		if !strings.Contains(strings.ToLower(row.Text(rows.TaskAtTitle)), text) &&
			!strings.Contains(strings.ToLower(row.Text(rows.TaskAtKey)), text) && !strings.Contains(strings.ToLower(string(p.TaskID(ref))), text) {
			return nil
		}
		if total.N == query.MaxCounted {
			total.More = true
		} else {
			total.N++
		}
		switch {
		case more && total.More:
			return tx.ErrEnough
		case more || rows.Number(ref) <= after:
			return nil
		}
		t, err := s.Whole(row)
		if err != nil {
			return err
		}
		if more = !taken.Add(query.TaskBytes(t)); !more {
			out = append(out, t.At(r.Now()))
		}
		return nil
	})
	if errors.Is(err, tx.ErrEnough) {
		err = nil
	}
	return out, more, total, err
}
