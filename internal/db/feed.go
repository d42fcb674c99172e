package db

import (
	"context"
	"sync"
)

// Wait returns when an event with an id after after may be visible to a Read, or when ctx ends. It learns of this process's
// commits at once, and of other processes' commits from the engine's feed, which the first call starts.
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
		if last > after || restored > 0 && last < after { // a caller that asks for the old log sees the restored one
			return nil
		}
		if err := db.world.Waiting.Wait(ctx, moved); err != nil {
			return err
		}
	}
}

// feed holds what this process knows about the newest event.
type feed struct {
	mu       sync.Mutex
	last     int64
	moved    chan struct{} // closed when last moves, and at the end
	ctx      context.Context
	cancel   context.CancelFunc
	watching bool
	restored int64 // the generation to which the log was restored while this process ran; 0: none
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
		f.wake()
	}
}

// wake wakes the goroutines that wait for a change. The lock is held.
func (f *feed) wake() {
	close(f.moved)
	f.moved = make(chan struct{})
}

// restart follows a restored log, whose newest event may be older than what was seen. It reports whether the restore is
// news.
func (f *feed) restart(h Head) bool {
	f.mu.Lock()
	defer f.mu.Unlock()
	if h.Generation <= f.restored {
		return false
	}
	f.last, f.restored = h.LastEvent, h.Generation
	f.wake()
	return true
}

func (f *feed) stop(w Waiting) {
	f.mu.Lock()
	f.cancel()
	f.wake()
	f.mu.Unlock()
	f.watch.Drain(w)
}
