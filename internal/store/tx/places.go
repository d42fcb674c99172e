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

// Tally updates the project's counts of ready, held and blocked tasks.
func (w *Member) Tally(p *Project, from, to frontier.Place, before, after *task.Task) {
	if from != to {
		w.count(p, TallyRoute, from, -One(from > 0 || from == frontier.Questioned))
		w.count(p, TallyRoute, to, One(to > 0 || to == frontier.Questioned))
	}
	ready, holds := One(to > 0)-One(from > 0), One(to == frontier.Held)-One(from == frontier.Held)
	blocked := One(Waits(after)) - One(before != nil && Waits(before))
	if ready == 0 && holds == 0 && blocked == 0 {
		return
	}
	w.Touch(p)
	p.Rec.Ready += ready
	p.Rec.Held += holds
	p.Rec.Blocked += blocked
}

// Waits reports whether an open task waits for a dependency.
func Waits(t *task.Task) bool { return !t.Status.Closed() && t.OpenDeps > 0 }
