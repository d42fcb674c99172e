package scale

import (
	"context"
	"testing"

	"tasker/internal/app/services"
	"tasker/internal/core"
	"tasker/internal/op"
	"tasker/internal/store"
	"tasker/internal/task"
	"tasker/internal/testkit/dbtest"
	"tasker/internal/work"
)

// TestAPlanThatWasMadeWhenLittleWasHeldStillServes lets a project grow under a server: PostgreSQL caches the plan of a
// statement after a few runs, and made this one when an index over all leases was as good as any.
func TestAPlanThatWasMadeWhenLittleWasHeldStillServes(t *testing.T) {
	dbtest.Each(t, func(t *testing.T, db string) {
		tasks := size(6_000, 12_000)
		s := open(t, db)
		build(t, s, "grown", tasks, shape{})
		analyze(t, db)
		m := metered(s)
		local := op.NewLocal(services.New(core.Env{Store: m.Store, Settings: &fixed{}}).All()...)
		next := func() cost {
			m.cost = cost{}
			got, err := op.Next.Do(ctx, local, work.NextIn{Project: "grown"})
			if err != nil || got.Task == nil {
				t.Fatalf("%+v, %v", got.Idle, err)
			}
			return m.cost
		}
		for range 12 {
			next()
		}
		few := next()
		for from := tasks*2/3 + 1; from < tasks; from += 1000 { // nothing waits there
			err := s.Write(context.Background(), task.By{Actor: task.Actor{Name: "other"}}, func(w *store.Tx) error {
				for n := from; n < min(from+1000, tasks); n++ {
					before, err := w.Task(task.MakeID("grown", int64(n)))
					if err != nil {
						return err
					}
					after, _, err := before.ClaimBy(task.Actor{Name: "other"}, task.Policy{}, nil, nil, w.Now())
					if err != nil {
						return err
					}
					if err := w.Save(task.Change{Before: before, After: after, Events: []task.Draft{{Kind: task.TaskClaimed}}}); err != nil {
						return err
					}
				}
				return nil
			})
			if err != nil {
				t.Fatal(err)
			}
		}
		next() // a walk that others began starts again
		many := next()
		t.Logf("with a few held tasks next costs %+v, with %d %+v", few, tasks/3, many)
		if many.visited > 3*few.visited+200 {
			t.Errorf("with %d held tasks next visits %d, with a few %d", tasks/3, many.visited, few.visited)
		}
	})
}
