package store

import (
	"strconv"

	"tasker/internal/db"
	"tasker/internal/store/frontier"
	"tasker/internal/task"
)

// front is the frontier as the reader sees it.
func (r *tx) front() *frontier.Frontier {
	if r.member != nil {
		return r.member.frontier
	}
	var heads *frontier.Heads
	if r.memo != nil {
		heads = &r.memo.heads
	}
	return frontier.Read(r.c, heads, func(_ int64, t *task.Task) (*task.Task, error) { return t.At(r.Now()), nil })
}

// sweptTask is a task that the frontier yields in a turn, as it counts now.
func (w *member) sweptTask(key int64, t *task.Task) (*task.Task, error) {
	w.fresh[key] = true
	if !t.Lapsed(w.Now()) {
		return t, nil
	}
	p, err := w.loaded(t.Project)
	if err != nil {
		return nil, err
	}
	return w.expire(p, t)
}

// lane is what a walk begins with. In a turn what has lapsed is swept first.
type lane struct {
	p      *project
	order  task.Order
	under  int64 // the key of the task below which it stays, or 0
	lapsed []*task.Task
}

func (r *tx) lane(q task.FrontierQuery) (l lane, err error) {
	if l.p, err = r.project(q.Project); err != nil {
		return l, err
	}
	if l.order, err = task.NewOrder(q.Policy.Selection); err != nil {
		return l, err
	}
	if r.member != nil {
		if _, err := r.member.sweep(); err != nil {
			return l, err
		}
	}
	if q.Under != "" {
		_, l.under, err = r.refOf(q.Under)
		return l, err
	}
	l.lapsed, err = r.lapsed(l.p)
	return l, err
}

// Frontier walks a lane in the caller's total order and reads only what it yields, and a little ahead.
func (r FrontierReader) Frontier(q task.FrontierQuery, yield func(*task.Task) bool) error {
	l, err := r.lane(q)
	if err != nil {
		return err
	}
	if l.under != 0 {
		return r.front().Under(l.p.front, l.under, q, l.order, yield)
	}
	return r.front().Walk(l.p.front, q, l.order, l.lapsed, yield)
}

// LaneHead returns the first tasks of a lane in brief, as many as q has at most and however far it goes, and how many of
// them stand before its end.
func (r FrontierReader) LaneHead(q task.FrontierQuery) ([]*task.Task, int, error) {
	l, err := r.lane(q)
	if err != nil {
		return nil, 0, err
	}
	return r.front().Head(l.p.front, l.under, q, l.order, l.lapsed)
}

// Cards returns the cards of a project's board, by status in the order of task.Statuses.
func (r FrontierReader) Cards(q task.CardQuery) ([][]task.Card, error) {
	l, err := r.lane(task.FrontierQuery{Project: q.Project, Policy: q.Policy, Actor: q.Actor, Limit: q.Limit})
	if err != nil {
		return nil, err
	}
	return r.front().Cards(l.p.front, q, l.order, l.lapsed)
}

// Standstill counts what a walk of the passed-over lane would meet, by the counts that are stored.
func (r FrontierReader) Standstill(q task.FrontierQuery) (task.Standstill, error) {
	var out task.Standstill
	p, err := r.project(q.Project)
	if err != nil {
		return out, err
	}
	shown, err := r.shown(p)
	if err != nil {
		return out, err
	}
	out.Held = shown.Held
	ready, asked, err := CountReader{r.tx}.ReadyBy(q.Project)
	if err != nil {
		return out, err
	}
	out.Questioned = asked
	for _, rt := range ready {
		if q.Policy.MayHold(q.Actor, rt.Autonomy, rt.MayExecute) == nil {
			continue
		}
		out.NotForYou += rt.Ready
		if q.Policy.TaskAutonomy(rt.Autonomy) == task.HumanOnly && !q.Actor.Human {
			out.HumanOnly += rt.Ready
		}
	}
	out.NextExpiry, err = r.nextExpiry(p, out.Held)
	return out, err
}

// fewHeld is how many held tasks of a project are looked at for the lease that ends next.
const fewHeld = 200

// nextExpiry is when the next lease of a project ends, zero where none does. Where few of its tasks are held those are
// looked at. Else one of them comes up soon among the leases of all projects in the order of their ends, which index
// task_lease alone gives: the project stands in the condition in a form that no index serves.
func (r FrontierReader) nextExpiry(p *project, held int) (end task.Time, err error) {
	if held > fewHeld {
		err = r.c.Query(`SELECT expires_at FROM task WHERE expires_at>0 AND expires_at>$2 AND (id>>`+strconv.Itoa(shift)+`)=$1
			ORDER BY expires_at LIMIT 1`, []any{p.id, r.head.Now}, db.Scan1(func(expires int64) error {
			end = task.Time(expires)
			return nil
		}))
		return end, err
	}
	err = r.c.Query(`SELECT expires_at FROM task WHERE project=$1 AND holder IS NOT NULL`, []any{p.id}, db.Scan1(func(expires int64) error {
		if at := task.Time(expires); at > r.Now() && (end == 0 || at < end) {
			end = at
		}
		return nil
	}))
	return end, err
}

// relocate moves a task on the frontier and in the project's counts.
func (w *member) relocate(p *project, before, after *task.Task) error {
	from, to, err := w.frontier.Move(p.front, before, after)
	if err != nil {
		return err
	}
	w.tally(p, from, to, before, after)
	return nil
}

// insertFrontier puts new tasks on the frontier and into the project's counts.
func (w TaskWriter) insertFrontier(p *project, tasks []task.NewTask, refs []int64) error {
	places, err := w.frontier.Insert(p.front, tasks, refs)
	if err != nil {
		return err
	}
	for i, at := range places {
		w.tally(p, frontier.Nowhere, at, nil, tasks[i].Task)
		w.daily(p, nil, tasks[i].Task)
	}
	return nil
}

// tally keeps the project's counts of ready, held and blocked tasks.
func (w *member) tally(p *project, from, to frontier.Place, before, after *task.Task) {
	if from != to {
		w.count(p, tallyRoute, from, -one(from > 0 || from == frontier.Questioned))
		w.count(p, tallyRoute, to, one(to > 0 || to == frontier.Questioned))
	}
	ready, holds := one(to > 0)-one(from > 0), one(to == frontier.Held)-one(from == frontier.Held)
	blocked := one(waits(after)) - one(before != nil && waits(before))
	if ready == 0 && holds == 0 && blocked == 0 {
		return
	}
	w.touch(p)
	p.rec.Ready += ready
	p.rec.Held += holds
	p.rec.Blocked += blocked
}

func waits(t *task.Task) bool { return !t.Status.Closed() && t.OpenDeps > 0 }
