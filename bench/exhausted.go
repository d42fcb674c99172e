package main

import (
	"bytes"
	"context"
	"errors"
	"fmt"
)

// nextExhausted measures POST /next if nothing is ready and many tasks are held, against one that claims: waiting workers
// poll it again and again.
func nextExhausted(ctx context.Context, b *bench) ([]*result, error) {
	const held = 1000
	r := &result{
		what: "POST /next, 64 clients, nothing ready and 1,000 held", against: "the same with 20,000 ready", unit: "µs", bound: bound{atMost: 2},
		note: "processor time",
	}
	n := b.n(4000)
	for range b.runs {
		ours, theirs, err := b.exhaustedOnce(ctx, held, n)
		if err != nil {
			return nil, err
		}
		r.add(ours.cpu*1e6/float64(n), theirs.cpu*1e6/float64(n))
		r.spent(ours, n)
	}
	return []*result{r}, nil
}

func (b *bench) exhaustedOnce(ctx context.Context, held, n int) (ours, theirs cost, err error) {
	ready, _, done, err := b.serving(ctx, b.twentyThousand())
	if err != nil {
		return ours, theirs, err
	}
	defer func() { err = errors.Join(err, done()) }()
	empty, _, dropped, err := b.serving(ctx, shape{tasks: held, ready: held})
	if err != nil {
		return ours, theirs, err
	}
	defer func() { err = errors.Join(err, dropped()) }()
	c, idle := dial(ready.url, callers), dial(empty.url, callers)
	defer c.close()
	defer idle.close()
	if _, _, err := load(callers, held, claimsOf(idle)); err != nil {
		return ours, theirs, err
	}
	claim := claimsOf(c)
	if _, _, err := load(callers, b.n(640), claim); err != nil { // warm
		return ours, theirs, err
	}
	return b.inTurns(callers, n, claim, n, func(caller, _ int) error {
		answer, err := idle.call(caller, "POST", "/v1/next", nextBody)
		if err == nil && !bytes.Contains(answer, []byte(`"yours":`+fmt.Sprint(held)+`,`)) {
			err = fmt.Errorf("next answered %.300s", answer)
		}
		return err
	})
}
