package main

import (
	"context"
	"errors"
	"fmt"
	"io"
	"runtime"
	"runtime/pprof"

	"tasker/internal/app"
	"tasker/internal/core"
	"tasker/internal/plan"
	"tasker/internal/planning"
	"tasker/internal/task"
)

type options struct {
	runs    int
	quick   bool
	profile io.Writer
}

// bench measures on one database engine.
type bench struct {
	options
	engine  engine
	scratch string
	seeds   map[string]string // databases that are created once and copied
}

// close drops what was seeded.
func (b *bench) close() error {
	var errs []error
	for _, db := range b.seeds {
		errs = append(errs, b.engine.drop(db))
	}
	return errors.Join(errs...)
}

// n returns an amount, or a tenth of it with -quick.
func (b *bench) n(amount int) int {
	if b.quick {
		return max(amount/10, 64)
	}
	return amount
}

// profiled runs the part of a measurement that the profile covers.
func (b *bench) profiled(fn func() error) error {
	if b.profile == nil {
		return calm(fn)
	}
	if err := pprof.StartCPUProfile(b.profile); err != nil {
		return err
	}
	b.profile = nil // only the first part
	defer pprof.StopCPUProfile()
	return fn()
}

// inTurns alternates between both sides of a comparison in short stretches, so that both see the same machine.
// It returns what m of ours and n of theirs cost.
func (b *bench) inTurns(clients, n int, theirs func(client, i int) error, m int, ours func(client, i int) error) (took, against cost, err error) {
	const stretches = 4
	err = b.profiled(func() error {
		for i := range stretches {
			part := func(all int) int { return (i+1)*all/stretches - i*all/stretches }
			t, _, err := load(clients, part(n), theirs)
			if err != nil {
				return err
			}
			against.add(t)
			if t, _, err = load(clients, part(m), ours); err != nil {
				return err
			}
			took.add(t)
		}
		return nil
	})
	return took, against, err
}

// calm runs a measurement so that it does not pay for what ran before.
func calm(fn func() error) error {
	runtime.GC()
	return fn()
}

// worker is the caller of everything here.
var worker = core.Caller{Actor: task.Actor{Name: "bench"}, How: "bench", Via: task.Via{Face: "http"}}

func asWorker(ctx context.Context) context.Context { return core.WithCaller(ctx, worker) }

// open opens a database as a server does.
func (b *bench) open(db string) (*app.App, error) {
	return app.Open(app.Options{DB: db, Version: "0.0.0"})
}

// seed returns a database with one project of the shape, made at the first call.
func (b *bench) seed(ctx context.Context, p shape) (string, error) {
	if db, ok := b.seeds[p.name()]; ok {
		return db, nil
	}
	db, err := b.engine.fresh(ctx)
	if err != nil {
		return "", err
	}
	b.seeds[p.name()] = db
	a, err := b.open(db)
	if err != nil {
		return "", err
	}
	for _, doc := range p.documents("x") {
		if _, err := a.Services.Planning.Apply(asWorker(ctx), planning.ApplyIn{Doc: doc}); err != nil {
			return "", errors.Join(err, a.Close())
		}
	}
	if err := a.Close(); err != nil {
		return "", err
	}
	return db, b.engine.settle(ctx, db)
}

// copyOf returns a copy of the database that seed makes.
func (b *bench) copyOf(ctx context.Context, p shape) (string, error) {
	seed, err := b.seed(ctx, p)
	if err != nil {
		return "", err
	}
	return b.engine.copy(ctx, seed)
}

// copied opens a copy of a seeded database, and returns what closes and drops it.
func (b *bench) copied(ctx context.Context, p shape) (*app.App, func() error, error) {
	db, err := b.copyOf(ctx, p)
	if err != nil {
		return nil, nil, err
	}
	a, err := b.open(db)
	if err != nil {
		return nil, nil, errors.Join(err, b.engine.drop(db))
	}
	return a, func() error { return errors.Join(a.Close(), b.engine.drop(db)) }, nil
}

// shape is a project to seed: some tasks ready, the rest waiting for earlier ones, 2.5 dependencies each.
type shape struct {
	tasks, ready int
	touches      bool // every task declares what it touches
}

func (p shape) name() string { return fmt.Sprintf("%d of %d, touches %v", p.ready, p.tasks, p.touches) }

// maxTasks is how many tasks one document may have.
const maxTasks = 50_000

// documents returns the plan of the shape, in as many documents as it takes.
func (p shape) documents(project string) []*plan.Document {
	var out []*plan.Document
	rnd := lcg(1)
	for from := 0; from < p.tasks; from += maxTasks {
		doc := &plan.Document{Project: project, Name: plan.Give(task.Opt("Benchmark"))}
		for i := from; i < min(from+maxTasks, p.tasks); i++ {
			doc.Tasks = append(doc.Tasks, p.task(i, &rnd))
		}
		out = append(out, doc)
	}
	return out
}
