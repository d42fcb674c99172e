package tx

import (
	"tasker/internal/store/frontier"
	"tasker/internal/task"
)

// Front returns the frontier as the reader sees it.
func (r *Tx) Front() *frontier.Frontier {
	if r.Member != nil {
		return r.Member.Places
	}
	var heads *frontier.Heads
	if r.Shared != nil {
		heads = &r.Shared.Heads
	}
	return frontier.Read(r.C, heads, func(_ int64, t *task.Task) (*task.Task, error) { return t.At(r.Now()), nil })
}

// sweptTask returns a task that the frontier yields in a turn as it counts now.
func (w *Member) sweptTask(key int64, t *task.Task) (*task.Task, error) {
	w.Fresh[key] = true
	if !t.Lapsed(w.Now()) {
		return t, nil
	}
	p, err := w.Loaded(t.Project)
	if err != nil {
		return nil, err
	}
	return w.expire(p, t)
}

// Relocate moves a task on the frontier, in the project's counts and among what held tasks touch.
func (w *Member) Relocate(p *Project, before, after *task.Task) error {
	from, to, err := w.Places.Move(p.Front, before, after)
	if err != nil {
		return err
	}
	w.Tally(p, from, to, before, after)
	return w.touch(p, before, after)
}

// Tally updates the project's counts of tasks by state.
func (w *Member) Tally(p *Project, from, to frontier.Place, before, after *task.Task) {
	w.Count(p, TallyAsked, 0, One(after.KeptBack())-One(before != nil && before.KeptBack()))
	if from == to {
		return
	}
	w.Count(p, TallyRoute, from, -One(from > 0))
	w.Count(p, TallyRoute, to, One(to > 0))
	w.Touch(p)
	p.Rec.Ready += One(to > 0) - One(from > 0)
	p.Rec.Held += One(to == frontier.Held) - One(from == frontier.Held)
	p.Rec.Waiting += One(to == frontier.Waiting) - One(from == frontier.Waiting)
}
