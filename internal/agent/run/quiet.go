package run

import (
	"context"
	"io"
	"sync"
	"time"
)

// Quiet ends a command that prints nothing for too long.
type Quiet struct {
	Longest time.Duration // 0: never
	Clock   Clock
}

// Watch returns a context for the command that ends when it has been quiet for too long, and a writer for its output. ended
// is called at the end of the command; it returns for how long the command had been quiet if that ended it, else 0.
func (q Quiet) Watch(ctx context.Context, out io.Writer) (inner context.Context, heard io.Writer, ended func() time.Duration) {
	if q.Longest <= 0 {
		return ctx, out, func() time.Duration { return 0 }
	}
	inner, stop := context.WithCancel(ctx)
	h := &hearing{to: out, now: q.Clock.Now, last: q.Clock.Now()}
	go func() {
		left := q.Longest
		for left > 0 {
			select {
			case <-inner.Done():
				return
			case <-q.Clock.After(left):
			}
			left = h.until(q.Longest)
		}
		stop()
	}()
	return inner, h, func() time.Duration {
		stop()
		h.mu.Lock()
		defer h.mu.Unlock()
		if h.stalled {
			return q.Longest
		}
		return 0
	}
}

// hearing is a writer that remembers when it was last written to.
type hearing struct {
	to  io.Writer
	now func() time.Time

	mu      sync.Mutex
	last    time.Time
	stalled bool
}

func (h *hearing) Write(p []byte) (int, error) {
	h.mu.Lock()
	h.last = h.now()
	h.mu.Unlock()
	return h.to.Write(p)
}

// until returns how long the command may still be quiet; if no longer, it notes that.
func (h *hearing) until(longest time.Duration) time.Duration {
	h.mu.Lock()
	defer h.mu.Unlock()
	left := longest - h.now().Sub(h.last)
	h.stalled = left <= 0
	return left
}
