package work_test

import (
	"context"
	"fmt"
	"testing"

	"tasker/internal/app/services"
	"tasker/internal/core"
	"tasker/internal/db"
	"tasker/internal/store"
	"tasker/internal/task"
	"tasker/internal/testkit/coretest"
	"tasker/internal/work"
)

// statements counts the statements of writes, and of the reads that answer them.
type statements int64

func (n *statements) observe(_ context.Context, write bool) store.Observed {
	if !write {
		return store.Observed{}
	}
	return store.Observed{During: func(c db.Conn, run func() error) error {
		before := c.Stats().Statements
		err := run()
		*n += statements(c.Stats().Statements - before)
		return err
	}}
}

// How many statements news adds to a selection, however much of it there is: an instance that holds nothing else pays to
// find out whether there can be any; one that holds a task, or a shell that may work for an instance, also pays for what
// it holds, what it has heard, and the events since.
const (
	noneStatements = 1
	newsStatements = 5
)

func TestNewsCostNextAFewStatements(t *testing.T) {
	coretest.Each(t, func(k *coretest.Kit) {
		plan := `{"key": "a", "title": "A"}`
		for i := range 20 {
			plan += fmt.Sprintf(`, {"key": "t%d", "title": "A"}`, i)
		}
		k.Tasks(plan)
		var n statements
		k.Store.Observe(n.observe)
		counted := services.New(core.Env{Store: k.Store, Settings: k.Settings, Binary: "0.0.0-test", Config: 1})
		next := func(ctx context.Context, listens bool, news int) statements {
			k.Helper()
			service, heard := counted.Work, &core.News{}
			if listens {
				var env *core.Env
				env, heard = service.Listening()
				service = service.In(env)
			}
			n = 0
			if out, err := service.Next(ctx, work.NextIn{Project: "demo"}); err != nil || out.Task == nil {
				k.Fatal(out, err)
			}
			if len(heard.Items) != news {
				k.Errorf("%d news, want %d", len(heard.Items), news)
			}
			return n
		}
		k.Next(coretest.Bee, work.NextIn{Project: "demo"})
		next(coretest.Bee, true, 0) // what is read once and cached is read
		instance := func(n string) context.Context {
			return coretest.As(task.Actor{Name: "robot", Instance: n, Declared: true})
		}
		if alone, got := next(instance("1"), false, 0), next(instance("2"), true, 0); got-alone > noneStatements {
			k.Errorf("an instance that holds nothing pays %d statements for news, and %d are allowed", got-alone, noneStatements)
		}
		for i, news := range []int{0, 1, 5} {
			deaf, worker := coretest.Agent(fmt.Sprintf("deaf%d", i)), coretest.Agent(fmt.Sprintf("worker%d", i))
			k.Next(deaf, work.NextIn{Project: "demo"})
			held := k.Next(worker, work.NextIn{Project: "demo"}).Task.ID
			for range news {
				k.Note(coretest.Ann, string(held), "Take the C locale for sorting")
			}
			alone := next(deaf, false, 0)
			got := next(worker, true, news)
			k.Logf("next takes %d statements with %d news, and %d where nobody listens", got, news, alone)
			if alone == 0 || got-alone > newsStatements {
				k.Errorf("that is %d statements for news, and %d are allowed", got-alone, newsStatements)
			}
		}
	})
}
