package store

import (
	"errors"
	"slices"
	"strconv"
	"strings"

	"tasker/internal/db"
	"tasker/internal/fault"
	"tasker/internal/store/rows"
	"tasker/internal/task"
	"tasker/internal/task/query"
)

// List returns a page of a project's tasks by number, and the total. If the query has conditions, it counts only up to
// query.MaxCounted.
func (tx *Tx) List(q query.List) (tasks []*task.Task, total query.Count, next string, err error) {
	p, err := tx.Find(q.Project)
	if err != nil {
		return nil, total, "", err
	}
	l, err := tx.listing(p, q)
	if err != nil {
		return nil, total, "", err
	}
	after := int64(0)
	if q.Cursor != "" {
		if after, err = strconv.ParseInt(q.Cursor, 10, 64); err != nil || after < 0 || after >= 1<<rows.Shift {
			return nil, total, "", fault.Bad("cursor %q is not one of ours", q.Cursor).WithMissing(fault.Parameter("cursor")).
				WithHint("take nextCursor from the previous answer, or leave it out")
		}
	}
	var more bool
	read := int64(0) // the last number read, if that is not the last task of the page
	switch {
	case q.Sorted():
		return tx.listSorted(p, q, l, after)
	case q.Text != "":
		tasks, read, total, err = tx.listText(p, q, l, after)
		more = read > 0
	default:
		tasks, more, total, err = tx.listPage(p, q, l, after)
	}
	if err != nil {
		return nil, total, "", err
	}
	if q.Bytes > 0 {
		fit, err := tx.FillWithin(q.Bytes, tasks...)
		if err != nil {
			return nil, total, "", err
		}
		if fit < len(tasks) {
			tasks, more, read = tasks[:fit], true, 0
		}
	}
	if more && read == 0 {
		_, read, _ = task.ParseID(string(tasks[len(tasks)-1].ID))
	}
	if more {
		next = strconv.FormatInt(read, 10)
	}
	return tasks, total, next, nil
}

// listSorted returns a page of a list that is not sorted by number, starting at a position, and the position of the
// next page.
func (tx *Tx) listSorted(p *Project, q query.List, l listing, from int64) (tasks []*task.Task, total query.Count, next string, err error) {
	page, err := readSorted(tx.C, p, q, tx.Now(), l.from, l.where, l.key, l.args, from)
	if err != nil {
		return nil, total, "", err
	}
	fit, err := tx.FillWithin(q.Bytes, page.Tasks...)
	if err != nil {
		return nil, total, "", err
	}
	if fit < len(page.Tasks) {
		page.Next, page.More = page.At[fit-1], true
	}
	if page.More {
		next = strconv.FormatInt(page.Next, 10)
	}
	count := tx.count
	if q.Text != "" {
		count = tx.countText
	}
	total, err = count(p, q, l)
	return page.Tasks[:fit], total, next, err
}

// listing holds a list's tables, the column of the task's number in them, and the condition with its arguments for
// everything in the query except the text and the cursor.
type listing struct {
	from, key, where string
	args             params
	states           []task.State // set if the query asks for these states only: see rows.InStates
}

// past returns the statement that reads columns of the tasks of the list after a number, in order, at most n unless n is 0.
func (l listing) past(columns string, p *Project, after int64, n int) (sql string, args []any) {
	if l.states != nil {
		return rows.InStates(columns, p.ID, l.states, l.args[2], p.Ref(after), n)
	}
	given := slices.Clone(l.args)
	sql = `SELECT ` + columns + ` FROM ` + l.from + ` WHERE ` + l.where
	if l.key == `id` { // one lower bound: given two, SQLite seeks to the first and reads on to the second
		given[0] = p.Ref(after + 1)
	} else {
		sql += ` AND ` + l.key + `>` + given.add(p.Ref(after))
	}
	return sql + ` ORDER BY ` + l.key + upTo(n), given
}

func (tx *Tx) listing(p *Project, q query.List) (listing, error) {
	lo, hi := p.Span()
	l := listing{from: `task`, key: `id`, states: statesOf(q), args: params{lo, hi, tx.Head.Now}}
	span := `id BETWEEN $1 AND $2`
	if q.HeldBy != "" || q.Overdue || q.Mark != "" {
		span = `+` + span // a sum keeps the planner off this index: these have indexes of their own
	}
	cond := []string{span, `CAST($3 AS BIGINT)>0`}
	add := func(c string) { cond = append(cond, c) }
	if q.HeldBy != "" {
		add(`project=` + l.args.add(p.ID))
		add(`holder IS NOT NULL AND NOT ` + rows.Lapsed(`$3`) + ` AND ` + l.args.named(`holder`, q.HeldBy, false))
	}
	if q.Overdue {
		add(`project=` + l.args.add(p.ID) + ` AND due_at IS NOT NULL AND due_at<$3 AND status<>'done' AND status<>'cancelled'`)
	}
	if q.Mark != "" {
		add(`id IN (` + tx.markedIn(p, q.Mark, q.Reader, &l.args) + `)`)
	}
	if q.Priority != nil {
		add(`priority=` + strconv.Itoa(*q.Priority))
	}
	if q.Gate != "" {
		add(`gate=` + l.args.add(q.Gate))
	}
	if q.Key != "" {
		add(`project=` + l.args.add(p.ID) + ` AND key=` + l.args.add(q.Key))
	}
	if q.Parent != "" {
		_, parent, err := tx.KeyOf(q.Parent)
		if err != nil {
			return l, err
		}
		add(`parent=` + l.args.add(parent))
	}
	for _, along := range []struct {
		of                task.ID
		table, whose, key string
	}{{q.DependsOn, `behind`, `on_task`, `task`}, {q.DependencyOf, `before`, `task`, `on_task`}} {
		if along.of == "" {
			continue
		}
		_, of, err := tx.KeyOf(along.of)
		if err != nil {
			return l, err
		}
		l.from, l.key = `dep `+along.table+` CROSS JOIN `+l.from, along.table+`.`+along.key
		add(along.table + `.` + along.whose + `=` + l.args.add(of) + ` AND ` + l.key + `=id`)
	}
	if q.State != nil {
		add(rows.InState(*q.State, `$3`))
	}
	if err := tx.among(q, &l.args, add); err != nil {
		return l, err
	}
	l.where = strings.Join(cond, " AND ")
	return l, nil
}

// stored returns how many tasks are in the given states, from the project's own counts.
func (tx *Tx) stored(p *Project, states []task.State) (sum int, err error) {
	rec, err := tx.Shown(p)
	if err != nil {
		return 0, err
	}
	n := rec.States()
	for _, s := range states {
		sum += n[s]
	}
	return sum, nil
}

// count returns how many tasks a query finds. If it asks for nothing, or only for states, the number is stored; if it
// asks only for dependencies, their index is counted.
func (tx *Tx) count(p *Project, q query.List, l listing) (query.Count, error) {
	found, args := `FROM `+l.from+` WHERE `+l.where, l.args
	q.Project, q.Limit, q.Bytes, q.Cursor, q.Sort, q.Group = "", 0, 0, "", query.ByID, query.ByID
	if l.states != nil || q == (query.List{}) {
		n, err := tx.stored(p, q.States())
		return query.Count{N: n}, err
	}
	switch q {
	case query.List{Mark: q.Mark, Reader: q.Reader}:
		n, err := tx.Marked(p.Rec.Slug, q.Mark, q.Reader)
		return query.Count{N: n}, err
	case query.List{DependsOn: q.DependsOn}:
		found, args = `FROM dep WHERE on_task=$1`, args[len(args)-1:]
	case query.List{DependencyOf: q.DependencyOf}:
		found, args = `FROM dep WHERE task=$1`, args[len(args)-1:]
	}
	n, err := db.Value[int](tx.C, `SELECT COUNT(*) FROM (SELECT 1 AS one `+found+upTo(query.MaxCounted+1)+`) w`, args...)
	return query.Count{N: min(n, query.MaxCounted), More: n > query.MaxCounted}, err
}

// listPage returns the tasks after a number that fit a page, and whether there are more.
func (tx *Tx) listPage(p *Project, q query.List, l listing, after int64) (tasks []*task.Task, more bool, total query.Count, err error) {
	if total, err = tx.count(p, q, l); err != nil {
		return nil, false, total, err
	}
	taken := query.Page{Records: q.Limit, Bytes: q.Bytes}.Taken()
	for {
		n := taken.Run()
		limit := 0
		if n > 0 {
			limit = n + 1 // one more, to see whether there is a next page
		}
		sql, args := l.past(rows.TaskColumns, p, after, limit)
		run, whole, err := tx.SomeWhile(p, func(t *task.Task) bool { return taken.Add(query.TaskBytes(t)) }, sql, args...)
		tasks = append(tasks, run...)
		if err != nil || !whole || len(run) <= n || n == 0 {
			return tasks, !whole, total, err
		}
		_, after, _ = task.ParseID(string(tasks[len(tasks)-1].ID))
	}
}

// listText scans the tasks of the project. It compares case and spelling in Go, so that both databases agree. It looks
// at no more than query.MaxScanned tasks for the page, and as many again for the total. read is the last number it
// looked at if there are more tasks, or 0 at the end.
func (tx *Tx) listText(p *Project, q query.List, l listing, after int64) (out []*task.Task, read int64, total query.Count, err error) {
	var found []task.ID
	read, whole, err := tx.scanText(p, q, l, after, func(id task.ID) bool {
		found = append(found, id)
		return q.Limit == 0 || len(found) <= q.Limit // one more shows that there are more
	})
	if err != nil {
		return nil, 0, total, err
	}
	switch full := q.Limit > 0 && len(found) > q.Limit; {
	case after == 0 && !full: // the scan for the page has looked at all that may be counted
		total = query.Count{N: min(len(found), query.MaxCounted), More: !whole || len(found) > query.MaxCounted}
	default:
		if total, err = tx.countText(p, q, l); err != nil {
			return nil, 0, total, err
		}
	}
	if whole {
		read = 0
	}
	taken := query.Page{Records: q.Limit, Bytes: q.Bytes}.Taken()
	for some := range slices.Chunk(found, textRead) {
		tasks, err := tx.TasksByID(some)
		if err != nil {
			return nil, 0, total, err
		}
		for _, t := range tasks {
			if !taken.Add(query.TaskBytes(t)) {
				_, number, _ := task.ParseID(string(t.ID))
				return out, number - 1, total, nil
			}
			out = append(out, t)
		}
	}
	return out, read, total, nil
}

// textRead is how many of the tasks that contain a text are read at once.
const textRead = 64

// countText counts the tasks that contain the text, among those it may look at.
func (tx *Tx) countText(p *Project, q query.List, l listing) (total query.Count, err error) {
	_, whole, err := tx.scanText(p, q, l, 0, func(task.ID) bool {
		if total.N == query.MaxCounted {
			return false
		}
		total.N++
		return true
	})
	total.More = !whole
	return total, err
}

// scanText calls found with the tasks after a number that contain the text, until found wants no more. It returns the
// last number it looked at, and whether it reached the end. It reads only the columns that it compares.
func (tx *Tx) scanText(p *Project, q query.List, l listing, after int64, found func(task.ID) bool) (last int64, whole bool, err error) {
	text, looked := textOf(p.Rec.Slug, q.Text), 0
	sql, args := l.past(`id, key, title`, p, after, query.MaxScanned+1)
	err = tx.C.Query(sql, args, db.Scan3(func(ref int64, key, title []byte) error {
		if looked == query.MaxScanned {
			return ErrEnough
		}
		looked++
		if text.in(rows.Number(ref), title, key) && !found(p.TaskID(ref)) {
			return ErrEnough
		}
		last = rows.Number(ref)
		return nil
	}))
	if errors.Is(err, ErrEnough) {
		return last, false, nil
	}
	return last, true, err
}
