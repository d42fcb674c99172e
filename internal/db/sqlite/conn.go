package sqlite

import (
	"fmt"
	"io/fs"
	"slices"
	"strings"

	"zombiezen.com/go/sqlite"

	"tasker/internal/db"
	"tasker/internal/fault"
)

// maxStmts is how many statements a connection keeps prepared.
const maxStmts = 512

// conn is a connection with its prepared statements. It implements db.Conn.
type conn struct {
	db *sqlite.Conn
	place
	file  fs.FileInfo // what the path held when it was opened
	met   *metFile    // the same; nil for a stand-in
	stmts map[string]*stmt
	stats db.Stats
	row   row
	err   error // of a statement of this member; see db.Tx

	damage *db.Damage
	near   *neighbours  // nil if it does not stay open
	within bool         // a snapshot or a turn has begun
	still  func() error // refuses a file that has changed while it was read as one that does not; else nil
}

type stmt struct {
	*sqlite.Stmt
	params  int
	changes bool // it is an INSERT, UPDATE or DELETE: the count of changed rows is its own
}

func (e *Engine) newConn(db *sqlite.Conn, file fs.FileInfo) *conn {
	c := &conn{
		db: db, place: e.place(), file: file, damage: &e.damage, stmts: make(map[string]*stmt), row: row{buf: make([]byte, 0, 4096)},
	}
	if file != nil {
		c.met = e.met.Load()
	}
	return c
}

// explain puts a statement's error into words that a person can act on.
func (c *conn) explain(err error) error {
	met(c.damage, err)
	err = c.place.explain(err)
	if c.within {
		err = db.Outage(err)
	}
	return err
}

func (c *conn) close() error {
	if c.near != nil {
		c.near.leave()
		c.near = nil
	}
	return c.db.Close()
}

func (c *conn) Stats() *db.Stats { return &c.stats }

func (c *conn) Exec(want int, sql string, args ...any) error {
	if c.err != nil {
		return c.err
	}
	s, err := c.bound(sql, args)
	if err != nil {
		return c.fail(err)
	}
	if err := s.drain(); err != nil {
		return c.fail(err)
	}
	c.stats.Statements++
	if !s.changes {
		return nil
	}
	n := c.db.Changes()
	c.stats.Rows += int64(n)
	if want != db.Any && n != want {
		return c.fail(db.Guard(sql, int64(want), int64(n)))
	}
	return nil
}

func (c *conn) Query(sql string, args []any, row func(db.Row) error) error {
	if c.err != nil {
		return c.err
	}
	s, err := c.bound(sql, args)
	if err != nil {
		return c.fail(err)
	}
	c.stats.Statements++
	for {
		more, err := s.Step()
		if err != nil {
			return c.fail(err)
		}
		if !more {
			err := s.Reset()
			if err == nil && c.still != nil {
				err = c.still()
			}
			return c.fail(err)
		}
		c.stats.Rows++
		c.row.s, c.row.buf = s.Stmt, c.row.buf[:0]
		err = row(&c.row)
		c.stats.Bytes += c.row.read
		c.row.read = 0
		if err != nil {
			_ = s.Reset()
			return err
		}
	}
}

// Ask runs at once: no statement waits.
func (c *conn) Ask(sql string, args []any, row func(db.Row) error) error {
	return c.Query(sql, args, row)
}

// Flush has nothing to run: no statement waits.
func (c *conn) Flush() error { return c.err }

// Bulk inserts the rows through one prepared statement.
func (c *conn) Bulk(table string, columns []string, n int, row func(i int) []any) error {
	if c.err != nil || n == 0 {
		return c.err
	}
	s, err := c.prepared(insert(table, columns))
	if err != nil {
		return c.fail(err)
	}
	for i := range n {
		if err := s.bind(row(i)); err != nil {
			return c.fail(err)
		}
		if err := s.drain(); err != nil {
			return c.fail(err)
		}
	}
	c.stats.Statements++
	c.stats.Rows += int64(n)
	return nil
}

func insert(table string, columns []string) string {
	return "INSERT INTO " + table + " (" + strings.Join(columns, ", ") + ") VALUES " + db.In(1, len(columns))
}

// fail keeps an error, so that the member ends with it, in words that a person can act on.
func (c *conn) fail(err error) error {
	if err != nil && c.err == nil {
		c.err = c.explain(err)
	}
	return c.err
}

// do runs one of our own statements.
func (c *conn) do(sql string) error {
	s, err := c.bound(sql, nil)
	if err == nil {
		err = s.drain()
	}
	return c.explain(err)
}

// once runs a statement that is not worth keeping.
func (c *conn) once(sql string) error {
	s, _, err := c.db.PrepareTransient(sql)
	if err != nil {
		return c.explain(err)
	}
	_, err = s.Step()
	if bad := s.Finalize(); err == nil {
		err = bad
	}
	return c.explain(err)
}

// one runs one of our own queries that returns one row.
func (c *conn) one(sql string, args []any, read func(*stmt)) error {
	s, err := c.bound(sql, args)
	if err == nil {
		_, err = s.Step()
	}
	if err == nil {
		read(s)
		err = s.Reset()
	}
	return c.explain(err)
}

// number runs one of our own queries that returns one number.
func (c *conn) number(sql string) (n int64, err error) {
	err = c.one(sql, nil, func(s *stmt) { n = s.ColumnInt64(0) })
	return n, err
}

// text runs one of our own queries that returns one text.
func (c *conn) text(sql string) (text string, err error) {
	err = c.one(sql, nil, func(s *stmt) { text = s.ColumnText(0) })
	return text, err
}

const headSQL = `SELECT * FROM turn WHERE id = 1`

// head reads the first row of every transaction, which fixes what it sees. A file without tables has schema 0.
func (c *conn) head(now int64, recall db.Point) (h db.Head, err error) {
	s, err := c.bound(headSQL, nil)
	if err != nil {
		n, bad := c.number(`SELECT count(*) FROM sqlite_schema`)
		switch {
		case bad != nil:
			return h, bad
		case n > 0:
			return h, notOurs(c.path)
		}
		return db.Head{}.HeadAt(now), nil
	}
	more, err := s.Step()
	if err == nil && !more {
		return h, notOurs(c.path)
	}
	if err == nil {
		h = db.Head{Schema: s.ColumnInt(1), LastEvent: s.ColumnInt64(2), Newest: s.ColumnInt64(3)}.HeadAt(now)
		if s.ColumnCount() > 6 { // an older schema has no more columns
			h.Instance, h.Generation, h.Sum = s.ColumnInt64(4), s.ColumnInt64(5), s.ColumnInt64(6)
		}
		if s.ColumnCount() > 9 {
			h.Lost = db.Lost{From: s.ColumnInt64(8), To: s.ColumnInt64(9)}
		} else {
			recall = db.Point{}
		}
		err = s.Reset()
	}
	if err == nil && recall.Event != 0 && h.LastEvent > recall.Event {
		err = c.one(`SELECT sum FROM event WHERE id = $1`, []any{recall.Event}, func(s *stmt) {
			sum := s.ColumnInt64(0) // 0: of an older event, or one that is not there any more
			h.Differs = sum != 0 && sum != recall.Sum
		})
	}
	return h, c.explain(err)
}

func (c *conn) bound(sql string, args []any) (*stmt, error) {
	s, err := c.prepared(sql)
	if err != nil {
		return nil, err
	}
	return s, s.bind(args)
}

func (c *conn) prepared(sql string) (*stmt, error) {
	if s := c.stmts[sql]; s != nil {
		return s, nil
	}
	if len(c.stmts) >= maxStmts {
		for _, s := range c.stmts { // none is running: row functions do not use the connection
			_ = s.Finalize()
		}
		clear(c.stmts)
	}
	p, err := c.db.Prepare(numbered(sql))
	if err != nil {
		return nil, err
	}
	s := &stmt{Stmt: p, params: p.BindParamCount(), changes: changes(sql)}
	c.stmts[sql] = s
	return s, nil
}

func (s *stmt) bind(args []any) error {
	if len(args) != s.params {
		return fmt.Errorf("%d arguments for %d parameters", len(args), s.params)
	}
	for i, arg := range args {
		switch v := arg.(type) {
		case int64:
			s.BindInt64(i+1, v)
		case string:
			s.BindText(i+1, v)
		case int:
			s.BindInt64(i+1, int64(v))
		case []byte:
			if v == nil {
				s.BindNull(i + 1)
			} else {
				s.BindBytes(i+1, v)
			}
		case bool:
			s.BindBool(i+1, v)
		case nil:
			s.BindNull(i + 1)
		default:
			return fmt.Errorf("argument %d is a %T", i+1, arg)
		}
	}
	return nil
}

// drain runs the statement to its end, ignoring rows.
func (s *stmt) drain() error {
	for {
		more, err := s.Step()
		if err != nil {
			return err
		}
		if !more {
			return s.Reset()
		}
	}
}

func changes(sql string) bool {
	word, _, _ := strings.Cut(strings.TrimSpace(sql), " ")
	return slices.Contains([]string{"INSERT", "UPDATE", "DELETE", "REPLACE", "WITH"}, strings.ToUpper(strings.TrimSpace(word)))
}

// numbered turns $n into ?n outside quotes: the driver numbers $n by first appearance.
func numbered(sql string) string {
	if !strings.Contains(sql, "$") {
		return sql
	}
	out := []byte(sql)
	var quote byte
	for i, b := range out {
		switch {
		case quote != 0:
			if b == quote {
				quote = 0
			}
		case b == '\'' || b == '"':
			quote = b
		case b == '$' && i+1 < len(out) && out[i+1] >= '0' && out[i+1] <= '9':
			out[i] = '?'
		}
	}
	return string(out)
}

// row implements db.Row over the current row of a statement.
type row struct {
	s    *sqlite.Stmt
	buf  []byte // for Bytes; its parts stay valid until the next row
	read int64  // bytes of text in this row
}

func (r *row) Int(i int) int64 { return r.s.ColumnInt64(i) }
func (r *row) Null(i int) bool { return r.s.ColumnIsNull(i) }

func (r *row) Text(i int) string {
	if b, ok := r.fits(i); ok {
		r.read += int64(len(b))
		return string(b)
	}
	text := r.s.ColumnText(i)
	r.read += int64(len(text))
	return text
}

func (r *row) Bytes(i int) []byte {
	b, ok := r.fits(i)
	if !ok { // what was already returned for this row stays where it is
		n := r.s.ColumnLen(i)
		r.buf = make([]byte, 0, 2*(cap(r.buf)+n))
		b = r.buf[:n:n]
		r.s.ColumnBytes(i, b)
	}
	r.buf = r.buf[:len(r.buf)+len(b)]
	r.read += int64(len(b))
	return b
}

// fits copies a column after what is stored, and reports whether there was room for all of it. It does not ask for the
// length first, because every call into the engine costs more than a short copy. An empty value is not null.
func (r *row) fits(i int) ([]byte, bool) {
	room := r.buf[len(r.buf):cap(r.buf)]
	n := r.s.ColumnBytes(i, room)
	return room[:n:n], n < len(room)
}

func notOurs(path string) error {
	return fault.Decline("%s is an SQLite database of another program", path).
		WithHint("set TASKER_DB to another path")
}
