package store

import (
	"tasker/internal/db"
	"tasker/internal/task"
)

// course is a walk that those who select share, also from turn to turn: who selects takes it up where the one before
// left it, as long as nothing has been recorded since, by any process, but the claim of the task that was given.
type course struct {
	q      task.FrontierQuery
	policy int64 // whose rows it walks: they go when others are built, which is no event
	merge  *merged
	last   int64 // the task that was given last, until it is claimed
	event  int64 // the newest event of which what lies ahead knows
}

// first yields the first task of a lane to somebody who is about to claim it.
func (w *Writer) first(p *project, q task.FrontierQuery, k keptOrder, lapsed []*task.Task, yield func(*task.Task) bool) error {
	c := w.state.course
	if c == nil || c.event != w.turn.LastEvent || c.policy != k.id || !alike(c.q, q) {
		merge, err := w.lanes(p, q, k, lapsed)
		if err != nil {
			return err
		}
		c = &course{q: q, policy: k.id, merge: merge}
	}
	c.merge.by(&w.Reader, p)
	w.state.course = nil
	s, err := w.step(p, q, c.merge)
	if err != nil || s == nil {
		return err
	}
	c.last, c.event = s.task, w.turn.LastEvent
	w.state.course = c
	w.turn.Undo(func() { w.state.course = nil })
	yield(s.rec)
	return nil
}

// keep leaves a turn's course to the turns after it. A turn that did not commit has none to leave: what it gave was not
// claimed.
func (s *Store) keep(t *db.Turn) {
	if state, ok := t.State.(*turnState); ok {
		s.course = state.course
	}
}

// takeCourse gives what the turn before left, once.
func (s *Store) takeCourse() *course {
	c := s.course
	s.course = nil
	return c
}

// keepCourse is told of every task that moves on the frontier, after its events: a claim of the task that was given
// leaves what lies ahead as it was read, anything else does not.
func (w *Writer) keepCourse(ref, to int64) {
	c := w.state.course
	switch {
	case c == nil:
	case ref == c.last && to == held && c.event+1 == w.turn.LastEvent:
		c.event, c.last = c.event+1, 0 // whatever moves it from now on may bring others with it
	default:
		w.state.course = nil
	}
}
