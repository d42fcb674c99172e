package db

import (
	"context"
	"runtime"
	"sync"
)

// Replies are an optimisation: the reads that follow the writes of one turn share a snapshot, which they prepare together.
// This saves a snapshot and its round trips for each of them: without it, "POST /next" of make bench takes 70 % more
// processor time. To remove it, let WriteThen call Write and then Read.

// Reply is what an operation reads for its answer after its write is committed.
type Reply interface {
	// Read reads from a snapshot that began after the commit. shared is what Hooks.Share returned for the snapshot.
	Read(c Conn, h Head, shared any) error
}

// repliesOfOne is how many replies one snapshot serves, so that none waits long for the others.
const repliesOfOne = 32

// WriteThen is Write followed by a read of a bounded number of rows. No context reaches the snapshot: a caller that has
// written learns the result. made reports that the turn was committed, so that err is that of the read alone.
func (db *DB) WriteThen(ctx context.Context, r Request, fn func(*Turn) error, then Reply) (made bool, err error) {
	p := &pendingReply{reply: then, done: make(chan struct{})}
	if err := db.write(ctx, &member{Request: r, fn: fn, then: p, done: p.done}); err != nil {
		return false, err
	}
	return true, p.err
}

// pendingReply is a reply that waits for its snapshot.
type pendingReply struct {
	reply Reply
	err   error
	done  chan struct{}
}

// replies is the queue of waiting replies. Its goroutines live while there are any.
type replies struct {
	mu      sync.Mutex
	queue   []*pendingReply
	running int
}

func (q *replies) add(db *DB, some []*pendingReply) {
	q.mu.Lock()
	defer q.mu.Unlock()
	q.queue = append(q.queue, some...)
	if q.running < runtime.GOMAXPROCS(0) {
		q.running++
		db.world.Start.Go(db.reply)
	}
}

// take returns the replies that the next snapshot serves. If there are none, the goroutine ends.
func (q *replies) take() []*pendingReply {
	q.mu.Lock()
	defer q.mu.Unlock()
	n := min(len(q.queue), repliesOfOne)
	out := q.queue[:n:n]
	q.queue = q.queue[n:]
	if n == 0 {
		q.queue = nil
		q.running--
	}
	return out
}

func (db *DB) reply() {
	for batch := db.replies.take(); len(batch) > 0; batch = db.replies.take() {
		for len(batch) > 0 {
			batch = db.replySome(batch)
		}
	}
}

// replySome serves replies from one snapshot, and returns those that are left if an error has destroyed it.
func (db *DB) replySome(batch []*pendingReply) (rest []*pendingReply) {
	served := 0
	err := db.Read(background, Request{}, func(c Conn, h Head) error {
		shared, err := db.share(c, h, batch)
		if err != nil {
			return err
		}
		for _, p := range batch {
			served++
			p.run(c, h, shared)
			if c.Flush() != nil {
				return nil //nolint:nilerr // a statement failed, and with it the snapshot: the rest get another
			}
		}
		return nil
	})
	if err != nil { // there was no snapshot for them, or it could not be read
		for _, p := range batch[served:] {
			p.err = err
			close(p.done)
		}
		return nil
	}
	return batch[served:]
}

func (db *DB) share(c Conn, h Head, batch []*pendingReply) (any, error) {
	if db.hooks.Share == nil {
		return nil, nil
	}
	list := make([]Reply, len(batch))
	for i, p := range batch {
		list[i] = p.reply
	}
	return db.hooks.Share(c, h, list)
}

// run reads for one caller. A panic becomes that caller's error only.
func (p *pendingReply) run(c Conn, h Head, shared any) {
	defer close(p.done)
	defer func() {
		if v := recover(); v != nil {
			p.err = panicked(v)
		}
	}()
	p.err = p.reply.Read(c, h, shared)
}
