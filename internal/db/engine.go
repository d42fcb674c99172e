package db

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"io/fs"
	"time"

	"tasker/internal/fault"
	"tasker/internal/search"
)

// Engine is a database under the DB. Its errors are already *fault.Error values that a person can act on. Only the engine
// knows drivers, locks and dialects; it does not know members, groups and records.
type Engine interface {
	// Readers returns how many snapshots can be open at once.
	Readers() int
	// Absent reports that there is no database yet, if that can be seen without opening one.
	Absent() bool
	// Snapshot begins a read of one consistent state. ctx also ends the statements of the snapshot. It waits for a
	// connection no longer than wait. recall is an event that the log had: see Head.Differs.
	Snapshot(ctx context.Context, wait time.Duration, recall Point) (Snapshot, error)
	// Begin takes the write turn: it waits for other processes, begins the transaction and reads the head. If the database
	// has no tables yet, the head's schema is 0. The wait ends with ctx, which the transaction outlives, or when a says so.
	// Begin creates a missing database, unless it is known to have existed.
	Begin(ctx context.Context, a Asking) (Tx, error)
	// Migrate brings the schema to Latest, one transaction for each step. asked is false if nobody asked for it; the engine
	// may then decline.
	Migrate(ctx context.Context, asked bool) (from, to int, err error)
	// Place returns what tells this database from copies of it elsewhere, once it was reached: the path of its file, or the
	// cluster and the schema, which a standby has in common with its primary.
	Place() string
	// Setup returns the setup that the engine was opened with, with defaults filled in.
	Setup() Setup
	// Latest returns the newest schema that this binary knows.
	Latest() int
	// Room returns how many bytes may still be written, if that is known.
	Room() (bytes int64, known bool)
	// Damage returns what requests or inspections found broken in the stored data, until an inspection finds nothing.
	Damage() error
	// Doubt says why stored data may be missing, until Accept is called; nil if there is no sign of that.
	Doubt() error
	Accept(ctx context.Context) error
	// Examine inspects everything stored once, and returns the damage it finds.
	Examine(ctx context.Context) error
	// Copy writes a consistent snapshot to the empty file at path without blocking writers. It is unsupported if the
	// database is not a file.
	Copy(ctx context.Context, path string) error
	// Vacuum frees the space of removed records, and updates the planner's statistics.
	Vacuum(ctx context.Context) error
	// Alone reports whether the database can be replaced: no server has it open and, if it is a file, no other process
	// either.
	Alone(ctx context.Context) (bool, error)
	// Inspect looks for damage in the stored data, little by little, until ctx ends. Servers call it; it may show other
	// processes that the database is in use.
	Inspect(ctx context.Context)
	// Watch calls saw with the id of the newest event when it may have grown, until ctx ends.
	Watch(ctx context.Context, saw func(last int64))
	// Tidy does work that can wait until a turn's answers are given.
	Tidy()
	// Close frees everything; nothing may be running any more.
	Close() error
}

// Snapshot is a read transaction.
type Snapshot interface {
	Conn
	Head() Head
	End()
}

// Tx is the transaction of a turn. After an error of one of Conn's methods every later one returns the same error, until
// RollbackTo; so the failure of a queued statement cannot be missed.
type Tx interface {
	Conn
	Head() Head
	// Savepoint opens the one savepoint of a member; Release keeps it, RollbackTo undoes and closes it. Release returns the
	// error of the member if there was one. An engine that sends statements in batches may omit the savepoint if none of
	// the member's statements was sent before Release: see Late.
	Savepoint() error
	Release() error
	RollbackTo() error
	// Late returns the error of a statement that was still queued when its member was released, and the member, as the
	// number of savepoints before its own. The transaction is then useless, and the turn runs again without the member.
	Late() (member int, err error)
	// Confirm makes the commit of a turn that changes nothing wait for what a change waits for, and reports whether there
	// is anything.
	Confirm() (waits bool)
	// Commit writes the newest event's id and time to the row that every turn locks, if the id has moved, and makes the
	// turn durable. An error means that it is not durable, or that this is not known.
	Commit(h Head) error
	// Rollback ends the turn without a commit, even if its transaction is gone; after the end it does nothing.
	Rollback()
	// Gone reports whether the transaction no longer exists, whatever happened to the connection.
	Gone() bool
}

// Setup configures an engine. Its zero value is a database without a schema.
type Setup struct {
	World      World
	Notice     func(string) // called with what was done unasked (a backup, a migration), and what is waited for
	Changes    func(string) // called with what a migration changes for those who use the database; nil: Notice is
	Migrations []Migration  // the steps of the schema, oldest first
	Patience   Patience     // of writes with other processes, and of reads with each other; zero: the default
	Meter      Meter        // called for every commit; nil: not called
	Shell      string       // the agent in whose shell this process runs, which may keep it from writing; else empty
	Memory     string       // the directory where servers keep what they remember of their databases; empty: nowhere
}

// Meter is called for a commit: how many writes shared it, how long the first of them had waited for its turn, and how
// long the commit itself took. It must not block.
type Meter func(writes int, waited, took time.Duration)

// Filled returns the setup with defaults filled in.
func (s Setup) Filled() Setup {
	s.World = s.World.filled()
	if s.Notice == nil {
		s.Notice = func(string) {}
	}
	if s.Changes == nil {
		s.Changes = s.Notice
	}
	if s.Patience == (Patience{}) {
		s.Patience = enough
	}
	s.Patience.Connect = cmp.Or(s.Patience.Connect, enough.Connect)
	s.Patience.Answer = cmp.Or(s.Patience.Answer, enough.Answer)
	s.Patience.Commit = cmp.Or(s.Patience.Commit, enough.Commit)
	return s
}

// Asking returns the request for a turn of a caller that has just arrived.
func (s Setup) Asking(who string) Asking {
	return Asking{Who: who, Patience: s.Patience, Told: func(h Holder) { s.Notice(h.Told(s.World.Clock.Now())) }}
}

// ErrGuard is in the error chain of a statement that touched an unexpected number of rows.
var ErrGuard = errors.New("a guarded statement touched a different number of rows")

// Guard returns the error of a statement that touched got rows instead of want: the rows changed after they were read.
func Guard(sql string, want, got int64) error {
	return fault.Stale("the record was changed by somebody else in between").WithHint("read it again and retry").
		WithCause(fmt.Errorf("%w: %d and not %d: %s", ErrGuard, got, want, sql))
}

// Keep wraps the error of a member so that its writes are kept although the error is its answer.
func Keep(err error) error {
	if err == nil {
		return nil
	}
	return &kept{err}
}

type kept struct{ error }

func (k *kept) Unwrap() error { return k.error }

// Any is the want of statements that may touch any number of rows.
const Any = -1

// Conn is a connection inside a transaction. SQL uses $1, $2, …; arguments are int64, int, string, []byte, bool (stored as
// 0 and 1) or nil. Only one goroutine uses a Conn at a time.
type Conn interface {
	// Exec runs a statement that must touch want rows, or Any. It may be queued: an error, or another number of rows
	// (ErrGuard), is then reported by the next Query or Flush.
	Exec(want int, sql string, args ...any) error
	// Query runs what is queued, then the statement, and calls row for each row; row must not use the Conn.
	Query(sql string, args []any, row func(Row) error) error
	// Ask is a Query that may be queued: row is called by the next Query or Flush at the latest, which then also returns
	// the error of the statement or of row.
	Ask(sql string, args []any, row func(Row) error) error
	// Bulk inserts n rows into a table.
	Bulk(table string, columns []string, n int, row func(i int) []any) error
	// Flush runs what is queued.
	Flush() error
	// Stats counts what this connection has done since it was taken.
	Stats() *Stats
	// Visited returns how much data the statements looked at, for tests that this does not grow with the data: a statement
	// that walks over a hundred thousand rows to find one returns one. Only differences within one snapshot or turn mean
	// anything, and only compared with others of the same engine: SQLite counts the steps of its virtual machine,
	// PostgreSQL the rows it read from tables.
	Visited() (int64, error)
	// ByStatistics reports whether the engine plans by statistics, which may be old or missing: if two indexes give an
	// order, it may choose the one that walks over everybody's rows. SQLite keeps none, and chooses the one that fits.
	ByStatistics() bool
	Words
}

// Row is one row of a result; columns count from 0. A null reads as zero.
type Row interface {
	Int(i int) int64
	Text(i int) string
	Bytes(i int) []byte // valid until the next row
	Null(i int) bool
}

// Stats counts the work of a connection, for tests that it does not grow with the data.
type Stats struct {
	Statements int64 // sent to the engine
	Rows       int64 // returned or changed
	Bytes      int64 // of texts read
}

// Point is an event in the log, with the checksum of the log up to it. Zero: none.
type Point struct{ Event, Sum int64 }

// Head is the state that every snapshot and turn begins with.
type Head struct {
	Schema    int   // version of the schema
	LastEvent int64 // id of the newest event
	Now       int64 // the clock (on PostgreSQL, the database's own): microseconds since 1970
	Newest    int64 // the time of the newest event
	EventAt   int64 // the time of an event recorded now; see HeadAt

	// Which database this is, and its history: the number it was given when it was created, how often it was restored, and
	// a checksum of the newest event and all before it. Instance is 0 if there is no database yet.
	Instance   int64
	Generation int64
	Sum        int64

	// Lost is what a process remembers of the log and did not find in it any more.
	Lost Lost
	// Differs reports that the log has gone on from another event than the one that was recalled.
	Differs bool

	Absent string // where the database will be created, if there is none yet
}

// clockSlack is how far the clock may lag behind the newest event before events use the clock's own time: the clocks of
// several machines differ a little, and one that is corrected may jump back.
const clockSlack = 5 * 60 * 1_000_000

// HeadAt completes a head with the clock. The log's times do not run backwards while clock and log are within five minutes
// of each other; beyond that, the clock's time is used as it is.
func (h Head) HeadAt(clock int64) Head {
	h.Now, h.EventAt = clock, clock
	if h.Newest > clock && h.Lag() == 0 {
		h.EventAt = h.Newest
	}
	return h
}

// Lag returns how many microseconds the clock is behind the newest event, or 0 if that is within five minutes.
func (h Head) Lag() int64 {
	if h.Newest-h.Now > clockSlack {
		return h.Newest - h.Now
	}
	return 0
}

// Words is the part of a Conn that stores the words of documents, and finds documents by them. Each engine uses its own
// index; package search decides for all of them what a word is and what matches.
type Words interface {
	// AddWords stores the words of new documents.
	AddWords(docs []Doc) error
	// PutWords replaces the words of a document; one without words is removed.
	PutWords(doc Doc) error
	// DropWords removes the documents of a project.
	DropWords(project int64) error
	// SettleWords is called before the commit of a turn that added or put words: the engine may index what it has put
	// aside.
	SettleWords() error
	// FindWords calls each with every document of a project (0: all projects) that the query finds, in no order.
	FindWords(q search.Query, project int64, each func(doc int64)) error
	// Documents calls each with every document of a project, in no order.
	Documents(project int64, each func(doc int64)) error
}

// Doc is a document with its words, as search.Words returns them.
type Doc struct {
	ID    int64
	Words string
}

// DocProjectBits is how many bits of a document's id are below the project's.
const DocProjectBits = 43

// DocSpan returns the range of a project's document ids, inclusive; for 0, of all documents.
func DocSpan(project int64) (lo, hi int64) {
	if project == 0 {
		return 0, 1<<62 - 1 + 1<<62
	}
	return project << DocProjectBits, (project+1)<<DocProjectBits - 1
}

// DocProject returns the project of a document.
func DocProject(doc int64) int64 { return doc >> DocProjectBits }

// Sizes is the space that a database takes on this machine's disk, in bytes.
type Sizes struct {
	File int64
	Log  int64 // what was written last, and is not in the file yet
}

// sizer is an engine whose files are on this machine.
type sizer interface{ Sizes() (Sizes, error) }

// owner is an engine whose files are on this machine.
type owner interface{ Own() []fs.FileInfo }

// Own returns the files of the database that are there, which nothing else in this process may open: see the engine.
func (db *DB) Own() []fs.FileInfo {
	if e, ok := db.engine.(owner); ok {
		return e.Own()
	}
	return nil
}

// Sizes returns the sizes of the database's files; known is false if they are elsewhere, or cannot be read.
func (db *DB) Sizes() (sizes Sizes, known bool) {
	e, ok := db.engine.(sizer)
	if !ok {
		return Sizes{}, false
	}
	sizes, err := e.Sizes()
	return sizes, err == nil
}
