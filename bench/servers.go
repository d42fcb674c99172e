package main

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"time"
)

// several is how many servers share a database in the row of servers.
const several = 3

// servers measures what several servers on one database do together, against one server alone: the same clients claim and
// leave notes, each at a server of its own.
func servers(ctx context.Context, b *bench) ([]*result, error) {
	r := &result{
		what: "writes by 64 clients of three servers on one database", against: "by 64 clients of one server", unit: "/s",
		bound: bound{atLeast: 0.9}, everywhere: true, note: "claims and notes by turns; each server is a process",
	}
	fair := &result{
		what: "a write through the server of three that is slowest", against: "through the one that is fastest", unit: "ms",
		bound: bound{atMost: 2}, everywhere: true,
	}
	p, err := b.build(ctx)
	if err != nil {
		return nil, err
	}
	for range b.runs {
		one, _, err := b.through(ctx, p.tasker, 1)
		if err != nil {
			return nil, err
		}
		all, means, err := b.through(ctx, p.tasker, several)
		if err != nil {
			return nil, err
		}
		r.add(all, one)
		fair.add(slices.Max(means)*1e3, slices.Min(means)*1e3)
	}
	return []*result{r, fair}, nil
}

// through returns how many writes a second a number of servers do, and how long one takes at each server.
func (b *bench) through(ctx context.Context, tasker string, n int) (rate float64, means []float64, err error) {
	db, err := b.copyOf(ctx, shape{tasks: b.n(40_000), ready: b.n(40_000)})
	if err != nil {
		return 0, nil, err
	}
	defer func() { err = errors.Join(err, b.engine.drop(db)) }()
	clients := make([]*client, n)
	for i := range clients {
		url, stop, err := b.serveProcess(ctx, db, tasker)
		if err != nil {
			return 0, nil, err
		}
		defer func() { err = errors.Join(err, stop()) }()
		clients[i] = dial(url, callers)
		defer clients[i].close()
	}
	var seen claimed
	took := make([][]float64, callers)
	write := func(caller, i int) error {
		h := clients[caller%n]
		if i%2 == 1 {
			_, err := h.call(caller, "POST", fmt.Sprintf("/v1/tasks/x-%d/notes", 1+caller), `{"text":"still at it"}`)
			return err
		}
		answer, err := h.call(caller, "POST", "/v1/next", nextBody)
		if err != nil {
			return err
		}
		return seen.see(answer)
	}
	if _, _, err := load(callers, b.n(1000), write); err != nil {
		return 0, nil, err
	}
	total := b.n(10_000)
	spent, _, err := load(callers, total, func(caller, i int) error {
		began := time.Now()
		err := write(caller, i)
		took[caller] = append(took[caller], time.Since(began).Seconds())
		return err
	})
	if err != nil {
		return 0, nil, err
	}
	sums, counts := make([]float64, n), make([]float64, n)
	for caller, times := range took {
		for _, t := range times {
			sums[caller%n] += t
			counts[caller%n]++
		}
	}
	for i := range sums {
		means = append(means, sums[i]/max(counts[i], 1))
	}
	return float64(total) / spent.wall, means, nil
}
