package run

import (
	"context"
	"errors"
	"sync"

	"tasker/internal/fault"
	"tasker/internal/task"
)

// Pool runs workers side by side.
type Pool struct {
	Workers    []*Worker
	UntilEmpty bool // continue until there is nothing to do; otherwise each worker takes one task
	// Wait is called when there is nothing to do and nobody is working. It reports whether there may be something now;
	// without it, the pool ends.
	Wait   func(context.Context) (bool, error)
	Report func(Report)

	mu      sync.Mutex
	busy    int           // workers that hold a task or are claiming one
	settled chan struct{} // closed when a task is settled, or nobody is busy any more
	left    map[task.ID]int
}

// Run returns when every worker has finished, with the number of tasks that were run. The first error stops all
// workers, and each gives back what it holds.
func (p *Pool) Run(ctx context.Context) (ran int, err error) {
	ctx, stop := context.WithCancel(ctx)
	defer stop()
	p.settled, p.left = make(chan struct{}), map[task.ID]int{}
	var all sync.WaitGroup
	errs := make([]error, len(p.Workers))
	counts := make([]int, len(p.Workers))
	for i, w := range p.Workers {
		all.Go(func() {
			counts[i], errs[i] = p.work(ctx, w)
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

// work runs one worker until it is finished.
func (p *Pool) work(ctx context.Context, w *Worker) (ran int, err error) {
	for ctx.Err() == nil {
		p.mu.Lock()
		p.busy++
		p.mu.Unlock()
		report, _, err := w.Once(ctx)
		settled, idle := p.end(report != nil)
		if report != nil {
			ran++
			p.Report(*report)
		}
		if err == nil && report != nil {
			err = p.again(*report)
		}
		if err != nil || !p.UntilEmpty {
			return ran, err
		}
		if report != nil {
			continue
		}
		if !idle { // a busy worker may still free something
			select {
			case <-settled:
			case <-ctx.Done():
			}
			continue
		}
		if p.Wait == nil {
			return ran, nil
		}
		if more, err := p.Wait(ctx); err != nil || !more {
			return ran, err
		}
	}
	return ran, nil
}

// end reports whether nobody is busy any more, and returns a channel that is closed when that may have changed. A
// worker that found nothing wakes the others only if it was the last busy one; otherwise idle workers would wake each
// other while one works.
func (p *Pool) end(worked bool) (settled <-chan struct{}, idle bool) {
	p.mu.Lock()
	defer p.mu.Unlock()
	p.busy--
	if worked || p.busy == 0 {
		close(p.settled)
		p.settled = make(chan struct{})
	}
	return p.settled, p.busy == 0
}

// again refuses to loop forever: a command that gives its task back without failing would get it again and again.
func (p *Pool) again(r Report) error {
	if r.Outcome != Left {
		return nil
	}
	p.mu.Lock()
	defer p.mu.Unlock()
	if p.left[r.Task]++; p.left[r.Task] < Attempts {
		return nil
	}
	return fault.Decline("the command has handled %s %d times itself, and the task keeps coming back", r.Task, Attempts).
		WithHint("let it exit with a code other than 0 if it cannot do its task")
}
