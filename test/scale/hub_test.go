package scale

import (
	"context"
	"fmt"
	"strings"
	"testing"

	"tasker/internal/app/services"
	"tasker/internal/core"
	"tasker/internal/op"
	"tasker/internal/store"
	"tasker/internal/task"
	"tasker/internal/testkit/dbtest"
	"tasker/internal/views/picture"
	"tasker/internal/views/reading"
	"tasker/internal/work"
)

// hubs makes a project of three tasks, each with n neighbours of one kind: parts of the first, dependencies of the
// second, and dependents of the third. Most neighbours are closed; open ones are at both ends and in the middle.
func hubs(t *testing.T, s *store.Store, slug string, n int) {
	t.Helper()
	by := task.By{Actor: task.Actor{Name: "maker"}}
	err := s.Write(context.Background(), by, func(w *store.Tx) error { return w.CreateProject(&task.Project{Slug: slug}) })
	if err != nil {
		t.Fatal(err)
	}
	by.Alone = true
	err = s.Write(context.Background(), by, func(w *store.Tx) error {
		var list []task.NewTask
		add := func(i int, deps ...int) *task.NewTask {
			k := &task.Task{
				Key: fmt.Sprint("k", len(list)), Title: fmt.Sprint("The task ", len(list)), Status: task.Open, Priority: 2, Version: 1, CreatedBy: "maker",
				CreatedAt: w.Now(), UpdatedAt: w.Now(),
			}
			if i > 10 && i < n-10 && i != n/2 {
				k.Status, k.ClosedAt, k.ClosedBy = task.Done, w.Now(), "maker"
			}
			list = append(list, task.NewTask{Task: k, Event: task.Draft{Kind: task.TaskCreated}, NewDeps: deps})
			return &list[len(list)-1]
		}
		for range 3 {
			add(0)
		}
		for i := range n {
			add(i).NewParent = 1
		}
		for i := range n {
			add(i)
			list[1].NewDeps = append(list[1].NewDeps, len(list)-1)
		}
		for i := range n {
			add(i, 2)
		}
		return w.CreateTasks(slug, list)
	})
	if err != nil {
		t.Fatal(err)
	}
}

// TestWhatIsReadOfAHubDoesNotGrowWithItsNeighbours reads tasks with many neighbours and with very many, with
// and without statistics.
func TestWhatIsReadOfAHubDoesNotGrowWithItsNeighbours(t *testing.T) {
	dbtest.Each(t, func(t *testing.T, db string) {
		some, many, limit := size(1_200, 6_000), size(3_000, 50_000), int64(900_000) // steps of a machine
		if strings.HasPrefix(db, "postgres") {
			limit = 16_000 // rows
		}
		s := open(t, db)
		m := metered(s)
		local := op.NewLocal(services.New(core.Env{Store: m.Store, Settings: &fixed{}}).All()...)
		hubs(t, s, "few", some)
		hubs(t, s, "many", many)
		read := func(name string, fn func() error) cost {
			t.Helper()
			var out cost
			for i := range 3 {
				m.cost = cost{}
				if err := fn(); err != nil {
					t.Fatalf("%s: %v", name, err)
				}
				if i == 0 || m.visited < out.visited {
					out = m.cost
				}
			}
			return out
		}
		reads := map[string]func(slug string) error{
			"the work": func(slug string) error {
				_, err := op.Work.Do(ctx, local, reading.WorkIn{Slug: slug})
				return err
			},
			"the preview": func(slug string) error { // of the third, which is ready
				got, err := op.Peek.Do(ctx, local, work.PeekIn{Project: slug})
				if err == nil && len(got.Bundle.Dependents) != 1000 {
					return fmt.Errorf("%d dependents are listed", len(got.Bundle.Dependents))
				}
				return err
			},
			"the next": func(slug string) error {
				got, err := op.Next.Do(ctx, local, work.NextIn{Project: slug})
				if err == nil && len(got.Bundle.Dependents) != 1000 {
					return fmt.Errorf("%d dependents are listed", len(got.Bundle.Dependents))
				}
				claimed := m.cost
				if err == nil {
					_, err = op.Release.Do(ctx, local, work.ReleaseIn{Task: string(got.Task.ID)})
				}
				m.cost = claimed
				return err
			},
		}
		for i, sort := range []string{"parts", "dependencies", "dependents"} {
			name := func(slug string) string { return string(task.MakeID(slug, int64(i+1))) }
			if i != 1 { // the record of a task names everything it waits for
				reads["the bundle with many "+sort] = func(slug string) error {
					b, err := op.Show.Do(ctx, local, reading.ShowIn{Task: name(slug)})
					if err == nil && (len(b.Children)+len(b.Dependents) != 1000 || len(b.Budget.Omitted) != 1) {
						return fmt.Errorf("it lists %d children and %d dependents, and omits %+v", len(b.Children), len(b.Dependents), b.Budget.Omitted)
					}
					return err
				}
			}
			reads["the graph with many "+sort] = func(slug string) error {
				_, err := op.Graph.Do(ctx, local, picture.GraphIn{Task: name(slug)})
				return err
			}
			reads["the explanation with many "+sort] = func(slug string) error {
				_, err := op.Explain.Do(ctx, local, core.TaskIn{Task: name(slug)})
				return err
			}
		}
		for _, statistics := range []string{"without statistics", "with statistics"} {
			for name, fn := range reads {
				few := read(name, func() error { return fn("few") })
				lots := read(name, func() error { return fn("many") })
				t.Logf("%s, %s: %+v and %+v", name, statistics, few, lots)
				if lots.statements != few.statements || lots.rows != few.rows || lots.visited > few.visited+few.visited/10+20 || lots.visited > limit {
					t.Errorf("%s, %s: %+v with %d neighbours and %+v with %d", name, statistics, few, some, lots, many)
				}
			}
			// The record names what its task waits for: one row for each, and no second one.
			for _, slug := range []string{"few", "many"} {
				id := string(task.MakeID(slug, 2))
				var deps int64
				got := read("the bundle", func() error {
					b, err := op.Show.Do(ctx, local, reading.ShowIn{Task: id})
					if err == nil {
						deps = int64(len(b.Task.Deps))
					}
					return err
				})
				t.Logf("the bundle with %d dependencies, %s: %+v", deps, statistics, got)
				if got.rows > deps+1100 || got.statements > 15 {
					t.Errorf("the bundle of a task that waits for %d: %+v", deps, got)
				}
			}
			analyze(t, db)
		}
	})
}
