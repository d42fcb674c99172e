// Package recount works out from records and edges what is otherwise maintained, and compares the two.
package recount

import (
	"fmt"
	"maps"
	"slices"
	"strconv"

	"tasker/internal/db"
	"tasker/internal/glob"
	"tasker/internal/store"
	"tasker/internal/store/frontier"
	"tasker/internal/store/rows"
	"tasker/internal/task"
	"tasker/internal/task/query"
)

// Recount compares every maintained value of a project with a recount from its records and edges. It compares what
// follows from columns of tasks as if the columns were right, so that each fault is found where it is. It returns the
// differences, and the steps that repair them: see Mend.
func Recount(tx *store.Tx, slug string) ([]query.Finding, []*Repair, error) {
	p, err := tx.Find(slug)
	if err != nil {
		return nil, nil, err
	}
	c := &recount{r: tx, p: p, seen: &seen{event: tx.Head.LastEvent, graph: p.Rec.GraphVersion}}
	if err := c.each(c.orphans, c.wire, c.findNewest, c.countFailures, c.findHanded); err != nil {
		return nil, nil, err
	}
	d, err := c.newDerived()
	if err != nil {
		return nil, nil, err
	}
	err = c.inRuns(c.columns, c.perTask(d.add))
	if err == nil {
		err = d.end()
	}
	return c.found, c.mends(), err
}

// Complete writes everything that is counted, in a turn of its own, after records were written without what follows
// from them. It sets the columns of tasks first, and then what follows from those.
func Complete(tx *store.Tx, p *store.Project) error {
	c := &recount{r: tx, p: p, fix: tx}
	tx.Touch(p)
	p.Rec.GraphVersion++
	p.Rec.FlowVersion++
	if err := c.each(c.orphans, c.wire, c.findNewest, c.countFailures, c.findHanded); err != nil {
		return err
	}
	if err := c.inRuns(c.columns); err != nil {
		return err
	}
	for _, m := range c.columnsToSet {
		tx.Exec(1, `UPDATE task SET `+m.name+`=$2 WHERE id=$1`, m.ref, m.written)
	}
	d, err := c.newDerived()
	if err != nil {
		return err
	}
	if err := c.inRuns(c.perTask(d.add)); err != nil {
		return err
	}
	return d.end()
}

// columns compares the columns of tasks.
func (c *recount) columns() error {
	c.check = query.CheckCounts
	return c.each(c.perTask(c.edges), c.annotations, c.due, c.leases, c.perTask(c.events), c.perTask(c.failures), c.perTask(c.hands))
}

// derived compares what follows from the columns of tasks: the frontier, counts of the project, the text index.
type derived struct {
	*recount
	places *frontier.Recount
	starts map[int64][]string
	totals totals
}

func (c *recount) newDerived() (*derived, error) {
	d := &derived{recount: c, totals: totals{tallies: map[store.Tally]int{}}}
	var err error
	if d.places, err = c.r.Front().NewRecount(c.p.Front); err != nil {
		return nil, err
	}
	d.starts, err = c.readStarts()
	return d, err
}

// add processes a task.
func (d *derived) add(ref int64, t *task.Task) {
	d.check = query.CheckOrder
	d.places.Add(ref, t)
	d.touches(ref, t)
	d.count(ref, t)
}

// count adds a task to the totals.
func (d *derived) count(ref int64, t *task.Task) { d.totals.add(d.p, ref, t) }

// end compares the sums over all runs.
func (d *derived) end() error {
	d.check = query.CheckOrder
	if rebuilt, err := d.frontier(d.places); err != nil {
		return err
	} else if rebuilt { // tasks may be on routes that did not exist before
		d.totals = totals{tallies: map[store.Tally]int{}}
		if err := d.inRuns(d.perTask(d.count)); err != nil {
			return err
		}
	}
	d.check = query.CheckCounts
	d.compareTotals(&d.totals)
	if err := d.each(d.workspaces, func() error { return d.tallies(&d.totals) }); err != nil {
		return err
	}
	d.check = query.CheckSearch
	return d.words()
}

// inRun is how many tasks are in memory at once.
const inRun = 2000

// inRuns loads the tasks of the project by number, one run at a time, and does the steps with each.
func (c *recount) inRuns(steps ...func() error) error {
	from, hi := c.p.Span()
	s := rows.Scanner{Slug: c.p.Rec.Slug}
	for {
		c.run, c.byRef = c.run[:0], make(map[int64]*task.Task, inRun)
		err := c.r.C.Query(`SELECT `+rows.TaskColumns+` FROM task WHERE id BETWEEN $1 AND $2 ORDER BY id LIMIT `+strconv.Itoa(inRun), []any{from, hi},
			func(row db.Row) error {
				t, err := s.Whole(row)
				ref := rows.Ref(row)
				c.byRef[ref], c.run = t, append(c.run, ref)
				return err
			})
		if err != nil || len(c.run) == 0 {
			return err
		}
		if err := c.each(steps...); err != nil {
			return err
		}
		if len(c.run) < inRun {
			return nil
		}
		from = c.run[len(c.run)-1] + 1
	}
}

// perTask returns a step that looks at each task of a run.
func (c *recount) perTask(look func(ref int64, t *task.Task)) func() error {
	return func() error {
		for _, ref := range c.run {
			look(ref, c.byRef[ref])
		}
		return nil
	}
}

func (c *recount) each(steps ...func() error) error {
	for _, step := range steps {
		if err := step(); err != nil {
			return err
		}
	}
	return nil
}

// frontier compares every row of every stored order, and reports whether it rebuilt them.
func (c *recount) frontier(places *frontier.Recount) (rebuilt bool, err error) {
	before := len(c.found)
	err = places.End(func(id task.ID, key int64, what string, stored, counted any, mend frontier.Mend) {
		c.note(id, what, stored, counted)
		c.mend(key, place{key, mend})
	})
	if err != nil || c.fix == nil || len(c.found) == before {
		return false, err
	}
	return true, c.fix.Places.Rebuild(c.p.Front)
}

// readStarts reads where the globs of held tasks begin.
func (c *recount) readStarts() (map[int64][]string, error) {
	stored := map[int64][]string{}
	err := c.r.C.Query(`SELECT task, start FROM touch WHERE project=$1 ORDER BY start`, []any{c.p.ID}, db.Each2(func(ref int64, start string) {
		stored[ref] = append(stored[ref], start)
	}))
	return stored, err
}

// touches compares where the globs of a held task begin.
func (d *derived) touches(ref int64, t *task.Task) {
	stored, starts := d.starts[ref], glob.Starts(t.Occupied())
	if len(stored)+len(starts) == 0 ||
		!d.differ(t, "where its touches begin while it is held", fmt.Sprintf("%q", stored), fmt.Sprintf("%q", starts)) {
		return
	}
	d.mend(ref, touches(ref))
	if d.fix != nil {
		store.RestoreStarts(d.r.C, d.p.ID, ref, starts)
	}
}

// words compares the text index with the documents of the records.
func (c *recount) words() error {
	before := len(c.found)
	err := store.RecountIndex(c.r.C, c.p.ID, func(what string, stored, counted any, mends []store.IndexMend) {
		if c.differ(nil, what, stored, counted) {
			for _, m := range mends {
				c.mend(afterTasks, words(m))
			}
		}
	})
	if err != nil || c.fix == nil || len(c.found) == before {
		return err
	}
	return store.RebuildIndex(c.r.C, c.p.ID, c.p.Rec.NextNumber, c.fix.Turn.LastEvent)
}

type recount struct {
	r     *store.Tx
	p     *store.Project
	refs  []int64              // of all tasks, by number
	run   []int64              // the ones being compared now
	byRef map[int64]*task.Task // the tasks of run, as stored
	check query.Check          // the check being done now
	found []query.Finding
	last  *query.Finding // the newest of them

	wired        wired
	newest       [len(standing)][]int64 // by index in refs, the newest event of each kind
	acknowledged map[int64]int64        // the newest of its failures that a human has seen; 0: none
	failed       map[int64]failed
	handed       map[int64]handed

	fix          *store.Tx // nil: it only compares
	columnsToSet []column  // when it writes

	seen  *seen     // when it only compares: the state of the snapshot
	steps []*Repair // repairs for the findings
}

// differ notes a value if it differs from what was counted, and reports whether it does.
func (c *recount) differ(t *task.Task, what string, stored, counted any) bool {
	if stored == counted {
		return false
	}
	id := task.ID("")
	if t != nil {
		id = t.ID
	}
	c.note(id, what, stored, counted)
	return true
}

// note notes a value that differs from what was counted; the id is empty if it belongs to no task.
func (c *recount) note(id task.ID, what string, stored, counted any) {
	c.last = &query.Finding{
		Check: c.check, Project: task.Opt(c.p.Rec.Slug), Task: task.Opt(id), What: what, Stored: fmt.Sprint(stored), Counted: fmt.Sprint(counted),
	}
	c.found = append(c.found, *c.last)
}

// column compares a value that is in one column of a task's row.
func (c *recount) column(ref int64, what, name string, stored, counted any) {
	c.value(ref, what, name, stored, counted, counted)
}

// value is column for a column that stores the value in another form.
func (c *recount) value(ref int64, what, name string, stored, counted, written any) {
	if !c.differ(c.byRef[ref], what, stored, counted) {
		return
	}
	if yes, ok := written.(bool); ok {
		written = store.One(yes)
	}
	m := column{ref, name, stored, written}
	c.mend(ref, m)
	if c.fix != nil {
		c.columnsToSet = append(c.columnsToSet, m)
	}
}

// annotations recounts the annotations of tasks.
func (c *recount) annotations() error {
	lo, hi := c.run[0], c.run[len(c.run)-1]
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
		{"body", "has_body", `SELECT task, 1 FROM task_body WHERE task BETWEEN $1 AND $2`, func(t *task.Task) int { return store.One(t.HasBody) }},
		{"open blocking questions", "questions", `SELECT task, COUNT(*) FROM question WHERE task BETWEEN $1 AND $2 AND blocking=1 AND withdrawn=0
			AND answered_at=0 GROUP BY task`, func(t *task.Task) int { return t.Questions }},
	} {
		counted, err := db.Pairs[int64, int](c.r.C, part.sql, lo, hi)
		if err != nil {
			return err
		}
		for _, ref := range c.run {
			c.column(ref, part.what, part.column, part.stored(c.byRef[ref]), counted[ref])
			if part.column == "questions" {
				c.byRef[ref].Questions = counted[ref]
			}
		}
	}
	return nil
}

// totals are the counts of a project.
type totals struct {
	counts               task.Counts
	ready, held, waiting int
	last                 int64 // the highest number
	tallies              map[store.Tally]int
}

// add counts a task.
func (n *totals) add(p *store.Project, ref int64, t *task.Task) {
	*n.counts.Of(t.Status)++
	n.ready += store.One(t.Ready())
	n.held += store.One(t.Claim != nil)
	n.waiting += store.One(t.State() == task.StateWaiting)
	n.last = rows.Number(ref)
	if at, ok := t.Deadline(); ok {
		n.tallies[store.Tally{What: store.TallyDue, At: at.Day()}]++
	}
	if t.ClosedAt != 0 {
		n.tallies[store.Tally{What: store.TallyClosed, At: t.ClosedAt.Day()}]++
	}
	if at := p.Front.PlaceOf(t); at > 0 {
		n.tallies[store.Tally{What: store.TallyRoute, At: at}]++
	}
	n.tallies[store.Tally{What: store.TallyAsked}] += store.One(t.KeptBack())
}

// compareTotals compares the counts in the project's own row.
func (c *recount) compareTotals(n *totals) {
	for _, s := range task.Statuses {
		c.total("tasks that are "+string(s), func(rec *task.Project) *int { return rec.Tasks.Of(s) }, *n.counts.Of(s))
	}
	c.total("ready tasks", func(rec *task.Project) *int { return &rec.Ready }, n.ready)
	c.total("held tasks", func(rec *task.Project) *int { return &rec.Held }, n.held)
	c.total("waiting tasks", func(rec *task.Project) *int { return &rec.Waiting }, n.waiting)
	next := max(c.p.Rec.NextNumber, n.last+1)
	if !c.differ(nil, "next number", c.p.Rec.NextNumber, next) {
		return
	}
	if c.fix != nil {
		c.p.Rec.NextNumber = next
	} else {
		c.mend(afterTasks, nextNumber(next))
	}
}

// total compares one count.
func (c *recount) total(what string, in func(*task.Project) *int, counted int) {
	stored := *in(&c.p.Rec)
	if !c.differ(nil, what, stored, counted) {
		return
	}
	if c.fix != nil {
		*in(&c.p.Rec) = counted
	} else {
		c.mend(afterTasks, total{in, counted - stored})
	}
}

// tallies compares the counts that are not in the project's own row.
func (c *recount) tallies(n *totals) error {
	counted := n.tallies
	stored := map[store.Tally]int{}
	err := c.r.C.Query(`SELECT what, at, n FROM tally WHERE project=$1`, []any{c.p.ID}, db.Each3(func(what string, at int64, n int) {
		k := store.Tally{What: what, At: at}
		stored[k] = n
		counted[k] += 0
	}))
	if err != nil {
		return err
	}
	for _, k := range slices.SortedFunc(maps.Keys(counted), store.Tally.Compare) {
		if !c.differ(nil, fmt.Sprintf("tasks by %s %d", k.What, k.At), stored[k], counted[k]) {
			continue
		}
		c.mend(afterTasks, tally{k, counted[k] - stored[k]})
		if c.fix != nil {
			db.Exec(c.r.C, 1, `INSERT INTO tally (project, what, at, n) VALUES ($1,$2,$3,$4)
				ON CONFLICT (project, what, at) DO UPDATE SET n=excluded.n`, c.p.ID, k.What, k.At, counted[k])
		}
	}
	return nil
}

// due compares the stored due moments of tasks with their due dates.
func (c *recount) due() error {
	lo, hi := c.run[0], c.run[len(c.run)-1]
	return c.r.C.Query(`SELECT id, due_at FROM task WHERE id BETWEEN $1 AND $2`, []any{lo, hi}, db.Each2(func(ref int64, due *int64) {
		var at any
		if due != nil {
			at = *due
		}
		c.column(ref, "the moment it is due", "due_at", at, rows.MomentOf(c.byRef[ref].Due))
	}))
}

// standing are the kinds of events that say since when a task has had its state.
var standing = [...]task.Kind{task.TaskCreated, task.TaskClaimed, task.ClaimExpired, task.TaskMoved}

// findNewest reads the newest event of those kinds of each task.
func (c *recount) findNewest() error {
	for k, kind := range standing {
		c.newest[k] = make([]int64, len(c.refs))
		err := c.r.C.Query(`SELECT task, id FROM event WHERE project=$1 AND kind=$2 ORDER BY id`, []any{c.p.ID, string(kind)},
			db.Each2(func(ref, event int64) {
				if i, ok := c.place(ref); ok {
					c.newest[k][i] = event
				}
			}))
		if err != nil {
			return err
		}
	}
	return nil
}

// events checks the events since which a task waits for people.
func (c *recount) events(ref int64, t *task.Task) {
	i, _ := c.place(ref)
	created, claimed, lapse, moved := c.newest[0][i], c.newest[1][i], c.newest[2][i], c.newest[3][i]
	if lapse < claimed {
		lapse = 0
	}
	if t.Lapse != 0 || moved < lapse { // a close ends it too
		c.column(ref, "the end of its newest lease", "lapsed", t.Lapse, lapse)
	}
	stands := max(moved, created) // since when it has had its status
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
