package admin_test

import (
	"errors"
	"strings"
	"testing"

	"tasker/internal/admin"
	"tasker/internal/db"
	"tasker/internal/store"
	"tasker/internal/task"
	"tasker/internal/testkit/coretest"
	"tasker/internal/testkit/dbtest"
	"tasker/internal/testkit/storetest"
	"tasker/internal/work"
)

// damages lists kinds of damage, as statements that plant them in a database made by damaged, what doctor says about
// each, and under which check. Tasks are identified by their keys; no task has the number 999.
var damages = []struct {
	sql, check, says string
}{
	{`UPDATE project SET n_done=7`, "counts", "tasks that are done is stored as 7, and counts 1"},
	{`UPDATE project SET n_ready=9`, "counts", "ready tasks is stored as 9"},
	{`UPDATE project SET n_workspaces=3`, "counts", "workspaces is stored as 3, and counts 0"},
	{`UPDATE project SET next_n=2`, "counts", "next number is stored as 2"},
	{`UPDATE tally SET n=n+1 WHERE what='closed'`, "counts", "tasks by closed"},
	{`UPDATE task SET open_deps=4 WHERE key='b'`, "counts", "demo-2: open dependencies is stored as 4, and counts 1"},
	{`UPDATE task SET open_children=4 WHERE key='b'`, "counts", "demo-2: open children is stored as 4, and counts 1"},
	{`UPDATE task SET notes=5 WHERE key='c'`, "counts", "demo-3: notes is stored as 5, and counts 1"},
	{`UPDATE task SET approvals=5 WHERE key='c'`, "counts", "demo-3: approvals is stored as 5, and counts 0"},
	{`UPDATE task SET bound=5 WHERE key='c'`, "counts", "demo-3: bindings is stored as 5, and counts 0"},
	{`UPDATE task SET evidences=5 WHERE key='c'`, "counts", "demo-3: evidence is stored as 5, and counts 0"},
	{`UPDATE task SET questions=1 WHERE key='f'`, "counts", "demo-6: open blocking questions is stored as 1, and counts 0"},
	{`UPDATE task SET failures=5 WHERE key='c'`, "counts", "demo-3: failures is stored as 5, and counts 0"},
	{`UPDATE task SET last_holder='zed' WHERE key='a'`, "counts", "demo-1: who held it last is stored as zed, and counts ann"},
	{`UPDATE task SET returned=0 WHERE key='g'`, "counts", "demo-7: the return from review that nothing answers is stored as 0, and counts "},
	{`UPDATE task SET returned=1 WHERE key='h'`, "counts", "demo-8: the return from review that nothing answers is stored as 1, and counts 0"},
	{`UPDATE task SET due_at=5 WHERE key='b'`, "counts", "demo-2: the moment it is due is stored as"},
	{`UPDATE task SET expires_at=5 WHERE key='c'`, "counts", "demo-3: the end of a lease that nobody has is stored as 5, and counts 0"},
	{`UPDATE task SET awaiting=0 WHERE key='d'`, "counts", "demo-4: waiting for judgement"},
	{`DELETE FROM frontier WHERE route=-2`, "order", "demo-2"},
	{`DELETE FROM touch`, "order", "demo-1: where its touches begin while it is held"},
	{`DELETE FROM actor`, "search", "the first event of actor"},
	{`UPDATE task SET parent=4294968295 WHERE key='f'`, "orphans", "demo: parents that are not there is stored as 1, and counts 0"},
	{`INSERT INTO notice (task, name, project, event, why) VALUES (4294968295, 'x', 1, 1, 'y')`, "orphans", "records of notice without a task"},
	{`INSERT INTO landing (task, project, landed, closed_at, detail) VALUES (4294968295, 1, 0, 0, '{}')`, "orphans", "records of landing without a task"},
	{`INSERT INTO unclosed (task, project, event, why) VALUES (4294968295, 1, 1, 'y')`, "orphans", "records of unclosed without a task"},
	{`INSERT INTO seen (actor, task, item, stamp) VALUES ('ann', 4294968295, 'x', 1)`, "orphans", "records of seen without a task"},
	{`INSERT INTO port (host, port, task) VALUES ('h', 1, 4294968295)`, "orphans", "records of port without a task"},
	{`UPDATE task SET status='in_review' WHERE key='a'`, "records", "demo-1: status of a held task is stored as in_review"},
}

// TestEveryKindOfDamageIsFoundAndWhatCanBeRepairedIs plants all damage at once, to show that no kind hides another.
func TestEveryKindOfDamageIsFoundAndWhatCanBeRepairedIs(t *testing.T) {
	if len(damages) < 20 {
		t.Errorf("%d kinds of damage are planted, and 20 are promised", len(damages))
	}
	dbtest.Each(t, func(t *testing.T, path string) {
		k := &coretest.Kit{T: t}
		within(k, path, func() {
			k.Apply(`{"project": "demo", "tasks": [{"key": "a", "title": "A", "touches": ["x/**"]}, {"key": "b", "title": "B", "deps": ["a"], "due": "2030-01-01"},
				{"key": "c", "title": "C", "parent": "b"}, {"key": "d", "title": "D", "status": "in_review"}, {"key": "e", "title": "E", "status": "done"},
				{"key": "f", "title": "F"}, {"key": "g", "title": "G", "status": "in_review"}, {"key": "h", "title": "H", "status": "in_review"}]}`)
			k.Claim(coretest.Ann, "demo-1")
			for _, id := range []string{"demo-7", "demo-8"} {
				k.Move(coretest.Bob, work.MoveIn{Task: id, To: "open"})
			}
			_, err := k.Work.Evidence(coretest.Ann, work.EvidenceIn{Task: "demo-8", Items: []task.EvidenceItem{{Kind: "fix", Value: "done"}}})
			k.Must(err)
			k.Note(coretest.Ann, "demo-3", "so far")
		})
		raw := db.New(storetest.Engine(t, path, db.Setup{Migrations: store.Schema()}), db.Hooks{})
		err := raw.Write(t.Context(), db.Request{Alone: true}, func(turn *db.Turn) error {
			for _, d := range damages {
				if err := turn.Exec(db.Any, d.sql); err != nil {
					return err
				}
			}
			return nil
		})
		if err := errors.Join(err, raw.Close()); err != nil {
			t.Fatal(err)
		}
		within(k, path, func() {
			before, err := k.Admin.Doctor(coretest.Ann, admin.DoctorIn{})
			k.Must(err)
			after, err := k.Admin.Doctor(coretest.Ann, admin.DoctorIn{Fix: true})
			k.Must(err)
			fixed := strings.Join(after.Fixed, "\n")
			for _, d := range damages {
				found, left := foundBy(before, d.check), foundBy(after, d.check)
				repairs := admin.Check{Name: d.check}.Repairable()
				if !strings.Contains(found, d.says) {
					t.Errorf("%s: %s finds\n%s\nwant %q", d.sql, d.check, found, d.says)
				}
				if repairs != strings.Contains(fixed, d.says) || repairs == strings.Contains(left, d.says) {
					t.Errorf("%s: it says that it can repair %s: %v; repaired\n%s\nleft\n%s", d.sql, d.check, repairs, fixed, left)
				}
			}
		})
	})
}

// within calls fn while a kit works on a database. Nobody has the database open before or after.
func within(k *coretest.Kit, path string, fn func()) {
	k.Helper()
	s, err := coretest.Open(path, nil)
	k.Must(err)
	k.Set = s
	fn()
	k.Must(s.Store.Close())
}

// foundBy returns what a check found.
func foundBy(out admin.DoctorOut, check string) string {
	for _, c := range out.Checks {
		if c.Name == check {
			return strings.Join(c.Found, "\n")
		}
	}
	return ""
}
