package sqlite

import (
	"context"
	"io/fs"
	"runtime"
	"slices"
	"sync"

	"zombiezen.com/go/sqlite"

	"tasker/internal/db"
	"tasker/internal/fault"
)

// readers is the pool. Connections are opened when all others are in use, and kept.
type readers struct {
	e     *Engine
	limit int // of connections in use
	mu    sync.Mutex
	used  int
	queue []chan struct{} // of those that wait; closed when their turn has come
	free  []*reader
}

// reader is a connection of the pool: to the file, or while there is none to an empty database in memory.
type reader struct {
	*conn
	head db.Head
}

func (p *readers) init(e *Engine) {
	p.e = e
	p.limit = 2*runtime.GOMAXPROCS(0) + 2
}

// enter waits until one more connection may be in use.
func (p *readers) enter(ctx context.Context) error {
	p.mu.Lock()
	if p.used < p.limit {
		p.used++
		p.mu.Unlock()
		return nil
	}
	turn := make(chan struct{})
	p.queue = append(p.queue, turn)
	p.mu.Unlock()
	err := p.e.world.Waiting.Wait(ctx, turn)
	if err == nil {
		return nil
	}
	p.mu.Lock()
	at := slices.Index(p.queue, turn)
	if at >= 0 {
		p.queue = slices.Delete(p.queue, at, at+1)
	}
	p.mu.Unlock()
	if at < 0 { // it was let in meanwhile
		p.leave()
	}
	return fault.Of(err)
}

// leave lets the next one in that waits.
func (p *readers) leave() {
	p.mu.Lock()
	defer p.mu.Unlock()
	if len(p.queue) == 0 {
		p.used--
		return
	}
	close(p.queue[0])
	p.queue = p.queue[1:]
}

// Snapshot begins a read transaction, and fixes what it sees by reading the head.
func (e *Engine) Snapshot(ctx context.Context) (db.Snapshot, error) {
	if err := e.pool.enter(ctx); err != nil {
		return nil, err
	}
	r, err := e.pool.take()
	if err != nil {
		e.pool.leave()
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
	if r.file == nil { // what stands for a missing file is no database that is known again
		r.head.Instance, r.head.Absent = 0, e.path
	}
	return s, nil
}

type snapshot struct {
	*reader
	e   *Engine
	ctx context.Context
}

func (s *snapshot) Head() db.Head { return s.reader.head }

// failed returns the connection back and the error: the request's own end where that was the cause.
func (s *snapshot) failed(err error) error {
	s.End()
	if s.ctx.Err() != nil && fault.Is(err, fault.Unavailable) {
		return fault.Of(s.ctx.Err())
	}
	return err
}

// End returns the connection back, or closes one that cannot go on.
func (s *snapshot) End() {
	r := s.reader
	r.db.SetInterrupt(nil)
	r.err = nil
	if r.db.AutocommitEnabled() || r.do("ROLLBACK") == nil {
		s.e.pool.give(r)
	} else {
		_ = r.close()
	}
	s.e.pool.leave()
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
		_ = r.close() // the file was made, removed or replaced since
	}
	p.mu.Unlock()
	if file == nil {
		return p.e.openBlank()
	}
	c, err := p.e.open(file)
	if err != nil {
		return nil, err
	}
	if err := c.once("PRAGMA query_only = ON"); err != nil {
		_ = c.close()
		return nil, err
	}
	c.file = file
	return &reader{conn: c}, nil
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

// open opens the file as it is, for reading alone where it may not be written.
func (e *Engine) open(file fs.FileInfo) (*conn, error) {
	flags := sqlite.OpenReadWrite
	if file.Mode().Perm()&0o222 == 0 {
		flags = sqlite.OpenReadOnly
	}
	db, err := sqlite.OpenConn(e.path, flags)
	if err != nil && sqlite.ErrCode(err).ToPrimary() != sqlite.ResultNotADB {
		db, err = sqlite.OpenConn(e.path, sqlite.OpenReadOnly)
	}
	if err != nil {
		return nil, explain(e.path, err)
	}
	db.SetBusyTimeout(e.patience)
	return newConn(db, e.path), nil
}

// openBlank makes the database that a missing file stands for.
func (e *Engine) openBlank() (*reader, error) {
	db, err := sqlite.OpenConn(":memory:", sqlite.OpenReadWrite|sqlite.OpenMemory)
	if err != nil {
		return nil, explain(e.path, err)
	}
	c := newConn(db, e.path)
	for _, m := range e.setup.Migrations {
		if err := c.step(m); err != nil {
			_ = c.close()
			return nil, err
		}
	}
	return &reader{conn: c}, nil
}
