package store_test

import (
	"errors"
	"fmt"
	"testing"
	"time"

	"tasker/internal/db"
	"tasker/internal/fault"
	"tasker/internal/search"
	"tasker/internal/store"
	"tasker/internal/store/recount"
	"tasker/internal/task"
	"tasker/internal/task/query"
	"tasker/internal/testkit/dbtest"
	"tasker/internal/testkit/storetest"
)

// seeded returns a store whose projects have n open tasks each.
func seeded(t *testing.T, path string, n int, slugs ...string) (*store.Store, *storetest.Clock) {
	t.Helper()
	clock := storetest.NewClock()
	s := storetest.Open(t, path, clock)
	for _, slug := range slugs {
		storetest.Write(t, s, storetest.Alice, func(w *store.Tx) error {
			if err := w.CreateProject(&task.Project{Slug: slug}, task.Draft{Kind: task.ProjectCreated}); err != nil {
				return err
			}
			list := make([]task.NewTask, n)
			for i := range list {
				list[i] = task.NewTask{Task: storetest.Fresh(""), Event: task.Draft{Kind: task.TaskCreated}}
			}
			return w.CreateTasks(slug, list)
		})
	}
	return s, clock
}

// hold has alice hold tasks, with leases that are over when hold returns; the first one's ended first.
func hold(t *testing.T, s *store.Store, clock *storetest.Clock, ids ...task.ID) {
	t.Helper()
	storetest.Write(t, s, storetest.Alice, func(w *store.Tx) error {
		for i, id := range ids {
			before, err := w.Task(id)
			if err != nil {
				return err
			}
			lease := int64(60_000)
			after, _, err := before.ClaimBy(storetest.Alice.Actor, task.Policy{}, nil, &lease, w.Now())
			if err != nil {
				return err
			}
			after.Claim.ExpiresAt = w.Now() + task.Time(i) - task.Time(len(ids))
			if err := w.Save(task.Change{Before: before, After: after, Events: []task.Draft{{Kind: task.TaskClaimed}}}); err != nil {
				return err
			}
		}
		return nil
	})
	clock.Step(time.Second)
}

// sound fails the test if the maintained values differ from a recount.
func sound(t *testing.T, s *store.Store, slug string) {
	t.Helper()
	storetest.Read(t, s, func(r *store.Tx) error {
		found, _, err := recount.Recount(r, slug)
		if len(found) > 0 {
			t.Errorf("a recount of %s differs: %+v", slug, found)
		}
		return err
	})
}

func project(t *testing.T, s *store.Store, slug string) (p *task.Project) {
	t.Helper()
	storetest.Read(t, s, func(r *store.Tx) (err error) { p, err = r.Project(slug); return err })
	return p
}

// kinds counts the events of a project by kind.
func kinds(t *testing.T, s *store.Store, slug string) map[task.Kind][]task.Event {
	t.Helper()
	out := map[task.Kind][]task.Event{}
	storetest.Read(t, s, func(r *store.Tx) error {
		zero := int64(0)
		events, err := r.Events(query.Events{Project: slug, SinceID: &zero})
		for _, ev := range events {
			out[ev.Kind] = append(out[ev.Kind], ev)
		}
		return err
	})
	return out
}

func TestASnapshotReadsALapsedLeaseAsItWillBeSweptAndWritesNothing(t *testing.T) {
	dbtest.Each(t, func(t *testing.T, path string) {
		s, clock := seeded(t, path, 3, "demo")
		hold(t, s, clock, "demo-1", "demo-2")
		storetest.Read(t, s, func(r *store.Tx) error {
			one, err := r.Task("demo-1")
			if err != nil {
				return err
			}
			if one.Claim != nil || one.Status != task.Open {
				t.Errorf("a task whose lease has lapsed reads %s, claimed by %+v", one.Status, one.Claim)
			}
			p, err := r.Find("demo")
			if err != nil {
				return err
			}
			lapsed, err := r.Lapsed(p)
			if err != nil {
				return err
			}
			if len(lapsed) != 2 || lapsed[0].ID != "demo-1" || lapsed[1].ID != "demo-2" {
				t.Errorf("lapsed are %v", lapsed)
			}
			if p.Rec.Held != 2 || p.Rec.Ready != 1 {
				t.Errorf("the row counts %d held and %d ready, want it untouched", p.Rec.Held, p.Rec.Ready)
			}
			return nil
		})
		if p := project(t, s, "demo"); p.Held != 0 || p.Ready != 3 || p.Tasks.Open != 3 || p.Tasks.InProgress != 0 {
			t.Errorf("shown are %d held, %d ready, %+v", p.Held, p.Ready, p.Tasks)
		}
		if got := kinds(t, s, "demo")[task.ClaimExpired]; len(got) != 0 {
			t.Errorf("a read recorded %v", got)
		}
	})
}

func TestATurnThatLoadsATaskSweepsItsLapsedLease(t *testing.T) {
	dbtest.Each(t, func(t *testing.T, path string) {
		s, clock := seeded(t, path, 3, "demo")
		hold(t, s, clock, "demo-1", "demo-2")
		bob := task.By{Actor: task.Actor{Name: "bob"}, Via: task.Via{Face: "mcp"}}
		storetest.Write(t, s, bob, func(w *store.Tx) error {
			one, err := w.Task("demo-1")
			if err == nil && one.Claim != nil {
				t.Errorf("it is held by %+v", one.Claim)
			}
			return errors.Join(err, w.Record("demo", "demo-1", task.Draft{Kind: task.NoteAdded, Payload: task.Payload{"text": "here"}}))
		})
		expired, noted := kinds(t, s, "demo")[task.ClaimExpired], kinds(t, s, "demo")[task.NoteAdded]
		if len(expired) != 1 || len(noted) != 1 || noted[0].Actor != "bob" || noted[0].Batch != expired[0].Batch {
			t.Errorf("recorded are %+v and %+v, want one batch with the write that swept", expired, noted)
		}
		if len(expired) != 1 || expired[0].Task != "demo-1" || expired[0].Actor != "tasker" || expired[0].Via.Face != "server" {
			t.Errorf("recorded are %+v, want only the lapse of demo-1, in the server's name", expired)
		}
		sound(t, s, "demo")
	})
}

func TestATurnSweepsTwoHundredLeasesOfAllProjectsSoonestFirst(t *testing.T) {
	dbtest.Each(t, func(t *testing.T, path string) {
		s, clock := seeded(t, path, 130, "one", "two")
		var ids []task.ID
		for i := range 130 {
			ids = append(ids, task.MakeID("one", int64(i+1)), task.MakeID("two", int64(i+1)))
		}
		hold(t, s, clock, ids...)
		sweep := func() (n int) {
			storetest.Write(t, s, task.By{}, func(w *store.Tx) (err error) { n, err = w.Sweep(); return err })
			return n
		}
		if n := sweep(); n != 200 {
			t.Errorf("the first turn sweeps %d", n)
		}
		for _, slug := range []string{"one", "two"} {
			if got := kinds(t, s, slug)[task.ClaimExpired]; len(got) != 100 || got[99].Task != task.Opt(task.MakeID(slug, 100)) {
				t.Errorf("of %s %d leases are swept, the last of %s", slug, len(got), got[len(got)-1].Task)
			}
			sound(t, s, slug)
		}
		if n := sweep(); n != 60 {
			t.Errorf("the second turn sweeps %d", n)
		}
		if n := sweep(); n != 0 {
			t.Errorf("the third turn sweeps %d", n)
		}
		for _, slug := range []string{"one", "two"} {
			if p := project(t, s, slug); p.Held != 0 || p.Ready != 130 {
				t.Errorf("%s counts %d held and %d ready", slug, p.Held, p.Ready)
			}
			sound(t, s, slug)
		}
	})
}

// TestAFailedMembersCountsAreRolledBack runs members that share a project in one turn. One of them fails after it has
// changed counts, tallies and the log.
func TestAFailedMembersCountsAreRolledBack(t *testing.T) {
	dbtest.Each(t, func(t *testing.T, path string) {
		s, _ := seeded(t, path, 6, "demo")
		no := errors.New("no")
		cancel := func(id task.ID, regret error) func(*store.Tx) error {
			return func(w *store.Tx) error {
				before, err := w.Task(id)
				if err != nil {
					return err
				}
				m, err := before.MoveBy(storetest.Alice.Actor, task.Policy{}, task.Move{To: task.Cancelled}, task.Standing{}, w.Now())
				if err != nil {
					return err
				}
				if err := w.Save(task.Change{Before: before, After: m.After, Events: []task.Draft{{
					Kind: task.TaskMoved, Payload: task.Payload{"from": m.From, "to": m.After.Status},
				}}}); err != nil {
					return err
				}
				return regret
			}
		}
		errs := storetest.Together(t, s, storetest.Alice, cancel("demo-1", nil), cancel("demo-2", no), cancel("demo-3", nil))
		if errs[0] != nil || !errors.Is(errs[1], no) || errs[2] != nil {
			t.Errorf("answers %v", errs)
		}
		if p := project(t, s, "demo"); p.Tasks.Cancelled != 2 || p.Tasks.Open != 4 || p.Ready != 4 {
			t.Errorf("the project counts %+v and %d ready", p.Tasks, p.Ready)
		}
		if got := kinds(t, s, "demo")[task.TaskMoved]; len(got) != 2 {
			t.Errorf("%d moves are recorded", len(got))
		}
		sound(t, s, "demo")
	})
}

func TestAReaderFindsWhatItIsNarrowedToAlone(t *testing.T) {
	dbtest.Each(t, func(t *testing.T, path string) {
		s, _ := seeded(t, path, 1, "one", "two", "three")
		storetest.Read(t, s, func(r *store.Tx) error {
			r.Within([]string{"two", "missing", "two"})
			if !r.Hides("one") || r.Hides("two") {
				t.Error("Hides should report one and not two")
			}
			if _, err := r.Find("one"); !fault.Is(err, fault.NotFound) {
				t.Errorf("a hidden project was found, or fails with %v", err)
			}
			_, hidden := r.Task("one-1")
			_, missing := r.Task("nowhere-1")
			if hidden == nil || missing == nil || fmt.Sprint(hidden) != "there is no task one-1" || fmt.Sprint(missing) != "there is no task nowhere-1" {
				t.Errorf("a hidden task is %q, one of no project %q: they must not differ", hidden, missing)
			}
			if _, err := r.Keys([]task.ID{"two-1", "three-1"}); !fault.Is(err, fault.NotFound) {
				t.Errorf("keys outside the scope: %v", err)
			}
			for _, id := range []task.ID{"two-2", "two-", "two", "", "two-1x"} {
				if _, err := r.Task(id); !fault.Is(err, fault.NotFound) {
					t.Errorf("the task %q: %v", id, err)
				}
			}
			one, err := r.Task("two-1")
			if err == nil && one.ID != "two-1" {
				t.Errorf("two-1 is %s", one.ID)
			}
			return err
		})
		storetest.Read(t, s, func(r *store.Tx) error { // the log uses the ids of visible projects
			r.Within([]string{"two", "missing"})
			events, err := r.Events(query.Events{})
			for _, ev := range events {
				if ev.Project != "two" {
					t.Errorf("the reader sees an event of %s", ev.Project)
				}
			}
			if len(events) == 0 {
				t.Error("the reader sees no event")
			}
			return err
		})
	})
}

func TestAProjectIsLoadedOnceInATransaction(t *testing.T) {
	dbtest.Each(t, func(t *testing.T, path string) {
		s, _ := seeded(t, path, 1, "demo")
		storetest.Read(t, s, func(r *store.Tx) error {
			first, err := r.Find("demo")
			if err != nil {
				return err
			}
			before := r.Conn().Stats().Statements
			for range 3 {
				again, err := r.Loaded("demo")
				if err != nil {
					return err
				}
				if again != first {
					t.Error("the second Find returns another record, so that counts of the first are lost")
				}
			}
			if n := r.Conn().Stats().Statements - before; n != 0 {
				t.Errorf("%d statements to find it again", n)
			}
			return nil
		})
	})
}

func TestAProjectsKeysAreItsOwn(t *testing.T) {
	one, two := store.NewProject(1), store.NewProject(2)
	one.Rec.Slug = "one"
	lo, hi := one.Span()
	if next, _ := two.Span(); hi+1 != next {
		t.Errorf("the keys of two projects meet at %d and %d", hi, next)
	}
	for _, n := range []int64{1, 2, 1 << 20, 999_999_999} {
		key := one.Ref(n)
		if key < lo || key > hi {
			t.Errorf("task %d has the key %d, outside of %d to %d", n, key, lo, hi)
		}
		if id := one.TaskID(key); id != task.MakeID("one", n) || one.KeyOf(&task.Task{ID: id}) != key {
			t.Errorf("task %d is %s", n, id)
		}
	}
}

func TestAGuardThatDidNotHoldIsAConflict(t *testing.T) {
	broken := db.Guard("UPDATE task", 1, 0)
	if !fault.Is(broken, fault.Conflict) || !errors.Is(broken, db.ErrGuard) {
		t.Errorf("%v", broken)
	}
}

func TestAnActorIsFoundInAProjectOnceItWroteThereButNotForAClaim(t *testing.T) {
	dbtest.Each(t, func(t *testing.T, path string) {
		s, _ := seeded(t, path, 1, "demo")
		found := func(name string) (yes bool) {
			storetest.Read(t, s, func(r *store.Tx) error {
				res, err := r.Search(search.Ask{Query: search.Parse(name), Text: name, Project: "demo", Kind: search.Actor, Limit: 10})
				yes = len(res.Found) > 0
				return err
			})
			return yes
		}
		bob := task.By{Actor: task.Actor{Name: "bobolink"}}
		appended := func(kind task.Kind) {
			storetest.Write(t, s, bob, func(w *store.Tx) error { return w.Record("demo", "demo-1", task.Draft{Kind: kind}) })
		}
		appended(task.TaskClaimed)
		appended(task.ClaimRenewed)
		if found("bobolink") {
			t.Error("a claim added its actor to the index, which must cost it nothing")
		}
		appended(task.TaskUpdated)
		if !found("bobolink") {
			t.Error("the actor of an edit is not found")
		}
	})
}
