package store

import (
	"context"
	"errors"

	"tasker/internal/db"
	"tasker/internal/store/frontier"
	"tasker/internal/task"
)

// WriteThen is Write followed by a read of a bounded number of rows, for the operation's answer. then sees a snapshot
// that begins after the commit, and runs even if ctx has ended: a caller that has written learns the outcome.
func (s *Store) WriteThen(ctx context.Context, by task.By, fn func(*Tx) error, then func(*Tx) error) error {
	seen := s.observed(ctx, true)
	var claims Claims
	turn, answer := seen.turn(fn, &claims), func(tx *Tx) error { return seen.during(tx, then) }
	a := &reply{fn: answer}
	err := s.db.WriteThen(ctx, requestOf(by), s.member(by, func(w *Tx) error {
		err := turn(w)
		a.expected = w.Expected
		return err
	}), a)
	var unknown *frontier.UnknownOrder
	if errors.As(err, &unknown) { // rare: usually a turn has built the order by now
		err = s.read(context.WithoutCancel(ctx), requestOf(by), answer)
	}
	seen.ended(claims, err)
	return err
}

// reply is one of several reads that share a snapshot: see db.Reply.
type reply struct {
	expected []Expected
	fn       func(*Tx) error
}

// Read runs the reply with what the replies of a snapshot share.
func (a *reply) Read(c db.Conn, head db.Head, shared any) error {
	of := shared.(*sharing)
	return a.fn(newTx(c, head, of.projects, &of.memo))
}

// sharing is what the replies of one snapshot have read and share: projects, routes and the head of the frontier.
type sharing struct {
	projects map[string]*Project
	memo     Shared
}

// share prepares a snapshot for replies.
func share(c db.Conn, head db.Head, replies []db.Reply) (any, error) {
	of := &sharing{projects: map[string]*Project{}}
	expected := make([][]Expected, len(replies))
	for i, r := range replies {
		expected[i] = r.(*reply).expected
	}
	return of, readAhead(newTx(c, head, of.projects, &of.memo), expected)
}
