package store_test

import (
	"fmt"
	"testing"

	"tasker/internal/dbtest"
	"tasker/internal/store"
	"tasker/internal/store/storetest"
	"tasker/internal/task"
)

// TestAShapeHasTheBodiesOfNamedTasksAlone: a plan that names one task reads one body, however many there are.
func TestAShapeHasTheBodiesOfNamedTasksAlone(t *testing.T) {
	dbtest.Each(t, func(t *testing.T, path string) {
		s := storetest.Open(t, path, nil)
		list := make([]task.NewTask, 50)
		for i := range list {
			one := storetest.Fresh(fmt.Sprint("k", i))
			one.Body = task.Opt(fmt.Sprint("body ", i))
			list[i] = task.NewTask{Task: one, Event: task.Draft{Kind: task.TaskCreated}}
		}
		storetest.Write(t, s, storetest.Alice, func(w *store.Writer) error {
			if err := w.CreateProject(&task.Project{Slug: "demo"}); err != nil {
				return err
			}
			return w.CreateTasks("demo", list)
		})
		storetest.Read(t, s, func(r *store.Reader) error {
			if _, err := r.Find("demo"); err != nil {
				return err
			}
			before := r.Conn().Stats().Rows
			tasks, err := r.Shape("demo", map[string]bool{"k7": true, "": true, "missing": true})
			if err != nil {
				return err
			}
			if n := r.Conn().Stats().Rows - before; n != 51 {
				t.Errorf("%d rows are read, want 50 tasks and one body", n)
			}
			for i, one := range tasks {
				want := task.Opt("")
				if i == 7 {
					want = "body 7"
				}
				if one.Body != want {
					t.Errorf("the body of %s is %q, want %q", one.Key, one.Body, want)
				}
			}
			return nil
		})
	})
}
