package postgres

import (
	"context"
	"fmt"
	"strings"

	"github.com/jackc/pgx/v5/pgconn"

	"tasker/internal/db"
)

const (
	maxStmts  = 512     // prepared on a connection; further ones are sent unprepared
	maxQueued = 512     // statements; more are sent at once
	maxBytes  = 1 << 20 // of their arguments
)

// conn is a session within a transaction. It implements db.Conn: statements are queued, and sent with the next query in one
// round trip.
type conn struct {
	*session
	e     *Engine
	ctx   context.Context // of the reading request; the writer has none
	queue []call
	pipe  *pgconn.Pipeline // open while statements are on their way
	sent  []call           // the statements whose answers are not read yet
	buf   []byte           // the arguments of the queue, one after another
	args  [][]byte         // parts of buf
	stats db.Stats
	row   row
	wrote bool
	err   error // of a statement of this member; see db.Tx
	by    int   // the running member, from 1; 0 between members and if there are none
	late  late

	within bool // a snapshot or a turn has begun
}

// late is the error of a member that was released before its statements ran.
type late struct {
	by  int
	err error
}

// call is one statement on its way.
type call struct {
	want  int
	sql   string
	stmt  *stmt // nil: sent unprepared, with oids
	oids  []uint32
	args  [][]byte
	fresh bool // prepared by this very call
	row   func(db.Row) error
	own   bool // transaction control, which is not counted
	by    int  // the member that it belongs to; see conn.by
}

// stmt is a prepared statement. Until the server has described it, its parameters have the types of the first arguments.
type stmt struct {
	name string
	oids []uint32
	desc *pgconn.StatementDescription
	sent bool
}

func (c *conn) Stats() *db.Stats { return &c.stats }

func (c *conn) Exec(want int, sql string, args ...any) error {
	c.wrote = true
	return c.later(want, sql, args, nil)
}

func (c *conn) Query(sql string, args []any, row func(db.Row) error) error {
	if err := c.add(db.Any, sql, args, row); err != nil {
		return err
	}
	return c.send()
}

func (c *conn) Ask(sql string, args []any, row func(db.Row) error) error {
	return c.later(db.Any, sql, args, row)
}

// later queues a statement, and sends the queue if it has become long.
func (c *conn) later(want int, sql string, args []any, row func(db.Row) error) error {
	if err := c.add(want, sql, args, row); err != nil || len(c.queue) < maxQueued && len(c.buf) < maxBytes {
		return err
	}
	return c.Flush()
}

func (c *conn) Flush() error {
	if c.err != nil || len(c.queue)+len(c.sent) == 0 {
		return c.err
	}
	return c.send()
}

// push sends what is queued without waiting for it, so that the server works on it while more arrives.
func (c *conn) push() error {
	c.trips.Add(1)
	c.post()
	err := c.pipe.Flush()
	c.trips.Add(1)
	if err != nil { // it is unknown what arrived: the transaction is lost with the connection
		c.close()
	}
	return c.fail(err)
}

// post hands the queue to the connection.
func (c *conn) post() {
	if c.pipe == nil {
		c.pipe = c.pg.StartPipeline(c.ctx)
	}
	p := c.pipe
	for i := range c.queue {
		q := &c.queue[i]
		switch {
		case q.stmt == nil:
			p.SendQueryParams(q.sql, q.args, q.oids, binaryFormat, binaryFormat)
		case q.stmt.desc != nil:
			p.SendQueryStatement(q.stmt.desc, q.args, binaryFormat, binaryFormat)
		default:
			if !q.stmt.sent {
				q.stmt.sent, q.fresh = true, true
				p.SendPrepare(q.stmt.name, q.sql, q.stmt.oids)
			}
			p.SendQueryPrepared(q.stmt.name, q.args, binaryFormat, binaryFormat)
		}
	}
	c.sent = append(c.sent, c.queue...)
	c.drop()
}

// plain queues a statement without arguments that is not worth preparing: transaction control.
func (c *conn) plain(sql string) {
	c.queue = append(c.queue, call{want: db.Any, sql: sql, own: true, by: c.by})
}

// add queues a statement with the function that receives its rows; nil: it returns none.
func (c *conn) add(want int, sql string, args []any, row func(db.Row) error) error {
	if c.err != nil {
		return c.err
	}
	return c.fail(c.enqueue(want, sql, args, row))
}

func (c *conn) enqueue(want int, sql string, args []any, row func(db.Row) error) error {
	st, err := c.stmt(sql, args)
	if err != nil {
		return err
	}
	if len(args) != len(st.oids) {
		return fmt.Errorf("%d arguments for %d parameters: %s", len(args), len(st.oids), sql)
	}
	if st.desc == nil && open(st.oids, args) {
		if err := c.Flush(); err != nil { // the server knows the type that the first argument, a null, left open
			return err
		}
	}
	q := call{want: want, sql: sql, oids: st.oids, row: row, by: c.by}
	if st.name != "" {
		q.stmt = st
	}
	if c.buf == nil {
		c.buf = make([]byte, 0, 4096) // an empty text is a part of it, not a null
	}
	from := len(c.args)
	for i, arg := range args {
		var null bool
		start := len(c.buf)
		if c.buf, null, err = encode(c.buf, arg, st.oids[i]); err != nil {
			return fmt.Errorf("%w: %s", err, sql)
		}
		if null {
			c.args = append(c.args, nil)
		} else {
			c.args = append(c.args, c.buf[start:len(c.buf):len(c.buf)])
		}
	}
	q.args = c.args[from:len(c.args):len(c.args)]
	c.queue = append(c.queue, q)
	return nil
}

// open reports whether an argument is given for a parameter of unknown type.
func open(oids []uint32, args []any) bool {
	for i, arg := range args {
		if oids[i] == 0 && arg != nil {
			return true
		}
	}
	return false
}

// stmt returns the prepared statement, or a new one that the next send prepares.
func (c *conn) stmt(sql string, args []any) (*stmt, error) {
	if st := c.stmts[sql]; st != nil {
		return st, nil
	}
	st := &stmt{oids: make([]uint32, len(args))}
	for i, arg := range args {
		var err error
		if st.oids[i], err = oidOf(arg); err != nil {
			return nil, fmt.Errorf("%w: %s", err, sql)
		}
	}
	if len(c.stmts) < maxStmts {
		c.named++
		st.name = fmt.Sprintf("s%d", c.named)
		c.stmts[sql] = st
	}
	return st, nil
}

// send runs the queue in one round trip, and reads the answers to everything on its way. It keeps the first error, or wrong
// number of rows; an error of a row function is only returned.
func (c *conn) send() error {
	c.trips.Add(1)
	defer c.trips.Add(1)
	c.post()
	p, sent := c.pipe, c.sent
	defer func() {
		clear(sent)
		c.pipe, c.sent = nil, sent[:0]
	}()
	err := p.Sync()
	var mine error // of row: the statement itself succeeded
	at := 0
	for i := range sent {
		if err != nil {
			break
		}
		at = sent[i].by
		var bad error
		if bad, err = c.receive(p, &sent[i]); mine == nil {
			mine = bad
		}
	}
	if bad := p.Close(); err == nil {
		err = bad
	}
	for i := range sent {
		if q := &sent[i]; q.fresh && q.stmt.desc == nil {
			delete(c.stmts, q.sql) // it was never prepared, or that is unknown
		}
	}
	if err != nil {
		return c.failBy(at, err)
	}
	if c.err != nil {
		return c.err
	}
	return mine
}

// receive reads the answer to one statement.
func (c *conn) receive(p *pgconn.Pipeline, q *call) (mine, err error) {
	if q.fresh {
		got, err := p.GetResults()
		if err != nil {
			return nil, err
		}
		desc, ok := got.(*pgconn.StatementDescription)
		if !ok {
			return nil, fmt.Errorf("%T in place of a statement's description", got)
		}
		desc.Name, desc.SQL = q.stmt.name, q.sql
		q.stmt.desc, q.stmt.oids = desc, desc.ParamOIDs
	}
	got, err := p.GetResults()
	if err != nil {
		return nil, err
	}
	result, ok := got.(*pgconn.ResultReader)
	if !ok {
		return nil, fmt.Errorf("%T in place of a result", got)
	}
	if !q.own {
		c.stats.Statements++
	}
	for q.row != nil && result.NextRow() {
		c.trips.Add(2)
		if mine == nil && c.err == nil {
			mine = q.row(c.rowOf(result))
			c.stats.Bytes += c.row.read
		}
	}
	tag, err := result.Close()
	if err != nil {
		return nil, err
	}
	n := tag.RowsAffected()
	if !q.own {
		c.stats.Rows += n
	}
	if q.want != db.Any && n != int64(q.want) && c.err == nil {
		_ = c.failBy(q.by, db.Guard(q.sql, int64(q.want), n))
	}
	return mine, nil
}

func (c *conn) rowOf(r *pgconn.ResultReader) db.Row {
	c.row = row{values: r.Values(), fields: r.FieldDescriptions()}
	return &c.row
}

// drop forgets the queue, but not what was sent.
func (c *conn) drop() {
	clear(c.queue)
	c.queue, c.buf, c.args = c.queue[:0], c.buf[:0], c.args[:0]
}

// fail keeps an error, so that the member ends with it, in words that a person can act on.
func (c *conn) fail(err error) error {
	if err != nil && c.err == nil {
		c.err = c.e.explainAt(c.route.host, err)
		if c.within {
			c.err = db.Outage(c.err)
		}
		c.stale = c.stale || stale(err)
	}
	return c.err
}

// failBy is fail for a statement of a member that may have been released since.
func (c *conn) failBy(by int, err error) error {
	first := c.err == nil
	_ = c.fail(err)
	if first && by != c.by && by > 0 {
		c.late = late{by, c.err}
	}
	return c.err
}

// Bulk copies the rows.
func (c *conn) Bulk(table string, columns []string, n int, row func(i int) []any) error {
	if err := c.Flush(); err != nil || n == 0 {
		return err
	}
	c.wrote = true
	sql := "COPY " + table + " (" + strings.Join(columns, ", ") + ") FROM STDIN (FORMAT binary)"
	c.trips.Add(1)
	tag, err := c.pg.CopyFrom(c.ctx, &copying{columns: len(columns), rows: n, row: row, trips: &c.trips}, sql)
	c.trips.Add(1)
	if err != nil {
		return c.fail(err)
	}
	c.stats.Statements++
	c.stats.Rows += tag.RowsAffected()
	if tag.RowsAffected() != int64(n) {
		return c.fail(db.Guard(sql, int64(n), tag.RowsAffected()))
	}
	return nil
}
