package db

import (
	"context"
	"errors"
	"time"

	"tasker/internal/fault"
)

// Trouble is what a write would meet. About is for anybody to read; Err may name processes, people and places.
type Trouble struct {
	Name  string // what it is with: OfDatabase, OfClock or OfCopy
	About string
	Err   error
}

// What there can be trouble with.
const (
	OfDatabase = "database"
	OfClock    = "clock"
	OfCopy     = "copy"
)

// roomNeeded is how many bytes must be free beside a database before a write is said to have room.
const roomNeeded = 16 << 20

var errProbe = errors.New("nothing is written")

// Check reports whether the database can be read, and tells its head. One that is not there yet can: the first write makes
// it, and this does not.
func (db *DB) Check(ctx context.Context, tell func(Head)) error {
	if db.seen.Load() == nil {
		if have, err := db.Version(ctx); err != nil || have == 0 {
			return err
		}
	}
	return db.Read(ctx, Request{}, func(_ Conn, h Head) error { tell(h); return nil })
}

// Inspect looks through the database for damage, little by little, until ctx ends. What it finds Ready tells.
func (db *DB) Inspect(ctx context.Context) {
	if db.enter() == nil {
		defer db.reading.End()
		db.inspecting.Store(true)
		defer db.inspecting.Store(false)
		db.engine.Inspect(ctx)
	}
}

// full tells of a disk on which there is no room to write.
func (db *DB) full() []Trouble {
	room, known := db.engine.Room()
	if !known || room >= roomNeeded {
		return nil
	}
	return []Trouble{{
		Name: OfDatabase, About: "there is no room to write",
		Err: fault.Unready("%d bytes are free beside the database", room).WithHint("make room on its disk"),
	}}
}

// slow returns what holds no write up: a clock that is off, and a doubt whether everything is there.
func (db *DB) slow(lag int64) (out []Trouble) {
	if lag > 0 {
		ahead := time.Duration(lag) * time.Microsecond
		out = append(out, Trouble{
			Name: OfClock, About: "the clock and the log are more than five minutes apart",
			Err: fault.Unready("the newest event is %s ahead of the clock; leases and sessions count by the clock", ahead.Round(time.Second)).
				WithHint("see whether the clock of this machine is right"),
		})
	}
	if doubt := db.engine.Doubt(); doubt != nil {
		out = append(out, Trouble{Name: OfCopy, About: "the database was copied while it was in use", Err: doubt})
	}
	return out
}

// Examine looks through the whole database once, and returns what is wrong with it as such: damage, a clock that is off, a
// doubt whether everything is there, and a disk without room.
func (db *DB) Examine(ctx context.Context) ([]Trouble, error) {
	if err := db.enter(); err != nil {
		return nil, err
	}
	defer db.reading.End()
	var out []Trouble
	var lag, last int64
	if err := db.Check(ctx, func(h Head) { lag, last = h.Lag(), h.LastEvent }); err != nil {
		return nil, err
	}
	if err := db.engine.Examine(ctx); err != nil {
		out = append(out, Trouble{Name: OfDatabase, About: "the database is damaged", Err: err})
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

// Copy writes a whole copy of one state of a database that is a file into another file.
func (db *DB) Copy(ctx context.Context, path string) error {
	return db.care(func() error { return db.engine.Copy(ctx, path) })
}

// Vacuum gives the room of removed records back.
func (db *DB) Vacuum(ctx context.Context) error {
	return db.care(func() error { return db.engine.Vacuum(ctx) })
}

// Alone reports whether nobody else uses the database.
func (db *DB) Alone(ctx context.Context) (alone bool, err error) {
	err = db.care(func() (err error) { alone, err = db.engine.Alone(ctx); return err })
	return alone, err
}

// care runs what is done to the database as a whole.
func (db *DB) care(fn func() error) error {
	if err := db.enter(); err != nil {
		return err
	}
	defer db.reading.End()
	return fn()
}

// Accept says that nothing is missing in a database that was copied.
func (db *DB) Accept(ctx context.Context) error {
	if err := db.enter(); err != nil {
		return err
	}
	defer db.reading.End()
	if err := db.Check(ctx, func(Head) {}); err != nil || db.seen.Load() == nil { // one that is not there has nothing to accept
		return err
	}
	return db.engine.Accept(ctx)
}

// Ready returns what a write would meet now: it looks at the database, at the room beside it and at the clock, and takes a
// turn in which it writes nothing. A database that is not there yet is not made.
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
		return append(out, Trouble{Name: OfDatabase, About: "the database cannot be read", Err: err})
	}
	var write error
	if db.seen.Load() != nil {
		write = db.Write(ctx, Request{What: "look whether writes go through"}, func(*Turn) error { return errProbe })
	}
	// Damage is asked for after the write, which may share its turn with one that met it, and ends with it.
	damage := db.damaged()
	out = append(append(append(out, damage...), db.slow(lag)...), db.full()...)
	switch {
	case write == nil || errors.Is(write, errProbe) || damage != nil:
	case db.WaitsFor() != nil:
		h := db.WaitsFor()
		out = append(out, Trouble{Name: OfDatabase, About: "another process holds the turn to write", Err: h.Refusal(db.world.Clock.Now())})
	default:
		out = append(out, Trouble{Name: OfDatabase, About: "the database cannot be written", Err: write})
	}
	return out
}

// damaged tells of damage that somebody met.
func (db *DB) damaged() []Trouble {
	err := db.engine.Damage()
	if err == nil {
		return nil
	}
	return []Trouble{{Name: OfDatabase, About: "the database is damaged", Err: err}}
}
