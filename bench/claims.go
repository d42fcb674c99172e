package main

import (
	"context"
	"errors"
	"fmt"
	"sync"

	"tasker/internal/app"
	"tasker/internal/work"
)

// large and small have the same kind of graph: two tasks in five ready, the others waiting.
func (b *bench) large() shape { return shape{tasks: b.n(100_000), ready: b.n(40_000)} }

var small = shape{tasks: 1000, ready: 400}

// claimSize measures how select-and-claim in the core depends on the size of the project.
func claimSize(ctx context.Context, b *bench) ([]*result, error) {
	r := &result{
		what: "select-and-claim at 100,000 tasks, 64 callers", against: "the same at 1,000", unit: "µs",
		bound: bound{atMost: 1.5}, note: "Services.Next, bundle included",
	}
	seed, err := b.seed(ctx, b.large())
	if err != nil {
		return nil, err
	}
	for range b.runs {
		ours, theirs, err := b.claimRun(ctx, seed)
		if err != nil {
			return nil, err
		}
		r.add(ours.wall*1e6/claims, theirs.wall*1e6/claims)
		r.spent(ours, claims)
	}
	return []*result{r}, nil
}

// A small project has few ready tasks: a run is several short parts, each on a database newly opened, and the large one
// is measured in the same way.
const (
	claimParts = 8
	claimEach  = 320
	claims     = claimParts * claimEach
)

// claimRun claims from a copy of the large database, so that any number of runs finds tasks to claim, and from the small
// one in turns.
func (b *bench) claimRun(ctx context.Context, seed string) (ours, theirs cost, err error) {
	large, err := b.engine.copy(ctx, seed)
	if err != nil {
		return ours, theirs, err
	}
	defer func() { err = errors.Join(err, b.engine.drop(large)) }()
	for range claimParts {
		took, err := b.claimPart(ctx, large, claimEach)
		if err != nil {
			return ours, theirs, err
		}
		ours.add(took)
		if took, err = b.claimSmall(ctx, claimEach); err != nil {
			return ours, theirs, err
		}
		theirs.add(took)
	}
	return ours, theirs, nil
}

func (b *bench) claimSmall(ctx context.Context, n int) (took cost, err error) {
	db, err := b.copyOf(ctx, small)
	if err != nil {
		return cost{}, err
	}
	defer func() { err = errors.Join(err, b.engine.drop(db)) }()
	return b.claimPart(ctx, db, n)
}

// claimPart claims n tasks with many callers, after some claims that are not counted.
func (b *bench) claimPart(ctx context.Context, db string, n int) (took cost, err error) {
	a, err := b.open(db)
	if err != nil {
		return cost{}, err
	}
	return b.claimFrom(ctx, a, n)
}

// claimFrom is claimPart on an open database, which it closes.
func (b *bench) claimFrom(ctx context.Context, a *app.App, n int) (took cost, err error) {
	defer func() { err = errors.Join(err, a.Close()) }()
	if _, err := claimMany(ctx, a, callers); err != nil {
		return cost{}, err
	}
	err = b.profiled(func() error {
		took, err = claimMany(ctx, a, n)
		return err
	})
	return took, err
}

func claimMany(ctx context.Context, a *app.App, n int) (took cost, err error) {
	ctx = asWorker(ctx)
	var seen sync.Map
	took, _, err = load(callers, n, func(int, int) error {
		out, err := a.Services.Work.Next(ctx, work.NextIn{Project: "x"})
		switch {
		case err != nil:
			return err
		case out.Task == nil || out.Bundle == nil:
			return errors.New("next chose nothing")
		}
		if _, twice := seen.LoadOrStore(out.Task.ID, true); twice {
			return fmt.Errorf("%s was handed out twice", out.Task.ID)
		}
		return nil
	})
	return took, err
}
