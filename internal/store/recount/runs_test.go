package recount_test

import (
	"fmt"
	"strings"
	"testing"

	"tasker/internal/db"
	"tasker/internal/dbtest"
	"tasker/internal/store"
	"tasker/internal/store/storetest"
	"tasker/internal/task"
	"tasker/internal/task/query"
)

// TestWhatLiesInLaterRunsIsComparedAndRepaired breaks values of tasks of which few are in memory with each other.
func TestWhatLiesInLaterRunsIsComparedAndRepaired(t *testing.T) {
	dbtest.Each(t, func(t *testing.T, path string) {
		s := storetest.Open(t, path, nil)
		list := make([]task.NewTask, 4500)
		for i := range list {
			list[i] = task.NewTask{Task: storetest.Fresh(""), Event: task.Draft{Kind: task.TaskCreated}}
			if i > 0 {
				list[i].NewDeps = []int{i - 1}
			}
			if i%100 > 0 {
				list[i].NewParent = i - i%100 + 1
			}
		}
		storetest.Write(t, s, storetest.Alice, func(w *store.Writer) error {
			if err := w.CreateProject(&task.Project{Slug: "demo"}, task.Draft{Kind: task.ProjectCreated}); err != nil {
				return err
			}
			return w.CreateTasks("demo", list)
		})
		found := func() (out []string) {
			storetest.Read(t, s, func(r *store.Reader) error {
				all, err := r.Recount("demo")
				for _, f := range all {
					out = append(out, fmt.Sprintf("%s: %s is %s, not %s", f.Task, f.What, f.Stored, f.Counted))
				}
				return err
			})
			return out
		}
		if n := len(found()); n < 4455 { // each child leads to its parent, and none is marked as standing in a circle
			t.Fatalf("%d values differ", n)
		}
		rows := int64(0) // that the last repair read or wrote
		repair := func(only ...query.Check) {
			storetest.Write(t, s, storetest.Alice, func(w *store.Writer) error {
				before := w.Conn().Stats().Rows
				_, err := w.Repair("demo", only...)
				rows = w.Conn().Stats().Rows - before
				return err
			})
			if left := found(); len(left) > 0 {
				t.Fatalf("%d values differ after a repair: %v", len(left), left[:min(3, len(left))])
			}
		}
		repair()
		storetest.Write(t, s, storetest.Alice, func(w *store.Writer) error {
			for _, sql := range []string{
				`UPDATE task SET notes=7 WHERE key='demo-4321'`,
				`UPDATE task SET open_deps=0 WHERE key='demo-2001'`,
				`DELETE FROM frontier WHERE task=(SELECT id FROM task WHERE key='demo-4400')`,
			} {
				if err := w.Conn().Exec(db.Any, sql); err != nil {
					return err
				}
			}
			return w.Conn().Flush()
		})
		got := strings.Join(found(), "\n")
		for _, want := range []string{
			"demo-2001: open dependencies is 0, not 1", "demo-4321: notes is 7, not 0", "demo-2001: frontier row by", "demo-4400: frontier row by",
			"waiting tasks is 4499, not 4498",
		} {
			if !strings.Contains(got, want) {
				t.Errorf("it does not find that %s, but\n%s", want, got)
			}
		}
		repair(query.CheckCounts, query.CheckOrder)
		repair(query.CheckCounts, query.CheckOrder) // of nothing that differs
		some := rows
		repair()
		if rows < some+int64(len(list)) {
			t.Errorf("a repair of everything had %d rows, and one that leaves the text index out %d", rows, some)
		}
		storetest.Write(t, s, storetest.Alice, func(w *store.Writer) error { return w.Conn().Exec(db.Any, `DELETE FROM actor`) })
		if got := found(); len(got) == 0 {
			t.Error("a broken text index is not found")
		}
		repair(query.CheckSearch)
	})
}
