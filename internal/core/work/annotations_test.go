package work_test

import (
	"strings"
	"testing"

	"tasker/internal/core/coretest"
	"tasker/internal/core/work"
	"tasker/internal/fault"
	"tasker/internal/task"
)

func TestNotesAndEvidenceAreOpenToAllAndLeaveTheVersion(t *testing.T) {
	coretest.Each(t, func(k *coretest.Kit) {
		k.Tasks(`{"key": "a", "title": "A"}`)
		k.Claim(coretest.Bot, "demo-1")
		n, err := k.Work.Note(coretest.Bee, work.NoteIn{Task: "demo-1", Text: "look at this"})
		k.Must(err)
		event, _ := k.Last("demo-1")
		coretest.Equal(k, "id", n.ID, event.ID)
		coretest.Equal(k, "ok", n.OK, true)
		e, err := k.Work.Evidence(coretest.Bee, work.EvidenceIn{Task: "demo-1", Items: []task.EvidenceItem{{Kind: "test", Value: "ok", Note: "all"}, {Kind: "log",
			Value: "x"}}})
		k.Must(err)
		coretest.Equal(k, "ids", len(e.IDs), 2)
		b := k.Show("demo-1")
		coretest.Equal(k, "version", b.Task.Version, 2)
		coretest.Equal(k, "note", b.Notes[0].Text+" "+b.Notes[0].Actor, "look at this bee")
		coretest.Equal(k, "evidence", b.Evidence[0].Kind+" "+string(b.Evidence[0].Note)+" "+b.Evidence[1].Value, "test all x")
		k.Healthy()
	})
}

func TestTextsThatNoRecordMayHoldAreInvalid(t *testing.T) {
	coretest.Each(t, func(k *coretest.Kit) {
		k.Tasks(`{"key": "a", "title": "A"}`)
		for _, text := range []string{"", "a\x00b", "\xff", strings.Repeat("x", task.MaxText+1)} {
			_, err := k.Work.Note(coretest.Bot, work.NoteIn{Task: "demo-1", Text: text})
			k.Refused(err, fault.Invalid, "the note")
			_, err = k.Work.Release(coretest.Bot, work.ReleaseIn{Task: "demo-1", Note: &text})
			k.Refused(err, fault.Invalid, "the note")
			_, err = k.Work.Evidence(coretest.Bot, work.EvidenceIn{Task: "demo-1", Items: []task.EvidenceItem{{Kind: "k", Value: "v"}, {Kind: "k", Value: text}}})
			k.Refused(err, fault.Invalid, "items[1].value")
		}
		_, err := k.Work.Evidence(coretest.Bot, work.EvidenceIn{Task: "demo-1", Items: []task.EvidenceItem{{Value: "v"}, {Kind: "k"}}})
		k.Refused(err, fault.Invalid, "items[0].kind is empty", "items[1].value is empty")
		_, err = k.Work.Evidence(coretest.Bot, work.EvidenceIn{Task: "demo-1"})
		k.Refused(err, fault.Invalid, "there are no items of evidence")
		coretest.EqualSlices(k, "events", k.Events("demo-1"), task.TaskCreated)
	})
}

func TestTicksEvidenceAndMovesBeginAttemptsAnew(t *testing.T) {
	coretest.Each(t, func(k *coretest.Kit) {
		k.Tasks(`{"key": "a", "title": "A", "criteria": ["one"]}`)
		fail := func() {
			k.Helper()
			k.Claim(coretest.Bot, "demo-1")
			_, err := k.Work.Release(coretest.Bot, work.ReleaseIn{Task: "demo-1", Failed: true})
			k.Must(err)
		}
		fail()
		fail()
		coretest.Equal(k, "attempts", k.Task("demo-1").Attempts, 2)
		_, err := k.Work.Tick(coretest.Bot, work.TickIn{Task: "demo-1", Index: 1})
		k.Must(err)
		coretest.Equal(k, "attempts after a tick", k.Task("demo-1").Attempts, 0)
		fail()
		_, err = k.Work.Evidence(coretest.Bot, work.EvidenceIn{Task: "demo-1", Items: []task.EvidenceItem{{Kind: "k", Value: "v"}}})
		k.Must(err)
		coretest.Equal(k, "attempts after evidence", k.Task("demo-1").Attempts, 0)
		fail()
		k.Move(coretest.Bot, work.MoveIn{Task: "demo-1", To: "in_review"})
		coretest.Equal(k, "attempts after a move", k.Task("demo-1").Attempts, 0)
	})
}
