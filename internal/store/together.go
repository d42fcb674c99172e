package store

import (
	"context"
	"errors"
	"slices"

	"tasker/internal/db"
	"tasker/internal/task"
)

// WriteThen is Write, and then a read of a bounded number of rows, for what the operation answers: then sees a snapshot
// that begins after the commit. The answers of a turn share snapshots: what one of them has read of projects, routes
// and the head of the frontier serves the others, and what they need of tasks, which fn tells, is read ahead together.
// No context reaches the snapshot: whoever has written is told what came of it.
func (s *Store) WriteThen(ctx context.Context, by task.By, fn func(*Writer) ([]task.Need, error), then func(*Reader) error) error {
	a := &answer{fn: then}
	err := s.db.WriteThen(ctx, by.Alone, s.member(by, func(w *Writer) (err error) {
		a.needs, err = fn(w)
		return err
	}), a)
	var unknown *unknownOrder
	if errors.As(err, &unknown) { // rare: it is built by a turn first
		return s.Read(context.WithoutCancel(ctx), then)
	}
	return err
}

// answer is one read of several that share a snapshot.
type answer struct {
	needs []task.Need
	fn    func(*Reader) error
}

// Read reads with what the answers of a snapshot share.
func (a *answer) Read(c db.Conn, head db.Head, shared any) error {
	of := shared.(*sharing)
	return a.fn(&Reader{c: c, head: head, projects: of.projects, memo: &of.memo})
}

// sharing is what the answers of one snapshot share.
type sharing struct {
	projects map[string]*project
	memo     memo
}

// share reads ahead what the answers of a snapshot are about to ask for.
func share(c db.Conn, head db.Head, replies []db.Reply) (any, error) {
	of := &sharing{projects: map[string]*project{}}
	batch := make([]*answer, len(replies))
	for i, r := range replies {
		batch[i] = r.(*answer)
	}
	return of, (&Reader{c: c, head: head, projects: of.projects, memo: &of.memo}).readAhead(batch)
}

// memo is what the readers of one snapshot have in common beside projects.
type memo struct {
	head  *laneHead // of the lane that one of them asked for last
	ahead map[task.ID]*ahead
}

// laneHead is a task.LaneHead with where its tasks stand.
type laneHead struct {
	task.LaneHead
	q     task.FrontierQuery
	order task.Order
	steps []step
}

// LaneHead gives the first tasks of a lane in brief, as many as q has at most and however far it goes, and how many of
// them stand before its end. It walks the lane only where no other reader of the snapshot has.
func (r *Reader) LaneHead(q task.FrontierQuery) (*task.LaneHead, int, error) {
	q.Form = task.Brief
	p, err := r.project(q.Project)
	if err != nil {
		return nil, 0, err
	}
	var h *laneHead
	if r.memo != nil {
		h = r.memo.head
	}
	if h == nil || !alike(h.q, q) {
		if h, err = r.laneHead(q); err != nil {
			return nil, 0, err
		}
		if r.memo != nil {
			r.memo.head = h
		}
	}
	before := len(h.steps)
	if q.Until != nil {
		until := stepOf(p, q, h.order, q.Until)
		for before > 0 && h.steps[before-1].compare(until) >= 0 { // it stands behind all of them, nearly always
			before--
		}
	}
	return &h.LaneHead, before, nil
}

func (r *Reader) laneHead(q task.FrontierQuery) (*laneHead, error) {
	p, order, err := r.ordered(q)
	if err != nil {
		return nil, err
	}
	q.Until = nil
	h := &laneHead{q: q, order: order}
	if q.Under != "" {
		return h, r.frontierUnder(p, q, order, func(t *task.Task) bool { return h.add(stepOf(p, q, order, t)) })
	}
	k, lapsed, err := r.kept(p, order)
	if err != nil {
		return nil, err
	}
	m, err := r.lanes(p, q, k, lapsed)
	if err != nil {
		return nil, err
	}
	for {
		if s, err := r.step(p, q, m); err != nil || s == nil || !h.add(*s) {
			return h, err
		}
	}
}

// add puts a step behind the others, and tells whether there is room for more.
func (h *laneHead) add(s step) bool {
	h.steps, h.Tasks = append(h.steps, s), append(h.Tasks, s.rec)
	return len(h.Tasks) < h.q.Most
}

// alike tells that two walks meet the same tasks in the same order, but for where they end.
func alike(a, b task.FrontierQuery) bool {
	return a.Project == b.Project && a.Lane == b.Lane && a.Under == b.Under && a.Most == b.Most &&
		a.Actor.Name == b.Actor.Name && a.Actor.Human == b.Actor.Human && a.Actor.Declared == b.Actor.Declared &&
		a.Actor.Ceiling == b.Actor.Ceiling && slices.Equal(a.Actor.Roles, b.Actor.Roles) &&
		slices.Equal(a.Actor.Capabilities, b.Actor.Capabilities) &&
		a.Policy.DefaultAutonomy == b.Policy.DefaultAutonomy && a.Policy.PreferredActor == b.Policy.PreferredActor &&
		slices.Equal(a.Policy.MayExecute, b.Policy.MayExecute) && slices.Equal(a.Policy.Selection, b.Policy.Selection)
}
