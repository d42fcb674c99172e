package frontier_test

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"slices"
	"testing"

	"tasker/internal/db"
	"tasker/internal/fault"
	"tasker/internal/store"
	"tasker/internal/store/frontier"
	"tasker/internal/store/recount"
	"tasker/internal/task"
	"tasker/internal/task/query"
	"tasker/internal/testkit/dbtest"
	"tasker/internal/testkit/storetest"
)

// seeded returns a store with a project of n open tasks, which shape may change before they are written.
func seeded(t *testing.T, path string, n int, shape func(i int, t *task.Task)) *store.Store {
	t.Helper()
	s := storetest.Open(t, path, storetest.NewClock())
	storetest.Write(t, s, storetest.Alice, func(w *store.Tx) error {
		return w.CreateProject(&task.Project{Slug: "demo"}, task.Draft{Kind: task.ProjectCreated})
	})
	more(t, s, n, shape)
	return s
}

func more(t *testing.T, s *store.Store, n int, shape func(i int, t *task.Task)) {
	t.Helper()
	storetest.Write(t, s, storetest.Alice, func(w *store.Tx) error {
		list := make([]task.NewTask, n)
		for i := range list {
			one := storetest.Fresh("")
			if shape != nil {
				shape(i, one)
			}
			list[i] = task.NewTask{Task: one, Event: task.Draft{Kind: task.TaskCreated}}
		}
		return w.CreateTasks("demo", list)
	})
}

// rows returns the first column of a query.
func rows(t *testing.T, s *store.Store, sql string, args ...any) (out []int64) {
	t.Helper()
	storetest.Read(t, s, func(r *store.Tx) error {
		return r.Conn().Query(sql, args, db.Scan1(func(n int64) error { out = append(out, n); return nil }))
	})
	return out
}

func walk(r *store.Tx, q query.Frontier) (out []task.ID, err error) {
	q.Project = "demo"
	err = r.Walk(q, func(t *task.Task) bool {
		out = append(out, t.ID)
		return q.Limit == 0 || len(out) < q.Limit
	})
	return out, err
}

// sound fails the test if the frontier differs from a recount.
func sound(t *testing.T, s *store.Store) {
	t.Helper()
	storetest.Read(t, s, func(r *store.Tx) error {
		found, _, err := recount.Recount(r, "demo")
		if len(found) > 0 {
			t.Errorf("a recount differs: %+v", found)
		}
		return err
	})
}

func TestATaskStandsWhereItsRowSaysAndClosedOnesNowhere(t *testing.T) {
	held := &task.Claim{Actor: "alice"}
	for _, c := range []struct {
		name  string
		t     task.Task
		at    frontier.Place
		ready bool
	}{
		{"ready", task.Task{Status: task.Open}, 0, true},
		{"done", task.Task{Status: task.Done}, frontier.Nowhere, false},
		{"cancelled, with an open dependency", task.Task{Status: task.Cancelled, OpenDeps: 1}, frontier.Nowhere, false},
		{"held", task.Task{Status: task.InProgress, Claim: held}, frontier.Held, false},
		{"held in review", task.Task{Status: task.InReview, Claim: held}, frontier.Held, false},
		{"held, with a question", task.Task{Status: task.InProgress, Claim: held, Questions: 1}, frontier.Held, false},
		{"in review", task.Task{Status: task.InReview, OpenDeps: 2}, frontier.InReview, false},
		{"in progress and let go", task.Task{Status: task.InProgress}, frontier.Unheld, false},
		{"waiting", task.Task{Status: task.Open, OpenDeps: 1}, frontier.Waiting, false},
		{"waiting, with a question", task.Task{Status: task.Open, OpenDeps: 1, Questions: 1}, frontier.Waiting, false},
		{"asked", task.Task{Status: task.Open, Questions: 1}, frontier.Asked, false},
	} {
		if at, ready := frontier.Standing(&c.t); at != c.at || ready != c.ready {
			t.Errorf("%s: it stands at %d, ready %v; want %d, %v", c.name, at, ready, c.at, c.ready)
		}
	}
}

// TestAMoveFromWhereTheRowIsNotFailsTheWrite puts a row where no rule would write one: a write that finds it must fail
// and not overwrite it.
func TestAMoveFromWhereTheRowIsNotFailsTheWrite(t *testing.T) {
	dbtest.Each(t, func(t *testing.T, path string) {
		s := seeded(t, path, 2, nil)
		storetest.Read(t, s, func(r *store.Tx) error { _, err := walk(r, query.Frontier{Lane: query.LaneReady}); return err })
		storetest.Write(t, s, storetest.Alice, func(w *store.Tx) error {
			return w.Conn().Exec(1, `UPDATE frontier SET route=-2 WHERE task=(SELECT MIN(task) FROM frontier)`)
		})
		storetest.Read(t, s, func(r *store.Tx) error {
			found, _, err := recount.Recount(r, "demo")
			if len(found) != 1 {
				t.Errorf("a recount finds %+v, want the one row", found)
			}
			return err
		})
		claim := func(id task.ID) error {
			return s.Write(context.Background(), storetest.Alice, func(w *store.Tx) error {
				before, err := w.Task(id)
				if err != nil {
					return err
				}
				after, _, err := before.ClaimBy(storetest.Alice.Actor, task.Policy{}, nil, nil, w.Now())
				if err != nil {
					return err
				}
				return w.Save(task.Change{Before: before, After: after, Events: []task.Draft{{Kind: task.TaskClaimed}}})
			})
		}
		if err := claim("demo-1"); !fault.Is(err, fault.Conflict) || !errors.Is(err, db.ErrGuard) {
			t.Errorf("a claim of the task whose row is elsewhere: %v", err)
		}
		if err := claim("demo-2"); err != nil {
			t.Errorf("a claim of the other: %v", err)
		}
	})
}

func TestAProjectStoresFourOrdersAndTheOldestMakesRoom(t *testing.T) {
	dbtest.Each(t, func(t *testing.T, path string) {
		s := seeded(t, path, 7, func(i int, t *task.Task) { t.Priority, t.Severity = i%3, task.Severity(i%2) })
		orders := [][]task.SelectKey{{}, {task.ByAge}, nil, {}, {task.ByPriority}, {task.BySeverity}, {task.ByDue}, {task.BySeverity, task.ByPriority}, {task.ByAge}}
		for i, selection := range orders {
			q := query.Frontier{Lane: query.LaneReady, Policy: task.Policy{Selection: selection}}
			storetest.Read(t, s, func(r *store.Tx) error {
				all, _, _, err := r.List(query.List{Project: "demo"})
				if err != nil {
					return err
				}
				order, err := task.NewOrder(selection)
				if err != nil {
					return err
				}
				slices.SortFunc(all, func(a, b *task.Task) int { return order.Compare(q.Policy, q.Actor, a, b) })
				got, err := walk(r, q)
				if err != nil {
					return err
				}
				for n, one := range all {
					if n >= len(got) || got[n] != one.ID {
						t.Fatalf("by %v the walk gives %v, want %s at %d", selection, got, one.ID, n+1)
					}
				}
				return nil
			})
			if n := len(rows(t, s, `SELECT id FROM policy`)); n > 4 {
				t.Errorf("after %d orders %d are stored", i+1, n)
			}
			for _, n := range rows(t, s, `SELECT COUNT(*) FROM frontier GROUP BY policy`) {
				if n != 7 {
					t.Errorf("an order has %d rows", n)
				}
			}
			sound(t, s)
		}
		if n := rows(t, s, `SELECT COUNT(*) FROM frontier`); n[0] != 4*7 {
			t.Errorf("%d rows, want those of four orders", n[0])
		}
	})
}

// TestAMemberThatFailsTakesItsOrdersAndRoutesWithIt has a member that builds an order and interns a route, and then
// fails; the next member of the same turn must not use them.
func TestAMemberThatFailsTakesItsOrdersAndRoutesWithIt(t *testing.T) {
	dbtest.Each(t, func(t *testing.T, path string) {
		s := seeded(t, path, 3, nil)
		no := errors.New("no")
		route := func(w *store.Tx) error {
			one := storetest.Fresh("")
			one.MayExecute = []string{"ops"}
			if err := w.CreateTasks("demo", []task.NewTask{{Task: one, Event: task.Draft{Kind: task.TaskCreated}}}); err != nil {
				return err
			}
			got, err := walk(w, query.Frontier{Lane: query.LaneReady, Policy: task.Policy{Selection: []task.SelectKey{task.BySeverity}}})
			if err == nil && len(got) != 4 {
				err = fmt.Errorf("a walk in the new order gives %v", got)
			}
			return err
		}
		fails := func(w *store.Tx) error { return cmp.Or(route(w), no) }
		errs := storetest.Together(t, s, storetest.Alice, fails, route)
		if !errors.Is(errs[0], no) || errs[1] != nil {
			t.Errorf("answers %v", errs)
		}
		if n := rows(t, s, `SELECT COUNT(*) FROM route WHERE may_execute LIKE '%ops%'`); n[0] != 1 {
			t.Errorf("%d routes for what one task declares", n[0])
		}
		sound(t, s)
	})
}

// next selects and claims as an operation does, in one turn, and returns what it claimed.
func next(t *testing.T, s *store.Store, a task.Actor, regret error) (got task.ID) {
	t.Helper()
	err := s.Write(context.Background(), task.By{Actor: a}, func(w *store.Tx) error {
		var first *task.Task
		q := query.Frontier{Project: "demo", Actor: a, Lane: query.LaneHoldable, Limit: 1}
		if err := w.Walk(q, func(t *task.Task) bool { first = t; return false }); err != nil || first == nil {
			return err
		}
		got = first.ID
		after, _, err := first.ClaimBy(a, task.Policy{}, nil, nil, w.Now())
		if err != nil {
			return err
		}
		return errors.Join(w.Save(task.Change{Before: first, After: after, Events: []task.Draft{{Kind: task.TaskClaimed}}}), regret)
	})
	if err != nil && regret == nil {
		t.Fatal(err)
	}
	return got
}

// TestASelectionThatGoesOnSeesEveryChange claims along a walk that stays open from turn to turn, and changes what lies
// ahead in between: by a new task, by somebody else's claim, by one that is rolled back, and in another process.
func TestASelectionThatGoesOnSeesEveryChange(t *testing.T) {
	dbtest.Each(t, func(t *testing.T, path string) {
		s := seeded(t, path, 8, nil)
		other := storetest.Open(t, path, storetest.NewClock())
		agent := task.Actor{Name: "bob", Declared: true}
		claims := func(s *store.Store, want task.ID) {
			t.Helper()
			if got := next(t, s, agent, nil); got != want {
				t.Errorf("claimed %q, want %q", got, want)
			}
		}
		claims(s, "demo-1")
		claims(s, "demo-2")
		more(t, s, 1, func(_ int, t *task.Task) { t.Priority = 0 })
		claims(s, "demo-9")
		claims(s, "demo-3")
		if got := next(t, s, agent, errors.New("no")); got != "demo-4" {
			t.Errorf("the claim that is rolled back was of %s", got)
		}
		claims(s, "demo-4")
		claims(other, "demo-5")
		claims(s, "demo-6")
		claims(other, "demo-7")
		more(t, other, 1, func(_ int, t *task.Task) { t.Priority = 0 })
		claims(s, "demo-10")
		claims(s, "demo-8")
		claims(s, "")
		sound(t, s)
	})
}

// TestTheNextMemberSelectsWhatAFailedOneHadSelected has a member that selects and fails before it claims: the walk that
// it left open has passed a task that is still ready.
func TestTheNextMemberSelectsWhatAFailedOneHadSelected(t *testing.T) {
	dbtest.Each(t, func(t *testing.T, path string) {
		s := seeded(t, path, 3, nil)
		no := errors.New("no")
		var given []task.ID
		selects := func(err error) func(*store.Tx) error {
			return func(w *store.Tx) error {
				got, bad := walk(w, query.Frontier{Lane: query.LaneHoldable, Limit: 1, Actor: storetest.Alice.Actor})
				given = append(given, got...)
				return cmp.Or(bad, err)
			}
		}
		storetest.Together(t, s, storetest.Alice, selects(no), selects(no), selects(nil))
		if fmt.Sprint(given) != "[demo-1 demo-1 demo-1]" {
			t.Errorf("the claims are of %v", given)
		}
	})
}

// TestAWalkWithoutACallerMeetsEachTaskOnce has tasks that prefer somebody, so that a group is read in runs, and a
// caller without a name, whose own run would repeat the tasks that prefer nobody.
func TestAWalkWithoutACallerMeetsEachTaskOnce(t *testing.T) {
	dbtest.Each(t, func(t *testing.T, path string) {
		s := seeded(t, path, 30, func(i int, t *task.Task) { t.PreferredActor = []task.Opt{"", "", "bob"}[i%3] })
		storetest.Read(t, s, func(r *store.Tx) error {
			got, err := walk(r, query.Frontier{Lane: query.LaneReady})
			seen := slices.Clone(got)
			slices.Sort(seen)
			if len(got) != 30 || len(slices.Compact(seen)) != 30 {
				t.Errorf("of 30 tasks the walk gives %v", got)
			}
			return err
		})
	})
}

// TestTheHeadOfALongGroupCostsTheSameAtAnySize gives all tasks one priority, and a few prefer somebody: the caller's
// own come first, and are found without reading the others.
func TestTheHeadOfALongGroupCostsTheSameAtAnySize(t *testing.T) {
	dbtest.Each(t, func(t *testing.T, path string) {
		prefers := func(i int, t *task.Task) {
			if i%100 == 99 {
				t.PreferredActor = []task.Opt{"bob", "carol"}[i/100%2]
			}
		}
		s := seeded(t, path, 400, prefers)
		visited := func() (n int64, first task.ID) {
			q := query.Frontier{Lane: query.LaneHoldable, Limit: 1, Actor: task.Actor{Name: "bob", Declared: true}}
			storetest.Read(t, s, func(r *store.Tx) error {
				if _, err := walk(r, q); err != nil { // statements prepared, projects loaded
					return err
				}
				before, err := r.Conn().Visited()
				if err != nil {
					return err
				}
				got, err := walk(r, q)
				if err != nil {
					return err
				}
				after, err := r.Conn().Visited()
				n, first = after-before, got[0]
				return err
			})
			return n, first
		}
		few, first := visited()
		if first != "demo-100" {
			t.Errorf("the first is %s, want the oldest task that prefers bob", first)
		}
		more(t, s, 4000, prefers)
		if path[0] == 'p' { // its planner knows a table's size from its last analysis
			storetest.Write(t, s, storetest.Alice, func(w *store.Tx) error { return w.Conn().Exec(db.Any, `ANALYZE frontier`) })
		}
		many, again := visited()
		if again != first || many > 2*few+20 {
			t.Errorf("the head %s visits %d of 400 and %d of 4,400", again, few, many)
		}
	})
}

func TestTheHeadOfALaneSaysHowManyStandBeforeItsEnd(t *testing.T) {
	dbtest.Each(t, func(t *testing.T, path string) {
		s := seeded(t, path, 6, func(i int, t *task.Task) { t.Autonomy = []task.Opt{"", "human_only"}[i%2] })
		storetest.Read(t, s, func(r *store.Tx) error {
			q := query.Frontier{Project: "demo", Lane: query.LanePassedOver, Limit: 2, Actor: task.Actor{Name: "bob", Declared: true}}
			for i, want := range []int{0, 0, 1, 1, 2, 2} {
				until, err := r.Task(task.MakeID("demo", int64(i+1)))
				if err != nil {
					return err
				}
				q.Until = until
				head, before, err := r.LaneHead(q)
				if err != nil {
					return err
				}
				if len(head) != 2 || head[0].ID != "demo-2" || head[1].ID != "demo-4" || before != want {
					t.Errorf("up to %s: %d of %v, want %d of demo-2 and demo-4", until.ID, before, head, want)
				}
			}
			return nil
		})
	})
}

func TestABoardShowsEachLaneInItsOrderAndClosedOnesNewestFirst(t *testing.T) {
	dbtest.Each(t, func(t *testing.T, path string) {
		states := []task.Status{task.Open, task.InProgress, task.InReview, task.Done, task.Cancelled}
		for _, prefers := range []bool{false, true} {
			t.Run(fmt.Sprint("preferences ", prefers), func(t *testing.T) {
				s := storetest.Open(t, path, nil)
				slug := fmt.Sprint("board", prefers)
				storetest.Write(t, s, storetest.Alice, func(w *store.Tx) error {
					if err := w.CreateProject(&task.Project{Slug: slug}); err != nil {
						return err
					}
					list := make([]task.NewTask, 40)
					for i := range list {
						one := storetest.Fresh("")
						one.Status, one.Priority = states[i%len(states)], i%3
						if one.Status.Closed() {
							one.ClosedAt = w.Now() + task.Time(i*7%40)
						}
						if prefers {
							one.PreferredActor = []task.Opt{"", "alice", "bob"}[i%3]
						}
						list[i] = task.NewTask{Task: one, Event: task.Draft{Kind: task.TaskCreated}}
					}
					return w.CreateTasks(slug, list)
				})
				storetest.Read(t, s, func(r *store.Tx) error {
					all, _, _, err := r.List(query.List{Project: slug})
					if err != nil {
						return err
					}
					cards, err := r.Cards(query.Cards{Project: slug, Actor: storetest.Alice.Actor, Limit: 5})
					if err != nil {
						return err
					}
					order, err := task.NewOrder(nil)
					if err != nil {
						return err
					}
					for i, status := range task.Statuses {
						lane := slices.DeleteFunc(slices.Clone(all), func(t *task.Task) bool { return t.Status != status })
						if status.Closed() {
							slices.SortFunc(lane, func(a, b *task.Task) int { return int(b.ClosedAt - a.ClosedAt) })
						} else {
							slices.SortFunc(lane, func(a, b *task.Task) int {
								if a.Ready() != b.Ready() { // ready ones come first
									return map[bool]int{true: -1, false: 1}[a.Ready()]
								}
								return order.Compare(task.Policy{}, storetest.Alice.Actor, a, b)
							})
						}
						var want, got []task.ID
						for _, t := range lane[:min(5, len(lane))] {
							want = append(want, t.ID)
						}
						for _, c := range cards[i] {
							got = append(got, c.ID)
						}
						if !slices.Equal(want, got) {
							t.Errorf("%s shows %v, want %v", status, got, want)
						}
					}
					return nil
				})
			})
		}
	})
}

func TestALaneBelowATaskHasOnlyItsDescendants(t *testing.T) {
	dbtest.Each(t, func(t *testing.T, path string) {
		s := seeded(t, path, 3, nil)
		more(t, s, 4, func(i int, t *task.Task) { t.Parent, t.Priority = "demo-1", 3-i%2 })
		more(t, s, 1, func(_ int, t *task.Task) { t.Parent = "demo-4" })
		storetest.Read(t, s, func(r *store.Tx) error {
			for root, want := range map[task.ID]string{"demo-1": "[demo-5 demo-7 demo-8 demo-6]", "demo-4": "[demo-8]", "demo-2": "[]"} {
				got, err := walk(r, query.Frontier{Lane: query.LaneReady, Under: root})
				if err != nil {
					return err
				}
				if fmt.Sprint(got) != want {
					t.Errorf("below %s: %v, want %s", root, got, want)
				}
			}
			return nil
		})
	})
}
