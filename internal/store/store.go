package store

import (
	"context"
	"errors"

	"tasker/internal/db"
	"tasker/internal/store/frontier"
	"tasker/internal/task"
)

// Store stores the records. The calls that change a record also write everything derived from it (counters, frontier
// rows, events), so that nothing can be forgotten.
type Store struct {
	db        *db.DB
	process   process
	observers []Observer
}

// NewStore returns a store over an engine's database, and takes ownership of it.
func NewStore(e db.Engine) *Store {
	s := &Store{}
	s.db = db.New(e, db.Hooks{Flush: flush, Kept: s.process.committed, Share: share})
	return s
}

// DB returns the database below the records, for migrations and tests.
func (s *Store) DB() *db.DB { return s.db }

// Read runs fn on one consistent snapshot. fn may run twice: if it needs a selection order that is new to a project, a
// turn builds the order first.
func (s *Store) Read(ctx context.Context, fn func(*Tx) error) error {
	return s.ReadFor(ctx, task.By{}, nil, fn)
}

// ReadFor is Read on behalf of an actor. charge, if not nil, counts what is read: see db.Request.
func (s *Store) ReadFor(ctx context.Context, by task.By, charge func(bytes int64) error, fn func(*Tx) error) error {
	seen := s.observed(ctx, false)
	r := requestOf(by)
	r.Charge = charge
	err := s.read(ctx, r, func(tx *Tx) error { return seen.during(tx, fn) })
	seen.ended(Claims{}, err)
	return err
}

// requestOf describes an actor's transaction to the database.
func requestOf(by task.By) db.Request {
	return db.Request{What: by.Doing, Whom: by.Actor.Full(), Alone: by.Alone}
}

func (s *Store) read(ctx context.Context, r db.Request, fn func(*Tx) error) error {
	for {
		err := s.db.Read(ctx, r, func(c db.Conn, head db.Head) error { return fn(newTx(c, head, nil, nil)) })
		var unknown *frontier.UnknownOrder
		if !errors.As(err, &unknown) {
			return err
		}
		build := func(w *Tx) error {
			p, err := w.Find(unknown.Project)
			if err != nil {
				return err
			}
			_, err = w.Places.Order(p.Front, unknown.Order)
			return err
		}
		if err := s.db.Write(ctx, r, s.member(task.By{}, build)); err != nil {
			return err
		}
	}
}

// Write runs fn in a turn, on behalf of an actor, and returns after the commit. If it returns an error, nothing that fn
// wrote is stored, unless fn called Keep.
func (s *Store) Write(ctx context.Context, by task.By, fn func(*Tx) error) error {
	seen := s.observed(ctx, true)
	var claims Claims
	err := s.db.Write(ctx, requestOf(by), s.member(by, seen.turn(fn, &claims)))
	seen.ended(claims, err)
	return err
}

// member wraps fn so that a turn can run it.
func (s *Store) member(by task.By, fn func(*Tx) error) func(*db.Turn) error {
	return func(t *db.Turn) error {
		w := newMember(&s.process, t, by)
		err := fn(w)
		if err != nil && w.kept {
			return db.Keep(err)
		}
		return err
	}
}

// Sweep writes down lapsed leases, a bounded number at a time, and returns how many.
func (s *Store) Sweep(ctx context.Context) (int, error) {
	lapsed := false
	err := s.db.Read(ctx, db.Request{}, func(c db.Conn, head db.Head) (err error) {
		lapsed, err = db.Some(c, AnyLapsed, head.Now)
		return err
	})
	if err != nil || !lapsed {
		return 0, err
	}
	n := 0
	err = s.db.Write(ctx, db.Request{}, s.member(task.By{}, func(w *Tx) error {
		n, err = w.Sweep()
		return err
	}))
	return n, err
}

// Version returns the schema version of the database, or 0 if it has no schema yet.
func (s *Store) Version(ctx context.Context) (int, error) { return s.db.Version(ctx) }

// Wait returns when events past after may be visible, or ctx ends.
func (s *Store) Wait(ctx context.Context, after int64) error { return s.db.Wait(ctx, after) }

// Close waits for the turns under way and closes the database.
func (s *Store) Close() error { return s.db.Close() }
