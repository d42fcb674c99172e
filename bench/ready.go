package main

import (
	"context"
	"errors"
	"fmt"
)

// ready measures the head of a long frontier against one record.
func ready(ctx context.Context, b *bench) (out []*result, err error) {
	s, _, done, err := b.serving(ctx, b.large())
	if err != nil {
		return nil, err
	}
	defer func() { err = errors.Join(err, done()) }()
	for _, clients := range []int{1, callers} {
		r := &result{
			what: fmt.Sprintf("GET ready?limit=50 at 100,000 tasks, %s", counted(clients)), against: "one read", unit: "µs",
			bound: bound{atMost: 5},
		}
		c := dial(s.url, clients)
		defer c.close()
		one := func(caller, i int) error {
			_, err := c.call(caller, "GET", fmt.Sprintf("/bench/one/x-%d", 1+(i*64+caller)%b.large().tasks), "")
			return err
		}
		many := func(caller, _ int) error {
			_, err := c.call(caller, "GET", "/v1/projects/x/ready?limit=50", "")
			return err
		}
		n, m := b.n(2000), b.n(600)
		for _, do := range []func(int, int) error{one, many} { // warm
			if _, _, err := load(clients, b.n(200), do); err != nil {
				return nil, err
			}
		}
		for range b.runs {
			theirs, _, err := load(clients, n, one)
			if err != nil {
				return nil, err
			}
			var ours cost
			err = b.profiled(func() error {
				ours, _, err = load(clients, m, many)
				return err
			})
			if err != nil {
				return nil, err
			}
			r.add(ours.wall*1e6/float64(m), theirs.wall*1e6/float64(n))
			r.spent(ours, m)
		}
		out = append(out, r)
	}
	return out, nil
}

func counted(clients int) string {
	if clients == 1 {
		return "one client"
	}
	return fmt.Sprintf("%d clients", clients)
}
