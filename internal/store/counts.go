package store

import (
	"cmp"
	"maps"
	"slices"

	"tasker/internal/db"
	"tasker/internal/store/frontier"
	"tasker/internal/task"
)

// What is counted of a project's tasks beside its own row: see the table tally.
const (
	tallyDue    = "due"    // open tasks by the day they are due
	tallyClosed = "closed" // closed tasks by the day
	tallyRoute  = "route"  // ready tasks by route; those that a question alone holds back
)

// tallied names one count.
type tallied struct {
	what string
	at   int64
}

func (k tallied) compare(o tallied) int {
	return cmp.Or(cmp.Compare(k.what, o.what), cmp.Compare(k.at, o.at))
}

// count keeps one count; it is written once, before the commit.
func (w *member) count(p *project, what string, at int64, by int) {
	if by == 0 {
		return
	}
	if p.tallies == nil {
		p.tallies = map[tallied]int{}
	}
	k := tallied{what, at}
	p.tallies[k] += by
	p.dirty = true
	w.turn.Undo(func() { p.tallies[k] -= by })
}

// daily keeps the counts by day. before is nil for a new task.
func (w *member) daily(p *project, before, after *task.Task) {
	if before == nil || before.Status != after.Status || before.Due != after.Due || before.ClosedAt != after.ClosedAt {
		if before != nil {
			w.countDays(p, before, -1)
		}
		w.countDays(p, after, 1)
	}
}

func (w *member) countDays(p *project, t *task.Task, by int) {
	if at, ok := t.DueAt(); ok && !t.Status.Closed() {
		w.count(p, tallyDue, at.Day(), by)
	}
	if t.ClosedAt != 0 {
		w.count(p, tallyClosed, t.ClosedAt.Day(), by)
	}
}

// flush writes the counts that changed in the turn.
func (p *project) flush(c db.Conn) error {
	for _, k := range slices.SortedFunc(maps.Keys(p.tallies), tallied.compare) {
		by := p.tallies[k]
		if by == 0 {
			continue
		}
		if err := c.Exec(1, `INSERT INTO tally (project, what, at, n) VALUES ($1,$2,$3,$4)
			ON CONFLICT (project, what, at) DO UPDATE SET n=tally.n+excluded.n`, p.id, k.what, k.at, by); err != nil {
			return err
		}
	}
	return nil
}

// days sums the counts of days from one to another, the second not included.
func (r CountReader) days(p *project, what string, from, to int64) (n int, err error) {
	err = r.c.Query(`SELECT CAST(COALESCE(SUM(n), 0) AS BIGINT) FROM tally WHERE project=$1 AND what=$2 AND at>=$3 AND at<$4`, []any{p.id, what, from, to}, db.Scan1(func(sum int64) error {
		n = int(sum)
		return nil
	}))
	return n, err
}

// Overdue counts the open tasks of a project whose due moment has passed.
func (r CountReader) Overdue(slug string) (int, error) {
	p, err := r.project(slug)
	if err != nil {
		return 0, err
	}
	today := r.Now().Day()
	n, err := r.days(p, tallyDue, -1<<40, today)
	if err != nil {
		return 0, err
	}
	err = r.c.Query(`SELECT COUNT(*) FROM task WHERE project=$1 AND due_at IS NOT NULL AND due_at>=$2 AND due_at<$3
		AND status<>'done' AND status<>'cancelled'`, []any{p.id, int64(task.StartOfDay(today)), r.head.Now}, db.Scan1(func(due int64) error {
		n += int(due)
		return nil
	}))
	return n, err
}

// ClosedSince counts the closed tasks of a project that were closed at since or later.
func (r CountReader) ClosedSince(slug string, since task.Time) (int, error) {
	p, err := r.project(slug)
	if err != nil {
		return 0, err
	}
	day := since.Day()
	n, err := r.days(p, tallyClosed, day+1, 1<<40)
	if err != nil {
		return 0, err
	}
	for _, s := range []task.Status{task.Done, task.Cancelled} {
		err := r.c.Query(`SELECT COUNT(*) FROM task WHERE project=$1 AND status=`+literal(s)+` AND closed_at>0 AND closed_at>=$2 AND closed_at<$3`,
			[]any{p.id, int64(since), int64(task.StartOfDay(day + 1))}, db.Scan1(func(closed int64) error {
				n += int(closed)
				return nil
			}))
		if err != nil {
			return 0, err
		}
	}
	return n, nil
}

// ReadyBy counts ready tasks by what they declare for routing, and those that a blocking question alone holds back.
func (r CountReader) ReadyBy(slug string) (ready []task.RouteCount, asked int, err error) {
	p, err := r.project(slug)
	if err != nil {
		return nil, 0, err
	}
	if err := r.front().Know(p.front); err != nil {
		return nil, 0, err
	}
	kept := map[int64]int{}
	err = r.c.Query(`SELECT at, n FROM tally WHERE project=$1 AND what=$2`, []any{p.id, tallyRoute}, db.Scan2(func(route, ready int64) error {
		kept[route] = int(ready)
		return nil
	}))
	if err != nil {
		return nil, 0, err
	}
	for k, by := range p.tallies { // of this turn, and not written yet
		if k.what == tallyRoute {
			kept[k.at] += by
		}
	}
	lapsed, err := r.lapsed(p)
	if err != nil {
		return nil, 0, err
	}
	for _, rt := range p.front.Routes() {
		ready = append(ready, task.RouteCount{Autonomy: rt.Autonomy, MayExecute: rt.MayExecute, Ready: kept[rt.ID]})
	}
	for _, t := range lapsed { // as the sweep will write it
		switch _, isReady := frontier.Standing(t); {
		case isReady:
			ready = append(ready, task.RouteCount{Autonomy: t.Autonomy, MayExecute: t.MayExecute, Ready: 1})
		case t.Questions > 0 && t.OpenDeps == 0 && t.LiveChildren == 0:
			kept[frontier.Questioned]++
		}
	}
	return ready, kept[frontier.Questioned], nil
}
