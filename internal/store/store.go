package store

import (
	"context"
	"errors"

	"tasker/internal/db"
	"tasker/internal/store/frontier"
	"tasker/internal/task"
	"tasker/internal/task/query"
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
	return db.Request{What: by.Doing, Whom: by.Actor.Full(), Alone: by.Alone || by.Accepts, Accepts: by.Accepts}
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

// Shared is what the readers of one snapshot share, apart from projects.
type Shared struct {
	Heads frontier.Heads
	Ahead map[task.ID]*Ahead
}

// Expected is a task that a member's reply will need: its body and dependencies, or, if bundle is set, everything that
// a bundle contains.
type Expected struct {
	ID      task.ID
	HasBody bool
	Bundle  bool
	Holder  string // the actor that claimed it; empty without a bundle
}

// Ahead is what was prefetched for a task before a reply needed it.
type Ahead struct {
	Body       string
	Deps       []task.ID // nil: not read
	Neighbours query.Neighbours
	History    []task.Event
	Bundle     bool // neighbours and events were read
	Cut        bool // not all neighbours were read

	// Holder claimed the task, and Concern says whether it can have news; nil: not read.
	Holder  string
	Concern *query.Concern
}

// Observer is called before each transaction. The functions that it returns are called during and after it. A turn may
// run more than once before it is committed.
type Observer func(ctx context.Context, write bool) Observed

// Observed holds an Observer's functions for one transaction. Each may be nil.
type Observed struct {
	// First runs first in a turn; its error refuses the turn.
	First func(*Tx) error
	// During wraps the work of the transaction: in a turn, and again in the read that follows it.
	During func(c db.Conn, run func() error) error
	// Ended is called after a turn or a snapshot with its error, and with what the turn did to claims.
	Ended func(Claims, error)
}

// Claims counts what became of claims in a turn.
type Claims struct{ Made, Released int64 }

// Observe adds an observer. Call it before the store is used.
func (s *Store) Observe(o Observer) { s.observers = append(s.observers, o) }

// observed holds what all observers of a store want to see of one transaction.
type observed []Observed

func (s *Store) observed(ctx context.Context, write bool) observed {
	if len(s.observers) == 0 {
		return nil
	}
	out := make(observed, len(s.observers))
	for i, o := range s.observers {
		out[i] = o(ctx, write)
	}
	return out
}

// turn wraps fn for a turn, and counts in claims what it did to them.
func (all observed) turn(fn func(*Tx) error, claims *Claims) func(*Tx) error {
	return func(tx *Tx) error {
		for _, o := range all {
			if o.First != nil {
				if err := o.First(tx); err != nil {
					return err
				}
			}
		}
		err := all.during(tx, fn)
		*claims = tx.claims
		return err
	}
}

// during runs fn in a transaction.
func (all observed) during(tx *Tx, fn func(*Tx) error) error {
	run := func() error { return fn(tx) }
	for _, o := range all {
		if o.During != nil {
			inner := run
			run = func() error { return o.During(tx.C, inner) }
		}
	}
	return run()
}

// ended reports to the observers how a transaction ended.
func (all observed) ended(c Claims, err error) {
	for _, o := range all {
		if o.Ended != nil {
			o.Ended(c, err)
		}
	}
}

// WriteThen is Write followed by a read of a bounded number of rows, for the operation's answer. then sees a snapshot
// that begins after the commit, and runs even if ctx has ended: a caller that has written learns the outcome. made reports
// that the turn was committed, so that err is that of the read alone.
func (s *Store) WriteThen(ctx context.Context, by task.By, fn func(*Tx) error, then func(*Tx) error) (made bool, err error) {
	seen := s.observed(ctx, true)
	var claims Claims
	turn, answer := seen.turn(fn, &claims), func(tx *Tx) error { return seen.during(tx, then) }
	a := &reply{fn: answer}
	made, err = s.db.WriteThen(ctx, requestOf(by), s.member(by, func(w *Tx) error {
		err := turn(w)
		a.expected = w.Expected
		return err
	}), a)
	var unknown *frontier.UnknownOrder
	if errors.As(err, &unknown) { // rare: usually a turn has built the order by now
		err = s.read(context.WithoutCancel(ctx), requestOf(by), answer)
	}
	seen.ended(claims, err)
	return made, err
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
