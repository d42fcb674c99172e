package store

import (
	"slices"
	"strconv"
	"strings"

	"tasker/internal/db"
	"tasker/internal/store/rows"
	"tasker/internal/store/tx"
	"tasker/internal/task"
	"tasker/internal/task/query"
)

// looked is how many of a task's kin of one sort are looked at from either end, by number, for open ones among them.
const looked = 200

// Kin returns the tasks around one: its children, what it waits for and what waits for it, each at most limit of them, the
// open ones first, then by number. They come in brief: id, title and status. Of more than twice looked, open ones that
// stand far from either end are not found.
func (r GraphReader) Kin(t *task.Task, limit int) (query.Kin, error) {
	p, ref, err := r.KeyOf(t.ID)
	if err != nil {
		return query.Kin{}, err
	}
	if got := aheadOf(r.Tx, t.ID); got != nil && got.Bundle && !got.Cut {
		kin := got.Kin
		for _, list := range kin.Lists() {
			*list = openFirst(*list, *list, limit)
		}
		return kin, nil
	}
	var out, open query.Kin
	for sort, list := range out.Lists() {
		if err := r.askHead(p, ref, sort, limit, list); err != nil {
			return out, err
		}
	}
	if err := r.C.Flush(); err != nil {
		return out, err
	}
	for sort, list := range out.Lists() {
		none := (sort == kinChildren && t.OpenChildren == 0) || (sort == kinDeps && t.OpenDeps == 0)
		if none || len(*list) < limit || !slices.ContainsFunc(*list, isClosed) {
			continue // these are all of them, or they are alike
		}
		if err := r.askOpen(p, ref, sort, limit, open.Lists()[sort]); err != nil {
			return out, err
		}
	}
	if err := r.C.Flush(); err != nil {
		return out, err
	}
	for sort, list := range out.Lists() {
		from := open.Lists()[sort]
		if len(*from) == 0 {
			from = list
		}
		*list = openFirst(*from, *list, limit)
	}
	return out, nil
}

// askHead asks for the first kin of a sort, by number.
func (r GraphReader) askHead(p *tx.Project, ref int64, sort, limit int, list *[]*task.Task) error {
	return r.askKinOf(p, ref, kinFrom[sort].some(``, limit, db.ByStatistics(r.C)), list)
}

// askOpen asks for the open ones among the first and the last kin of a sort, by number.
func (r GraphReader) askOpen(p *tx.Project, ref int64, sort, limit int, list *[]*task.Task) error {
	return r.askKinOf(p, ref, kinFrom[sort].zero(`closed_at`, limit, db.ByStatistics(r.C)), list)
}

// Awaited returns the open tasks that a task waits for, by number, at most limit of them: its open dependencies, else its
// live children. They are looked for where Kin looks.
func (r GraphReader) Awaited(t *task.Task, limit int) ([]*task.Task, error) {
	p, ref, err := r.KeyOf(t.ID)
	if err != nil {
		return nil, err
	}
	from, zero, there := kinFrom[kinDeps], `closed_at`, t.OpenDeps
	if t.OpenDeps == 0 {
		from, zero, there = kinFrom[kinChildren], `closed_at+s.open_deps`, t.LiveChildren
	}
	limit = min(limit, there)
	const whole = `SELECT ` + rows.TaskColumnsT + ` FROM `
	planned := db.ByStatistics(r.C)
	out, err := r.Some(p, whole+`(`+from.some(``, looked, planned)+`) w CROSS JOIN task t WHERE t.id=w.k AND t.`+strings.ReplaceAll(zero, `s.`, `t.`)+`=0
		ORDER BY w.k LIMIT `+strconv.Itoa(limit), ref)
	if err != nil || len(out) == limit {
		return out, err
	}
	return r.Some(p, whole+`(`+from.zero(zero, limit, planned)+`) w CROSS JOIN task t WHERE t.id=w.k ORDER BY t.id`, ref)
}

// askKinOf asks for the tasks whose ids a statement gives as k, by number.
func (r GraphReader) askKinOf(p *tx.Project, ref int64, ids string, list *[]*task.Task) error {
	return r.C.Ask(`SELECT `+rows.KinColumnsT+` FROM (`+ids+`) w CROSS JOIN task t WHERE t.id=w.k ORDER BY t.id`, []any{ref}, func(row db.Row) error {
		t, err := scanKin(r.Now(), p, row)
		*list = append(*list, t)
		return err
	})
}

func isClosed(t *task.Task) bool { return t.Status.Closed() }

// openFirst returns the open ones of a list and then the closed ones of another, at most limit together.
func openFirst(open, closed []*task.Task, limit int) []*task.Task {
	var out []*task.Task
	for _, t := range open {
		if !isClosed(t) {
			out = append(out, t)
		}
	}
	for _, t := range closed {
		if isClosed(t) {
			out = append(out, t)
		}
	}
	return out[:min(len(out), limit)]
}

// sortKin sorts what was read in no order.
func sortKin(k *query.Kin) {
	for _, list := range k.Lists() {
		slices.SortFunc(*list, func(a, b *task.Task) int { return task.CompareIDs(a.ID, b.ID) })
	}
}

// kinOf is where a sort of kin is found: of what they are kin, who they are, and both in the index that tells.
type kinOf struct{ of, tables, index, whose, key string }

// kinFrom are the sorts, in the order of task.Kin.
var kinFrom = [3]kinOf{
	{`t.parent`, `task t`, `task`, `parent`, `id`},
	{`dep.task`, `dep JOIN task t ON t.id=dep.on_task`, `dep`, `task`, `on_task`},
	{`dep.on_task`, `dep JOIN task t ON t.id=dep.task`, `dep`, `on_task`, `task`},
}

// The places of sorts in kinFrom.
const (
	kinChildren = iota
	kinDeps
	kinDependents
)

// some is the statement for the first ids, or the last with the direction DESC, of the kin of the task that $1 names.
// Told that whose equals something, PostgreSQL would also walk by key through everybody's kin: see logWalk.statement.
func (k kinOf) some(direction string, limit int, inPlaces bool) string {
	cond, order := k.whose+`=$1`, k.key+direction
	if inPlaces {
		pair := `(` + k.whose + `, ` + k.key + `)`
		cond = k.whose + ` IS NOT NULL AND ` + pair + `>($1, 0) AND ` + pair + `<=($1, ` + lastID + `)`
		order = k.whose + direction + `, ` + order
	}
	return `SELECT ` + k.key + ` AS k FROM ` + k.index + ` WHERE ` + cond + ` ORDER BY ` + order + ` LIMIT ` + strconv.Itoa(limit)
}

// zero is the statement for those of the first and the last kin in whose row, s, a number is 0. Each is looked up by
// itself: a join could read all the tasks that there are.
func (k kinOf) zero(number string, limit int, inPlaces bool) string {
	return `SELECT k FROM (SELECT k FROM (` + k.some(``, looked, inPlaces) + `) a UNION SELECT k FROM (` + k.some(` DESC`, looked, inPlaces) + `) z) b
		WHERE (SELECT s.` + number + ` FROM task s WHERE s.id=b.k)=0 ORDER BY k LIMIT ` + strconv.Itoa(limit)
}

// lastID is the largest number that an id can be.
const lastID = `9223372036854775807`

// scanKin reads a task in brief, a lapsed lease as it will be swept.
func scanKin(now task.Time, p *tx.Project, row db.Row) (*task.Task, error) {
	t := &task.Task{}
	err := rows.ReadKin(&rows.Scanner{Slug: p.Rec.Slug}, row, t)
	return asSwept(now, t), err
}

// asSwept makes a Kin one whose lapsed lease is swept. It does not show who holds it.
func asSwept(now task.Time, t *task.Task) *task.Task {
	if t.Lapsed(now) {
		t.Status = task.Open
	}
	t.Claim = nil
	return t
}

// Ancestry returns a task's ancestors from its parent up, at most limit of them: id, title, status and body.
func (r GraphReader) Ancestry(id task.ID, limit int) ([]*task.Task, error) {
	p, ref, err := r.KeyOf(id)
	if err != nil {
		return nil, err
	}
	var out []*task.Task
	s := rows.Scanner{Slug: p.Rec.Slug}
	err = r.C.Query(`WITH RECURSIVE up(id, parent, level) AS (
			SELECT id, parent, 0 FROM task WHERE id=$1
			UNION ALL SELECT t.id, t.parent, up.level+1 FROM up CROSS JOIN task t WHERE t.id=up.parent AND up.level<$2)
		SELECT `+rows.AncestorColumnsT+` FROM up CROSS JOIN task t LEFT JOIN task_body b ON b.task=up.id
		WHERE t.id=up.id AND up.level>0 ORDER BY up.level`, []any{ref, limit}, func(row db.Row) error {
		t := &task.Task{}
		err := rows.ReadAncestor(&s, row, t)
		out = append(out, asSwept(r.Now(), t))
		return err
	})
	return out, err
}
