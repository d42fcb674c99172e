package frontier

import (
	"slices"

	"tasker/internal/task"
	"tasker/internal/task/query"
)

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
		a.Policy.DefaultAutonomy == b.Policy.DefaultAutonomy && a.Policy.PreferredActor == b.Policy.PreferredActor &&
		slices.Equal(a.Policy.MayExecute, b.Policy.MayExecute) &&
		(a.Policy.Selection == nil) == (b.Policy.Selection == nil) && slices.Equal(a.Policy.Selection, b.Policy.Selection)
}
