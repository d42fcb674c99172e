package store

import (
	"cmp"
	"maps"
	"slices"

	"tasker/internal/db"
	"tasker/internal/task"
	"tasker/internal/task/query"
)

// days sums the daily counts from one day up to, but not including, another.
func (tx *Tx) days(p *Project, what string, from, to int64) (int, error) {
	return db.Value[int](tx.C, `SELECT CAST(COALESCE(SUM(n), 0) AS BIGINT) FROM tally WHERE project=$1 AND what=$2 AND at>=$3 AND at<$4`, p.ID, what,
		from, to)
}

// Overdue counts the open tasks of a project that are past due.
func (tx *Tx) Overdue(slug string) (int, error) {
	p, err := tx.Find(slug)
	if err != nil {
		return 0, err
	}
	today := tx.Now().Day()
	n, err := tx.days(p, TallyDue, -1<<40, today)
	if err != nil {
		return 0, err
	}
	due, err := db.Value[int](tx.C, `SELECT COUNT(*) FROM task WHERE project=$1 AND due_at IS NOT NULL AND due_at>=$2 AND due_at<$3
		AND status<>'done' AND status<>'cancelled'`, p.ID, int64(task.StartOfDay(today)), tx.Head.Now)
	return n + due, err
}

// ClosedSince counts the closed tasks of a project that were closed at since or later.
func (tx *Tx) ClosedSince(slug string, since task.Time) (int, error) {
	p, err := tx.Find(slug)
	if err != nil {
		return 0, err
	}
	day := since.Day()
	n, err := tx.days(p, TallyClosed, day+1, 1<<40)
	if err != nil {
		return 0, err
	}
	for _, s := range []task.Status{task.Done, task.Cancelled} {
		closed, err := db.Value[int](tx.C, `SELECT COUNT(*) FROM task WHERE project=$1 AND status=`+literal(s)+`
			AND closed_at>0 AND closed_at>=$2 AND closed_at<$3`, p.ID, int64(since), int64(task.StartOfDay(day+1)))
		if err != nil {
			return 0, err
		}
		n += closed
	}
	return n, nil
}

// ReadyBy counts ready tasks by what they declare for routing. keptBack counts the tasks that a blocking question keeps
// back, whether or not something else does too.
func (tx *Tx) ReadyBy(slug string) (ready []query.RouteCount, keptBack int, err error) {
	p, err := tx.Find(slug)
	if err != nil {
		return nil, 0, err
	}
	if err := tx.Front().Know(p.Front); err != nil {
		return nil, 0, err
	}
	counts := map[Tally]int{}
	err = tx.C.Query(`SELECT what, at, n FROM tally WHERE project=$1 AND (what=$2 OR what=$3)`, []any{p.ID, TallyRoute, TallyAsked},
		db.Scan3(func(what string, at int64, n int) error { counts[Tally{what, at}] = n; return nil }))
	if err != nil {
		return nil, 0, err
	}
	for k, by := range p.Tallies { // changed in this turn, and not written yet
		counts[k] += by
	}
	lapsed, err := tx.Lapsed(p)
	if err != nil {
		return nil, 0, err
	}
	for _, rt := range p.Front.Routes() {
		ready = append(ready, query.RouteCount{Autonomy: rt.Autonomy, MayExecute: rt.MayExecute, Ready: counts[Tally{What: TallyRoute, At: rt.ID}]})
	}
	keptBack = counts[Tally{What: TallyAsked}]
	for _, t := range lapsed { // as the sweep will write it
		if t.Ready() {
			ready = append(ready, query.RouteCount{Autonomy: t.Autonomy, MayExecute: t.MayExecute, Ready: 1})
		}
		keptBack += One(t.KeptBack())
	}
	return ready, keptBack, nil
}

// The counts of a project's tasks that are not in its own row: see the table tally.
const (
	TallyDue    = "due"    // open tasks by the day they are due
	TallyClosed = "closed" // closed tasks by the day they were closed
	TallyRoute  = "route"  // ready tasks by route
	TallyAsked  = "asked"  // tasks that a blocking question keeps back, even if something else does too
)

// Tally names one count.
type Tally struct {
	What string
	At   int64
}

// Compare orders counts.
func (k Tally) Compare(o Tally) int {
	return cmp.Or(cmp.Compare(k.What, o.What), cmp.Compare(k.At, o.At))
}

// Count changes one count. It is written once, before the commit.
func (tx *Tx) Count(p *Project, what string, at int64, by int) {
	if by == 0 {
		return
	}
	if p.Tallies == nil {
		p.Tallies = map[Tally]int{}
	}
	k := Tally{what, at}
	p.Tallies[k] += by
	p.dirty = true
	tx.Turn.Undo(func() { p.Tallies[k] -= by })
}

// Daily updates the counts by day. before is nil for a new task.
func (tx *Tx) Daily(p *Project, before, after *task.Task) {
	if before == nil || before.Status != after.Status || before.Due != after.Due || before.ClosedAt != after.ClosedAt {
		if before != nil {
			tx.countDays(p, before, -1)
		}
		tx.countDays(p, after, 1)
	}
}

func (tx *Tx) countDays(p *Project, t *task.Task, by int) {
	if at, ok := t.Deadline(); ok {
		tx.Count(p, TallyDue, at.Day(), by)
	}
	if t.ClosedAt != 0 {
		tx.Count(p, TallyClosed, t.ClosedAt.Day(), by)
	}
}

// flush writes the counts that changed in the turn.
func (p *Project) flush(c db.Conn) error {
	for _, k := range slices.SortedFunc(maps.Keys(p.Tallies), Tally.Compare) {
		by := p.Tallies[k]
		if by == 0 {
			continue
		}
		db.Exec(c, 1, `INSERT INTO tally (project, what, at, n) VALUES ($1,$2,$3,$4)
			ON CONFLICT (project, what, at) DO UPDATE SET n=tally.n+excluded.n`, p.ID, k.What, k.At, by)
	}
	return nil
}

// The following counts in SQL how a project grew and was closed, so that a large project needs no task loaded for it.

// FirstCreated returns when the first task of a project was created, or zero if it has none.
func (tx *Tx) FirstCreated(slug string) (task.Time, error) {
	p, err := tx.Find(slug)
	if err != nil {
		return 0, err
	}
	first, err := db.Value[int64](tx.C, `SELECT CAST(COALESCE(MIN(created_at), 0) AS BIGINT) FROM task WHERE project=$1`, p.ID)
	return task.Time(first), err
}

// CreatedBySpan counts the tasks of a project by creation time, in n consecutive spans. The first span also has
// everything before it, and the last everything after.
func (tx *Tx) CreatedBySpan(slug string, s query.Spans) ([]int, error) {
	return tx.countSpans(slug, `created_at`, ``, s)
}

// ClosedBySpan counts the tasks with a closed status by when they were closed, as CreatedBySpan does.
func (tx *Tx) ClosedBySpan(slug string, status task.Status, s query.Spans) ([]int, error) {
	return tx.countSpans(slug, `closed_at`, ` AND status=`+literal(status)+` AND closed_at>0`, s)
}

func (tx *Tx) countSpans(slug, column, what string, s query.Spans) ([]int, error) {
	p, err := tx.Find(slug)
	if err != nil {
		return nil, err
	}
	out := make([]int, s.N)
	// A span includes the moment that it begins at, and everything up to the next one.
	return out, tx.C.Query(`SELECT span, COUNT(*) FROM (SELECT CASE WHEN `+column+`<$2 THEN 0 WHEN `+column+`>=$3 THEN $4 ELSE (`+column+`-$2)/$5 END AS span
		FROM task WHERE project=$1`+what+`) spans GROUP BY span`,
		[]any{p.ID, int64(s.From), int64(s.From) + int64(s.Each)*int64(s.N), int64(s.N - 1), int64(s.Each)}, db.Scan2(func(span, n int) error {
			out[span] += n
			return nil
		}))
}

// Underway returns the open tasks of a project that have been started or have a gate, with only those fields.
func (tx *Tx) Underway(slug string, limit int) ([]query.Underway, error) {
	p, err := tx.Find(slug)
	if err != nil {
		return nil, err
	}
	return db.All(tx.C, `SELECT id, gate, CASE WHEN holder IS NOT NULL THEN claimed_at WHEN status<>'open' THEN updated_at ELSE 0 END FROM task
		WHERE project=$1 AND status<>'done' AND status<>'cancelled' AND (holder IS NOT NULL OR status<>'open' OR gate<>'') ORDER BY id LIMIT $2`,
		[]any{p.ID, int64(limit)}, db.Read3(func(key int64, gate string, began int64) query.Underway {
			return query.Underway{Task: p.TaskID(key), Gate: gate, Began: task.Time(began)}
		}))
}

// Parts counts the parts of every task of a project that has any.
func (tx *Tx) Parts(slug string) (map[task.ID]query.Parts, error) {
	p, err := tx.Find(slug)
	if err != nil {
		return nil, err
	}
	out := map[task.ID]query.Parts{}
	return out, tx.C.Query(`SELECT parent, COUNT(*), SUM(CASE WHEN status='done' OR status='cancelled' THEN 1 ELSE 0 END) FROM task
		WHERE project=$1 AND parent IS NOT NULL GROUP BY parent`, []any{p.ID}, db.Scan3(func(key int64, all, closed int) error {
		out[p.TaskID(key)] = query.Parts{All: all, Closed: closed}
		return nil
	}))
}
