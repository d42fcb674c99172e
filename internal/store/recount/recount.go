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
	c := &recount{r: r, p: p, byRef: map[int64]*task.Task{}}
	for _, step := range []func() error{c.load, c.edges, c.beside, c.totals, c.tallies, c.events, c.failures, c.frontier, c.touches, c.words} {
		if err := step(); err != nil {
			return nil, err
		}
	}
	return c.found, nil
}

// frontier compares every row of every stored order.
func (c *recount) frontier() error { return c.r.Front().Recount(c.p.Front, c.byRef, c.differ) }

// touches compares where the globs of held tasks begin.
func (c *recount) touches() error {
	stored := map[int64][]string{}
	err := c.r.C.Query(`SELECT task, start FROM touch WHERE project=$1 ORDER BY start`, []any{c.p.ID}, db.Scan2(func(ref int64, start string) error {
		stored[ref] = append(stored[ref], start)
		return nil
	}))
	for _, ref := range c.refs {
		c.differ(c.byRef[ref], "where its touches begin while it is held", fmt.Sprintf("%q", stored[ref]), fmt.Sprintf("%q", tx.Starts(c.byRef[ref])))
	}
	return err
}

// words compares the text index with the documents of the records.
func (c *recount) words() error {
	return textindex.Recount(c.r.C, c.p.ID, func(what string, stored, counted any) { c.differ(nil, what, stored, counted) })
}

type recount struct {
	r     *tx.Tx
	p     *tx.Project
	refs  []int64
	byRef map[int64]*task.Task // as stored
	found []query.Finding
}

func (c *recount) differ(t *task.Task, what string, stored, counted any) {
	if stored == counted {
		return
	}
	f := query.Finding{Project: task.Opt(c.p.Rec.Slug), What: what, Stored: fmt.Sprint(stored), Counted: fmt.Sprint(counted)}
	if t != nil {
		f.Task = task.Opt(t.ID)
	}
	c.found = append(c.found, f)
}

func (c *recount) load() error {
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
		what, sql string
		stored    func(*task.Task) int
	}{
		{"notes", `SELECT task, COUNT(*) FROM note WHERE task BETWEEN $1 AND $2 GROUP BY task`, func(t *task.Task) int { return t.Notes }},
		{"evidence", `SELECT task, COUNT(*) FROM evidence WHERE task BETWEEN $1 AND $2 GROUP BY task`, func(t *task.Task) int { return t.Evidences }},
		{"approvals", `SELECT task, COUNT(*) FROM approval WHERE task BETWEEN $1 AND $2 GROUP BY task`, func(t *task.Task) int { return t.Approvals }},
		{"decisions", `SELECT task, COUNT(*) FROM decision WHERE task BETWEEN $1 AND $2 GROUP BY task`, func(t *task.Task) int { return t.Decisions }},
		{"questions", `SELECT task, COUNT(*) FROM question WHERE task BETWEEN $1 AND $2 GROUP BY task`, func(t *task.Task) int { return t.QuestionCount }},
		{"bindings", `SELECT task, COUNT(*) FROM binding WHERE task BETWEEN $1 AND $2 GROUP BY task`, func(t *task.Task) int { return t.BindingCount }},
		{"body", `SELECT task, 1 FROM task_body WHERE task BETWEEN $1 AND $2`, func(t *task.Task) int { return tx.One(t.HasBody) }},
		{"open blocking questions", `SELECT task, COUNT(*) FROM question WHERE task BETWEEN $1 AND $2 AND blocking=1 AND withdrawn=0 AND answered_at=0 GROUP BY task`,
			func(t *task.Task) int { return t.Questions }},
	} {
		counted := map[int64]int{}
		if err := c.r.C.Query(part.sql, []any{lo, hi}, db.Scan2(func(ref, n int64) error {
			counted[ref] = int(n)
			return nil
		})); err != nil {
			return err
		}
		for _, ref := range c.refs {
			c.differ(c.byRef[ref], part.what, part.stored(c.byRef[ref]), counted[ref])
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
	if c.p.Rec.NextNumber <= last {
		c.differ(nil, "next number", c.p.Rec.NextNumber, last+1)
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
		c.differ(nil, fmt.Sprintf("tasks by %s %d", k.What, k.At), stored[k], counted[k])
	}
	lo, hi := c.p.Span()
	return c.r.C.Query(`SELECT id, due_at FROM task WHERE id BETWEEN $1 AND $2`, []any{lo, hi}, db.Scan2(func(ref int64, due *int64) error {
		t := c.byRef[ref]
		var at any
		if due != nil {
			at = *due
		}
		c.differ(t, "the moment it is due", at, rows.MomentOf(t.Due))
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
			c.differ(t, "the end of its newest lease", t.Lapse, lapse)
		}
		c.differ(t, "waiting for judgement", t.AwaitingSince > 0, t.Status == task.InReview || t.AwaitingSince > 0 && !t.Status.Closed())
		c.differ(t, "closed unwatched", t.UnsupervisedClose > 0, t.UnsupervisedClose > 0 && t.Status.Closed())
		unheld := int64(0)
		if t.State() == task.StateUnheld {
			unheld = max(newest[of{ref, task.TaskMoved}], newest[of{ref, task.TaskCreated}])
		}
		c.differ(t, "in progress without a holder since event", t.UnheldSince, unheld)
	}
	return nil
}
