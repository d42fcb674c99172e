package store_test

import (
	"fmt"
	"strings"
	"testing"

	"tasker/internal/db"
	"tasker/internal/store"
	"tasker/internal/task"
	"tasker/internal/testkit/dbtest"
	"tasker/internal/testkit/storetest"
)

// TestACloseReadsWhatWaitsForItWhateverThePlannerBelieves makes PostgreSQL believe that every task has thousands of
// dependents and that there are few tasks: walking all of them then seems cheaper than looking each one up. It counts
// the rows that a close visits among few and among many unrelated tasks.
func TestACloseReadsWhatWaitsForItWhateverThePlannerBelieves(t *testing.T) {
	dbtest.Each(t, func(t *testing.T, path string) {
		s := storetest.Open(t, path, nil)
		sql := func(statements ...string) {
			storetest.Write(t, s, storetest.Alice, func(w *store.Tx) error {
				for _, sql := range statements {
					if err := w.Conn().Exec(db.Any, sql); err != nil {
						return err
					}
				}
				return w.Conn().Flush()
			})
		}
		add := func(slug string, n int, on func(i int) []int) {
			list := make([]task.NewTask, n)
			for i := range list {
				list[i] = task.NewTask{Task: storetest.Fresh(""), Event: task.Draft{Kind: task.TaskCreated}}
				if on != nil {
					list[i].NewDeps = on(i)
				}
			}
			storetest.Write(t, s, storetest.Alice, func(w *store.Tx) error { return w.CreateTasks(slug, list) })
		}
		for _, slug := range []string{"fan", "pairs"} {
			storetest.Write(t, s, storetest.Alice, func(w *store.Tx) error {
				return w.CreateProject(&task.Project{Slug: slug}, task.Draft{Kind: task.ProjectCreated})
			})
		}
		// Every other task of the project waits for the one before it: closing one changes one other.
		pairs := func(i int) []int {
			if i%2 == 1 {
				return []int{i - 1}
			}
			return nil
		}
		fan := func(i int) []int {
			if i > 0 {
				return []int{0}
			}
			return nil
		}
		if strings.HasPrefix(path, "postgres") { // so that its statistics stay wrong
			sql(`ALTER TABLE task SET (autovacuum_enabled=false)`, `ALTER TABLE dep SET (autovacuum_enabled=false)`)
		}
		add("fan", 1000, fan)
		if strings.HasPrefix(path, "postgres") {
			sql(`ANALYZE task`, `ANALYZE dep`)
		}
		closes := func(n int) (visited int64) {
			storetest.Write(t, s, storetest.Alice, func(w *store.Tx) error {
				before, err := w.Task(task.MakeID("pairs", int64(n)))
				if err != nil {
					return err
				}
				m, err := before.MoveBy(storetest.Alice.Actor, task.Policy{}, task.Move{To: task.Done}, task.Standing{}, w.Now())
				if err != nil {
					return err
				}
				start, err := w.Conn().Visited()
				if err != nil {
					return err
				}
				if err := w.Save(task.Change{Before: before, After: m.After, Events: []task.Draft{moved(m)}}); err != nil {
					return err
				}
				end, err := w.Conn().Visited()
				if got := fmt.Sprint(w.Unblocked()); got != fmt.Sprintf("[pairs-%d]", n+1) {
					t.Errorf("the close of %d makes %s ready", n, got)
				}
				visited = end - start
				return err
			})
			return visited
		}
		add("pairs", 20, pairs)
		closes(1) // prepare the statements
		few := closes(3)
		add("pairs", 3000, pairs)
		if many := closes(5); many > few+10 {
			t.Errorf("a close visits %d rows among 1,020 tasks and %d among 4,020", few, many)
		}
	})
}
