// Package recount works out from records and edges what is otherwise maintained, and compares the two.
package recount

import (
	"fmt"
	"maps"
	"slices"

	"tasker/internal/db"
	"tasker/internal/store/rows"
	"tasker/internal/store/textindex"
	"tasker/internal/store/tx"
	"tasker/internal/task"
	"tasker/internal/task/query"
)

// Project compares every maintained value of a project with a recount from its records and edges.
func Project(r *tx.Tx, p *tx.Project) ([]query.Finding, error) {
	c := &recount{r: r, p: p}
	err := c.columns()
	if err == nil {
		err = c.derived()
	}
	return c.found, err
}

// Repair is Project in a turn of its own, which also writes what was counted. It first mends the columns of tasks, and
// then what follows from those.
func Repair(w *tx.Member, p *tx.Project) ([]query.Finding, error) {
	c := &recount{r: w.Tx, p: p, fix: w}
	w.Touch(p)
	p.Rec.GraphVersion++
	p.Rec.FlowVersion++
	if err := c.columns(); err != nil {
		return nil, err
	}
	for _, m := range c.mends {
		if err := w.C.Exec(1, m.sql, m.args...); err != nil {
			return nil, err
		}
	}
	err := c.derived()
	return c.found, err
}

// columns compares the columns of tasks.
func (c *recount) columns() error {
	c.check = query.CheckCounts
	return c.each(c.load, c.edges, c.beside, c.due, c.events, c.failures)
}

// derived compares what follows from the columns of tasks: counts of the project, the frontier, the text index.
func (c *recount) derived() error {
	if c.mends != nil {
		if err := c.load(); err != nil {
			return err
		}
	}
	c.check = query.CheckOrder
	if err := c.each(c.frontier, c.touches); err != nil {
		return err
	}
	c.check = query.CheckCounts
	if err := c.each(c.totals, c.tallies); err != nil {
		return err
	}
	c.check = query.CheckSearch
	return c.each(c.words)
}

func (c *recount) each(steps ...func() error) error {
	for _, step := range steps {
		if err := step(); err != nil {
			return err
		}
	}
	return nil
}

// frontier compares every row of every stored order.
func (c *recount) frontier() error {
	before := len(c.found)
	err := c.r.Front().Recount(c.p.Front, c.byRef, func(t *task.Task, what string, stored, counted any) { c.differ(t, what, stored, counted) })
	if err != nil || c.fix == nil || len(c.found) == before {
		return err
	}
	return c.fix.Places.Rebuild(c.p.Front)
}

// touches compares where the globs of held tasks begin.
func (c *recount) touches() error {
	stored := map[int64][]string{}
	err := c.r.C.Query(`SELECT task, start FROM touch WHERE project=$1 ORDER BY start`, []any{c.p.ID}, db.Scan2(func(ref int64, start string) error {
		stored[ref] = append(stored[ref], start)
		return nil
	}))
	if err != nil {
		return err
	}
	for _, ref := range c.refs {
		starts := tx.Starts(c.byRef[ref])
		if !c.differ(c.byRef[ref], "where its touches begin while it is held", fmt.Sprintf("%q", stored[ref]), fmt.Sprintf("%q", starts)) || c.fix == nil {
			continue
		}
		if err := tx.RestoreStarts(c.r.C, c.p.ID, ref, starts); err != nil {
			return err
		}
	}
	return nil
}

// words compares the text index with the documents of the records.
func (c *recount) words() error {
	before := len(c.found)
	err := textindex.Recount(c.r.C, c.p.ID, func(what string, stored, counted any) { c.differ(nil, what, stored, counted) })
	if err != nil || c.fix == nil || len(c.found) == before {
		return err
	}
	return textindex.Rebuild(c.r.C, c.p.ID, c.p.Rec.NextNumber, c.fix.Turn.LastEvent)
}

type recount struct {
	r     *tx.Tx
	p     *tx.Project
	refs  []int64
	byRef map[int64]*task.Task // as stored
	check query.Check          // what is compared now
	found []query.Finding

	fix   *tx.Member // nil: it only compares
	mends []mend     // of columns
}

// mend is a statement that writes one value.
type mend struct {
	sql  string
	args []any
}

// differ notes a value that differs from what was counted, and reports whether it does.
func (c *recount) differ(t *task.Task, what string, stored, counted any) bool {
	if stored == counted {
		return false
	}
	f := query.Finding{Check: c.check, Project: task.Opt(c.p.Rec.Slug), What: what, Stored: fmt.Sprint(stored), Counted: fmt.Sprint(counted)}
	if t != nil {
		f.Task = task.Opt(t.ID)
	}
	c.found = append(c.found, f)
	return true
}

// column compares a value that one column of a task's row has.
func (c *recount) column(ref int64, what, column string, stored, counted any) {
	c.value(ref, what, column, stored, counted, counted)
}

// value is column where another value is written than the one that is compared.
func (c *recount) value(ref int64, what, column string, stored, counted, written any) {
	if !c.differ(c.byRef[ref], what, stored, counted) || c.fix == nil {
		return
	}
	if yes, ok := written.(bool); ok {
		written = tx.One(yes)
	}
	c.mends = append(c.mends, mend{`UPDATE task SET ` + column + `=$2 WHERE id=$1`, []any{ref, written}})
}

func (c *recount) load() error {
	c.refs, c.byRef = nil, map[int64]*task.Task{}
	lo, hi := c.p.Span()
	s := rows.Scanner{Slug: c.p.Rec.Slug}
	return c.r.C.Query(`SELECT `+rows.TaskColumns+` FROM task WHERE id BETWEEN $1 AND $2 ORDER BY id`, []any{lo, hi}, func(row db.Row) error {
		t, err := s.Whole(row)
		ref := rows.Ref(row)
		c.byRef[ref], c.refs = t, append(c.refs, ref)
		return err
	})
}

// beside recounts the annotations of tasks.
func (c *recount) beside() error {
	lo, hi := c.p.Span()
	for _, part := range []struct {
		what, column, sql string
		stored            func(*task.Task) int
	}{
		{"notes", "notes", `SELECT task, COUNT(*) FROM note WHERE task BETWEEN $1 AND $2 GROUP BY task`, func(t *task.Task) int { return t.Notes }},
		{"evidence", "evidences", `SELECT task, COUNT(*) FROM evidence WHERE task BETWEEN $1 AND $2 GROUP BY task`, func(t *task.Task) int { return t.Evidences }},
		{"approvals", "approvals", `SELECT task, COUNT(*) FROM approval WHERE task BETWEEN $1 AND $2 GROUP BY task`, func(t *task.Task) int { return t.Approvals }},
		{"decisions", "decisions", `SELECT task, COUNT(*) FROM decision WHERE task BETWEEN $1 AND $2 GROUP BY task`, func(t *task.Task) int { return t.Decisions }},
		{"questions", "asked", `SELECT task, COUNT(*) FROM question WHERE task BETWEEN $1 AND $2 GROUP BY task`, func(t *task.Task) int { return t.QuestionCount }},
		{"bindings", "bound", `SELECT task, COUNT(*) FROM binding WHERE task BETWEEN $1 AND $2 GROUP BY task`, func(t *task.Task) int { return t.BindingCount }},
		{"body", "has_body", `SELECT task, 1 FROM task_body WHERE task BETWEEN $1 AND $2`, func(t *task.Task) int { return tx.One(t.HasBody) }},
		{"open blocking questions", "questions", `SELECT task, COUNT(*) FROM question WHERE task BETWEEN $1 AND $2 AND blocking=1 AND withdrawn=0
			AND answered_at=0 GROUP BY task`, func(t *task.Task) int { return t.Questions }},
	} {
		counted := map[int64]int{}
		if err := c.r.C.Query(part.sql, []any{lo, hi}, db.Scan2(func(ref, n int64) error {
			counted[ref] = int(n)
			return nil
		})); err != nil {
			return err
		}
		for _, ref := range c.refs {
			c.column(ref, part.what, part.column, part.stored(c.byRef[ref]), counted[ref])
		}
	}
	return nil
}

// totals recounts the counts in the project's own row.
func (c *recount) totals() error {
	var counted task.Counts
	ready, holds, waiting, last := 0, 0, 0, int64(0)
	for _, ref := range c.refs {
		t := c.byRef[ref]
		*counted.Of(t.Status)++
		ready += tx.One(t.Ready())
		holds += tx.One(t.Claim != nil)
		waiting += tx.One(t.State() == task.StateWaiting)
		last = rows.Number(ref)
	}
	for _, s := range task.Statuses {
		c.differ(nil, "tasks that are "+string(s), *c.p.Rec.Tasks.Of(s), *counted.Of(s))
	}
	c.differ(nil, "ready tasks", c.p.Rec.Ready, ready)
	c.differ(nil, "held tasks", c.p.Rec.Held, holds)
	c.differ(nil, "waiting tasks", c.p.Rec.Waiting, waiting)
	next := max(c.p.Rec.NextNumber, last+1)
	c.differ(nil, "next number", c.p.Rec.NextNumber, next)
	if c.fix != nil {
		c.p.Rec.Tasks, c.p.Rec.Ready, c.p.Rec.Held, c.p.Rec.Waiting, c.p.Rec.NextNumber = counted, ready, holds, waiting, next
	}
	return nil
}

// tallies recounts the counts that are not in the project's own row.
func (c *recount) tallies() error {
	if err := c.r.Front().Know(c.p.Front); err != nil {
		return err
	}
	counted := map[tx.Tally]int{}
	for _, ref := range c.refs {
		t := c.byRef[ref]
		if at, ok := t.Deadline(); ok {
			counted[tx.Tally{What: tx.TallyDue, At: at.Day()}]++
		}
		if t.ClosedAt != 0 {
			counted[tx.Tally{What: tx.TallyClosed, At: t.ClosedAt.Day()}]++
		}
		if at := c.p.Front.PlaceOf(t); at > 0 {
			counted[tx.Tally{What: tx.TallyRoute, At: at}]++
		}
		counted[tx.Tally{What: tx.TallyAsked}] += tx.One(t.KeptBack())
	}
	stored := map[tx.Tally]int{}
	err := c.r.C.Query(`SELECT what, at, n FROM tally WHERE project=$1`, []any{c.p.ID}, db.Scan3(func(what string, at, n int64) error {
		k := tx.Tally{What: what, At: at}
		stored[k] = int(n)
		counted[k] += 0
		return nil
	}))
	if err != nil {
		return err
	}
	for _, k := range slices.SortedFunc(maps.Keys(counted), tx.Tally.Compare) {
		if !c.differ(nil, fmt.Sprintf("tasks by %s %d", k.What, k.At), stored[k], counted[k]) || c.fix == nil {
			continue
		}
		if err := c.r.C.Exec(1, `INSERT INTO tally (project, what, at, n) VALUES ($1,$2,$3,$4)
			ON CONFLICT (project, what, at) DO UPDATE SET n=excluded.n`, c.p.ID, k.What, k.At, counted[k]); err != nil {
			return err
		}
	}
	return nil
}

// due compares the moments at which tasks are due with what they say themselves.
func (c *recount) due() error {
	lo, hi := c.p.Span()
	return c.r.C.Query(`SELECT id, due_at FROM task WHERE id BETWEEN $1 AND $2`, []any{lo, hi}, db.Scan2(func(ref int64, due *int64) error {
		var at any
		if due != nil {
			at = *due
		}
		c.column(ref, "the moment it is due", "due_at", at, rows.MomentOf(c.byRef[ref].Due))
		return nil
	}))
}

// events checks the events since which tasks wait for people.
func (c *recount) events() error {
	type of struct {
		task int64
		kind task.Kind
	}
	newest := map[of]int64{}
	err := c.r.C.Query(`SELECT task, kind, MAX(id) FROM event WHERE project=$1
		AND (kind='task.created' OR kind='task.claimed' OR kind='claim.expired' OR kind='task.moved') GROUP BY task, kind`, []any{c.p.ID},
		db.Scan3(func(ref int64, kind string, event int64) error {
			newest[of{ref, task.Kind(kind)}] = event
			return nil
		}))
	if err != nil {
		return err
	}
	for _, ref := range c.refs {
		t := c.byRef[ref]
		lapse := newest[of{ref, task.ClaimExpired}]
		if lapse < newest[of{ref, task.TaskClaimed}] {
			lapse = 0
		}
		if t.Lapse != 0 || newest[of{ref, task.TaskMoved}] < lapse { // a close ends it too
			c.column(ref, "the end of its newest lease", "lapsed", t.Lapse, lapse)
		}
		stands := max(newest[of{ref, task.TaskMoved}], newest[of{ref, task.TaskCreated}]) // since when it has its status
		if t.Status == task.InReview {
			c.value(ref, "waiting for judgement", "awaiting", t.AwaitingSince > 0, true, stands)
		} else if t.Status.Closed() {
			c.value(ref, "waiting for judgement", "awaiting", t.AwaitingSince > 0, false, 0)
		}
		if !t.Status.Closed() {
			c.value(ref, "closed unwatched", "unwatched", t.UnsupervisedClose > 0, false, 0)
		}
		unheld := int64(0)
		if t.State() == task.StateUnheld {
			unheld = stands
		}
		c.column(ref, "in progress without a holder since event", "unheld", t.UnheldSince, unheld)
	}
	return nil
}
