package asof

import (
	"tasker/internal/core"
	"tasker/internal/event/rewind"
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

// View is a project as it was. It embeds no transaction, so a read that nobody wrote for an earlier moment does not
// compile instead of answering with today.
type View struct {
	tx *store.Tx // at the moment of the event
	s  *snapshot
}

var _ store.View = (*View)(nil)

// Current returns nil: a view shows an earlier moment.
func (v *View) Current() *store.Tx { return nil }

// Now returns the moment of the view.
func (v *View) Now() task.Time { return v.tx.Now() }

// Generation returns how often the database was restored: a restore ends all earlier moments.
func (v *View) Generation() int64 { return v.tx.Generation() }

// LogStart returns where the log begins, which is a fact of today: pruning takes earlier moments away.
func (v *View) LogStart() (query.LogStart, error) { return v.tx.LogStart() }

// NoProjectYet returns the refusal of a request that needs a project when there is none.
func (v *View) NoProjectYet() error { return v.tx.NoProjectYet() }

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
	return v.tx.Events(q)
}

// LastEvent returns the event of the snapshot.
func (v *View) LastEvent() int64 { return v.s.was.Event }

// Project returns the project with the counts that it had.
func (v *View) Project(slug string) (*task.Project, error) {
	found, err := v.tx.Project(slug)
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

// Projects returns the one project that the view shows. Nobody knows what other projects were at the moment of its event.
func (v *View) Projects() ([]*task.Project, error) {
	p, err := v.Project(v.s.slug)
	if err != nil {
		return nil, err
	}
	return []*task.Project{p}, nil
}

// FirstCreated returns when the first of the tasks that existed then was created, or zero if there were none.
func (v *View) FirstCreated(slug string) (task.Time, error) {
	first, err := v.tx.FirstCreated(slug)
	if err != nil {
		return 0, err
	}
	if first > v.s.was.At {
		first = 0 // of today's tasks there was none
	}
	for t := range v.s.were {
		if t.CreatedAt > 0 && (first == 0 || t.CreatedAt < first) { // nobody knows when a removed one was created
			first = t.CreatedAt
		}
	}
	return first, nil
}

// Overdue counts the open tasks whose due moment had passed.
func (v *View) Overdue(slug string) (int, error) {
	n, err := v.tx.Overdue(slug)
	v.s.count(func(t *task.Task, by int) {
		if end, ok := t.Deadline(); ok && end < v.s.was.At {
			n += by
		}
	})
	return n, err
}

// ClosedSince counts the closed tasks that were closed at since or later.
func (v *View) ClosedSince(slug string, since task.Time) (int, error) {
	n, err := v.tx.ClosedSince(slug, since)
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
	ready, keptBack, err = v.tx.ReadyBy(slug)
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
