package db

import (
	"context"
	"sync"

	"tasker/internal/fault"
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
			f.watch.Begin()
			db.world.Start.Go(func() {
				defer f.watch.End()
				db.engine.Watch(f.ctx, f.saw)
			})
		}
		last, moved, restored := f.last, f.moved, f.restored
		f.mu.Unlock()
		switch {
		case last > after:
			return nil
		case restored && last < after:
			return fault.Unready("the database was restored, and its newest event is %d", last).WithHint("start over from there")
		}
		if err := db.world.Waiting.Wait(ctx, moved); err != nil {
			return err
		}
	}
}

// feed is what this process knows of the newest event.
type feed struct {
	mu       sync.Mutex
	last     int64
	moved    chan struct{} // closed when last moves, and at the end
	ctx      context.Context
	cancel   context.CancelFunc
	watching bool
	restored bool // the log was put back while this process ran
	watch    Underway
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

// restart follows a log that was restored: its newest event may be older than what was seen.
func (f *feed) restart(last int64) {
	f.mu.Lock()
	defer f.mu.Unlock()
	f.last, f.restored = last, true
	close(f.moved)
	f.moved = make(chan struct{})
}

func (f *feed) stop(w Waiting) {
	f.mu.Lock()
	f.cancel()
	close(f.moved)
	f.moved = make(chan struct{})
	f.mu.Unlock()
	f.watch.Drain(w)
}
