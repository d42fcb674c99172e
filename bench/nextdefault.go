package main

import (
	"context"
	"errors"
)

// nextDefault measures POST /next by a client that sends the headers of Go's own client, which accept compressed answers,
// against one that does not. It compares processor time, the clients' share included: they would have to decompress the
// answers.
func nextDefault(ctx context.Context, b *bench) ([]*result, error) {
	r := &result{
		what: "POST /next, 64 clients with default headers", against: "the same, accepting no compressed answers", unit: "µs", bound: bound{atMost: 1.1},
		note: "processor time",
	}
	n := b.n(8000)
	for range b.runs {
		ours, theirs, err := b.nextDefaultOnce(ctx, n)
		if err != nil {
			return nil, err
		}
		r.add(ours.cpu*1e6/float64(n), theirs.cpu*1e6/float64(n))
		r.spent(ours, n)
	}
	return []*result{r}, nil
}

func (b *bench) nextDefaultOnce(ctx context.Context, n int) (ours, theirs cost, err error) {
	s, _, done, err := b.serving(ctx, b.twentyThousand())
	if err != nil {
		return ours, theirs, err
	}
	defer func() { err = errors.Join(err, done()) }()
	packed, plain := dialPacked(s.url, callers), dial(s.url, callers)
	defer packed.close()
	defer plain.close()
	var seen claimed
	if _, _, err := load(callers, b.n(640), seen.by(plain)); err != nil { // warm
		return ours, theirs, err
	}
	return b.inTurns(callers, n, seen.by(plain), n, seen.by(packed))
}
