package store_test

import (
	"fmt"
	"testing"

	"tasker/internal/store"
	"tasker/internal/store/linkdb"
	"tasker/internal/task"
	"tasker/internal/task/merge"
	"tasker/internal/testkit/dbtest"
	"tasker/internal/testkit/storetest"
)

// A page of the bindings of a project costs the same however many bindings other projects have.
func TestBindingsAreReadOfTheirProjectAlone(t *testing.T) {
	dbtest.Each(t, func(t *testing.T, path string) {
		s := storetest.Open(t, path, nil)
		bind := func(slug string, n int) {
			storetest.Write(t, s, storetest.Alice, func(w *store.Tx) error {
				if err := w.CreateProject(&task.Project{Slug: slug}); err != nil {
					return err
				}
				list := make([]task.NewTask, n)
				for i := range list {
					list[i] = task.NewTask{Task: storetest.Fresh(""), Event: task.Draft{Kind: task.TaskCreated}}
				}
				if err := w.CreateTasks(slug, list); err != nil {
					return err
				}
				for i := range list {
					b := task.Binding{System: merge.IssueTracker, Kind: "issue", Ref: fmt.Sprint(slug, "-", i)}
					if _, err := linkdb.AddBinding(w, list[i].Task, b); err != nil {
						return err
					}
				}
				return nil
			})
		}
		visited := func() (n int64) {
			storetest.Read(t, s, func(r *store.Tx) error {
				before, err := r.Conn().Visited()
				if err != nil {
					return err
				}
				first, err := linkdb.BindingsIn(r, "mine", merge.IssueTracker, 0, 3)
				if err != nil || len(first) != 3 {
					t.Fatalf("the first page has %v (%v)", first, err)
				}
				rest, err := linkdb.BindingsIn(r, "mine", merge.IssueTracker, first[2].ID, 3)
				if err != nil || len(rest) != 2 || rest[0].Ref != "mine-3" || rest[1].Ref != "mine-4" {
					t.Fatalf("the second page has %v (%v)", rest, err)
				}
				if none, err := linkdb.BindingsIn(r, "mine", merge.CodeHost, 0, 3); err != nil || len(none) != 0 {
					t.Errorf("bound to the code host: %v (%v)", none, err)
				}
				after, err := r.Conn().Visited()
				n = after - before
				return err
			})
			return n
		}
		bind("mine", 5)
		alone := visited()
		bind("others", 2000)
		bind("more", 2000)
		if among := visited(); among > alone+20 {
			t.Errorf("two pages visit %d rows, and %d with bindings in other projects", alone, among)
		}
	})
}
