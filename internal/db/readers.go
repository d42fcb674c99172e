package db

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"sync"
	"time"

	"tasker/internal/fault"
)

// readers are the open snapshots, at most as many as the engine has connections for, and the reads that wait for one, first
// come first served. Every wait is limited: a long read may delay others, but not forever.
type readers struct {
	mu    sync.Mutex
	limit int        // for open snapshots; 0 before the first
	open  []*reading // the oldest first
	queue []*reading
}

// reading is a caller that reads, or waits to.
type reading struct {
	of    Request
	since time.Time     // when it arrived, or was admitted
	enter chan struct{} // closed when a waiting read is admitted, or refused with err
	err   error
}

// admitted is a snapshot that counts as open until its end.
type admitted struct {
	Snapshot
	reading *reading
}

// take begins a snapshot when there is a connection for it. recall is for the engine.
func (db *DB) take(ctx context.Context, of Request, recall Point) (*admitted, error) {
	r, left, err := db.admit(ctx, of)
	if err != nil {
		return nil, err
	}
	s, err := db.engine.Snapshot(ctx, left, recall)
	if err != nil {
		if ctx.Err() == nil && fault.Is(err, fault.Unavailable) {
			db.readers.refuse(err)
		}
		db.readers.leave(r, db.world.Clock.Now())
		return nil, err
	}
	return &admitted{s, r}, nil
}

func (db *DB) end(s *admitted) {
	s.Snapshot.End()
	db.readers.leave(s.reading, db.world.Clock.Now())
}

// admit waits until one more snapshot may be open, and returns how much longer to wait for its connection.
func (db *DB) admit(ctx context.Context, of Request) (*reading, time.Duration, error) {
	r := &reading{of: of, since: db.world.Clock.Now()}
	if db.readers.add(r, db.engine.Readers()) {
		return r, db.patience.GiveUp, nil
	}
	limited, cancel := context.WithTimeout(ctx, db.patience.GiveUp)
	defer cancel()
	came := r.since
	if err := db.world.Waiting.Wait(limited, r.enter); err != nil {
		if busy := db.readers.giveUp(r, db.world.Clock.Now()); busy != nil {
			if ctx.Err() != nil {
				busy = fault.Of(ctx.Err())
			}
			return nil, 0, busy
		}
	}
	if r.err != nil {
		return nil, 0, r.err
	}
	return r, max(db.patience.GiveUp-db.world.Clock.Now().Sub(came), db.patience.Tell), nil
}

// add admits r if there is room, and queues it otherwise.
func (rs *readers) add(r *reading, limit int) bool {
	rs.mu.Lock()
	defer rs.mu.Unlock()
	rs.limit = limit
	if len(rs.open) < limit {
		rs.open = append(rs.open, r)
		return true
	}
	r.enter = make(chan struct{})
	rs.queue = append(rs.queue, r)
	return false
}

// giveUp removes a reader that no longer waits, and returns its refusal, or nil if it was admitted or refused at this moment.
func (rs *readers) giveUp(r *reading, now time.Time) error {
	rs.mu.Lock()
	defer rs.mu.Unlock()
	at := slices.Index(rs.queue, r)
	if at < 0 {
		return nil
	}
	refusal := rs.refusal(now)
	rs.queue = slices.Delete(rs.queue, at, at+1)
	return refusal
}

// refuse answers the reads that wait for a connection with the error of one that got none: they would run into the same,
// one after another.
func (rs *readers) refuse(err error) {
	rs.mu.Lock()
	defer rs.mu.Unlock()
	for _, r := range rs.queue {
		r.err = err
		close(r.enter)
	}
	rs.queue = nil
}

// leave removes a reader that is done, and admits the next.
func (rs *readers) leave(r *reading, now time.Time) {
	rs.mu.Lock()
	defer rs.mu.Unlock()
	at := slices.Index(rs.open, r)
	rs.open = slices.Delete(rs.open, at, at+1)
	if len(rs.queue) == 0 {
		return
	}
	next := rs.queue[0]
	rs.queue = slices.Delete(rs.queue, 0, 1)
	next.since = now
	rs.open = append(rs.open, next)
	close(next.enter)
}

// ErrBusy is in the error chain of a read that found no connection.
var ErrBusy = errors.New("every connection that reads is in use")

// busy returns the refusal of one more read, or nil while there is room.
func (rs *readers) busy(now time.Time) error {
	rs.mu.Lock()
	defer rs.mu.Unlock()
	if len(rs.open) < max(rs.limit, 1) {
		return nil
	}
	return rs.refusal(now)
}

// refusal says who is reading. The lock is held.
func (rs *readers) refusal(now time.Time) error {
	oldest := rs.open[0]
	by := ""
	if name := oneLine(oldest.of.who()); name != "" {
		by = ", the longest by " + name
	}
	return fault.Unready("all %d connections that read the database are in use%s, for %d s", len(rs.open), by,
		max(0, int(now.Sub(oldest.since).Seconds()))).
		WithHint("send it again in a moment").WithCause(fmt.Errorf("%w: %d wait", ErrBusy, len(rs.queue)))
}
