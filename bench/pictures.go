package main

import (
	"context"
	"errors"
	"fmt"
	"sync"
	"time"

	"tasker/internal/plan"
	"tasker/internal/planning"
	"tasker/internal/task"
	"tasker/internal/views/picture"
)

// lookers is how many clients request a picture at once.
const lookers = 24

// pictures measures how long a read and a write take while many clients at once request the picture of a tree in which each
// task is the parent of the next. The picture has to be computed again.
func pictures(ctx context.Context, b *bench) ([]*result, error) {
	what := fmt.Sprintf("while %d clients request the picture of a tree 10,000 deep", lookers)
	read := &result{what: "GET a bundle " + what, against: "the same alone", unit: "ms", bound: bound{atMost: 50}}
	write := &result{what: "POST a note " + what, against: "the same alone", unit: "ms", bound: bound{atMost: 50}}
	for range b.runs {
		if err := b.lookedAt(ctx, read, write); err != nil {
			return nil, err
		}
	}
	return []*result{read, write}, nil
}

func (b *bench) lookedAt(ctx context.Context, read, write *result) (err error) {
	s, a, done, err := b.serving(ctx, shape{tasks: b.n(1000), ready: b.n(1000)})
	if err != nil {
		return err
	}
	defer func() { err = errors.Join(err, done()) }()
	if _, err := a.Services.Planning.Apply(asWorker(ctx), planning.ApplyIn{Doc: deepTree(b.n(10_000))}); err != nil {
		return err
	}
	c := dial(s.url, 1)
	defer c.close()
	note := func() error { _, err := c.call(0, "POST", "/v1/tasks/x-1/notes", `{"text":"So far"}`); return err }
	bundle := func() error { _, err := c.call(0, "GET", "/v1/tasks/x-1", ""); return err }
	look := func() error {
		_, err := a.Services.Picture.Network(asWorker(ctx), picture.NetworkIn{Slug: "deep"})
		return err
	}
	if err := errors.Join(note(), bundle(), look()); err != nil { // warm
		return err
	}
	for _, m := range []struct {
		res  *result
		call func() error
	}{{read, bundle}, {write, note}} {
		var alone, busy []float64
		for range max(b.n(40), 5) {
			if err := note(); err != nil { // the picture has to be computed again
				return err
			}
			began := time.Now()
			if err := m.call(); err != nil {
				return err
			}
			alone = append(alone, time.Since(began).Seconds())
			var all sync.WaitGroup
			failed := make(chan error, lookers)
			for range lookers {
				all.Go(func() { failed <- look() })
			}
			began = time.Now()
			err := m.call()
			busy = append(busy, time.Since(began).Seconds())
			all.Wait()
			for range lookers {
				err = errors.Join(err, <-failed)
			}
			if err != nil {
				return err
			}
		}
		m.res.add(quantile(busy, 0.5)*1e3, quantile(alone, 0.5)*1e3)
	}
	return nil
}

// deepTree returns a plan in which each task is the parent of the next.
func deepTree(tasks int) *plan.Document {
	doc := &plan.Document{Project: "deep"}
	for i := range tasks {
		def := plan.TaskDef{Key: fmt.Sprintf("k%d", i)}
		def.Title = plan.Give(fmt.Sprintf("Level %d", i))
		if i > 0 {
			def.Parent = plan.Give(task.Opt(fmt.Sprintf("k%d", i-1)))
		}
		doc.Tasks = append(doc.Tasks, def)
	}
	return doc
}
