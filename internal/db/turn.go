package db

import (
	"errors"
	"fmt"
	"runtime/debug"
	"slices"
	"time"

	"tasker/internal/fault"
)

// Turn is what a member of a group writes through. It is valid until the member's function returns.
//
// Code that records events takes their ids from Record; the commit writes the last one, with EventAt as the time of the
// newest event. If a member is rolled back, its Head is restored; it registers with Undo how to undo its other changes to
// State.
type Turn struct {
	Conn
	Head
	// State is scratch space for the records above. It is nil when a transaction begins, and so also when the members of a
	// destroyed transaction run again.
	State any

	tx    Tx
	undo  []func()
	wrote bool // some member was released

	rewound error // nobody may write in this turn but who accepts that
}

// Undo registers a function that reverts a change of the member to State. The functions run in reverse order if the member
// is rolled back.
func (t *Turn) Undo(fn func()) { t.undo = append(t.undo, fn) }

// begin takes the write turn on a schema that this binary knows.
func (db *DB) begin(first Request, waited time.Duration) (*Turn, error) {
	a := Asking{Who: first.who(), Patience: db.patience.after(waited), Told: db.reportWait}
	for tries := 0; ; tries++ {
		was := db.seen.Load()
		if err := db.sound(was); err != nil {
			return nil, err
		}
		a.Known, a.Recall = was != nil, was.newest()
		tx, err := db.engine.Begin(db.waits, a)
		db.waitsFor.Store(nil)
		if err != nil {
			return nil, was.lost(err)
		}
		h := tx.Head()
		if was == nil && db.recollect(h) {
			tx.Rollback()
			continue
		}
		err = db.follow(was, h)
		if err != nil && !(first.Accepts && errors.Is(err, ErrRewound)) {
			tx.Rollback()
			return nil, err
		}
		if h.Schema == db.engine.Latest() {
			if h.Lost = h.Lost.with(was.missing(h)); err != nil && h.Lost.From == 0 {
				h.Lost.From = db.fork(tx, h)
			}
			return &Turn{Conn: tx, Head: h, tx: tx, rewound: err}, nil
		}
		tx.Rollback()
		if err := db.reconcile(background, h.Schema, tries); err != nil {
			return nil, err
		}
	}
}

// run runs one member under its own savepoint, and keeps or reverts what it wrote.
func (t *Turn) run(m *member) {
	head := t.Head
	t.undo = t.undo[:0]
	if t.rewound != nil && !m.Accepts {
		m.err = t.rewound
		return
	}
	if !m.Alone {
		if m.err = t.tx.Savepoint(); m.err != nil {
			return
		}
	}
	err := call(m.fn, t)
	keep := err == nil
	if k, ok := errors.AsType[*kept](err); ok {
		keep, err = true, k.error
	}
	if keep {
		if bad := t.release(m.Alone); bad != nil {
			keep, err = false, bad
		}
	}
	m.err = err
	if keep {
		t.wrote = t.wrote || !m.Idle
		return
	}
	t.Head = head
	for _, undo := range slices.Backward(t.undo) {
		undo()
	}
	if m.Alone {
		t.tx.Rollback()
		return
	}
	if bad := t.tx.RollbackTo(); bad != nil && !t.tx.Gone() {
		t.tx.Rollback() // a transaction that cannot return to a savepoint is useless
	}
}

// Record takes the id of the next event, and extends the checksum of the log by what the event says. The caller stores
// both with the event: by its id and checksum a process recognizes the log later.
func (t *Turn) Record(said ...string) {
	t.LastEvent++
	t.Sum = chained(t.Sum, t.LastEvent, t.EventAt, said)
}

// chained returns the checksum of a log extended by an event (FNV-1a); never 0, which stands for an unknown one.
func chained(sum, event, at int64, said []string) int64 {
	const prime = 1099511628211
	h := uint64(14695981039346656037)
	number := func(n uint64) {
		for range 8 {
			h = (h ^ n&0xff) * prime
			n >>= 8
		}
	}
	number(uint64(sum))
	number(uint64(event))
	number(uint64(at))
	for _, text := range said {
		number(uint64(len(text)))
		for i := range len(text) {
			h = (h ^ uint64(text[i])) * prime
		}
	}
	return max(int64(h>>1), 1)
}

// SaveHead returns the statement with which Commit writes a head; it must touch one row. An old schema that does not
// identify its database has no checksum.
func SaveHead(h Head) (sql string, args []any) {
	if h.Generation == 0 {
		return `UPDATE turn SET event_id = $1, at = $2 WHERE id = 1`, []any{h.LastEvent, h.EventAt}
	}
	return `UPDATE turn SET event_id = $1, at = $2, sum = $3 WHERE id = 1`, []any{h.LastEvent, h.EventAt, h.Sum}
}

// release keeps what a member wrote. For a member with a turn of its own it also runs what is queued, so that the errors
// are the member's.
func (t *Turn) release(alone bool) error {
	if alone {
		return t.tx.Flush()
	}
	return t.tx.Release()
}

// settle writes what is held in Go, and runs what is queued.
func (t *Turn) settle(flush func(*Turn) error) error {
	if t.wrote && flush != nil {
		if err := call(flush, t); err != nil {
			return err
		}
	}
	return t.tx.Flush()
}

// call turns a panic of fn into an error of fn only.
func call(fn func(*Turn) error, t *Turn) (err error) {
	defer func() {
		if p := recover(); p != nil {
			err = panicked(p)
		}
	}()
	return fn(t)
}

func panicked(p any) error {
	return fault.New(fault.Internal, "something unexpected happened: %v", p).
		WithCause(fmt.Errorf("panic: %v\n%s", p, debug.Stack()))
}
