package store

import (
	"context"
	"errors"

	"tasker/internal/db"
	"tasker/internal/store/ahead"
	"tasker/internal/store/frontier"
	"tasker/internal/store/tx"
	"tasker/internal/task"
)

// WriteThen is Write followed by a read of a bounded number of rows, for the operation's answer. then sees a snapshot
// that begins after the commit, and runs even if ctx has ended: a caller that has written learns the outcome.
func (s *Store) WriteThen(ctx context.Context, by task.By, fn func(*Writer) error, then func(*Reader) error) error {
	a := &reply{fn: then}
	err := s.db.WriteThen(ctx, by.Alone, s.member(by, func(w *Writer) error {
		err := fn(w)
		a.expected = w.m.Expected
		return err
	}), a)
	var unknown *frontier.UnknownOrder
	if errors.As(err, &unknown) { // rare: a turn builds the order first
		return s.Read(context.WithoutCancel(ctx), then)
	}
	return err
}

// reply is one read of several that share a snapshot: see db.Reply.
type reply struct {
	expected []tx.Expected
	fn       func(*Reader) error
}

// Read runs the reply with what the replies of a snapshot share.
func (a *reply) Read(c db.Conn, head db.Head, shared any) error {
	of := shared.(*sharing)
	return a.fn(newReader(tx.New(c, head, of.projects, &of.memo)))
}

// sharing is what the replies of one snapshot have read for one another: projects, routes and the head of the
// frontier.
type sharing struct {
	projects map[string]*tx.Project
	memo     tx.Shared
}

// share prepares a snapshot for replies.
func share(c db.Conn, head db.Head, replies []db.Reply) (any, error) {
	of := &sharing{projects: map[string]*tx.Project{}}
	expected := make([][]tx.Expected, len(replies))
	for i, r := range replies {
		expected[i] = r.(*reply).expected
	}
	return of, ahead.Read(tx.New(c, head, of.projects, &of.memo), expected)
}
