package store

import (
	"tasker/internal/store/frontier"
	"tasker/internal/task"
)

// Front returns the frontier as the reader sees it.
func (tx *Tx) Front() *frontier.Frontier {
	if tx.member != nil {
		return tx.Places
	}
	var heads *frontier.Heads
	if tx.Shared != nil {
		heads = &tx.Shared.Heads
	}
	return frontier.Read(tx.C, heads, func(_ int64, t *task.Task) (*task.Task, error) { return t.At(tx.Now()), nil })
}

// sweptTask returns a task that the frontier yields in a turn, as it counts now.
func (tx *Tx) sweptTask(key int64, t *task.Task) (*task.Task, error) {
	tx.Fresh[key] = true
	if !t.Lapsed(tx.Now()) {
		return t, nil
	}
	p, err := tx.Loaded(t.Project)
	if err != nil {
		return nil, err
	}
	return tx.expire(p, t)
}

// Relocate moves a task on the frontier, in the project's counts and in the touch table.
func (tx *Tx) Relocate(p *Project, before, after *task.Task) error {
	from, to, err := tx.Places.Move(p.Front, before, after)
	if err != nil {
		return err
	}
	tx.Tally(p, from, to, before, after)
	tx.touch(p, before, after)
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
