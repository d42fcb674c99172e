package inbox_test

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"strings"
	"testing"

	"tasker/internal/admin"
	"tasker/internal/app/services"
	"tasker/internal/db"
	"tasker/internal/inbox"
	"tasker/internal/store"
	"tasker/internal/testkit/coretest"
	"tasker/internal/testkit/dbtest"
	"tasker/internal/testkit/storetest"
	"tasker/internal/views/reading"
	"tasker/internal/work"
)

// fail claims a task and releases it as failed.
func fail(t *testing.T, s *services.Set, id string, times int) {
	t.Helper()
	for range times {
		if _, err := s.Work.Claim(coretest.Bot, work.ClaimIn{Task: id}); err != nil {
			t.Fatal(err)
		}
		if _, err := s.Work.Release(coretest.Bot, work.ReleaseIn{Task: id, Failed: true}); err != nil {
			t.Fatal(err)
		}
	}
}

func move(t *testing.T, s *services.Set, id string, to ...string) {
	t.Helper()
	for _, to := range to {
		if _, err := s.Work.Move(coretest.Ann, work.MoveIn{Task: id, To: to}); err != nil {
			t.Fatal(err)
		}
	}
}

// warns reports whether the bundle of a task says that it keeps failing.
func warns(k *coretest.Kit, id string) bool {
	k.Helper()
	b, err := k.Reading.Show(coretest.Bot, reading.ShowIn{Task: id})
	k.Must(err)
	return slices.ContainsFunc(b.Warnings, func(w string) bool { return strings.HasPrefix(w, "it has failed ") })
}

func TestAHumanAcknowledgesAFailingTaskForEverybody(t *testing.T) {
	eachHouse(t, func(k *coretest.Kit) {
		apply(k, "demo", `{"key": "a", "title": "A"}`, `{"key": "b", "title": "B", "priority": 3}`)
		fail(k.T, k.Set, "demo-1", 2)
		move(k.T, k.Set, "demo-1", "in_review")
		coretest.EqualSlices(k, "after two failures", inboxOf(coretest.Bob, k), "review:demo-1")
		move(k.T, k.Set, "demo-1", "open")
		coretest.EqualSlices(k, "after three", inboxOf(coretest.Bob, k), "failing:demo-1")
		coretest.EqualSlices(k, "of an agent", inboxOf(coretest.Bot, k))
		if !warns(k, "demo-1") || warns(k, "demo-2") {
			k.Error("want a warning in the bundle of the failing task, and in no other")
		}
		next, err := k.Work.Peek(coretest.Bot, work.PeekIn{Project: "demo"})
		if k.Must(err); next.Task == nil || next.Task.ID != "demo-1" {
			k.Errorf("next is not the first by the policy: %+v", next.Task)
		}
		ack := inbox.AckIn{Slug: "demo", Items: []string{"failing:demo-1"}}
		_, err = k.Inbox.Ack(coretest.Bot, ack)
		k.Must(err)
		coretest.EqualSlices(k, "an agent put it away for itself", inboxOf(coretest.Bob, k), "failing:demo-1")
		_, err = k.Inbox.Ack(coretest.Ann, ack)
		k.Must(err)
		coretest.EqualSlices(k, "ann acknowledged it", inboxOf(coretest.Bob, k))
		coretest.Equal(k, "the bundle warns", warns(k, "demo-1"), false)
		fail(k.T, k.Set, "demo-1", 2)
		coretest.EqualSlices(k, "two more", inboxOf(coretest.Bob, k))
		fail(k.T, k.Set, "demo-1", 1)
		coretest.EqualSlices(k, "three more", inboxOf(coretest.Bob, k), "failing:demo-1")
		move(k.T, k.Set, "demo-1", "done", "open")
		coretest.EqualSlices(k, "closed and reopened", inboxOf(coretest.Bob, k))
	})
}

// TestADatabaseFromBeforeFailuresWereCountedIsRecounted drops the columns and lets the migration restore them.
func TestADatabaseFromBeforeFailuresWereCountedIsRecounted(t *testing.T) {
	dbtest.Each(t, func(t *testing.T, path string) {
		within := func(fn func(s *services.Set)) {
			s, err := coretest.Open(path, nil)
			if err != nil {
				t.Fatal(err)
			}
			fn(s)
			if err := s.Store.Close(); err != nil {
				t.Fatal(err)
			}
		}
		const want = "[unheld:demo-3 failing:demo-1 unheld:demo-2]"
		check := func(when string, s *services.Set) {
			out, err := s.Inbox.Inbox(coretest.Ann, inbox.InboxIn{Slug: "demo", All: true})
			var ids []string
			for _, it := range out.Items {
				ids = append(ids, it.ID)
			}
			if fmt.Sprint(ids) != want || err != nil {
				t.Errorf("%s the inbox has %v, want %s (%v)", when, ids, want, err)
			}
			if found, err := s.Admin.Doctor(coretest.Ann, admin.DoctorIn{}); err != nil || !found.OK {
				t.Errorf("%s a recount finds %+v, %v", when, found.Checks, err)
			}
		}
		within(func(s *services.Set) {
			for i, status := range []string{"open", "open", "in_progress", "open"} {
				k := coretest.Kit{T: t, Set: s}
				k.Apply(fmt.Sprintf(`{"project": "demo", "tasks": [{"key": "k%d", "title": "T", "status": %q}]}`, i, status))
			}
			fail(t, s, "demo-1", 4)
			fail(t, s, "demo-2", 2)
			move(t, s, "demo-2", "done", "open", "in_review", "open", "in_progress")
			fail(t, s, "demo-4", 1)
			if _, err := s.Work.Claim(coretest.Bot, work.ClaimIn{Task: "demo-4"}); err != nil {
				t.Fatal(err)
			}
			check("before", s)
		})
		at := slices.IndexFunc(store.Schema(), func(m db.Migration) bool { return strings.HasSuffix(m.Name, "_failing.sql") })
		// The changes of later migrations stay: the database goes back by this one only.
		behind := fmt.Sprintf(`UPDATE turn SET schema_version=%d`, at)
		statements(t, path, store.Schema(), `DROP INDEX task_unheld`, `DROP INDEX task_failing`, `ALTER TABLE task DROP COLUMN unheld`,
			`ALTER TABLE task DROP COLUMN failures`, `ALTER TABLE task DROP COLUMN failing`, `ALTER TABLE task DROP COLUMN acknowledged`, behind)
		older := db.New(storetest.Engine(t, path, db.Setup{Migrations: store.Schema()[:at+1]}), db.Hooks{})
		if _, _, err := older.Migrate(t.Context()); err != nil {
			t.Fatal(err)
		}
		if err := older.Close(); err != nil {
			t.Fatal(err)
		}
		statements(t, path, store.Schema()[:at+1], fmt.Sprintf(`UPDATE turn SET schema_version=%d`, len(store.Schema())))
		within(func(s *services.Set) { check("after", s) })
	})
}

// statements runs statements on a database.
func statements(t *testing.T, path string, schema []db.Migration, sql ...string) {
	t.Helper()
	d := db.New(storetest.Engine(t, path, db.Setup{Migrations: schema}), db.Hooks{})
	err := d.Write(context.Background(), db.Request{Alone: true}, func(turn *db.Turn) error {
		for _, s := range sql {
			if err := turn.Exec(db.Any, s); err != nil {
				return err
			}
		}
		return nil
	})
	if err := errors.Join(err, d.Close()); err != nil {
		t.Fatal(err)
	}
}
