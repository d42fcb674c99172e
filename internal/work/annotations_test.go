package work_test

import (
	"strings"
	"testing"

	"tasker/internal/fault"
	"tasker/internal/task"
	"tasker/internal/task/proven"
	"tasker/internal/testkit/coretest"
	"tasker/internal/work"
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
	coretest.Rule(t, func(k *coretest.Kit) {
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
	coretest.Rule(t, func(k *coretest.Kit) {
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

// ran returns the value of evidence of a command that was run.
func ran(k *coretest.Kit, command ...string) string {
	k.Helper()
	value, err := proven.Run{Command: command, Output: strings.Repeat("0", 64)}.Value()
	k.Must(err)
	return value
}

func TestATickSaysWhatItRestsOn(t *testing.T) {
	coretest.Rule(t, func(k *coretest.Kit) {
		k.Tasks(`{"key": "a", "title": "A", "criteria": ["` + "`go test ./a`" + ` passes", "it is told", "it is fast", "it is small", "it is shown"]}`)
		k.Claim(coretest.Bot, "demo-1")
		prove := func(check []int, command ...string) work.EvidenceOut {
			k.Helper()
			out, err := k.Work.Evidence(coretest.Bot, work.EvidenceIn{
				Task: "demo-1", Items: []task.EvidenceItem{{Kind: "test", Value: ran(k, command...)}}, Check: check,
			})
			k.Must(err)
			return out
		}
		idle := prove([]int{1, 3}, "true")
		coretest.Equal(k, "ticked by nothing", len(idle.Checked), 0)
		coretest.Equal(k, "warned", strings.Join(idle.Warnings, "; "), "criterion 1: `true` ran, and the task names `go test ./a`: nothing was ticked")
		b := k.Show("demo-1")
		coretest.Equal(k, "recorded with it", string(b.Evidence[0].Note), "criterion 1: `true` ran, and the task names `go test ./a`: it ticks nothing")
		coretest.Equal(k, "unticked", b.Criteria[0].Checked, false)

		run := prove([]int{1, 3}, "go", "test", "./a")
		coretest.EqualSlices(k, "ticked", run.Checked, 1, 3)
		said, err := k.Work.Evidence(coretest.Bot, work.EvidenceIn{Task: "demo-1", Items: []task.EvidenceItem{{Kind: "log", Value: "I looked"}}})
		k.Must(err)
		_, err = k.Work.Tick(coretest.Bot, work.TickIn{Task: "demo-1", Index: 2, By: &said.IDs[0]})
		k.Must(err)
		other := int64(1)
		_, err = k.Work.Tick(coretest.Bot, work.TickIn{Task: "demo-1", Index: 4, By: &other})
		k.Refused(err, fault.Invalid, "demo-1 has no evidence 1")
		saw, nothing := "the page says 12 KB", ""
		_, err = k.Work.Tick(coretest.Bot, work.TickIn{Task: "demo-1", Index: 4, Seen: &nothing})
		k.Refused(err, fault.Invalid, "what was seen is empty")
		_, err = k.Work.Tick(coretest.Bot, work.TickIn{Task: "demo-1", Index: 4, Seen: &saw, By: &said.IDs[0]})
		k.Refused(err, fault.Invalid, "not on both")
		_, err = k.Work.Tick(coretest.Bot, work.TickIn{Task: "demo-1", Index: 4, Seen: &saw, Checked: new(false)})
		k.Refused(err, fault.Invalid, "checked is false")
		_, err = k.Work.Tick(coretest.Bot, work.TickIn{Task: "demo-1", Index: 5, Seen: &saw})
		k.Must(err)
		moved, err := k.Work.Move(coretest.Bot, work.MoveIn{Task: "demo-1", To: "done", Check: []int{4}})
		k.Must(err)
		coretest.Equal(k, "warned once", strings.Join(moved.Warnings, "; "), "criteria 2, 4 rest on nothing that was run")
		for i, want := range []task.Basis{
			{By: task.EvidenceID(run.IDs[0]), Rests: task.RestsOnRun}, {By: task.EvidenceID(said.IDs[0]), Rests: task.RestsOnSaid},
			{By: task.EvidenceID(run.IDs[0]), Rests: task.RestsOnRun}, {Rests: task.RestsOnNothing}, task.Seen(saw),
		} {
			c := moved.Task.Criteria[i]
			coretest.Equal(k, "basis", task.Basis{By: c.By, Rests: string(c.Rests), Note: string(c.Note)}, want)
		}
		k.Healthy()
	})
}

func TestEvidenceThatTicksIsForWhoMayTick(t *testing.T) {
	coretest.Rule(t, func(k *coretest.Kit) {
		k.Tasks(`{"key": "a", "title": "A", "criteria": ["it works"]}`)
		k.Claim(coretest.Bot, "demo-1")
		in := work.EvidenceIn{Task: "demo-1", Items: []task.EvidenceItem{{Kind: "test", Value: "ok"}}, Check: []int{1}}
		_, err := k.Work.Evidence(coretest.Bee, in)
		k.Refused(err, fault.Declined, "held by bot")
		in.Check = []int{2}
		_, err = k.Work.Evidence(coretest.Bot, in)
		k.Refused(err, fault.Invalid, "no criterion 2")
		coretest.Equal(k, "evidence", len(k.Show("demo-1").Evidence), 0)
	})
}
