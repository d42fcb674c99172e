package db

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
