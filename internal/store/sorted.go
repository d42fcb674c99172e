package store

import (
	"strconv"
	"strings"

	"tasker/internal/db"
	"tasker/internal/store/rows"
	"tasker/internal/task"
	"tasker/internal/task/query"
)

// This file reads what lists of tasks need beyond the order by number: conditions on single columns, other orders, and
// words.

// statesOf returns the states that a query asks for, if it has no condition that another index serves better, and nil
// otherwise.
func statesOf(q query.List) []task.State {
	states := q.States()
	if len(states) == len(task.States) || q.HeldBy != "" || q.Key != "" || q.Parent != "" || q.DependsOn != "" || q.DependencyOf != "" ||
		q.Priority != nil || q.Gate != "" || q.Overdue || q.Mark != "" || q.Under != "" || q.Sorted() {
		return nil
	}
	return states
}

// among adds the query's conditions on states and on ancestors.
func (tx *Tx) among(q query.List, args *params, add func(string)) error {
	if q.Among != 0 {
		var each []string
		for i := range task.States {
			if q.Among.Has(task.State(i)) {
				each = append(each, rows.InState(task.State(i), `$3`))
			}
		}
		add(`(` + strings.Join(each, ` OR `) + `)`)
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
	if q.Under != "" {
		_, root, err := tx.KeyOf(q.Under)
		if err != nil {
			return err
		}
		add(`id IN (WITH RECURSIVE below(id) AS (SELECT id FROM task WHERE parent=` + args.add(root) +
			` UNION ALL SELECT c.id FROM below CROSS JOIN task c WHERE c.parent=below.id) SELECT id FROM below)`)
	}
	return nil
}

// orders are the columns of each order, without the number that follows them.
var orders = map[query.Sort]string{
	query.ByDue: `CASE WHEN due_at IS NULL THEN 1 ELSE 0 END, due_at`, query.ByPriority: `priority`,
	query.ByAge: `created_at`, query.ByChanged: rows.Changed(``, `$3`) + ` DESC`, query.ByTitle: `LOWER(title)`, query.ByState: stateOrder(),
	query.ByHolder: `CASE WHEN ` + rows.InState(task.StateHeld, `$3`) + ` THEN 0 ELSE 1 END, CASE WHEN ` + rows.InState(task.StateHeld, `$3`) +
		` THEN holder END`,
	query.ByClosed: `closed_at DESC`,
	query.ByParent: `CASE WHEN parent IS NULL THEN 1 ELSE 0 END, parent`,
}

// stateOrder returns the SQL for the number of a task's state, taking lapsed leases into account.
func stateOrder() string {
	all := `CASE`
	for i := range task.States {
		all += ` WHEN ` + rows.InState(task.State(i), `$3`) + ` THEN ` + strconv.Itoa(i)
	}
	return all + ` END`
}

// closedLast puts closed tasks behind the open ones.
const closedLast = `CASE WHEN status='done' OR status='cancelled' THEN 1 ELSE 0 END`

// orderOf returns the columns that sort a query's list: those of its groups, those within a group, and the number.
func orderOf(q query.List, key string) string {
	var columns []string
	if q.Group != query.ByID {
		columns = append(columns, orders[q.Group])
	}
	if q.Sort != query.ByID {
		columns = append(columns, closedLast, orders[q.Sort])
	}
	return strings.Join(append(columns, key), `, `)
}

// sortedPage is a page of a sorted list.
type sortedPage struct {
	Tasks []*task.Task
	At    []int64 // the position after each task
	Next  int64   // the position of the next page
	More  bool    // whether there is a next page
}

// readSorted returns the page that starts at a position. from is the tables, where the condition, and key the column of
// the number.
func readSorted(c db.Conn, p *Project, q query.List, now task.Time, from, where, key string, args []any, at int64) (out sortedPage, err error) {
	read := q.Limit + 1 // one more, to see whether there is a next page
	if q.Text != "" {
		read = query.MaxScanned + 1
	}
	sql := `SELECT ` + rows.TaskColumns + ` FROM ` + from + ` WHERE ` + where + ` ORDER BY ` + orderOf(q, key) +
		` LIMIT ` + strconv.Itoa(read) + ` OFFSET ` + strconv.FormatInt(at, 10)
	s := rows.Scanner{Slug: p.Rec.Slug}
	taken := query.Page{Records: q.Limit, Bytes: q.Bytes}.Taken()
	text := textOf(p.Rec.Slug, q.Text)
	out.Next = at
	err = c.Query(sql, args, func(row db.Row) error {
		if out.More = out.More || out.Next-at == int64(read-1); out.More {
			return nil
		}
		if q.Text != "" && !text.in(rows.Number(rows.Ref(row)), row.Bytes(rows.TaskAtTitle), row.Bytes(rows.TaskAtKey)) {
			out.Next++
			return nil
		}
		t, err := s.Whole(row)
		if err != nil {
			return err
		}
		if !taken.Add(query.TaskBytes(t)) {
			out.More = true
			return nil
		}
		out.Next++
		out.Tasks, out.At = append(out.Tasks, t.At(now)), append(out.At, out.Next)
		return nil
	})
	return out, err
}
