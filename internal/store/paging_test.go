package store_test

import (
	"fmt"
	"testing"

	"tasker/internal/store"
	"tasker/internal/task"
	"tasker/internal/task/query"
	"tasker/internal/testkit/dbtest"
	"tasker/internal/testkit/storetest"
)

// TestTheLastPageOfTasksCostsWhatTheFirstDoes pages through a project and counts the rows that each page visits: no
// page reads the rows of earlier pages.
func TestTheLastPageOfTasksCostsWhatTheFirstDoes(t *testing.T) {
	dbtest.Each(t, func(t *testing.T, path string) {
		s := storetest.Open(t, path, nil)
		const pages, size = 20, 50
		list := make([]task.NewTask, pages*size)
		for i := range list {
			list[i] = task.NewTask{Task: storetest.Fresh(""), Event: task.Draft{Kind: task.TaskCreated}}
		}
		storetest.Write(t, s, storetest.Alice, func(w *store.Tx) error {
			if err := w.CreateProject(&task.Project{Slug: "demo"}); err != nil {
				return err
			}
			return w.CreateTasks("demo", list)
		})
		storetest.Read(t, s, func(r *store.Tx) error {
			cursor, first := "", int64(0)
			for page := range pages + 1 {
				before, err := r.Conn().Visited()
				if err != nil {
					return err
				}
				if page <= 1 { // the first page twice: it prepares the statements and loads the project
					cursor = ""
				}
				tasks, total, next, err := r.List(query.List{Project: "demo", Limit: size, Cursor: cursor})
				if err != nil {
					return err
				}
				after, err := r.Conn().Visited()
				if err != nil {
					return err
				}
				at := max(0, page-1)
				if want := task.MakeID("demo", int64(at*size+1)); len(tasks) != size || tasks[0].ID != want || total != (query.Count{N: pages * size}) {
					return fmt.Errorf("page %d has %d of %d tasks, from %s, want %s", at+1, len(tasks), total.N, tasks[0].ID, want)
				}
				if page == 1 {
					first = after - before
				}
				if page > 1 && after-before > first+5 {
					t.Errorf("page %d visits %d rows, the first one %d", page, after-before, first)
				}
				cursor = next
			}
			if cursor != "" {
				t.Errorf("after the last page there is %q", cursor)
			}
			return nil
		})
	})
}

// TestASearchForAPartOfATextLooksAtSoManyTasks finds the last of more tasks than one page looks at: the first page says
// that it has not seen all of them. Counts that the project stores are not counted again.
func TestASearchForAPartOfATextLooksAtSoManyTasks(t *testing.T) {
	dbtest.Each(t, func(t *testing.T, path string) {
		s := storetest.Open(t, path, nil)
		list := make([]task.NewTask, query.MaxScanned+50)
		for i := range list {
			list[i] = task.NewTask{Task: storetest.Fresh(""), Event: task.Draft{Kind: task.TaskCreated}}
		}
		list[len(list)-1].Task.Title = "The needle"
		storetest.Write(t, s, storetest.Alice, func(w *store.Tx) error {
			if err := w.CreateProject(&task.Project{Slug: "demo"}); err != nil {
				return err
			}
			return w.CreateTasks("demo", list)
		})
		storetest.Read(t, s, func(r *store.Tx) error {
			began := r.Conn().Stats().Rows
			tasks, total, next, err := r.List(query.List{Project: "demo", Text: "NEEDLE", Limit: 10})
			if read := r.Conn().Stats().Rows - began; read > query.MaxScanned+10 {
				t.Errorf("the first page reads %d rows: what it looks at is counted by the way", read)
			}
			if err != nil || len(tasks) != 0 || total != (query.Count{More: true}) || next != fmt.Sprint(query.MaxScanned) {
				t.Errorf("the first page has %d tasks, total %+v, next %q (%v)", len(tasks), total, next, err)
			}
			tasks, total, next, err = r.List(query.List{Project: "demo", Text: "NEEDLE", Limit: 10, Cursor: next})
			if err != nil || len(tasks) != 1 || tasks[0].Title != "The needle" || total != (query.Count{More: true}) || next != "" {
				t.Errorf("the second page has %d tasks, total %+v, next %q (%v)", len(tasks), total, next, err)
			}
			before, err := r.Conn().Visited()
			if err != nil {
				return err
			}
			ready := true
			_, total, _, err = r.List(query.List{Project: "demo", Ready: &ready, Limit: 10})
			if err != nil || total != (query.Count{N: len(list)}) {
				t.Errorf("%+v are ready, want %d (%v)", total, len(list), err)
			}
			after, err := r.Conn().Visited()
			if after-before > 5000 { // far fewer than there are
				t.Errorf("a page of ready tasks visits %d rows", after-before)
			}
			return err
		})
	})
}
