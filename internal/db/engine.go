package db

import (
	"context"
	"errors"
	"fmt"
	"time"

	"tasker/internal/fault"
)

// Engine is a database under the DB. Its errors are *fault.Error values already: a person can act on them. The
// engine alone knows drivers, locks and dialects; it knows nothing of members, groups and records.
type Engine interface {
	// Readers is how many snapshots can be open at once.
	Readers() int
	// Absent reports that there is no database yet, where that shows without opening one.
	Absent() bool
	// Snapshot begins a read of one consistent state. ctx ends the statements of the snapshot as well. A connection for it
	// is waited for no longer than wait.
	Snapshot(ctx context.Context, wait time.Duration) (Snapshot, error)
	// Begin takes the write turn: it waits for other processes, begins the transaction and reads the head. Where
	// the database has no tables yet, the head's schema is 0. The wait ends with ctx, which the transaction outlives,
	// or when a says so. A database that is not there is made, unless it is known to have been there.
	Begin(ctx context.Context, a Asking) (Tx, error)
	// Migrate brings the schema to Latest, one transaction for each step; told is false where nobody asked for it
	// and the engine may decline.
	Migrate(ctx context.Context, told bool) (from, to int, err error)
	// Setup is what the engine was opened with, its defaults filled in.
	Setup() Setup
	// Latest is the newest schema that this binary knows.
	Latest() int
	// Room is how many bytes may still be written, where that is known.
	Room() (bytes int64, known bool)
	// Damage is what was found broken in what is stored, by whoever met it, until an inspection finds nothing.
	Damage() error
	// Doubt says why something may be missing in what is stored, until Accept is called; nil where nothing tells of that.
	Doubt() error
	Accept(ctx context.Context) error
	// Examine looks through all that is stored once, and returns the damage that it finds.
	Examine(ctx context.Context) error
	// Copy writes a whole copy of one state of a database that is a file into a file that is empty, beside whoever writes. It
	// is unsupported where the database is no file.
	Copy(ctx context.Context, path string) error
	// Vacuum gives the room back that removed records had, and brings the planner's statistics up to date.
	Vacuum(ctx context.Context) error
	// Alone reports whether no server has the database open, and where it is a file nobody else at all: it can be replaced.
	Alone(ctx context.Context) (bool, error)
	// Inspect looks through what is stored for damage, little by little, until ctx ends. It is called by servers, whose
	// use of the database may be told to others.
	Inspect(ctx context.Context)
	// Watch calls saw with the id of the newest event when it may have grown, until ctx ends.
	Watch(ctx context.Context, saw func(last int64))
	// Tidy does what can wait until a turn's answers are given.
	Tidy()
	// Close frees everything; nothing is running any more.
	Close() error
}

// Snapshot is a read transaction.
type Snapshot interface {
	Conn
	Head() Head
	End()
}

// Tx is the transaction of a turn. After an error of one of Conn's methods every later one gives the same error,
// until RollbackTo; so a statement that was queued cannot be passed over.
type Tx interface {
	Conn
	Head() Head
	// Savepoint opens the one savepoint of a member, which Release keeps and RollbackTo undoes and closes. Release
	// returns the error of the member if there was one. An engine that sends statements in batches may leave the
	// savepoint out where nothing of the member was sent before Release: see Late.
	Savepoint() error
	Release() error
	RollbackTo() error
	// Late returns the error of a statement that was still queued when its member was released, and the member, by
	// the number of savepoints before its own. The transaction is worth nothing then, and the turn runs again without
	// the member.
	Late() (member int, err error)
	// Commit writes the newest event's id and time to the row that every turn locks, where the id has moved, and
	// makes the turn durable. An error means that it is not, or that nobody can tell.
	Commit(h Head) error
	// Rollback ends the turn otherwise, also one whose transaction is gone; after the end it does nothing.
	Rollback()
	// Gone reports whether the transaction is no more, whatever became of the connection.
	Gone() bool
}

// Setup is what an engine is opened with. Its zero value is a database without a schema.
type Setup struct {
	World      World
	Notice     func(string) // told what was done unasked (a backup, a migration), and what is waited for
	Migrations []Migration  // the steps of the schema, oldest first
	Patience   Patience     // of writes with other processes, and of reads with each other; zero: enough
	Meter      Meter        // told of every commit; nil: nobody is
}

// Meter is told what turns take.
type Meter interface {
	// Committed is told of a commit: how many writes shared it, how long the first of them had waited for its turn, and how
	// long the commit itself took. It may not block.
	Committed(writes int, waited, took time.Duration)
}

// Filled is the setup with its defaults.
func (s Setup) Filled() Setup {
	s.World = s.World.filled()
	if s.Notice == nil {
		s.Notice = func(string) {}
	}
	if s.Patience == (Patience{}) {
		s.Patience = enough
	}
	return s
}

// Asking is how whoever has just come asks for a turn.
func (s Setup) Asking(who string) Asking {
	return Asking{Who: who, Patience: s.Patience, Told: func(h Holder) { s.Notice(h.Told(s.World.Clock.Now())) }}
}

// SaveHead returns the statement with which Commit writes a head; it must touch one row. A schema from before databases
// knew themselves has no checksum.
func SaveHead(h Head) (sql string, args []any) {
	if h.Generation == 0 {
		return `UPDATE turn SET event_id = $1, at = $2 WHERE id = 1`, []any{h.LastEvent, h.EventAt}
	}
	return `UPDATE turn SET event_id = $1, at = $2, sum = $3 WHERE id = 1`, []any{h.LastEvent, h.EventAt, h.Sum}
}

// ErrGuard is in the chain of the error of a statement that touched another number of rows than it had to.
var ErrGuard = errors.New("a guarded statement touched another number of rows")

// Guard is the error of a statement that touched got rows and not want: what it was to change is not any more as
// it was read.
func Guard(sql string, want, got int64) error {
	return fault.Stale("the record was changed by somebody else in between").WithHint("read it again and retry").
		WithCause(fmt.Errorf("%w: %d and not %d: %s", ErrGuard, got, want, sql))
}

// Keep wraps the error of a member so that what it wrote stays although the error is its answer.
func Keep(err error) error {
	if err == nil {
		return nil
	}
	return &kept{err}
}

type kept struct{ error }

func (k *kept) Unwrap() error { return k.error }
