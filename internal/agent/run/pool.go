package run

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"sync"
	"time"

	"tasker/internal/fault"
	"tasker/internal/hint"
	"tasker/internal/task"
	"tasker/internal/text/words"
)

// Pool runs workers side by side. They take nothing while a pause lasts, and one at a time after it, until one succeeds.
type Pool struct {
	Workers    []*Worker
	UntilEmpty bool      // continue until there is nothing to do; otherwise each worker takes one task
	Until      time.Time // take nothing after this; zero: no such time
	MaxTasks   int       // run so many tasks; 0: no such bound
	Clock      Clock
	// Jitter returns a random duration up to the given one, so that what waits for the same moment does not come at once.
	Jitter func(most time.Duration) time.Duration
	// Wait is called when there is nothing to do and nobody is working. It reports whether there may be something now;
	// without it, the pool ends.
	Wait   func(context.Context) (bool, error)
	Report func(Report)
	Paused func(until time.Time, why string) // called when a pause begins; may be nil
	// Says is called with where the runner stands: at its start, when its state changes, now and then while it works, and at
	// its end. Calls do not overlap, and the workers do not wait for them. It may be nil.
	Says func(context.Context, Standing)
	// WaitsUntil returns when a wait that begins now gives up.
	WaitsUntil func() time.Time

	mu       sync.Mutex
	busy     int           // workers that hold a task or are claiming one
	taken    int           // tasks that were run or are being run
	probing  bool          // the one worker that tries after a pause is out
	settled  chan struct{} // closed when a task is settled, or nobody is busy any more
	left     map[task.ID]int
	pace     pace
	tripped  error            // why the runner stops by itself
	stopped  Standing         // the same, for others
	hands    map[task.ID]bool // the tasks whose commands run
	waiting  bool             // nobody had anything to do, and no command has begun since
	waitEnds time.Time        // when that gives up
	turned   chan struct{}    // holds something when the state may have changed
}

// Run returns when every worker has finished, with the number of tasks that were run. The first error stops all
// workers, and each gives back what it holds.
func (p *Pool) Run(ctx context.Context) (ran int, err error) {
	ctx, stop := context.WithCancel(ctx)
	defer stop()
	p.settled, p.left = make(chan struct{}), map[task.ID]int{}
	p.hands, p.turned = map[task.ID]bool{}, make(chan struct{}, 1)
	said := p.says(ctx)
	defer said()
	taking, end := context.WithCancel(ctx) // ends when nothing more is taken
	defer end()
	if !p.Until.IsZero() {
		go p.endAt(taking, end)
	}
	var all sync.WaitGroup
	errs := make([]error, len(p.Workers))
	counts := make([]int, len(p.Workers))
	for i, w := range p.Workers {
		w.trips, w.holds = p.trips, p.holds
		all.Go(func() {
			counts[i], errs[i] = p.work(ctx, taking, w)
			if errs[i] != nil {
				stop()
			}
		})
	}
	all.Wait()
	for _, n := range counts {
		ran += n
	}
	for _, err := range errs {
		if err != nil && !errors.Is(err, context.Canceled) {
			return ran, err
		}
	}
	return ran, nil
}

// endAt calls end when the time is over.
func (p *Pool) endAt(taking context.Context, end func()) {
	select {
	case <-p.Clock.After(p.Until.Sub(p.Clock.Now())):
		end()
	case <-taking.Done():
	}
}

// work runs one worker until it is finished.
func (p *Pool) work(ctx, taking context.Context, w *Worker) (ran int, err error) {
	failures := 0 // since the last success
	for {
		s, ok := p.enter(taking)
		if !ok {
			return ran, nil
		}
		report, ended, err := w.once(ctx, s.last)
		settled, idle := p.leave(s, report, ended)
		if report != nil {
			ran++
			p.Report(*report)
			if err == nil {
				err = p.ends(*report, ended)
			}
		}
		if err != nil || !p.UntilEmpty {
			return ran, err
		}
		switch {
		case report != nil:
			failures = since(failures, *report)
			if failures > 0 {
				p.sleep(taking, doubled(leastBackoff, longestBack, failures))
			}
			continue
		case !idle: // a busy worker may still free something
			select {
			case <-settled:
			case <-taking.Done():
			}
			continue
		case p.Wait == nil:
			return ran, nil
		}
		p.waits()
		if more, err := p.Wait(taking); err != nil || !more {
			return ran, err
		}
	}
}

// since returns how often a worker has failed since its last success.
func since(failures int, r Report) int {
	switch r.Outcome {
	case Released, Asked:
		return failures + 1
	case Done, InReview, Left:
		return 0
	default:
		return failures
	}
}

// start is what a worker is given with the permission to take a task.
type start struct {
	round  int       // of pauses
	probes bool      // it is the one that tries after a pause
	last   []task.ID // to be taken only where there is no other
}

// enter waits until a worker may take a task. It returns false when nothing more is taken.
func (p *Pool) enter(taking context.Context) (start, bool) {
	for taking.Err() == nil {
		p.mu.Lock()
		now := p.Clock.Now()
		pause, probes, full := p.pace.until.Sub(now), p.pace.probes, p.MaxTasks > 0 && p.taken >= p.MaxTasks
		settled := p.settled
		if !full && pause <= 0 && !(probes && p.probing) {
			p.busy++
			p.taken++
			p.probing = probes
			s := start{p.pace.round, probes, p.pace.recent(now)}
			p.mu.Unlock()
			return s, true
		}
		idle := p.busy == 0
		p.mu.Unlock()
		switch {
		case pause > 0:
			p.sleep(taking, pause)
		case full && idle:
			return start{}, false
		default: // a task in hand may be given back without an attempt, and then counts no more
			select {
			case <-settled:
			case <-taking.Done():
			}
		}
	}
	return start{}, false
}

// sleep waits for a while, or until nothing more is taken.
func (p *Pool) sleep(taking context.Context, d time.Duration) {
	select {
	case <-p.Clock.After(d):
	case <-taking.Done():
	}
}

// leave notes what became of what a worker took. It reports whether nobody is busy any more, and returns a channel that is
// closed when that may have changed. A worker that found nothing wakes the others only if it was the last busy one;
// otherwise idle workers would wake each other while one works.
func (p *Pool) leave(s start, r *Report, ended Ended) (settled <-chan struct{}, idle bool) {
	p.mu.Lock()
	defer p.mu.Unlock()
	p.busy--
	p.probing = p.probing && !s.probes
	if r == nil || !r.attempted() {
		p.taken--
	}
	if r != nil {
		p.pacing(s, *r, ended)
	}
	if r != nil || s.probes || p.busy == 0 {
		close(p.settled)
		p.settled = make(chan struct{})
	}
	return p.settled, p.busy == 0
}

// attempted reports whether the command worked on the task at all.
func (r Report) attempted() bool {
	return r.ExitCode != nil && r.Outcome != NotNow && r.Outcome != Unready
}

// pacing notes what the end of a command means for the next ones.
func (p *Pool) pacing(s start, r Report, ended Ended) {
	switch class := ended.class(); {
	case r.Outcome == Lost || r.ExitCode == nil: // nothing ran, or not to its end
	case class == Limit || class == Outage:
		if p.pace.pause(s.round, ended, p.Clock.Now(), p.Jitter) && p.Paused != nil {
			p.Paused(p.pace.until, p.pace.why)
		}
		p.turns()
	case r.Outcome == Done || r.Outcome == InReview || r.Outcome == Left:
		p.pace.succeeded(s.round)
	}
}

// trips notes a failed attempt, and reports whether the runner stops because of it.
func (p *Pool) trips(id task.ID, ended Ended) bool {
	p.mu.Lock()
	defer p.mu.Unlock()
	if !p.pace.fail(id, ended.line(), p.Clock.Now()) {
		return false
	}
	tasks := p.pace.alike
	p.stopped = Standing{
		Tasks: slices.Clone(tasks), Why: fmt.Sprintf("%d tasks failed one after the other with the same last line: %s", len(tasks), ended.line()),
	}
	p.tripped = fault.Decline("%d tasks failed one after the other with the same last line (%s): %s", len(tasks), words.And(tasks), ended.line()).
		WithHint("read what one of them printed (%s), mend what they share, then run again", hint.Show(id))
	return true
}

// ends returns why the runner stops by itself after a task, or nil. A command that is set up wrongly would fail every task,
// and one that gives its task back without failing would get it again and again.
func (p *Pool) ends(r Report, ended Ended) error {
	p.mu.Lock()
	defer p.mu.Unlock()
	switch {
	case r.Outcome == Unready:
		p.stopped = Standing{
			Tasks: []task.ID{r.Task}, Why: "its command is set up wrongly: " + words.Either(ended.line() == "", "it printed nothing", ended.line()),
		}
		return fault.New(fault.Internal, "the command is set up wrongly, so no task can be done: %s", words.Either(ended.line() == "", "it printed nothing", ended.line())).
			WithHint("run it by hand once; a missing login or an unknown model shows there")
	case p.tripped != nil:
		return p.tripped
	case r.Outcome != Left:
		return nil
	}
	if p.left[r.Task]++; p.left[r.Task] < Attempts {
		return nil
	}
	p.stopped = Standing{
		Tasks: []task.ID{r.Task}, Why: fmt.Sprintf("its command has handled %s %d times itself, and the task keeps coming back", r.Task, Attempts),
	}
	return fault.Decline("the command has handled %s %d times itself, and the task keeps coming back", r.Task, Attempts).
		WithHint("let it exit with a code other than 0 if it cannot do its task")
}
