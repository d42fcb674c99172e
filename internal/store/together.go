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

// memo is what the readers of one snapshot have in common beside projects: the head of the last lane that one of them
// walked in brief, without its end.
type memo struct {
	known bool
	q     task.FrontierQuery
	steps []step
	ahead map[task.ID]*ahead
}

// recall yields the head of a lane as walk does, and walks it only where no other reader of the snapshot has.
func (r *Reader) recall(p *project, q task.FrontierQuery, k keptOrder, lapsed []*task.Task, yield func(*task.Task) bool) error {
	if !r.memo.known || !alike(r.memo.q, q) {
		steps, err := r.headOf(p, q, k, lapsed)
		if err != nil {
			return err
		}
		r.memo.known, r.memo.q, r.memo.steps = true, q, steps
	}
	var until step
	if q.Until != nil {
		until = stepOf(p, q, k.order, q.Until)
	}
	for _, s := range r.memo.steps {
		if q.Until != nil && s.compare(until) >= 0 || !yield(s.rec) {
			return nil
		}
	}
	return nil
}

// headOf gives the first steps of a lane, however far the walk was to go.
func (r *Reader) headOf(p *project, q task.FrontierQuery, k keptOrder, lapsed []*task.Task) ([]step, error) {
	q.Until = nil
	m, err := r.lanes(p, q, k, lapsed)
	if err != nil {
		return nil, err
	}
	steps := make([]step, 0, q.Most)
	for len(steps) < q.Most {
		s, err := r.step(p, q, m)
		if err != nil {
			return nil, err
		}
		if s == nil {
			break
		}
		steps = append(steps, *s)
	}
	return steps, nil
}

// alike tells that two walks meet the same tasks in the same order, but for where they end.
func alike(a, b task.FrontierQuery) bool {
	return a.Project == b.Project && a.Lane == b.Lane && a.Most == b.Most &&
		a.Actor.Name == b.Actor.Name && a.Actor.Human == b.Actor.Human && a.Actor.Declared == b.Actor.Declared &&
		a.Actor.Ceiling == b.Actor.Ceiling && slices.Equal(a.Actor.Roles, b.Actor.Roles) &&
		slices.Equal(a.Actor.Capabilities, b.Actor.Capabilities) &&
		a.Policy.DefaultAutonomy == b.Policy.DefaultAutonomy && a.Policy.PreferredActor == b.Policy.PreferredActor &&
		slices.Equal(a.Policy.MayExecute, b.Policy.MayExecute) && slices.Equal(a.Policy.Selection, b.Policy.Selection)
}
