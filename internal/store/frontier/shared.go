package frontier

import (
	"slices"

	"tasker/internal/task"
	"tasker/internal/task/query"
)

// A cursor is an optimisation: it caches the open walk of a selection between calls of `next`, also from turn to turn,
// so that a claim need not seek again. It is valid only while the newest event, of any process, is the claim of the
// task that it returned last. Without it, "POST /next" of make bench takes 7 % more processor time and allocates 14 %
// more. To remove it, pass no TurnCursor to Write.

// Cursors passes a cursor from turn to turn. Turns run one at a time, and so do the calls.
type Cursors struct{ left *cursor }

// Take returns the cursor of a new turn, with what the previous turn left. No other turn gets that.
func (c *Cursors) Take() *TurnCursor {
	t := &TurnCursor{c.left}
	c.left = nil
	return t
}

// Leave is called after the commit. A turn that is rolled back leaves nothing, because what it returned was not
// claimed.
func (c *Cursors) Leave(t *TurnCursor) { c.left = t.open }

// TurnCursor is the cursor that the members of one turn share.
type TurnCursor struct{ open *cursor }

// cursor is an open walk that has returned its first tasks.
type cursor struct {
	q      query.Frontier
	order  int64 // the stored order that it walks; its rows can be replaced without an event
	merge  *merged
	last   int64 // the task that was returned last, until it is claimed
	latest int64 // the newest event that the rows read ahead take into account
}

// serves reports whether the caller of a walk is about to claim its first task.
func (t *TurnCursor) serves(q query.Frontier) bool {
	return t != nil && q.Lane == query.LaneHoldable && q.Limit == 1
}

// first yields the first task of a lane.
func (t *TurnCursor) first(f *Frontier, p *Project, q query.Frontier, k storedOrder, lapsed []*task.Task, yield func(*task.Task) bool) error {
	c := t.open
	if c == nil || c.latest != f.turn.LastEvent || c.order != k.id || !alike(c.q, q) {
		merge, err := f.streams(p, q, k, lapsed, false)
		if err != nil {
			return err
		}
		c = &cursor{q: q, order: k.id, merge: merge}
	}
	c.merge.by(f, p)
	t.open = nil
	s, err := f.step(q, c.merge)
	if err != nil || s == nil {
		return err
	}
	c.last, c.latest = s.task, f.turn.LastEvent
	t.open = c
	f.turn.Undo(func() { t.open = nil })
	yield(s.rec)
	return nil
}

// moved is called for every task that moves, after its events. If the task that was returned last is claimed, the rows
// read ahead stay valid; after any other move they do not.
func (t *TurnCursor) moved(f *Frontier, key int64, to Place) {
	if t == nil || t.open == nil {
		return
	}
	c := t.open
	if key == c.last && to == Held && c.latest+1 == f.turn.LastEvent {
		c.latest, c.last = c.latest+1, 0 // any further move of it may also move other tasks
		return
	}
	t.open = nil
}

// Heads are an optimisation: readers of the head of the same lane in one snapshot share it, like the replies of a turn
// that list what a selection has passed over. That saves a walk for each of them: without it, "POST /next" of make
// bench takes half as much processor time again. To remove it, pass no Heads to Read.

// Heads is what the readers of one snapshot share: the head of the lane that one of them asked for last.
type Heads struct{ last *head }

// head is the first tasks of a lane with their sort keys.
type head struct {
	q     query.Frontier
	order task.Order
	tasks []*task.Task
	steps []step
}

// Head returns the first q.Limit tasks of a lane in the form Brief, ignoring q.Until, and how many of them come before
// q.Until. under is the key of the task that q names, or 0. Callers share the tasks and must not change them.
func (f *Frontier) Head(p *Project, under int64, q query.Frontier, order task.Order, lapsed []*task.Task) ([]*task.Task, int, error) {
	q.Form = query.Brief
	h, err := f.head(p, under, q, order, lapsed)
	if err != nil {
		return nil, 0, err
	}
	before := len(h.steps)
	if q.Until != nil {
		until := stepOf(p, q, h.order, q.Until)
		for before > 0 && h.steps[before-1].compare(until) >= 0 { // nearly always, it comes after all of them
			before--
		}
	}
	return h.tasks, before, nil
}

// head walks the lane, unless another reader of the snapshot already has.
func (f *Frontier) head(p *Project, under int64, q query.Frontier, order task.Order, lapsed []*task.Task) (*head, error) {
	if f.heads != nil && f.heads.last != nil && alike(f.heads.last.q, q) {
		return f.heads.last, nil
	}
	h, err := f.walkHead(p, under, q, order, lapsed)
	if err == nil && f.heads != nil {
		f.heads.last = h
	}
	return h, err
}

func (f *Frontier) walkHead(p *Project, under int64, q query.Frontier, order task.Order, lapsed []*task.Task) (*head, error) {
	q.Until = nil
	h := &head{q: q, order: order}
	if under != 0 {
		return h, f.Under(p, under, q, order, func(t *task.Task) bool { return h.add(stepOf(p, q, order, t)) })
	}
	k, err := f.stored(p, order)
	if err != nil {
		return nil, err
	}
	m, err := f.streams(p, q, k, lapsed, false)
	if err != nil {
		return nil, err
	}
	for {
		if s, err := f.step(q, m); err != nil || s == nil || !h.add(*s) {
			return h, err
		}
	}
}

// add appends a step and reports whether there is room for more.
func (h *head) add(s step) bool {
	h.steps, h.tasks = append(h.steps, s), append(h.tasks, s.rec)
	return len(h.tasks) < h.q.Limit
}

// alike reports whether two walks meet the same tasks in the same order, apart from where they end.
func alike(a, b query.Frontier) bool {
	return a.Project == b.Project && a.Lane == b.Lane && a.Under == b.Under && a.Limit == b.Limit &&
		a.Actor.Name == b.Actor.Name && a.Actor.Person() == b.Actor.Person() && a.Actor.Declared == b.Actor.Declared &&
		a.Actor.Ceiling == b.Actor.Ceiling && slices.Equal(a.Actor.Roles, b.Actor.Roles) &&
		slices.Equal(a.Actor.Capabilities, b.Actor.Capabilities) &&
		a.Policy.RoutesAs(b.Policy)
}
