package past

import (
	"tasker/internal/fault"
	"tasker/internal/plan"
	"tasker/internal/task"
	"tasker/internal/task/query"
)

// settle adds the tasks around those that events tell of which were otherwise because of them, and counts what was open before
// each.
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

// dependents returns what depends on tasks now. Whatever did then and does not any more has an event, and is there.
func (w *winder) dependents(ids []task.ID) ([]task.ID, error) {
	edges, err := w.tx.Graph.EdgesTo(ids, MaxTasks+1)
	out := make([]task.ID, len(edges))
	for i, e := range edges {
		out[i] = e.From
	}
	return out, err
}

// circles adds the children that stood in a circle with their parents and do not any more, or the other way round. An edge that
// came since can only have closed a circle that there is.
func (w *winder) circles() error {
	changed, came := w.state.Edges()
	some, err := w.tx.Graph.Circled(w.project.Slug, 1)
	if err != nil {
		return err
	}
	if len(some) > 0 {
		changed = append(changed, came...)
	}
	if len(changed) == 0 {
		return nil
	}
	stored := plan.Ties{From: w.tx.Graph.TiesFrom, To: w.tx.Graph.TiesTo}.Far(w.project.Slug, w.project.NextNumber)
	were := newOverlay(w.state).ties(stored)
	stood, otherwise, err := plan.CircleMarks(changed, both(stored, were), were)
	if fault.Is(err, fault.Declined) {
		return nil // more hangs together than can be walked, in a project of more than a million tasks: marks stay as they are
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

// both returns the edges of two together.
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
