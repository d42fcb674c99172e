package asof

import (
	"errors"
	"slices"

	"tasker/internal/fault"
	"tasker/internal/plan"
	"tasker/internal/task"
	"tasker/internal/task/query"
)

// settle also rewinds neighbours whose readiness changed, and counts each task's open dependencies.
func (w *winder) settle() error {
	if err := w.circles(); err != nil {
		return err
	}
	waiting, err := w.dependents(w.state.Reopened())
	if err != nil {
		return err
	}
	near := append(waiting, w.state.Parents()...)
	were, came := w.state.Edges()
	for _, e := range append(were, came...) {
		near = append(near, e.From, e.To)
	}
	if err := w.load(near); err != nil {
		return err
	}
	w.state.Recount()
	return nil
}

// dependents returns the tasks that depend on tasks now, each once. A task that depended on them then and no longer
// does has an event, so the state has it.
func (w *winder) dependents(ids []task.ID) (out []task.ID, err error) {
	seen := map[task.ID]bool{}
	for part := range slices.Chunk(ids, atOnce) {
		edges, err := w.tx.EdgesTo(part, MaxTasks)
		if err != nil {
			return nil, err
		}
		if len(edges) == MaxTasks { // there may be more
			return nil, errTooMany
		}
		for _, e := range edges {
			if !seen[e.From] {
				seen[e.From] = true
				out = append(out, e.From)
			}
		}
	}
	return out, nil
}

// atOnce is how many tasks are queried at once for their dependents.
const atOnce = 250

// circles adds the children that stood in a circle with their parents and no longer do, or the other way round. An edge
// that was added since can only have closed a circle that exists now.
func (w *winder) circles() error {
	changed, came := w.state.Edges()
	some, err := w.tx.Circled(w.project.Slug, false, 1)
	if err != nil {
		return err
	}
	if len(some) > 0 {
		changed = append(changed, came...)
	}
	if len(changed) == 0 {
		return nil
	}
	stored := w.bounded(plan.Ties{From: w.tx.TiesFrom, To: w.tx.TiesTo}).Far(w.project.Slug, w.project.NextNumber)
	were := newOverlay(w.state).ties(stored)
	held := w.taken
	stood, otherwise, err := plan.CircleMarks(changed, both(stored, were), were)
	w.room.Give(w.taken - held) // the walk no longer holds its tasks
	w.taken = held
	if errors.Is(err, errTooFar) || fault.Is(err, fault.Declined) {
		return nil // too many tasks are connected to walk them all: marks stay as they are
	}
	if err != nil {
		return err
	}
	if err := w.load(otherwise); err != nil {
		return err
	}
	for id, in := range stood {
		w.state.Mark(id, in)
	}
	return nil
}

// errTooFar says that a walk along edges has used up its room.
var errTooFar = errors.New("too many tasks are connected")

// tiesATask is how many edges take as much room as a task.
const tiesATask = 10

// bounded returns edges for a walk that takes room for what it reads.
func (w *winder) bounded(ties plan.Ties) plan.Ties {
	read := func(from func([]task.ID) ([]query.Tie, error)) func([]task.ID) ([]query.Tie, error) {
		return func(ids []task.ID) ([]query.Tie, error) {
			out, err := from(ids)
			if err != nil {
				return nil, err
			}
			n := len(out)/tiesATask + 1
			if !w.room.Fits(w.taken + n) {
				return nil, errTooFar
			}
			if err := w.room.Take(n); err != nil {
				return nil, err
			}
			w.taken += n
			return out, nil
		}
	}
	return plan.Ties{From: read(ties.From), To: read(ties.To)}
}

// both joins two sources of edges.
func both(a, b plan.Ties) plan.Ties {
	join := func(x, y func([]task.ID) ([]query.Tie, error)) func([]task.ID) ([]query.Tie, error) {
		return func(ids []task.ID) ([]query.Tie, error) {
			one, err := x(ids)
			if err != nil {
				return nil, err
			}
			other, err := y(ids)
			return append(one, other...), err
		}
	}
	return plan.Ties{From: join(a.From, b.From), To: join(a.To, b.To)}
}
