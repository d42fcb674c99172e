package store_test

import (
	"fmt"
	"testing"

	"tasker/internal/store"
	"tasker/internal/task"
	"tasker/internal/testkit/dbtest"
	"tasker/internal/testkit/storetest"
)

// touching makes tasks that touch something, held by alice if held is set.
func touching(t *testing.T, s *store.Store, n int, held bool, globs func(i int) []string) {
	t.Helper()
	storetest.Write(t, s, storetest.Alice, func(w *store.Tx) error {
		list := make([]task.NewTask, n)
		for i := range list {
			one := storetest.Fresh("")
			one.Touches = globs(i)
			list[i] = task.NewTask{Task: one, Event: task.Draft{Kind: task.TaskCreated}}
		}
		if err := w.CreateTasks("demo", list); err != nil || !held {
			return err
		}
		for _, nt := range list {
			before, err := w.Task(nt.Task.ID)
			if err != nil {
				return err
			}
			after, _, err := before.ClaimBy(storetest.Alice.Actor, task.Policy{}, nil, nil, w.Now())
			if err != nil {
				return err
			}
			if err := w.Save(task.Change{Before: before, After: after, Events: []task.Draft{{Kind: task.TaskClaimed}}}); err != nil {
				return err
			}
		}
		return nil
	})
}

// near returns the held tasks whose globs may overlap the starts, and how many rows were visited for them.
func near(t *testing.T, s *store.Store, starts []string, limit int) (ids string, more bool, visited int64) {
	t.Helper()
	storetest.Read(t, s, func(r *store.Tx) error {
		for range 2 { // the first time prepares the statements and loads the project
			before, err := r.Conn().Visited()
			if err != nil {
				return err
			}
			var held []*task.Task
			if held, more, err = r.Touching("demo", starts, "demo-1", limit); err != nil {
				return err
			}
			after, err := r.Conn().Visited()
			if err != nil {
				return err
			}
			visited, ids = after-before, ""
			for _, h := range held {
				ids += string(h.ID) + " "
			}
		}
		return nil
	})
	return ids, more, visited
}

func TestHeldTasksAreFoundByWhereTheirTouchesBegin(t *testing.T) {
	dbtest.Each(t, func(t *testing.T, path string) {
		s, clock := seeded(t, path, 1, "demo", "other")
		touching(t, s, 1, true, func(int) []string { return []string{"**/*.md"} })                  // demo-2
		touching(t, s, 1, true, func(int) []string { return []string{"src/a/**", "docs/x.md"} })    // demo-3
		touching(t, s, 1, true, func(int) []string { return []string{"src/*.go"} })                 // demo-4
		touching(t, s, 1, true, func(int) []string { return []string{"srcs/**"} })                  // demo-5
		touching(t, s, 1, false, func(int) []string { return []string{"src/**"} })                  // demo-6, which nobody holds
		touching(t, s, 1, true, func(int) []string { return []string{"src/a/{b,c}/*", "[", "zz"} }) // demo-7: anywhere
		for _, c := range []struct {
			starts []string
			want   string
		}{
			{[]string{"src/a/"}, "demo-2 demo-3 demo-4 demo-7 "},
			{[]string{"src/"}, "demo-2 demo-3 demo-4 demo-7 "},
			{[]string{"srcs/", "docs/"}, "demo-2 demo-3 demo-5 demo-7 "},
			{[]string{"lib/"}, "demo-2 demo-7 "},
			{[]string{""}, "demo-2 demo-3 demo-4 demo-5 demo-7 "},
			{nil, ""},
		} {
			if got, more, _ := near(t, s, c.starts, 100); got != c.want || more {
				t.Errorf("what begins in %q is near %sand %v others, want %s", c.starts, got, more, c.want)
			}
		}
		if got, more, _ := near(t, s, []string{""}, 2); got != "demo-2 demo-3 " || !more {
			t.Errorf("of two: %s, more %v", got, more)
		}
		sound(t, s, "demo")
		hold(t, s, clock, "demo-6") // its lease is over
		if got, _, _ := near(t, s, []string{"src/"}, 100); got != "demo-2 demo-3 demo-4 demo-7 " {
			t.Errorf("a lapsed lease counts: %s", got)
		}
		sound(t, s, "demo")
		storetest.Write(t, s, storetest.Alice, func(w *store.Tx) error { // one gives its task back, one edits what it touches
			before, err := w.Task("demo-3")
			if err != nil {
				return err
			}
			after, _, err := before.ReleaseBy(storetest.Alice.Actor, nil, true, w.Now())
			if err != nil {
				return err
			}
			if err := w.Save(task.Change{Before: before, After: after, Events: []task.Draft{{
				Kind: task.ClaimReleased, Payload: task.Payload{"failed": true},
			}}}); err != nil {
				return err
			}
			if before, err = w.Task("demo-4"); err != nil {
				return err
			}
			edited := *before
			edited.Touches, edited.Version = []string{"lib/x/**"}, before.Version+1
			return w.Save(task.Change{Before: before, After: &edited, Events: []task.Draft{{Kind: task.TaskUpdated}}})
		})
		if got, _, _ := near(t, s, []string{"src/"}, 100); got != "demo-2 demo-7 " {
			t.Errorf("after a release and an edit: %s", got)
		}
		sound(t, s, "demo")
	})
}

func TestFindingWhatIsNearCostsTheSameBesideManyHeldTasks(t *testing.T) {
	dbtest.Each(t, func(t *testing.T, path string) {
		s, _ := seeded(t, path, 1, "demo")
		part := func(i int) []string {
			return []string{fmt.Sprintf("src/part%d/**", i), fmt.Sprintf("docs/part%d.md", i)}
		}
		touching(t, s, 30, true, part)
		starts := []string{"docs/part7.md/", "src/part7/"}
		want, _, few := near(t, s, starts, 100)
		touching(t, s, 600, true, func(i int) []string { return part(i + 1000) })
		got, _, many := near(t, s, starts, 100)
		if got != want || many > few+10 {
			t.Errorf("%s visits %d rows with 30 held tasks, %s %d with 630", want, few, got, many)
		}
	})
}

// TestADatabaseFromBeforeThereWereStartsGetsThem empties the table, as in an older database, and fills it as the
// migration does.
func TestADatabaseFromBeforeThereWereStartsGetsThem(t *testing.T) {
	dbtest.Each(t, func(t *testing.T, path string) {
		s, _ := seeded(t, path, 1, "demo")
		touching(t, s, 3, true, func(i int) []string { return []string{fmt.Sprintf("src/part%d/**", i), "[x]/y"} })
		touching(t, s, 1, false, func(int) []string { return []string{"src/**"} })
		storetest.Write(t, s, storetest.Alice, func(w *store.Tx) error {
			if err := w.Conn().Exec(6, `DELETE FROM touch`); err != nil {
				return err
			}
			return store.FillTouch(w.Conn())
		})
		sound(t, s, "demo")
		if got, _, _ := near(t, s, []string{"src/part1/"}, 100); got != "demo-2 demo-3 demo-4 " {
			t.Errorf("found are %s", got)
		}
	})
}

func TestATaskThatBeginsInManyPlacesHidesNoOther(t *testing.T) {
	dbtest.Each(t, func(t *testing.T, path string) {
		s, _ := seeded(t, path, 1, "demo")
		touching(t, s, 1, true, func(int) []string { // demo-2
			var many []string
			for i := range 16 {
				many = append(many, fmt.Sprintf("src/a%d/**", i))
			}
			return many
		})
		touching(t, s, 2, true, func(i int) []string { return []string{fmt.Sprintf("src/b%d/**", i)} }) // demo-3 and demo-4
		if ids, more, _ := near(t, s, []string{"src/"}, 3); ids != "demo-2 demo-3 demo-4 " || more {
			t.Errorf("found %s, more %v", ids, more)
		}
		if ids, more, _ := near(t, s, []string{"src/"}, 2); ids != "demo-2 demo-3 " || !more {
			t.Errorf("of two, found %s, more %v", ids, more)
		}
	})
}
