package store_test

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"strings"
	"sync"
	"testing"

	"tasker/internal/db"
	"tasker/internal/fault"
	"tasker/internal/store"
	"tasker/internal/task"
	"tasker/internal/task/query"
	"tasker/internal/testkit/dbtest"
	"tasker/internal/testkit/storetest"
)

// crowded creates a project with held tasks, so that selection has something to pass over.
func crowded(t *testing.T, s *store.Store) []task.ID {
	t.Helper()
	var ids []task.ID
	storetest.Write(t, s, storetest.Alice, func(w *store.Tx) error {
		if err := w.CreateProject(&task.Project{Slug: "p"}); err != nil {
			return err
		}
		tasks := make([]task.NewTask, 30)
		for i := range tasks {
			tasks[i] = task.NewTask{Task: &task.Task{Title: fmt.Sprint(i), Status: task.Open, Priority: i % 3, Version: 1}, Event: task.Draft{Kind: task.TaskCreated}}
		}
		return w.CreateTasks("p", tasks)
	})
	storetest.Write(t, s, storetest.Alice, func(w *store.Tx) error {
		ids = nil
		for i := 0; i < 30; i += 2 {
			before, err := w.Task(task.MakeID("p", int64(i+1)))
			if err != nil {
				return err
			}
			after, _, err := before.ClaimBy(storetest.Alice.Actor, task.Policy{}, nil, nil, w.Now())
			if err != nil {
				return err
			}
			if err := w.Save(task.Change{Before: before, After: after}); err != nil {
				return err
			}
			ids = append(ids, before.ID)
		}
		return nil
	})
	return ids
}

// passed returns what selection passes over, up to a task.
func passed(r *store.Tx, actor string, until task.ID) ([]task.ID, error) {
	q := query.Frontier{Project: "p", Actor: task.Actor{Name: actor}, Lane: query.LanePassedOver, Limit: 10}
	if until != "" {
		t, err := r.Task(until)
		if err != nil {
			return nil, err
		}
		q.Until = t
	}
	head, before, err := r.LaneHead(q)
	if err != nil {
		return nil, err
	}
	var out, walked []task.ID
	for _, t := range head[:before] {
		out = append(out, t.ID)
	}
	err = r.Walk(q, func(t *task.Task) bool {
		walked = append(walked, t.ID)
		return len(walked) < q.Limit
	})
	if err == nil && !slices.Equal(out, walked) {
		err = fmt.Errorf("the head is %v, a walk gives %v", out, walked)
	}
	return out, err
}

func nothing(*store.Tx) error { return nil }

func TestAnswersThatShareASnapshotAreThoseOfReads(t *testing.T) {
	dbtest.Each(t, func(t *testing.T, path string) {
		s := storetest.Open(t, path, nil)
		held := crowded(t, s)
		ctx := context.Background()
		var wg sync.WaitGroup
		for i := range 64 {
			wg.Go(func() {
				until := task.MakeID("p", int64(1+i%30))
				actor := []string{"bob", "carol"}[i%2]
				if i%8 == 0 {
					until = ""
				}
				var want, got []task.ID
				err := s.Read(ctx, func(r *store.Tx) (err error) { want, err = passed(r, actor, until); return err })
				if err == nil {
					_, err = s.WriteThen(ctx, storetest.Alice, nothing, func(r *store.Tx) (err error) { got, err = passed(r, actor, until); return err })
				}
				if err != nil || fmt.Sprint(got) != fmt.Sprint(want) {
					t.Errorf("up to %q: an answer passes over %v, a read %v, %v", until, got, want, err)
				}
				if until == "" && len(got) != min(10, len(held)) {
					t.Errorf("%d of %d held tasks are passed over", len(got), len(held))
				}
			})
		}
		wg.Wait()
	})
}

func TestAnAnswerSeesWhatItsCallerWrote(t *testing.T) {
	dbtest.Each(t, func(t *testing.T, path string) {
		s := storetest.Open(t, path, nil)
		crowded(t, s)
		var wg sync.WaitGroup
		for i := range 32 {
			wg.Go(func() {
				id := task.MakeID("p", int64(1+i%30))
				text := fmt.Sprint("note ", i)
				found := false
				_, err := s.WriteThen(context.Background(), storetest.Alice, func(w *store.Tx) error {
					on, err := w.Task(id)
					if err != nil {
						return err
					}
					_, err = w.AddNote(on, text)
					return err
				}, func(r *store.Tx) error {
					notes, err := r.Notes(id, 100)
					for _, n := range notes {
						found = found || n.Text == text
					}
					return err
				})
				if err != nil || !found {
					t.Errorf("%q is not among the notes of %s: %v", text, id, err)
				}
			})
		}
		wg.Wait()
	})
}

func TestAnAnswerThatFailsOrPanicsFailsAlone(t *testing.T) {
	dbtest.Each(t, func(t *testing.T, path string) {
		s := storetest.Open(t, path, nil)
		crowded(t, s)
		mine := errors.New("mine")
		var wg sync.WaitGroup
		for i := range 60 {
			wg.Go(func() {
				ctx, cancel := context.WithCancel(context.Background())
				defer cancel()
				read := false
				made, err := s.WriteThen(ctx, storetest.Alice, func(*store.Tx) error {
					if i%6 == 5 {
						return mine
					}
					if i%6 == 4 { // a writer gets its answer even if its context has ended
						cancel()
					}
					return nil
				}, func(r *store.Tx) error {
					read = true
					switch i % 6 {
					case 0:
						panic("at the disco")
					case 1:
						return mine
					case 2: // spoils the snapshot's transaction on PostgreSQL
						return r.Conn().Query(`SELECT nothing FROM nowhere`, nil, func(db.Row) error { return nil })
					}
					_, err := r.Task("p-1")
					return err
				})
				if made != (i%6 != 5) {
					t.Errorf("write %d: made is %v", i, made)
				}
				switch i % 6 {
				case 0:
					if !fault.Is(err, fault.Internal) {
						t.Errorf("a panic is answered with %v", err)
					}
				case 1:
					if !errors.Is(err, mine) {
						t.Errorf("an error is answered with %v", err)
					}
				case 2:
					if err == nil {
						t.Error("a statement that cannot be run is answered with nothing")
					}
				case 5:
					if !errors.Is(err, mine) || read {
						t.Errorf("a failed write is answered with %v, read = %v", err, read)
					}
				default:
					if err != nil || !read {
						t.Errorf("a write is answered with another's error: %v, read = %v", err, read)
					}
				}
			})
		}
		wg.Wait()
	})
}

// TestPrefetchedRecordsAreNotShownToAnotherReader has two readers share a snapshot: one reads a task's history, and the
// other may not see the task's project.
func TestPrefetchedRecordsAreNotShownToAnotherReader(t *testing.T) {
	dbtest.Each(t, func(t *testing.T, path string) {
		s := storetest.Open(t, path, nil)
		crowded(t, s)
		id := task.MakeID("p", 1)
		q := query.Events{Task: id, Limit: 10}
		var wg sync.WaitGroup
		for i := range 64 {
			wg.Go(func() {
				hidden := i%2 == 1
				claim := func(w *store.Tx) error {
					before, err := w.Task(id)
					if err != nil {
						return err
					}
					after := *before
					after.Version, after.Fence, after.Status = before.Version+1, before.Fence+1, task.InProgress
					after.Claim = &task.Claim{Task: id, Actor: "alice", Fence: after.Fence, Version: 1, ClaimedAt: w.Now()}
					return w.Save(task.Change{Before: before, After: &after, Events: []task.Draft{{Kind: task.TaskClaimed}}})
				}
				_, err := s.WriteThen(context.Background(), storetest.Alice, claim, func(r *store.Tx) error {
					if hidden {
						r.Within([]string{"another"})
					}
					events, err := r.Events(q)
					if err == nil && len(events) == 0 {
						t.Error("there are no events")
					}
					return err
				})
				if hidden != fault.Is(err, fault.NotFound) {
					t.Errorf("hidden %v: %v", hidden, err)
				}
			})
		}
		wg.Wait()
	})
}

func TestWhatConcernsAClaimerIsTheSameReadAheadOrNot(t *testing.T) {
	dbtest.Each(t, func(t *testing.T, path string) {
		s := storetest.Open(t, path, nil)
		crowded(t, s)
		ctx := context.Background()
		for _, holder := range []string{"alice", "alice/2", "bob"} {
			var id task.ID
			claim := func(w *store.Tx) error {
				before, err := w.Task(task.MakeID("p", 2))
				if err != nil {
					return err
				}
				id = before.ID
				after := *before
				after.Version, after.Fence, after.Status = before.Version+1, before.Fence+1, task.InProgress
				after.Claim = &task.Claim{Task: id, Actor: holder, Fence: after.Fence, Version: 1, ClaimedAt: w.Now()}
				return w.Save(task.Change{Before: before, After: &after, Events: []task.Draft{{Kind: task.TaskClaimed}}})
			}
			concerns := func(into *[]string) func(r *store.Tx) error {
				return func(r *store.Tx) error {
					for _, names := range [][]string{{"alice"}, {"alice/2", "alice"}, {"bob"}, {"alice", "bob"}} {
						for _, limit := range []int{1, 5, 11, 30} {
							c, err := r.Concerned("p", names, id, limit)
							if err != nil {
								return err
							}
							*into = append(*into, fmt.Sprint(names, limit, c))
						}
					}
					return nil
				}
			}
			var ahead, plain []string
			_, err := s.WriteThen(ctx, storetest.Alice, claim, concerns(&ahead))
			if err := errors.Join(err, s.Read(ctx, concerns(&plain))); err != nil {
				t.Fatal(err)
			}
			if !slices.Equal(ahead, plain) || !slices.ContainsFunc(plain, func(c string) bool { return strings.HasPrefix(c, "[alice] 5 {5 false ") }) {
				t.Errorf("after a claim by %s the reply reads %q, another %q", holder, ahead, plain)
			}
		}
	})
}
