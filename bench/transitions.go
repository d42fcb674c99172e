package main

import (
	"context"
	"errors"
	"fmt"
)

// transitions measures how far concurrent writers share what a commit costs.
func transitions(ctx context.Context, b *bench) (_ []*result, err error) {
	r := &result{
		what: "transitions by 64 clients, durable", against: "transitions by one client, durable", unit: "/s",
		bound: bound{atLeast: 4}, everywhere: true,
	}
	s, _, done, err := b.serving(ctx, b.twentyThousand())
	if err != nil {
		return nil, err
	}
	defer func() { err = errors.Join(err, done()) }()
	// Each caller has tasks of its own, and moves all of them there, then all of them back: no move is without effect.
	const own = 20
	var moved [callers]int
	rate := func(clients, n int) (float64, cost, error) {
		c := dial(s.url, clients)
		defer c.close()
		took, _, err := load(clients, n, func(caller, _ int) error {
			i := moved[caller]
			moved[caller]++
			to := "in_progress"
			if i/own%2 == 1 {
				to = "open"
			}
			_, err := c.call(caller, "POST", fmt.Sprintf("/v1/tasks/x-%d/transition", 1+caller*own+i%own), `{"to":"`+to+`"}`)
			return err
		})
		return float64(n) / took.wall, took, err
	}
	if _, _, err := rate(callers, b.n(2000)); err != nil {
		return nil, err
	}
	for range b.runs {
		one, _, err := rate(1, b.n(1000))
		if err != nil {
			return nil, err
		}
		var many float64
		var spent cost
		err = b.profiled(func() error {
			many, spent, err = rate(callers, b.n(6000))
			return err
		})
		if err != nil {
			return nil, err
		}
		r.add(many, one)
		r.spent(spent, b.n(6000))
	}
	return []*result{r}, nil
}
