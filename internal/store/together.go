package store

import (
	"context"
	"errors"

	"tasker/internal/db"
	"tasker/internal/store/frontier"
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
	var unknown *frontier.UnknownOrder
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
	return a.fn(newReader(&tx{c: c, head: head, projects: of.projects, memo: &of.memo}))
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
	return of, (&tx{c: c, head: head, projects: of.projects, memo: &of.memo}).readAhead(batch)
}

// memo is what the readers of one snapshot have in common beside projects.
type memo struct {
	heads frontier.Heads
	ahead map[task.ID]*ahead
}
