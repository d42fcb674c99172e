package store

import (
	"slices"
	"strconv"

	"tasker/internal/db"
	"tasker/internal/store/frontier"
	"tasker/internal/store/rows"
	"tasker/internal/task"
	"tasker/internal/task/query"
)

// lane is what a walk needs. A turn sweeps lapsed claims first.
type lane struct {
	p      *Project
	order  task.Order
	under  int64 // the key of the task that the walk stays below, or 0
	lapsed []*task.Task
}

func (tx *Tx) lane(q query.Frontier) (l lane, err error) {
	if l.p, err = tx.Find(q.Project); err != nil {
		return l, err
	}
	if l.order, err = task.NewOrder(q.Policy.Selection); err != nil {
		return l, err
	}
	if tx.member != nil {
		if _, err := tx.Sweep(); err != nil {
			return l, err
		}
	}
	if q.Under != "" {
		_, l.under, err = tx.KeyOf(q.Under)
		return l, err
	}
	l.lapsed, err = tx.Lapsed(l.p)
	return l, err
}

// Walk walks a lane in the caller's total order. It reads only what it yields and a little ahead.
func (tx *Tx) Walk(q query.Frontier, yield func(*task.Task) bool) error {
	l, err := tx.lane(q)
	if err != nil {
		return err
	}
	if l.under != 0 {
		return tx.Front().Under(l.p.Front, l.under, q, l.order, yield)
	}
	return tx.Front().Walk(l.p.Front, q, l.order, l.lapsed, yield)
}

// LaneHead returns the first q.Limit tasks of a lane in the form Brief, ignoring q.Until, and how many of them come
// before q.Until.
func (tx *Tx) LaneHead(q query.Frontier) ([]*task.Task, int, error) {
	l, err := tx.lane(q)
	if err != nil {
		return nil, 0, err
	}
	return tx.Front().Head(l.p.Front, l.under, q, l.order, l.lapsed)
}

// Cards returns the cards of a project's board, by status in the order of task.Statuses.
func (tx *Tx) Cards(q query.Cards) ([][]task.Card, error) {
	l, err := tx.lane(query.Frontier{Project: q.Project, Policy: q.Policy, Actor: q.Actor, Limit: q.Limit})
	if err != nil {
		return nil, err
	}
	return tx.Front().Cards(l.p.Front, q, l.order, l.lapsed)
}

// Standstill counts the passed-over tasks that a walk would meet, from stored counts.
func (tx *Tx) Standstill(q query.Frontier) (query.Standstill, error) {
	var out query.Standstill
	p, err := tx.Find(q.Project)
	if err != nil {
		return out, err
	}
	shown, err := tx.Shown(p)
	if err != nil {
		return out, err
	}
	out.States = shown.States()
	ready, keptBack, err := tx.ReadyBy(q.Project)
	if err != nil {
		return out, err
	}
	out.KeptBack = keptBack
	out.WaitingForHuman = query.WaitingForHuman(q.Policy, out.States[task.StateInReview], keptBack, ready)
	for _, rt := range ready {
		if !q.Policy.ForPeople(rt.Autonomy) && q.Policy.MayHold(q.Actor, rt.Autonomy, rt.MayExecute) != nil {
			out.NotForYou += rt.Ready
		}
	}
	if out.States[task.StateHeld] == 0 {
		return out, nil
	}
	if out.Yours, err = tx.heldBy(p, q.Actor.Full()); err != nil {
		return out, err
	}
	out.NextExpiry, err = tx.nextExpiry(p, out.States[task.StateHeld])
	return out, err
}

// heldBy counts the tasks of a project that a name holds: the entries of index task_held, minus the lapsed ones in
// index task_lease. It does not visit the tasks.
func (tx *Tx) heldBy(p *Project, name string) (int, error) {
	return db.Value[int](tx.C, `SELECT (SELECT COUNT(*) FROM task WHERE project=$1 AND holder=$2)
		- (SELECT COUNT(*) FROM task WHERE expires_at>0 AND expires_at<=$3 AND holder=$2 AND (id>>`+strconv.Itoa(rows.Shift)+`)=$1)`,
		p.ID, name, tx.Head.Now)
}

// NextExpiry returns when the next lease of a project ends, or zero if none will.
func (tx *Tx) NextExpiry(project string) (task.Time, error) {
	p, err := tx.Find(project)
	if err != nil {
		return 0, err
	}
	shown, err := tx.Shown(p)
	if err != nil {
		return 0, err
	}
	held := shown.States()[task.StateHeld]
	if held == 0 {
		return 0, nil
	}
	return tx.nextExpiry(p, held)
}

// fewHeld is the number of held tasks up to which nextExpiry looks at each one.
const fewHeld = 200

// nextExpiry returns when the next lease of a project ends, or zero. If few of its tasks are held, it looks at each of
// them. Otherwise it walks index task_lease, which has the leases of all projects by their end, and meets one of the
// project's soon. The condition names the project in a form that no other index can serve.
func (tx *Tx) nextExpiry(p *Project, held int) (end task.Time, err error) {
	if held > fewHeld {
		first, err := db.Value[int64](tx.C, `SELECT expires_at FROM task WHERE expires_at>0 AND expires_at>$2 AND (id>>`+strconv.Itoa(rows.Shift)+`)=$1
			ORDER BY expires_at LIMIT 1`, p.ID, tx.Head.Now)
		return task.Time(first), err
	}
	all, err := db.Values[int64](tx.C, `SELECT expires_at FROM task WHERE project=$1 AND holder IS NOT NULL`, p.ID)
	for _, expires := range all {
		if at := task.Time(expires); at > tx.Now() && (end == 0 || at < end) {
			end = at
		}
	}
	return end, err
}

// insertFrontier adds new tasks to the frontier and to the project's counts.
func (tx *Tx) insertFrontier(p *Project, tasks []task.NewTask, refs []int64) error {
	places, err := tx.Places.Insert(p.Front, tasks, refs)
	if err != nil {
		return err
	}
	for i, at := range places {
		tx.Tally(p, frontier.Nowhere, at, nil, tasks[i].Task)
		tx.Daily(p, nil, tasks[i].Task)
	}
	return nil
}

// Front returns the frontier as the reader sees it.
func (tx *Tx) Front() *frontier.Frontier {
	if tx.member != nil {
		return tx.Places
	}
	var heads *frontier.Heads
	if tx.Shared != nil {
		heads = &tx.Shared.Heads
	}
	return frontier.Read(tx.C, heads, tx.counted)
}

// Relocate moves a task on the frontier, in the project's counts and in the touch table.
func (tx *Tx) Relocate(p *Project, before, after *task.Task) error {
	from, to, err := tx.Places.Move(p.Front, before, after)
	if err != nil {
		return err
	}
	tx.Tally(p, from, to, before, after)
	if was, is := before.Occupied(), after.Occupied(); !slices.Equal(was, is) {
		tx.touch(p, after, was, is)
	}
	return nil
}

// Tally updates the project's counts of tasks by state.
func (tx *Tx) Tally(p *Project, from, to frontier.Place, before, after *task.Task) {
	tx.Count(p, TallyAsked, 0, One(after.KeptBack())-One(before != nil && before.KeptBack()))
	if from == to {
		return
	}
	tx.Count(p, TallyRoute, from, -One(from > 0))
	tx.Count(p, TallyRoute, to, One(to > 0))
	tx.Touch(p)
	p.Rec.Ready += One(to > 0) - One(from > 0)
	p.Rec.Held += One(to == frontier.Held) - One(from == frontier.Held)
	p.Rec.Waiting += One(to == frontier.Waiting) - One(from == frontier.Waiting)
}
