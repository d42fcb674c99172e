package db

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"strings"
	"time"

	"tasker/internal/fault"
)

// Trouble is a problem that a write would run into. Anybody may read About; Err may name processes, people and paths.
type Trouble struct {
	Name  string // what is in trouble: OfDatabase, OfClock or OfCopy
	About string
	Err   error
}

// What can be in trouble.
const (
	OfDatabase = "database"
	OfClock    = "clock"
	OfCopy     = "copy"
)

// roomNeeded is how many bytes must be free next to a database for a write to count as having room.
const roomNeeded = 16 << 20

var errProbe = errors.New("nothing is written")

// Check reports whether the database can be read, and passes its head to report. A missing database counts as readable: the
// first write creates it, Check does not.
func (db *DB) Check(ctx context.Context, report func(Head)) error {
	if db.seen.Load() == nil {
		if have, err := db.Version(ctx); err != nil || have == 0 {
			return err
		}
	}
	return db.Read(ctx, Request{}, func(_ Conn, h Head) error { report(h); return nil })
}

// Inspect looks for damage in the database, little by little, until ctx ends. Ready reports what it finds.
func (db *DB) Inspect(ctx context.Context) {
	if db.enter() == nil {
		defer db.reading.End()
		db.inspecting.Store(true)
		defer db.inspecting.Store(false)
		db.engine.Inspect(ctx)
	}
}

// full reports a disk that has no room for writes.
func (db *DB) full() []Trouble {
	room, known := db.engine.Room()
	if !known || room >= roomNeeded {
		return nil
	}
	return []Trouble{{
		Name: OfDatabase, About: "there is no room to write",
		Err: fault.Unready("%d bytes are free next to the database", room).WithHint("make room on its disk"),
	}}
}

// slow returns problems that delay no write: a clock that is off, and a doubt whether everything is there.
func (db *DB) slow(lag int64) (out []Trouble) {
	if lag > 0 {
		ahead := time.Duration(lag) * time.Microsecond
		out = append(out, Trouble{
			Name: OfClock, About: "the clock and the log are more than five minutes apart",
			Err: fault.Unready("the newest event is %s ahead of the clock; leases and sessions count by the clock", ahead.Round(time.Second)).
				WithHint("check whether the clock of this machine is right"),
		})
	}
	if doubt := db.engine.Doubt(); doubt != nil {
		out = append(out, Trouble{Name: OfCopy, About: "the database was copied while it was in use", Err: doubt})
	}
	return out
}

// Examine inspects the whole database once, and returns what is wrong with it: damage, writes that do not go through, a clock
// that is off, a doubt whether everything is there, and a full disk.
func (db *DB) Examine(ctx context.Context) ([]Trouble, error) {
	if err := db.enter(); err != nil {
		return nil, err
	}
	defer db.reading.End()
	var out []Trouble
	var lag, last int64
	switch err := db.Check(ctx, func(h Head) { lag, last = h.Lag(), h.LastEvent }); {
	case errors.Is(err, ErrRewound):
		return []Trouble{{Name: OfDatabase, About: fault.Of(err).Message, Err: err}}, nil
	case err != nil:
		return nil, err
	}
	if err := db.engine.Examine(ctx); err != nil {
		out = append(out, Trouble{Name: OfDatabase, About: "the database is damaged", Err: err})
	} else if err := db.probe(ctx); err != nil && db.WaitsFor() == nil && ctx.Err() == nil { // who waits for another writer is not ill
		out = append(out, unwritable(err))
	}
	added, err := db.Additions(ctx)
	if err != nil {
		return nil, err
	}
	if len(added) > 0 {
		out = append(out, Trouble{
			Name: OfDatabase, About: "somebody has added to the schema of the database",
			Err: fault.Unready("the database has what no tasker makes: %s; it may change or hold up what is written and read", strings.Join(added, ", ")).
				WithHint("find out who made it, and drop it with SQLite's own program"),
		})
	}
	for _, t := range append(db.slow(lag), db.full()...) {
		if t.Name == OfCopy {
			f := fault.Of(t.Err)
			t.Err = fault.Unready("%s; the newest event in it is %d", f.Message, last).WithParts(f.HintParts()).WithCause(t.Err)
		}
		out = append(out, t)
	}
	return out, ctx.Err()
}

// maxAdditions is how many additions are named.
const maxAdditions = 10

// adder is an engine whose database is ours alone. A server's is its administrator's: replication and auditing add triggers.
type adder interface {
	Additions(ctx context.Context) ([]string, error)
}

// Additions returns the first triggers and views of a database file that no tasker makes, in words. Unlike every other read it
// is safe with a file that a stranger made.
func (db *DB) Additions(ctx context.Context) (found []string, err error) {
	e, ok := db.engine.(adder)
	if !ok {
		return nil, nil
	}
	err = db.care(func() (err error) { found, err = e.Additions(ctx); return err })
	if n := len(found) - maxAdditions; n > 0 {
		found = append(found[:maxAdditions], fmt.Sprintf("and %d more", n))
	}
	return found, err
}

// Copy writes a consistent snapshot to path, if the database is a file.
func (db *DB) Copy(ctx context.Context, path string) error {
	return db.care(func() error { return db.engine.Copy(ctx, path) })
}

// Vacuum frees the space of removed records.
func (db *DB) Vacuum(ctx context.Context) error {
	return db.care(func() error { return db.engine.Vacuum(ctx) })
}

// Alone reports whether nobody else uses the database.
func (db *DB) Alone(ctx context.Context) (alone bool, err error) {
	err = db.care(func() (err error) { alone, err = db.engine.Alone(ctx); return err })
	return alone, err
}

// care runs an operation on the database as a whole.
func (db *DB) care(fn func() error) error {
	if err := db.enter(); err != nil {
		return err
	}
	defer db.reading.End()
	return fn()
}

// Accept confirms that nothing is missing from a copied database. That the log was rewound is accepted by a write: see
// Request.Accepts.
func (db *DB) Accept(ctx context.Context) error {
	return db.care(func() error {
		if err := db.Check(ctx, func(Head) {}); err != nil || db.seen.Load() == nil { // a missing database has nothing to accept
			return err
		}
		return db.engine.Accept(ctx)
	})
}

// Ready returns the problems that a write would run into now: it checks the database, the free space next to it and the
// clock, and takes a turn in which it writes nothing. It does not create a missing database.
func (db *DB) Ready(ctx context.Context) []Trouble {
	var out []Trouble
	var lag int64
	if err := db.Check(ctx, func(h Head) { lag = h.Lag() }); err != nil {
		if damage := db.damaged(); damage != nil {
			return damage
		}
		if busy := db.readers.busy(db.world.Clock.Now()); busy != nil {
			return append(out, Trouble{Name: OfDatabase, About: "every connection that reads is in use", Err: busy})
		}
		about := "the database cannot be read"
		switch {
		case errors.Is(err, ErrStandby):
			about = "the database has no primary now, and waits for the promotion of a standby"
		case errors.Is(err, ErrRewound):
			db.testify()
			about = fault.Of(err).Message
		}
		return append(out, Trouble{Name: OfDatabase, About: about, Err: err})
	}
	db.remember()
	busy := db.writes.Load()
	write := db.probe(ctx)
	busy = cmp.Or(db.writes.Load(), busy)
	// Check for damage after the write: it may have shared its turn with a write that found some, and failed with it.
	damage := db.damaged()
	out = append(append(append(out, damage...), db.slow(lag)...), db.full()...)
	switch {
	case write == nil || damage != nil:
	case db.WaitsFor() != nil:
		h := db.WaitsFor()
		out = append(out, Trouble{Name: OfDatabase, About: "another process holds the turn to write", Err: h.Refusal(db.world.Clock.Now())})
	case ctx.Err() != nil && busy != nil:
		out = append(out, Trouble{Name: OfDatabase, About: "the database is busy with a large write, and others wait for it", Err: busy.Refusal(db.world.Clock.Now())})
	default:
		out = append(out, unwritable(write))
	}
	return out
}

// probe takes a turn in which it writes nothing, and returns why no write would go through. A missing database has none.
func (db *DB) probe(ctx context.Context) error {
	if db.seen.Load() == nil {
		return nil
	}
	err := db.Write(ctx, Request{What: "check whether writes go through", Idle: true}, func(t *Turn) error {
		if !t.tx.Confirm() {
			return errProbe
		}
		return nil
	})
	if errors.Is(err, errProbe) {
		return nil
	}
	return err
}

func unwritable(why error) Trouble {
	return Trouble{Name: OfDatabase, About: "the database cannot be written", Err: why}
}

// damaged reports damage that was found.
func (db *DB) damaged() []Trouble {
	err := db.engine.Damage()
	if err == nil {
		return nil
	}
	return []Trouble{{Name: OfDatabase, About: "the database is damaged", Err: err}}
}
