package db

import (
	"context"
	"sync"
)

// Wait returns when an event with an id past after may be visible to a Read, or when ctx ends. Commits of this
// process are told at once, those of others by the engine's feed, which the first call starts.
func (db *DB) Wait(ctx context.Context, after int64) error {
	f := &db.feed
	for {
		f.mu.Lock()
		if f.ctx.Err() != nil {
			f.mu.Unlock()
			return errClosed()
		}
		if !f.watching {
			f.watching = true
			f.done.Add(1)
			go func() {
				defer f.done.Done()
				db.engine.Watch(f.ctx, f.saw)
			}()
		}
		last, moved := f.last, f.moved
		f.mu.Unlock()
		if last > after {
			return nil
		}
		select {
		case <-moved:
		case <-ctx.Done():
			return ctx.Err()
		case <-f.ctx.Done():
			return errClosed()
		}
	}
}

// feed is what this process knows of the newest event.
type feed struct {
	mu       sync.Mutex
	last     int64
	moved    chan struct{} // closed when last moves
	ctx      context.Context
	cancel   context.CancelFunc
	watching bool
	done     sync.WaitGroup
}

func (f *feed) start() {
	f.moved = make(chan struct{})
	f.ctx, f.cancel = context.WithCancel(background)
}

func (f *feed) saw(last int64) {
	f.mu.Lock()
	defer f.mu.Unlock()
	if last > f.last {
		f.last = last
		close(f.moved)
		f.moved = make(chan struct{})
	}
}

func (f *feed) stop() {
	f.mu.Lock()
	f.cancel()
	f.mu.Unlock()
	f.done.Wait()
}
