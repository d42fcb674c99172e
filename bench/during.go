package main

import (
	"context"
	"errors"
	"fmt"
	"sync/atomic"
	"time"

	"tasker/internal/plan"
	"tasker/internal/planning"
)

// nextDuringApply measures the tail of next while a large plan is applied to another project.
func nextDuringApply(ctx context.Context, b *bench) ([]*result, error) {
	r := &result{
		what: "p99 of next while a 10,000-task apply runs, 64 clients", against: "its p99 alone", unit: "ms",
	}
	limit := &result{what: r.what, against: "the apply's own time, alone", unit: "ms", bound: bound{atMost: 1}}
	doc, err := b.tenThousand().documents("y")[0].Marshal()
	if err != nil {
		return nil, err
	}
	var loaded []float64
	for range b.runs {
		m, err := b.duringOnce(ctx, doc)
		if err != nil {
			return nil, err
		}
		r.add(m.during*1e3, m.alone*1e3)
		limit.add(m.during*1e3, m.apply*1e3)
		loaded = append(loaded, m.loaded*1e3)
	}
	r.note = fmt.Sprintf("next to the 64 clients the apply took %.0f ms", median(loaded))
	return []*result{r, limit}, nil
}

// tails are what one run of nextDuringApply measured, in seconds.
type tails struct{ alone, during, apply, loaded float64 }

func (b *bench) duringOnce(ctx context.Context, doc []byte) (m tails, err error) {
	s, a, done, err := b.serving(ctx, shape{tasks: b.n(40_000), ready: b.n(40_000)})
	if err != nil {
		return m, err
	}
	defer func() { err = errors.Join(err, done()) }()
	apply := func(to string) (float64, error) {
		began := time.Now()
		d, err := plan.Decode(doc)
		if err != nil {
			return 0, err
		}
		d.Project = to
		_, err = a.Services.Planning.Apply(asWorker(ctx), planning.ApplyIn{Doc: d})
		return time.Since(began).Seconds(), err
	}
	if m.apply, err = apply("y"); err != nil {
		return m, err
	}
	c := dial(s.url, callers)
	defer c.close()
	call := claimsOf(c)
	if _, _, err := load(callers, b.n(640), call); err != nil {
		return m, err
	}
	_, each, err := load(callers, b.n(5000), call)
	if err != nil {
		return m, err
	}
	m.alone = quantile(each, 0.99)
	var over atomic.Bool
	applied := make(chan error, 1)
	go func() {
		var err error
		m.loaded, err = apply("z")
		over.Store(true)
		applied <- err
	}()
	_, each, err = loadWhile(callers, func() bool { return !over.Load() }, call)
	if err := errors.Join(err, <-applied); err != nil {
		return m, err
	}
	m.during = quantile(each, 0.99)
	return m, nil
}
