package store_test

import (
	"fmt"
	"testing"

	"tasker/internal/db"
	"tasker/internal/dbtest"
	"tasker/internal/store"
	"tasker/internal/store/storetest"
	"tasker/internal/task"
	"tasker/internal/task/query"
)

// TestTheLastPageOfTasksCostsWhatTheFirstDoes pages through a project and counts the rows that each page visits: none
// passes by those of the pages before it.
func TestTheLastPageOfTasksCostsWhatTheFirstDoes(t *testing.T) {
	dbtest.Each(t, func(t *testing.T, path string) {
		s := storetest.Open(t, path, nil)
		const pages, size = 20, 50
		list := make([]task.NewTask, pages*size)
		for i := range list {
			list[i] = task.NewTask{Task: storetest.Fresh(""), Event: task.Draft{Kind: task.TaskCreated}}
		}
		storetest.Write(t, s, storetest.Alice, func(w *store.Writer) error {
			if err := w.CreateProject(&task.Project{Slug: "demo"}); err != nil {
				return err
			}
			return w.CreateTasks("demo", list)
		})
		storetest.Read(t, s, func(r *store.Reader) error {
			cursor, first := "", int64(0)
			for page := range pages + 1 {
				before, err := db.Visited(r.Conn())
				if err != nil {
					return err
				}
				if page <= 1 { // the first page twice: statements are prepared, the project is loaded
					cursor = ""
				}
				tasks, total, next, err := r.TaskReader.List(query.List{Project: "demo", Limit: size, Cursor: cursor})
				if err != nil {
					return err
				}
				after, err := db.Visited(r.Conn())
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
