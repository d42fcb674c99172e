package run

import (
	"context"
	"maps"
	"slices"
	"time"

	"tasker/internal/task"
)

// How often a runner that works says so. The first time after a change comes sooner, because then it has its tasks.
const (
	beat      = 20 * time.Second
	firstBeat = time.Second
)

// Standing is where a runner stands.
type Standing struct {
	State task.RunnerState
	Tasks []task.ID // that it works on, or because of which it stopped by itself
	Until time.Time // of a pause, or of a wait; else zero
	Why   string    // of a pause, or of a stop by itself
}

// standing returns where the runner stands.
func (p *Pool) standing() Standing {
	p.mu.Lock()
	defer p.mu.Unlock()
	hands := slices.SortedFunc(maps.Keys(p.hands), task.CompareIDs)
	switch {
	case p.pace.paused(p.Clock.Now()):
		return Standing{State: task.RunnerPaused, Tasks: hands, Until: p.pace.until, Why: p.pace.why}
	case p.waiting && len(hands) == 0:
		return Standing{State: task.RunnerIdle, Until: p.waitEnds}
	}
	return Standing{State: task.RunnerWorking, Tasks: hands}
}

// says calls Says whenever the runner comes into another state, and while it works every twenty seconds, until the
// returned function is called. One that waits or pauses says nothing.
func (p *Pool) says(ctx context.Context) (end func()) {
	if p.Says == nil {
		return func() {}
	}
	ctx = context.WithoutCancel(ctx) // the end of a runner that is told to stop is said too
	last := p.standing()
	p.Says(ctx, last)
	over, ended := make(chan struct{}), make(chan struct{})
	go func() {
		defer close(ended)
		wait := firstBeat
		for {
			var next <-chan time.Time // nil: nothing is to be said until something changes
			switch last.State {
			case task.RunnerWorking, task.RunnerStopped:
				next = p.Clock.After(wait)
			case task.RunnerPaused, task.RunnerIdle:
				next = p.Clock.After(last.Until.Sub(p.Clock.Now()))
			}
			due := false
			for !due {
				select {
				case <-over:
					return
				case <-next:
					due = true
				case <-p.turned:
					now := p.standing()
					due = now.State != last.State || now.State == task.RunnerPaused && !now.Until.Equal(last.Until)
				}
			}
			now := p.standing()
			wait = beat
			if now.State != last.State {
				wait = firstBeat
			}
			last = now
			p.Says(ctx, last)
		}
	}()
	return func() {
		close(over)
		<-ended
		p.mu.Lock()
		last := p.stopped
		p.mu.Unlock()
		last.State = task.RunnerStopped
		p.Says(ctx, last)
	}
}

// turns tells that the state may have changed. Its caller need not hold p.mu.
func (p *Pool) turns() {
	select {
	case p.turned <- struct{}{}:
	default: // somebody has told so already
	}
}

// holds notes that a worker has a task in hand, or no longer.
func (p *Pool) holds(id task.ID, has bool) {
	p.mu.Lock()
	defer p.mu.Unlock()
	if has {
		p.hands[id], p.waiting = true, false
	} else {
		delete(p.hands, id)
	}
	p.turns()
}

// waits notes that all workers wait for work.
func (p *Pool) waits() {
	p.mu.Lock()
	defer p.mu.Unlock()
	if len(p.hands) == 0 && p.WaitsUntil != nil {
		p.waiting, p.waitEnds = true, p.WaitsUntil()
	}
	p.turns()
}
