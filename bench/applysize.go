package main

import (
	"context"
	"errors"
	"fmt"
	"runtime/metrics"
	"time"

	"tasker/internal/app"
	"tasker/internal/plan"
	"tasker/internal/planning"
)

// applySize measures how the time and memory of an apply of one task depend on the size of its project.
func applySize(ctx context.Context, b *bench) (_ []*result, err error) {
	took := &result{
		what: "apply of one task into 100,000", against: "the same into 1,000", unit: "ms", bound: bound{atMost: 3}, everywhere: true,
		note: "a new task with a dependency, and the first 1,000 that it leaves out",
	}
	memory := &result{
		what: "memory that an apply of one task into 100,000 allocates", against: "the same into 1,000", unit: "kB", bound: bound{atMost: 3}, everywhere: true,
	}
	large, closeLarge, err := b.copied(ctx, b.large())
	if err != nil {
		return nil, err
	}
	defer func() { err = errors.Join(err, closeLarge()) }()
	few, closeSmall, err := b.copied(ctx, small)
	if err != nil {
		return nil, err
	}
	defer func() { err = errors.Join(err, closeSmall()) }()
	for run := range b.runs + 1 {
		ours, oursBytes, err := applyOnes(ctx, large, run)
		if err != nil {
			return nil, err
		}
		theirs, theirBytes, err := applyOnes(ctx, few, run)
		if err != nil {
			return nil, err
		}
		if run > 0 { // statements are prepared
			took.add(ours*1e3, theirs*1e3)
			memory.add(oursBytes/1e3, theirBytes/1e3)
		}
	}
	return []*result{took, memory}, nil
}

// applyOnes applies some plans of one task, and returns the seconds and bytes of one of them.
func applyOnes(ctx context.Context, a *app.App, run int) (seconds, bytes float64, err error) {
	const each = 20
	err = calm(func() error {
		began, before := time.Now(), allocatedBytes()
		for i := range each {
			def := plan.TaskDef{Key: fmt.Sprintf("one-%d-%d", run, i)}
			def.Title, def.Deps = plan.Give("One more"), plan.Give([]string{key(i)})
			out, err := a.Services.Planning.Apply(asWorker(ctx), planning.ApplyIn{Doc: &plan.Document{Project: "x", Tasks: []plan.TaskDef{def}}})
			if err != nil {
				return err
			}
			if len(out.Created) != 1 {
				return fmt.Errorf("%d tasks were created", len(out.Created))
			}
		}
		seconds, bytes = time.Since(began).Seconds()/each, (allocatedBytes()-before)/each
		return nil
	})
	return seconds, bytes, err
}

// allocatedBytes returns how many bytes this process has allocated.
func allocatedBytes() float64 {
	s := []metrics.Sample{{Name: "/gc/heap/allocs:bytes"}}
	metrics.Read(s)
	return float64(s[0].Value.Uint64())
}
