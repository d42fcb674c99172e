package sqlite

import (
	"context"
	"io/fs"
	"runtime"
	"sync"
	"time"

	"zombiezen.com/go/sqlite"

	"tasker/internal/db"
	"tasker/internal/fault"
)

// readers is the pool. It opens a connection when all others are in use, and keeps it.
type readers struct {
	e    *Engine
	mu   sync.Mutex
	free []*reader
}

// reader is a connection of the pool: to the file or, while there is none, to an empty database in memory.
type reader struct {
	*conn
	head db.Head
}

// Readers returns how many connections of the pool may be in use at once.
func (e *Engine) Readers() int { return 2*runtime.GOMAXPROCS(0) + 2 }

// Snapshot begins a read transaction, and fixes what it sees by reading the head.
func (e *Engine) Snapshot(ctx context.Context, _ time.Duration) (db.Snapshot, error) {
	r, err := e.pool.take()
	if err != nil {
		return nil, err
	}
	r.stats = db.Stats{}
	if ctx.Done() != nil {
		r.db.SetInterrupt(ctx.Done())
	}
	s := &snapshot{reader: r, e: e, ctx: ctx}
	if err := r.do("BEGIN"); err != nil {
		return nil, s.failed(err)
	}
	if r.head, err = r.conn.head(e.world.Clock.Now().UnixMicro()); err != nil {
		return nil, s.failed(err)
	}
	if r.file == nil { // the stand-in for a missing file is not a database to recognize again
		r.head.Instance, r.head.Absent = 0, e.path
	}
	r.within = true
	return s, nil
}

type snapshot struct {
	*reader
	e   *Engine
	ctx context.Context
}

func (s *snapshot) Head() db.Head { return s.reader.head }

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
	r := s.reader
	r.db.SetInterrupt(nil)
	r.err, r.within = nil, false
	if r.db.AutocommitEnabled() || r.do("ROLLBACK") == nil {
		s.e.pool.give(r)
	} else {
		_ = r.close()
	}
}

// take returns a connection to what the path holds now.
func (p *readers) take() (*reader, error) {
	file, err := p.e.present()
	if err != nil {
		return nil, err
	}
	p.mu.Lock()
	for n := len(p.free); n > 0; n = len(p.free) {
		r := p.free[n-1]
		p.free = p.free[:n-1]
		if p.e.same(r.file, file) {
			p.mu.Unlock()
			return r, nil
		}
		_ = r.close() // the file was created, removed or replaced since
	}
	p.mu.Unlock()
	if file == nil {
		return p.e.openBlank()
	}
	c, err := p.e.stay(file, func(c *conn) error { return c.once("PRAGMA query_only = ON") })
	if err != nil {
		return nil, err
	}
	return &reader{conn: c}, nil
}

// stay opens a connection that stays open, after it is prepared.
func (e *Engine) stay(file fs.FileInfo, prepare func(*conn) error) (*conn, error) {
	c, err := e.open(file)
	if err != nil {
		return nil, err
	}
	c.file = file
	err = prepare(c)
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

func (p *readers) give(r *reader) {
	p.mu.Lock()
	defer p.mu.Unlock()
	p.free = append(p.free, r)
}

func (p *readers) close() {
	p.mu.Lock()
	defer p.mu.Unlock()
	for _, r := range p.free {
		_ = r.close()
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
	return e.newConn(db), nil
}

// openBlank returns the empty database that stands in for a missing file.
func (e *Engine) openBlank() (*reader, error) {
	db, err := sqlite.OpenConn(":memory:", sqlite.OpenReadWrite|sqlite.OpenMemory)
	if err != nil {
		return nil, e.explain(err)
	}
	c := e.newConn(db)
	if err := c.step(e.setup.Migrations...); err != nil {
		_ = c.close()
		return nil, err
	}
	return &reader{conn: c}, nil
}
