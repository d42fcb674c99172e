package admin_test

import (
	"testing"

	"tasker/internal/admin"
	"tasker/internal/db"
	"tasker/internal/fault"
	"tasker/internal/store"
	"tasker/internal/testkit/coretest"
	"tasker/internal/testkit/dbtest"
	"tasker/internal/testkit/storetest"
	"tasker/internal/work"
)

func TestDoctorChecksOneProjectOrAll(t *testing.T) {
	coretest.Each(t, func(k *coretest.Kit) {
		k.Tasks(`{"key": "a", "title": "A"}`)
		k.Apply(`{"project": "other", "tasks": [{"key": "a", "title": "A"}]}`)
		out, err := k.Admin.Doctor(coretest.Ann, admin.DoctorIn{})
		k.Must(err)
		coretest.Equal(k, "ok", out.OK, true)
		coretest.EqualSlices(k, "projects", out.Projects, "demo", "other")
		out, err = k.Admin.Doctor(coretest.Ann, admin.DoctorIn{Project: "other"})
		k.Must(err)
		coretest.EqualSlices(k, "projects", out.Projects, "other")
		_, err = k.Admin.Doctor(coretest.Ann, admin.DoctorIn{Project: "third"})
		k.Refused(err, fault.NotFound)
	})
}

// TestWhatIsMaintainedIsRepairedFromTheRecords corrupts every maintained value, one after another.
func TestWhatIsMaintainedIsRepairedFromTheRecords(t *testing.T) {
	dbtest.Each(t, func(t *testing.T, path string) {
		s, err := coretest.Open(path, nil)
		if err != nil {
			t.Fatal(err)
		}
		defer func() {
			if err := s.Store.Close(); err != nil {
				t.Error(err)
			}
		}()
		k := &coretest.Kit{T: t, Set: s}
		k.Apply(`{"project": "demo", "tasks": [{"key": "a", "title": "A", "touches": ["x/**"]}, {"key": "b", "title": "B", "deps": ["a"], "due": "2030-01-01"},
			{"key": "c", "title": "C", "parent": "b"}, {"key": "d", "title": "D", "status": "in_review"}, {"key": "e", "title": "E", "status": "in_progress"},
			{"key": "f", "title": "F", "status": "done"}]}`)
		_, err = k.Work.Claim(coretest.Ann, work.ClaimIn{Task: "demo-1"})
		k.Must(err)
		_, err = k.Work.Note(coretest.Ann, work.NoteIn{Task: "demo-3", Text: "so far"})
		k.Must(err)
		spoil := []string{
			`DELETE FROM frontier`, `UPDATE frontier SET route=0`, `DELETE FROM touch`, `DELETE FROM tally`, `UPDATE tally SET n=n+1`, `DELETE FROM actor`,
			`UPDATE project SET n_open=0`, `UPDATE project SET n_ready=9`, `UPDATE project SET n_held=9`, `UPDATE project SET n_blocked=9`,
			`UPDATE project SET next_n=2`,
		}
		for _, column := range []string{
			"open_deps", "open_children", "parts", "in_circle", "questions", "has_deps", "has_body", "notes", "evidences", "approvals", "decisions",
			"asked", "bound", "awaiting", "lapsed", "unwatched", "unheld", "failures", "failing", "due_at",
		} {
			spoil = append(spoil, `UPDATE task SET `+column+`=1`, `UPDATE task SET `+column+`=0`)
		}
		raw := db.New(storetest.Engine(t, path, db.Setup{Migrations: store.Schema()}), db.Hooks{})
		defer func() {
			if err := raw.Close(); err != nil {
				t.Error(err)
			}
		}()
		found := 0
		for _, sql := range spoil {
			err := raw.Write(t.Context(), db.Request{Alone: true}, func(turn *db.Turn) error { return turn.Exec(db.Any, sql) })
			if err != nil {
				t.Fatal(err)
			}
			before, err := k.Admin.Doctor(coretest.Ann, admin.DoctorIn{})
			if k.Must(err); !before.OK {
				found++
			}
			after, err := k.Admin.Doctor(coretest.Ann, admin.DoctorIn{Fix: true})
			if k.Must(err); !after.OK || (len(after.Fixed) > 0) == before.OK {
				t.Errorf("after %s: OK before the repair %v, repaired %q, checks afterwards %+v", sql, before.OK, after.Fixed, after.Checks)
			}
		}
		if found < 2*len(spoil)/3 { // some of them write the value that is already there
			t.Errorf("of %d corruptions %d were found", len(spoil), found)
		}
	})
}
