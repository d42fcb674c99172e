package store

import (
	"context"
	"errors"
	"runtime"
	"slices"
	"sync"

	"tasker/internal/task"
)

// WriteThen is Write, and then a read of a bounded number of rows, for what the operation answers: then sees a snapshot
// that begins after the commit. The answers of a turn share snapshots: what one of them has read of projects, routes
// and the head of the frontier serves the others, and what they need of tasks, which fn tells, is read ahead together.
// No context reaches the snapshot: whoever has written is told what came of it.
func (s *Store) WriteThen(ctx context.Context, by task.By, fn func(*Writer) ([]task.Need, error), then func(*Reader) error) error {
	a := &answer{fn: then, done: make(chan struct{})}
	err := s.db.write(ctx, &member{alone: by.Alone, then: a, done: a.done, fn: s.member(by, func(w *Writer) (err error) {
		a.needs, err = fn(w)
		return err
	})})
	var unknown *unknownOrder
	switch {
	case err != nil:
		return err
	case errors.As(a.err, &unknown): // rare: it is built by a turn first
		return s.Read(context.WithoutCancel(ctx), then)
	}
	return a.err
}

// answer is one read of several that share a snapshot.
type answer struct {
	needs []task.Need
	fn    func(*Reader) error
	err   error
	done  chan struct{}
}

// together is the queue of the answers that wait for a snapshot. Its goroutines live while there are some.
type together struct {
	mu      sync.Mutex
	queue   []*answer
	running int
}

// sharing is how many answers one snapshot serves, so that none waits long for the others.
const sharing = 32

func (g *together) add(s *Store, some []*answer) {
	g.mu.Lock()
	defer g.mu.Unlock()
	g.queue = append(g.queue, some...)
	if g.running < runtime.GOMAXPROCS(0) {
		g.running++
		go s.answers()
	}
}

// take gives those that the next snapshot serves, none when nobody waits: then the goroutine ends.
func (g *together) take() []*answer {
	g.mu.Lock()
	defer g.mu.Unlock()
	n := min(len(g.queue), sharing)
	out := g.queue[:n:n]
	g.queue = g.queue[n:]
	if n == 0 {
		g.queue = nil
		g.running--
	}
	return out
}

func (s *Store) answers() {
	for {
		batch := s.together.take()
		if len(batch) == 0 {
			return
		}
		for len(batch) > 0 {
			batch = s.answerSome(batch)
		}
	}
}

// answerSome serves answers from one snapshot, and gives those that are left when an error has spoilt it.
func (s *Store) answerSome(batch []*answer) (rest []*answer) {
	served := 0
	err := s.db.Read(background, func(c Conn, head Head) error {
		projects, seen := map[string]*project{}, &memo{}
		if err := (&Reader{c: c, head: head, projects: projects, memo: seen}).readAhead(batch); err != nil {
			return err
		}
		for _, a := range batch {
			served++
			a.run(&Reader{c: c, head: head, projects: projects, memo: seen})
			if c.Flush() != nil {
				return nil //nolint:nilerr // a statement failed, and with it the snapshot: the rest get another
			}
		}
		return nil
	})
	if err != nil { // there was no snapshot for them, or nothing could be read from it
		for _, a := range batch[served:] {
			a.err = err
			close(a.done)
		}
		return nil
	}
	return batch[served:]
}

// run reads for one caller. A panic is an error of its own alone.
func (a *answer) run(r *Reader) {
	defer close(a.done)
	defer func() {
		if p := recover(); p != nil {
			a.err = panicked(p)
		}
	}()
	a.err = a.fn(r)
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
