package asof

import (
	"tasker/internal/asof/rewind"
	"tasker/internal/core"
	"tasker/internal/plan"
	"tasker/internal/store"
	"tasker/internal/task"
	"tasker/internal/task/query"
)

// snapshot is a project as it was: the stored tasks, read at that moment, with the overlay of changed tasks on top.
type snapshot struct {
	*overlay
	tx   *store.Tx
	was  *Was
	slug string
}

// View is a project as it was. What it does not answer itself is not known for an earlier moment, and is read as it is
// now.
type View struct {
	*store.Tx
	s *snapshot
}

var _ store.View = (*View)(nil)

// Current returns nil: a view shows an earlier moment.
func (v *View) Current() *store.Tx { return nil }

// sceneThen returns a scene that reads its project as it was: state has the tasks that have changed since.
func sceneThen(sc core.Scene, state *rewind.State, was *Was) (core.Scene, error) {
	state.At(was.At)
	tx := sc.Tx.At(was.At)
	v := &View{tx, &snapshot{overlay: newOverlay(state), tx: tx, was: was, slug: sc.Project.Slug}}
	p, err := v.Project(sc.Project.Slug)
	sc.Tx, sc.View, sc.Project = nil, v, p
	return sc, err
}

// ties returns the edges as they were.
func (s *snapshot) ties() plan.Ties {
	return s.overlay.ties(plan.Ties{From: s.tx.TiesFrom, To: s.tx.TiesTo})
}

// Events returns events up to the one of the snapshot.
func (v *View) Events(q query.Events) ([]task.Event, error) {
	end := v.s.was.Event + 1
	if q.BeforeID == nil || *q.BeforeID > end {
		q.BeforeID = &end
	}
	return v.Tx.Events(q)
}

// LastEvent returns the event of the snapshot.
func (v *View) LastEvent() int64 { return v.s.was.Event }

// Project returns the project with the counts that it had.
func (v *View) Project(slug string) (*task.Project, error) {
	found, err := v.Tx.Project(slug)
	if err != nil || found.Slug != v.s.slug {
		return found, err
	}
	was := *found
	was.FlowVersion = -v.s.was.Event // nothing is cached for it
	v.s.count(func(t *task.Task, by int) {
		*was.Tasks.Of(t.Status) += by
		switch t.State() {
		case task.StateReady:
			was.Ready += by
		case task.StateWaiting:
			was.Waiting += by
		case task.StateHeld:
			was.Held += by
		default:
		}
	})
	return &was, nil
}

// Overdue counts the open tasks whose due moment had passed.
func (v *View) Overdue(slug string) (int, error) {
	n, err := v.Tx.Overdue(slug)
	v.s.count(func(t *task.Task, by int) {
		if end, ok := t.Deadline(); ok && end < v.s.was.At {
			n += by
		}
	})
	return n, err
}

// ClosedSince counts the closed tasks that were closed at since or later.
func (v *View) ClosedSince(slug string, since task.Time) (int, error) {
	n, err := v.Tx.ClosedSince(slug, since)
	v.s.count(func(t *task.Task, by int) {
		if t.Status.Closed() && t.ClosedAt >= since {
			n += by
		}
	})
	return n, err
}

// ReadyBy returns the ready tasks by what they declare for routing, and how many a blocking question kept back. A count
// may be negative: it corrects an earlier one in the list.
func (v *View) ReadyBy(slug string) (ready []query.RouteCount, keptBack int, err error) {
	ready, keptBack, err = v.Tx.ReadyBy(slug)
	v.s.count(func(t *task.Task, by int) {
		if t.Ready() {
			ready = append(ready, query.RouteCount{Autonomy: t.Autonomy, MayExecute: t.MayExecute, Ready: by})
		}
		if t.KeptBack() {
			keptBack += by
		}
	})
	return ready, keptBack, err
}
