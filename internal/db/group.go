package db

import (
	"context"
	"errors"
	"slices"
	"sync"
	"time"

	"tasker/internal/fault"
)

// A turn ends at this many members or after this time, so that other processes get theirs.
const (
	turnMembers = 32
	turnTime    = 20 * time.Millisecond
	turnWaits   = 2 // how often a turn lets others run before it ends for lack of members
)

var background = context.Background()

// Write runs fn in a turn and returns after its commit.
//
// Concurrent Writes run one after another in the order of arrival, each under its own savepoint, in one transaction, unless
// r asks for a turn of its own. fn may run more than once and must have no effect outside the database. If it returns an
// error (or panics), what it wrote is rolled back, but not what the others wrote; with Keep(err) it is kept. No context
// reaches the writer's connection: if ctx ends before the member starts, the member is dropped; after that it runs to its
// end and Write returns its result. If an error destroys the transaction, the other members run again in a new one. If a
// commit is not known to be durable, every member gets Unavailable.
func (db *DB) Write(ctx context.Context, r Request, fn func(*Turn) error) error {
	return db.write(ctx, &member{Request: r, fn: fn, done: make(chan struct{})})
}

func (db *DB) write(ctx context.Context, m *member) error {
	if err := ctx.Err(); err != nil {
		return fault.Of(err)
	}
	db.beforeWriting()
	m.since = db.world.Clock.Now()
	if err := db.group.add(db, m); err != nil {
		return err
	}
	if err := db.world.Waiting.Wait(ctx, m.done); err != nil {
		if db.group.drop(m) {
			return fault.Of(err)
		}
		_ = db.world.Waiting.Wait(background, m.done)
	}
	return m.err
}

type member struct {
	Request
	fn      func(*Turn) error
	since   time.Time // when it was queued
	started bool      // guarded by group.mu, like dropped
	dropped bool
	err     error
	then    *pendingReply // what is read for it after the commit; nil: it is answered at once
	done    chan struct{}
}

// group is the queue of members that wait for a turn. Its goroutine lives while there are any.
type group struct {
	mu      sync.Mutex
	queue   []*member
	running bool
	closed  bool
	idle    chan struct{} // closed by the last turn, when no member is left
}

func (g *group) add(db *DB, m *member) error {
	g.mu.Lock()
	defer g.mu.Unlock()
	if g.closed {
		return errClosed()
	}
	g.queue = append(g.queue, m)
	if !g.running {
		g.running = true
		db.world.Start.Go(db.turns)
	}
	return nil
}

// Waiting returns how many writes wait for their turn.
func (db *DB) Waiting() int {
	db.group.mu.Lock()
	defer db.group.mu.Unlock()
	return len(db.group.queue)
}

// drop withdraws a member unless it has started.
func (g *group) drop(m *member) bool {
	g.mu.Lock()
	defer g.mu.Unlock()
	m.dropped = !m.started
	return m.dropped
}

// next starts the next member; one that wants a turn of its own only as the first of the turn.
func (g *group) next(first bool) *member {
	g.mu.Lock()
	defer g.mu.Unlock()
	g.skip()
	if len(g.queue) == 0 || (g.queue[0].Alone && !first) {
		return nil
	}
	return g.start()
}

// start takes the member at the head of the queue.
func (g *group) start() *member {
	m := g.queue[0]
	g.queue[0] = nil
	g.queue = g.queue[1:]
	m.started = true
	return m
}

// first returns what the member at the head of the queue asks for, and since when it has waited.
func (g *group) first() (of Request, since time.Time) {
	g.mu.Lock()
	defer g.mu.Unlock()
	g.skip()
	if len(g.queue) == 0 {
		return Request{}, time.Time{}
	}
	return g.queue[0].Request, g.queue[0].since
}

// overdue starts the members that have waited since before a time, so that they can be refused.
func (g *group) overdue(before time.Time) []*member {
	g.mu.Lock()
	defer g.mu.Unlock()
	var out []*member
	for g.skip(); len(g.queue) > 0 && !g.queue[0].since.After(before); g.skip() {
		out = append(out, g.start())
	}
	return out
}

// skip removes the dropped members at the head of the queue.
func (g *group) skip() {
	for len(g.queue) > 0 && g.queue[0].dropped {
		_ = g.start()
	}
	if len(g.queue) == 0 {
		g.queue = nil
	}
}

// rest reports whether the queue is empty, in which case the goroutine ends.
func (g *group) rest() bool {
	g.mu.Lock()
	defer g.mu.Unlock()
	g.skip()
	if len(g.queue) > 0 {
		return false
	}
	g.running = false
	if g.idle != nil {
		close(g.idle)
		g.idle = nil
	}
	return true
}

// close accepts no new members, and returns a channel that is closed after the last turn; nil if none is running.
func (g *group) close() <-chan struct{} {
	g.mu.Lock()
	defer g.mu.Unlock()
	g.closed = true
	if g.running {
		g.idle = make(chan struct{})
	}
	return g.idle
}

// turns runs turns until the queue is empty.
func (db *DB) turns() {
	g := &turnRun{db: db}
	defer func() {
		if !g.over { // a member ended the goroutine (runtime.Goexit): its turn is lost, the queue is not
			g.abandon()
			<-db.turning
			db.world.Start.Go(db.turns)
		}
	}()
	for !db.group.rest() {
		db.turning <- struct{}{}
		g.turn()
		db.engine.Tidy()
		<-db.turning
	}
	g.over = true
}

// pauseAfter is how long Pause waits for the running turn. A longer one is suspended in the middle.
const pauseAfter = 20 * time.Second

// settler is an engine that works between turns, such as moving its log into its file.
type settler interface {
	// Settle returns when none of that work is running. None begins while there are no turns.
	Settle()
}

// BeforeWriting sets a function to call once, before the first turn: a process that only reads does not need what fn
// prepares. Call it before the database is used.
func (db *DB) BeforeWriting(fn func()) { db.beforeWriting = sync.OnceFunc(fn) }

// Pause calls suspend, which returns when the process continues, between two turns: a process that is stopped during a turn
// holds everybody up.
func (db *DB) Pause(suspend func()) {
	late, cancel := context.WithTimeout(background, pauseAfter)
	defer cancel()
	select {
	case db.turning <- struct{}{}:
		defer func() { <-db.turning }()
		if e, ok := db.engine.(settler); ok {
			e.Settle()
		}
	case <-late.Done():
	}
	suspend()
}

// turnRun is one turn: the members it has run, and their answers.
type turnRun struct {
	db   *DB
	t    *Turn
	redo []*member // to run again first, in order: the members of a destroyed transaction
	ran  []*member // run in this transaction, in order; redo's come first
	out  []*member // their own error destroyed a transaction; answered with the rest
	over bool

	waited time.Duration // how long the first of them waited before the turn began
}

func (r *turnRun) turn() {
	for again := false; ; again = true {
		of, since := r.db.group.first()
		if again {
			of, since = r.redo[0].Request, r.redo[0].since
		}
		waited := max(0, r.db.world.Clock.Now().Sub(since))
		t, err := r.db.begin(of, waited)
		if err != nil {
			r.refuse(err)
			return
		}
		r.t, r.ran, r.waited = t, nil, 0
		if !since.IsZero() {
			r.waited = max(0, r.db.world.Clock.Now().Sub(since))
		}
		guilty := r.fill(again)
		if guilty < 0 {
			if guilty, err = r.end(); guilty < 0 {
				r.answer(err)
				return
			}
		}
		t.tx.Rollback()
		if errors.Is(r.ran[guilty].err, ErrHeld) { // the others would run into the same, one after another
			r.answer(r.ran[guilty].err)
			return
		}
		// Run all of them again, except the one that failed: the others' work went with the transaction.
		r.out = append(r.out, r.ran[guilty])
		r.redo = slices.Concat(r.ran[:guilty], r.ran[guilty+1:], r.unrun())
		r.ran = nil
		if len(r.redo) == 0 {
			r.answer(nil)
			return
		}
	}
}

// unrun returns the members of redo that did not run in this transaction.
func (r *turnRun) unrun() []*member { return r.redo[min(len(r.ran), len(r.redo)):] }

// fill runs members until the turn is full. It returns the one that destroyed the transaction, or -1. A turn that runs
// again takes in no new members.
func (r *turnRun) fill(again bool) (guilty int) {
	began := r.db.world.Clock.Now()
	for waited := 0; ; {
		var m *member
		switch {
		case len(r.redo) > len(r.ran):
			m = r.redo[len(r.ran)]
		case again || len(r.ran) >= turnMembers || (len(r.ran) > 0 && r.db.world.Clock.Now().Sub(began) >= turnTime):
			return -1
		default:
			if m = r.db.group.next(len(r.ran) == 0); m == nil && waited < turnWaits {
				waited++
				r.db.world.Waiting.Yield() // a write about to arrive can share this commit
				continue
			}
			if m == nil {
				return -1
			}
			waited = 0
		}
		r.ran = append(r.ran, m)
		r.run(m)
		if m.Alone {
			return -1
		}
		if guilty := r.guilty(); guilty >= 0 {
			return guilty
		}
	}
}

// run runs a member, and shows meanwhile what it is.
func (r *turnRun) run(m *member) {
	if !m.Idle {
		r.db.writes.Store(&Holder{Who: m.who(), Since: r.db.world.Clock.Now()})
		defer r.db.writes.Store(nil)
	}
	r.t.run(m)
}

// guilty returns the member whose error destroyed the transaction: an earlier one, whose queued statements failed only now,
// or the last one, after which the transaction was gone.
func (r *turnRun) guilty() int {
	if i, err := r.t.tx.Late(); err != nil {
		r.ran[i].err = err
		return i
	}
	if r.t.tx.Gone() {
		return len(r.ran) - 1
	}
	return -1
}

// end commits, and returns the error or the member that destroyed the transaction.
func (r *turnRun) end() (guilty int, _ error) {
	if r.t.tx.Gone() { // a member with a turn of its own failed
		r.t.tx.Rollback()
		return -1, nil
	}
	err := r.t.settle(r.db.hooks.Flush)
	if i, late := r.t.tx.Late(); late != nil {
		r.ran[i].err = late
		return i, nil //nolint:nilerr // the error is the member's
	}
	if err == nil {
		err = r.commit()
	}
	if err != nil {
		r.t.tx.Rollback()
		if f := fault.Of(err); f.Kind == fault.Unavailable {
			return -1, f
		}
		return -1, fault.Unready("the change could not be committed").WithHint("send it again").WithCause(err)
	}
	if r.db.hooks.Kept != nil {
		r.db.hooks.Kept(r.t)
	}
	r.db.met(r.t.Head)
	r.db.feed.saw(r.t.LastEvent)
	return -1, nil
}

// commit makes the turn durable, and reports it to the meter.
func (r *turnRun) commit() error {
	meter := r.db.meter
	if meter == nil || !r.t.wrote { // only changes are metered
		return r.t.tx.Commit(r.t.Head)
	}
	began := r.db.world.Clock.Now()
	err := r.t.tx.Commit(r.t.Head)
	if err == nil {
		meter(len(r.ran), r.waited, r.db.world.Clock.Now().Sub(began))
	}
	return err
}

// refuse answers a turn that could not begin: the members to run again, or else the head of the queue. If another process
// holds the turn and some members have waited long enough, only those are answered and the others keep waiting.
func (r *turnRun) refuse(err error) {
	r.ran = r.redo
	if errors.Is(err, ErrHeld) && len(r.redo) == 0 {
		if r.ran = r.db.group.overdue(r.db.world.Clock.Now().Add(r.db.patience.Tell - r.db.patience.GiveUp)); len(r.ran) > 0 {
			r.answer(err)
			return
		}
	}
	// Whoever waits behind a turn that could not begin would run into the same, one turn after another.
	for len(r.redo) == 0 && (len(r.ran) < turnMembers || !errors.Is(err, ErrHeld)) {
		m := r.db.group.next(true)
		if m == nil {
			break
		}
		r.ran = append(r.ran, m)
	}
	r.answer(err)
}

// answer gives every member of the turn its answer; err, if not nil, replaces their own.
func (r *turnRun) answer(err error) {
	var then []*pendingReply
	for _, m := range append(r.ran, r.unrun()...) {
		if err != nil {
			m.err = err
		}
		if m.err == nil && m.then != nil {
			then = append(then, m.then)
			continue
		}
		close(m.done)
	}
	for _, m := range r.out {
		close(m.done)
	}
	if len(then) > 0 {
		r.db.replies.add(r.db, then)
	}
	*r = turnRun{db: r.db}
}

func (r *turnRun) abandon() {
	if r.t != nil {
		r.t.tx.Rollback()
	}
	r.answer(fault.New(fault.Internal, "something unexpected happened: an operation ended its goroutine"))
}
