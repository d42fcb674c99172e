package recount_test

import (
	"errors"
	"fmt"
	"slices"
	"strings"
	"testing"

	"tasker/internal/db"
	"tasker/internal/store"
	"tasker/internal/store/recount"
	"tasker/internal/task"
	"tasker/internal/testkit/dbtest"
	"tasker/internal/testkit/storetest"
)

// TestWhatLiesInLaterRunsIsComparedAndRepaired breaks values of tasks that are rarely in memory together.
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
		storetest.Write(t, s, storetest.Alice, func(w *store.Tx) error {
			if err := w.CreateProject(&task.Project{Slug: "demo"}, task.Draft{Kind: task.ProjectCreated}); err != nil {
				return err
			}
			return w.CreateTasks("demo", list)
		})
		found := func() (out []string) {
			storetest.Read(t, s, func(r *store.Tx) error {
				all, _, err := recount.Recount(r, "demo")
				for _, f := range all {
					out = append(out, fmt.Sprintf("%s: %s is %s, not %s", f.Task, f.What, f.Stored, f.Counted))
				}
				return err
			})
			return out
		}
		if n := len(found()); n < 4455 { // each child leads to its parent, and no task is marked as standing in a circle
			t.Fatalf("%d values differ", n)
		}
		repair := func() {
			t.Helper()
			turns(t, s, 500, mends(t, s))
			turns(t, s, 500, mends(t, s)) // what follows from it: tasks may be on routes that did not exist before
			if left := found(); len(left) > 0 {
				t.Fatalf("%d values differ after a repair: %v", len(left), left[:min(3, len(left))])
			}
		}
		repair()
		spoil(t, s, `UPDATE task SET notes=7 WHERE key='demo-4321'`, `UPDATE task SET open_deps=0 WHERE key='demo-2001'`,
			`DELETE FROM frontier WHERE task=(SELECT id FROM task WHERE key='demo-4400')`)
		got := strings.Join(found(), "\n")
		for _, want := range []string{
			"demo-2001: open dependencies is 0, not 1", "demo-4321: notes is 7, not 0", "demo-4400: frontier row by",
		} {
			if !strings.Contains(got, want) {
				t.Errorf("it does not find that %s, but\n%s", want, got)
			}
		}
		if n := strings.Count(got, "\n") + 1; n != 3 {
			t.Errorf("three values are wrong, and it finds %d:\n%s", n, got)
		}
		turns(t, s, 1, mends(t, s)[:1]) // and stops there, as if killed
		repair()
		storetest.Write(t, s, storetest.Alice, func(w *store.Tx) error { return w.Conn().Exec(db.Any, `DELETE FROM actor`) })
		if got := found(); len(got) == 0 {
			t.Error("a broken text index is not found")
		}
		repair()
	})
}

// mends returns the steps that repair a project.
func mends(t *testing.T, s *store.Store) (steps []*recount.Repair) {
	t.Helper()
	storetest.Read(t, s, func(r *store.Tx) (err error) {
		_, steps, err = recount.Recount(r, "demo")
		return err
	})
	return steps
}

// turns does steps, some in each turn like an operation, and returns how many wrote. It fails the test if a turn is
// long.
func turns(t *testing.T, s *store.Store, inTurn int, steps []*recount.Repair) (wrote int) {
	t.Helper()
	for some := range slices.Chunk(steps, inTurn) {
		storetest.Write(t, s, storetest.Alice, func(w *store.Tx) error {
			before := *w.Conn().Stats()
			done, err := recount.Mend(w, "demo", some)
			if wrote += len(done); err != nil || len(done) == 0 {
				return err
			}
			after := *w.Conn().Stats()
			const most = 20 // for one step: a task has rows under four orders at most
			if n, rows := after.Statements-before.Statements, after.Rows-before.Rows; n > int64(most*inTurn) || rows > int64(most*inTurn) {
				t.Errorf("a turn of %d steps had %d statements and %d rows", len(some), n, rows)
			}
			return w.Record("demo", "", task.Draft{Kind: task.ProjectUpdated, Payload: task.Payload{"repaired": len(done)}})
		})
	}
	return wrote
}

// TestATurnOfARepairIsAsShortInALargeProject breaks everything of some tasks in projects of several sizes.
func TestATurnOfARepairIsAsShortInALargeProject(t *testing.T) {
	dbtest.Each(t, func(t *testing.T, path string) {
		s := storetest.Open(t, path, nil)
		size, counted := 0, map[int]db.Stats{}
		for _, more := range []int{200, 4000} {
			size += more
			list := make([]task.NewTask, more)
			for i := range list {
				list[i] = task.NewTask{Task: storetest.Fresh(""), Event: task.Draft{Kind: task.TaskCreated}}
			}
			storetest.Write(t, s, storetest.Alice, func(w *store.Tx) error {
				if size == more {
					if err := w.CreateProject(&task.Project{Slug: "demo"}, task.Draft{Kind: task.ProjectCreated}); err != nil {
						return err
					}
				}
				return w.CreateTasks("demo", list)
			})
			spoil(t, s, `UPDATE task SET open_deps=3, notes=4, has_deps=1, in_circle=1 WHERE key IN ('demo-7','demo-9')`,
				`DELETE FROM frontier WHERE task=(SELECT id FROM task WHERE key='demo-11')`, `UPDATE project SET n_open=0, n_ready=0, next_n=2`,
				`UPDATE tally SET n=n+7`, `DELETE FROM actor`, `INSERT INTO port (host, port, task) SELECT 'h', 1, id+4000000 FROM task WHERE key='demo-7'`)
			storetest.Write(t, s, storetest.Alice, func(w *store.Tx) error {
				before := *w.Conn().Stats()
				done, err := recount.Mend(w, "demo", mends(t, s))
				after := *w.Conn().Stats()
				counted[size] = db.Stats{Statements: after.Statements - before.Statements, Rows: after.Rows - before.Rows}
				if len(done) < 15 {
					t.Errorf("%d steps wrote", len(done))
				}
				return errors.Join(err, w.Record("demo", "", task.Draft{Kind: task.ProjectUpdated, Payload: task.Payload{"repaired": len(done)}}))
			})
			if left := mends(t, s); len(left) > 0 {
				t.Errorf("%d steps are left, the first of %+v", len(left), *left[0].Of)
			}
		}
		if small, large := counted[200], counted[4200]; large.Statements > small.Statements || large.Rows > small.Rows {
			t.Errorf("a repair of the same values has %+v among 200 tasks, and %+v among 4200", small, large)
		}
	})
}

// TestARepairLosesNothingThatOthersWroteSince lets others write, and repair, between the recount and its steps.
func TestARepairLosesNothingThatOthersWroteSince(t *testing.T) {
	dbtest.Each(t, func(t *testing.T, path string) {
		s := storetest.Open(t, path, nil)
		storetest.Write(t, s, storetest.Alice, func(w *store.Tx) error {
			list := make([]task.NewTask, 6)
			for i := range list {
				list[i] = task.NewTask{Task: storetest.Fresh(""), Event: task.Draft{Kind: task.TaskCreated}}
			}
			list[5].NewDeps = []int{0, 1}
			if err := w.CreateProject(&task.Project{Slug: "demo"}, task.Draft{Kind: task.ProjectCreated}); err != nil {
				return err
			}
			return w.CreateTasks("demo", list)
		})
		spoil(t, s, `UPDATE task SET notes=2 WHERE key='demo-3'`, `UPDATE task SET in_circle=1 WHERE key='demo-4'`, `UPDATE project SET n_open=9, n_ready=1`)
		mine, others := mends(t, s), mends(t, s)
		storetest.Write(t, s, storetest.Alice, func(w *store.Tx) error { // a new edge, and a note where one is miscounted
			one := task.NewTask{Task: storetest.Fresh(""), Event: task.Draft{Kind: task.TaskCreated}}
			if err := w.CreateTasks("demo", []task.NewTask{one}); err != nil {
				return err
			}
			return w.Record("demo", "demo-3", task.Draft{Kind: task.TaskUpdated, Payload: task.Payload{}})
		})
		if n := turns(t, s, 1, mine); n != 2 {
			t.Errorf("%d steps wrote, and what others wrote concerns all but the totals", n)
		}
		if n := turns(t, s, 1, others); n != 0 {
			t.Errorf("%d steps of a second repair wrote what the first has written", n)
		}
		if n := turns(t, s, 200, mends(t, s)); n != 2 {
			t.Errorf("%d steps were left", n)
		}
		if left := mends(t, s); len(left) > 0 {
			t.Errorf("%d steps are left, the first of %+v", len(left), *left[0].Of)
		}
	})
}

// spoil runs statements.
func spoil(t *testing.T, s *store.Store, statements ...string) {
	t.Helper()
	storetest.Write(t, s, storetest.Alice, func(w *store.Tx) error {
		for _, sql := range statements {
			if err := w.Conn().Exec(db.Any, sql); err != nil {
				return err
			}
		}
		return w.Conn().Flush()
	})
}
