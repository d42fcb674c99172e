package store

import (
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
