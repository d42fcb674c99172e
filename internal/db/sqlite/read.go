package sqlite

import (
	"context"
	"errors"
	"io/fs"
	"net/url"
	"runtime"
	"sync"
	"time"

	"zombiezen.com/go/sqlite"

	"tasker/internal/db"
	"tasker/internal/fault"
)

// readers is the pool. It opens a connection when all others are in use, and keeps it. The connections are to the file or,
// while there is none, to an empty database in memory.
type readers struct {
	mu   sync.Mutex
	free []*conn
}

// Readers returns how many connections of the pool may be in use at once.
func (e *Engine) Readers() int { return 2*runtime.GOMAXPROCS(0) + 2 }

// Snapshot begins a read transaction, and fixes what it sees by reading the head.
func (e *Engine) Snapshot(ctx context.Context, _ time.Duration, recall db.Point) (db.Snapshot, error) {
	c, err := e.reader()
	if err != nil {
		return nil, err
	}
	c.stats = db.Stats{}
	if ctx.Done() != nil {
		c.db.SetInterrupt(ctx.Done())
	}
	s := &snapshot{conn: c, e: e, ctx: ctx}
	if err := c.do("BEGIN"); err != nil {
		return nil, s.failed(err)
	}
	if s.head, err = c.head(e.world.Clock.Now().UnixMicro(), recall); err != nil {
		return nil, s.failed(err)
	}
	if c.met != nil {
		c.met.know(s.head)
	}
	if c.file == nil { // the stand-in for a missing file is not a database to recognize again
		s.head.Instance, s.head.Absent = 0, e.path
	}
	c.within = true
	return s, nil
}

type snapshot struct {
	*conn
	e    *Engine
	ctx  context.Context
	head db.Head
}

func (s *snapshot) Head() db.Head { return s.head }

// failed returns the connection to the pool, and the error: the end of the request if that was the cause.
func (s *snapshot) failed(err error) error {
	s.End()
	if s.ctx.Err() != nil && fault.Is(err, fault.Unavailable) {
		return fault.Of(s.ctx.Err())
	}
	return err
}

// End returns the connection to the pool, or closes one that is unusable.
func (s *snapshot) End() {
	s.db.SetInterrupt(nil)
	s.err, s.within = nil, false
	if s.still == nil && (s.db.AutocommitEnabled() || s.do("ROLLBACK") == nil) {
		s.e.pool.give(s.conn)
	} else {
		_ = s.close()
	}
}

// reader returns a connection to what the path holds now.
func (e *Engine) reader() (*conn, error) {
	file, err := e.present()
	if err != nil {
		return nil, err
	}
	e.pool.mu.Lock()
	for n := len(e.pool.free); n > 0; n = len(e.pool.free) {
		c := e.pool.free[n-1]
		e.pool.free = e.pool.free[:n-1]
		if e.same(c.file, file) {
			e.pool.mu.Unlock()
			return c, nil
		}
		_ = c.close() // the file was created, removed or replaced since
	}
	e.pool.mu.Unlock()
	if file == nil {
		return e.openBlank()
	}
	return e.stay(file, func(c *conn) error { return c.once("PRAGMA query_only = ON") })
}

// stay opens a connection that stays open, after it is prepared.
func (e *Engine) stay(file fs.FileInfo, prepare func(*conn) error) (*conn, error) {
	c, err := e.open(file)
	if err != nil {
		return nil, err
	}
	c, err = e.settled(c, prepare)
	if code := sqlite.ErrCode(err).ToPrimary(); code != sqlite.ResultReadOnly && code != sqlite.ResultCantOpen || e.logged() {
		return c, err
	}
	if c, wrong := e.openStill(file); wrong == nil { // SQLite may not make the index of a log here, and needs none
		return e.settled(c, prepare)
	}
	return nil, err
}

// logged reports whether there is a log with something in it, which a reader must not miss.
func (e *Engine) logged() bool {
	log, err := e.world.Files.Lstat(e.near.paths[0])
	return err == nil && log.Size() > 0 || err != nil && !errors.Is(err, fs.ErrNotExist)
}

// openStill opens a file that nobody writes, in a directory that may not be written (an agent's sandbox, a disk for reading),
// as one that does not change: SQLite then needs no log. If somebody else writes it after all, what was read counts for
// nothing.
func (e *Engine) openStill(file fs.FileInfo) (*conn, error) {
	u := url.URL{Scheme: "file", Path: e.path, RawQuery: "immutable=1"}
	db, err := sqlite.OpenConn(u.String(), sqlite.OpenReadOnly|sqlite.OpenURI)
	if err != nil {
		return nil, e.explain(err)
	}
	c := e.newConn(db, file)
	c.still = func() error {
		now, err := e.world.Files.Lstat(e.path)
		if err == nil && e.same(now, file) && now.Size() == file.Size() && now.ModTime().Equal(file.ModTime()) && !e.logged() {
			return nil
		}
		return fault.Unready("the database %s changed while it was read", e.path).WithHint("try again")
	}
	return c, nil
}

// settled prepares a connection that stays open, and closes it if that fails.
func (e *Engine) settled(c *conn, prepare func(*conn) error) (*conn, error) {
	err := prepare(c)
	if err == nil {
		err = e.doubtful(c)
	}
	if err == nil {
		err = e.keep(c)
	}
	if err != nil {
		_ = c.close()
		return nil, err
	}
	return c, nil
}

func (e *Engine) same(a, b fs.FileInfo) bool {
	return (a == nil) == (b == nil) && (a == nil || e.world.Files.Same(a, b))
}

func (p *readers) give(c *conn) {
	p.mu.Lock()
	defer p.mu.Unlock()
	p.free = append(p.free, c)
}

func (p *readers) close() {
	p.mu.Lock()
	defer p.mu.Unlock()
	for _, c := range p.free {
		_ = c.close()
	}
	p.free = nil
}

// open opens the file as it is; read-only if it may not be written.
func (e *Engine) open(file fs.FileInfo) (*conn, error) {
	if err := e.whole(); err != nil { // SQLite would begin a new log
		return nil, err
	}
	flags := sqlite.OpenReadWrite
	if file.Mode().Perm()&0o222 == 0 {
		flags = sqlite.OpenReadOnly
	}
	db, err := sqlite.OpenConn(e.path, flags)
	if err != nil && sqlite.ErrCode(err).ToPrimary() != sqlite.ResultNotADB {
		db, err = sqlite.OpenConn(e.path, sqlite.OpenReadOnly)
	}
	if err != nil {
		return nil, e.explain(err)
	}
	db.SetBusyTimeout(e.patience)
	return e.newConn(db, file), nil
}

// openBlank returns the empty database that stands in for a missing file.
func (e *Engine) openBlank() (*conn, error) {
	db, err := sqlite.OpenConn(":memory:", sqlite.OpenReadWrite|sqlite.OpenMemory)
	if err != nil {
		return nil, e.explain(err)
	}
	c := e.newConn(db, nil)
	if err := c.step(e.setup.Migrations...); err != nil {
		_ = c.close()
		return nil, err
	}
	return c, nil
}
