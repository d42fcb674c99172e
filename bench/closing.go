package main

import (
	"context"
	"errors"
	"fmt"
)

// closing measures the command that closes a task as done, against the one that cancels it: both move a task, and done also
// looks where its work is, which is nowhere here. It compares processor time, which other work on the machine changes little.
func closing(ctx context.Context, b *bench) (_ []*result, err error) {
	const each = 12
	r := &result{
		what: "tasker done as a process, no workspace and no run", against: "tasker cancel as a process", unit: "ms", bound: bound{atMost: 1.5},
		note: "processor time",
	}
	p, err := b.build(ctx)
	if err != nil {
		return nil, err
	}
	db, err := b.copyOf(ctx, shape{tasks: b.n(1000), ready: b.n(1000)})
	if err != nil {
		return nil, err
	}
	defer func() { err = errors.Join(err, b.engine.drop(db)) }()
	n := 0
	closed := func(how string) (float64, error) {
		n++
		cmd := b.command(ctx, db, p.tasker, how, fmt.Sprintf("x-%d", n), "--force", "--json") // its criteria are not ticked
		if _, _, err := once(cmd); err != nil {
			return 0, err
		}
		return (cmd.ProcessState.UserTime() + cmd.ProcessState.SystemTime()).Seconds() * 1e3, nil
	}
	for range b.runs {
		var done, cancelled []float64
		for range each {
			d, err := closed("done")
			if err != nil {
				return nil, err
			}
			c, err := closed("cancel")
			if err != nil {
				return nil, err
			}
			done, cancelled = append(done, d), append(cancelled, c)
		}
		r.add(median(done), median(cancelled))
	}
	return []*result{r}, nil
}
