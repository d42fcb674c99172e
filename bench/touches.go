package main

import (
	"context"
	"errors"
	"fmt"
	"time"
)

// nextTouching measures POST /next where every task declares what it touches, against the same without: the held tasks
// that may touch the same paths are looked for in each answer, and they grow in number with every claim.
func nextTouching(ctx context.Context, b *bench) ([]*result, error) {
	r := &result{
		what: "POST /next with touches on every task, time", against: "the same without touches", unit: "µs", bound: bound{atMost: 1.3},
		note: "4,000 held at the end",
	}
	for range b.runs {
		with, without, err := b.nextTouchingOnce(ctx)
		if err != nil {
			return nil, err
		}
		r.add(with, without)
	}
	return []*result{r}, nil
}

// nextTouchingOnce returns the time of a claim with and without touches, on two servers that are asked in turns.
func (b *bench) nextTouchingOnce(ctx context.Context) (with, without float64, err error) {
	claims := func(p shape) (call func(caller, _ int) error, done func() error, err error) {
		s, _, stop, err := b.serving(ctx, p)
		if err != nil {
			return nil, nil, err
		}
		c := dial(s.url, callers)
		return claimsOf(c), func() error { c.close(); return stop() }, nil
	}
	plain := b.twentyThousand()
	declared := plain
	declared.touches = true
	theirs, done, err := claims(plain)
	if err != nil {
		return 0, 0, err
	}
	defer func() { err = errors.Join(err, done()) }()
	ours, end, err := claims(declared)
	if err != nil {
		return 0, 0, err
	}
	defer func() { err = errors.Join(err, end()) }()
	for _, call := range []func(caller, _ int) error{theirs, ours} { // warm
		if _, _, err := load(callers, b.n(640), call); err != nil {
			return 0, 0, err
		}
	}
	n := b.n(4000)
	took, against, err := b.inTurns(callers, n, theirs, n, ours)
	each := float64(n) / float64(time.Second/time.Microsecond)
	return took.wall / each, against.wall / each, err
}

// globs returns what a task touches: a directory and a document, each of which a few other tasks touch too.
func globs(i int) []string {
	return []string{fmt.Sprintf("internal/part%d/**", i%5000), fmt.Sprintf("docs/part%d.md", i%5000)}
}
