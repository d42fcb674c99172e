package admin_test

import (
	"slices"
	"testing"

	"github.com/google/go-cmp/cmp"

	"tasker/internal/admin"
	"tasker/internal/fault"
	"tasker/internal/task/query"
	"tasker/internal/testkit/coretest"
	"tasker/internal/work"
)

// dumped returns every record of a database.
func dumped(k *coretest.Kit, project string) (of query.Dumped, all []query.Record) {
	k.Helper()
	_, err := k.Admin.Dump(coretest.Ann, admin.DumpIn{
		Project: project, Begin: func(d query.Dumped) error { of = d; return nil },
		Record: func(rec query.Record) error { all = append(all, rec); return nil },
	})
	k.Must(err)
	return of, all
}

// load writes records into a database.
func load(k *coretest.Kit, of query.Dumped, all []query.Record) error {
	_, err := k.Admin.Load(coretest.Ann, admin.LoadIn{Of: of, Next: func() (*query.Record, error) {
		if len(all) == 0 {
			return nil, nil
		}
		rec := all[0]
		all = all[1:]
		return &rec, nil
	}})
	return err
}

// fillWithEverything writes records of many kinds.
func fillWithEverything(k *coretest.Kit) {
	k.Helper()
	k.Apply(`{"project": "demo", "name": "Demo", "gates": {"ship": ["test"]}, "tasks": [
		{"key": "a", "title": "First", "body": "a text\nof lines", "criteria": ["one"], "touches": ["src/**"], "due": "2030-01-02"},
		{"key": "b", "title": "Second \u202e", "deps": ["a"], "parent": "c", "gate": "ship", "links": [{"kind": "url", "ref": "https://x"}]},
		{"key": "c", "title": "Third", "autonomy": "human_only", "severity": 1, "preferredActor": "bot"},
		{"key": "d", "title": "Fourth", "status": "done", "evidence": [{"kind": "test", "value": "ok", "note": "n"}]}]}`)
	k.Apply(`{"project": "other", "tasks": [{"key": "a", "title": "Elsewhere"}]}`)
	_, err := k.Work.Claim(coretest.Bot, work.ClaimIn{Task: "demo-1"})
	k.Must(err)
	_, err = k.Work.Note(coretest.Bob, work.NoteIn{Task: "demo-1", Text: "a note with words"})
	k.Must(err)
	_, err = k.Work.Tick(coretest.Bot, work.TickIn{Task: "demo-1", Index: 1})
	k.Must(err)
	_, err = k.Work.Ask(coretest.Bot, work.AskIn{Task: "demo-2", Text: "why?", Blocking: true})
	k.Must(err)
	_, err = k.Work.Decide(coretest.Bot, work.DecideIn{Task: "demo-2", Title: "so"})
	k.Must(err)
	_, err = k.Work.Approve(coretest.Ann, work.ApproveIn{Task: "demo-2"})
	k.Must(err)
}

// TestWholeRecordsMakeAnEqualDatabase copies records within each kind of database and between them,
// and compares them record by record.
func TestWholeRecordsMakeAnEqualDatabase(t *testing.T) {
	coretest.Each(t, func(from *coretest.Kit) {
		fillWithEverything(from)
		of, all := dumped(from, "")
		tables := map[string]bool{}
		for _, rec := range all {
			tables[rec.Table] = true
		}
		for _, want := range []string{"project", "task", "task_body", "dep", "note", "evidence", "approval", "question", "decision", "event"} {
			if !tables[want] {
				from.Errorf("there is no record of %s", want)
			}
		}
		if tables["session"] || tables["frontier"] || tables["turn"] {
			from.Errorf("%v", tables)
		}
		coretest.Each(from.T, func(to *coretest.Kit) {
			to.Must(load(to, of, all))
			ofCopy, allCopy := dumped(to, "")
			ofCopy.Instance = of.Instance // each database has an id of its own
			if diff := cmp.Diff(of, ofCopy); diff != "" {
				to.Errorf("the head differs (-was +is):\n%s", diff)
			}
			if diff := cmp.Diff(all, allCopy); diff != "" {
				to.Errorf("records differ (-was +is):\n%s", diff)
			}
			health, err := to.Admin.Doctor(coretest.Ann, admin.DoctorIn{})
			to.Must(err)
			if !health.OK {
				to.Errorf("%+v", health.Checks)
			}
			// The copy works like the original.
			_, err = to.Work.Note(coretest.Bob, work.NoteIn{Task: "demo-1", Text: "another"})
			to.Must(err)
			to.Refused(load(to, of, all), fault.Declined, "not empty")
		})
	})
}

func TestRecordsOfOneProject(t *testing.T) {
	coretest.Each(t, func(k *coretest.Kit) {
		fillWithEverything(k)
		_, all := dumped(k, "other")
		for _, rec := range all {
			if rec.Table == "task" && rec.Values[2] != any("a") || rec.Table == "note" {
				k.Errorf("%+v", rec)
			}
		}
		if len(all) < 3 {
			k.Errorf("%d records", len(all))
		}
	})
}

func TestRecordsThatWereChangedAreRefused(t *testing.T) {
	coretest.Rule(t, func(from *coretest.Kit) {
		fillWithEverything(from)
		of, all := dumped(from, "")
		coretest.Each(from.T, func(to *coretest.Kit) {
			typed := slices.Clone(all)
			for i, rec := range typed {
				if rec.Table == "evidence" { // a kind that is a command, with a value that nothing ran
					typed[i].Values = slices.Clone(rec.Values)
					typed[i].Values[slices.Index(rec.Columns, "kind")] = "$ make test"
				}
			}
			to.Refused(load(to, of, typed), fault.Declined, ", is a run of that command: it is run, not typed")
			project := all[0]
			for what, bad := range map[string]query.Record{
				"there is no table": {Table: "session", Columns: project.Columns, Values: project.Values},
				"columns":           {Table: "project", Columns: project.Columns[1:], Values: project.Values[1:]},
				"has no slug":       {Table: "project", Columns: append([]string{"id", "slag"}, project.Columns[2:]...), Values: project.Values},
				"is a number":       {Table: "project", Columns: project.Columns, Values: append([]any{int64(1), int64(2)}, project.Values[2:]...)},
				"is not allowed":    {Table: "project", Columns: project.Columns, Values: append([]any{int64(1), "a\x00"}, project.Values[2:]...)},
				"is null":           {Table: "project", Columns: project.Columns, Values: append([]any{int64(1), nil}, project.Values[2:]...)},
			} {
				to.Refused(load(to, of, []query.Record{bad}), fault.Invalid, what)
			}
			to.Refused(load(to, query.Dumped{Schema: of.Schema, LastEvent: 1}, all), fault.Invalid, "newer than the newest")
			to.Refused(load(to, query.Dumped{Schema: 3}, all), fault.Declined, "schema version 3")
			to.Must(load(to, of, all)) // so nothing was written before
		})
	})
}
