package core_test

import (
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"tasker/internal/core/reading"
	"tasker/internal/core/work"
	"tasker/internal/fault"
	"tasker/internal/task"
)

func TestTicksAreAllOrNothingAndOneChangeOfTheRecord(t *testing.T) {
	each(t, func(k *kit) {
		k.tasks(`{"key": "a", "title": "A", "criteria": ["one", "two", "three"], "body": "text"}`)
		_, err := k.s.Work.Tick(bot, work.TickIn{Task: "demo-1", Indexes: []int{1, 4}})
		k.refused(err, fault.Invalid, "demo-1 has no criterion 4")
		_, err = k.s.Work.Tick(bot, work.TickIn{Task: "demo-1"})
		k.refused(err, fault.Invalid, "no criterion is named")
		_, err = k.s.Work.Tick(bot, work.TickIn{Task: "demo-1", Index: -1})
		k.refused(err, fault.Invalid, "demo-1 has no criterion -1")
		got, err := k.s.Work.Tick(bot, work.TickIn{Task: "demo-1", Index: 1, Indexes: []int{3, 1}})
		k.must(err)
		is(k, "version", got.Version, 2)
		is(k, "body", got.Body, "text")
		for i, checked := range []bool{true, false, true} {
			is(k, got.Criteria[i].Text, got.Criteria[i].Checked, checked)
		}
		is(k, "checked by", got.Criteria[0].CheckedBy, "bot")
		is(k, "checked at", got.Criteria[0].CheckedAt, got.UpdatedAt)
		same(k, "events", k.events("demo-1"), task.TaskCreated, task.CriterionChecked, task.CriterionChecked)
		_, payload := k.last("demo-1")
		is(k, "payload", payload, `{"checked":{"from":false,"to":true},"index":3,"text":"three"}`)
		got, err = k.s.Work.Tick(bee, work.TickIn{Task: "demo-1", Index: 1})
		k.must(err)
		is(k, "version after a tick that was there", got.Version, 2)
		is(k, "checked by", got.Criteria[0].CheckedBy, "bot")
		got, err = k.s.Work.Tick(bee, work.TickIn{Task: "demo-1", Index: 1, Checked: ptr(false)})
		k.must(err)
		is(k, "version", got.Version, 3)
		is(k, "checked by nobody", got.Criteria[0].CheckedBy, "")
		_, payload = k.last("demo-1")
		says(k, []string{payload}, `"checkedBy":{"from":"bot","to":null}`)
	})
}

func TestATickMayCarryTheTextItMeans(t *testing.T) {
	each(t, func(k *kit) {
		k.tasks(`{"key": "a", "title": "A", "criteria": ["one", "two"]}`)
		_, err := k.s.Work.Tick(bot, work.TickIn{Task: "demo-1", Index: 1, Text: ptr("two")})
		k.refused(err, fault.Conflict, `criterion 1 of demo-1 is "one", not "two"`)
		_, err = k.s.Work.Tick(bot, work.TickIn{Task: "demo-1", Index: 2, Text: ptr("two")})
		k.must(err)
		_, err = k.s.Work.Tick(bot, work.TickIn{Task: "demo-1", Indexes: []int{1, 2}, Text: ptr("two")})
		k.refused(err, fault.Invalid, "text goes with one criterion")
	})
}

func TestAnAgentDoesNotTickWhatAnotherHolds(t *testing.T) {
	each(t, func(k *kit) {
		k.tasks(`{"key": "a", "title": "A", "criteria": ["one"]}`)
		k.claim(bot, "demo-1")
		_, err := k.s.Work.Tick(bee, work.TickIn{Task: "demo-1", Index: 1})
		k.refused(err, fault.Declined, "held by bot")
		_, err = k.s.Work.Tick(bob, work.TickIn{Task: "demo-1", Index: 1})
		k.must(err)
	})
}

func TestNotesAndEvidenceAreOpenToAllAndLeaveTheVersion(t *testing.T) {
	each(t, func(k *kit) {
		k.tasks(`{"key": "a", "title": "A"}`)
		k.claim(bot, "demo-1")
		n, err := k.s.Work.Note(bee, work.NoteIn{Task: "demo-1", Text: "look at this"})
		k.must(err)
		event, _ := k.last("demo-1")
		is(k, "id", n.ID, event.ID)
		is(k, "ok", n.OK, true)
		e, err := k.s.Work.Evidence(bee, work.EvidenceIn{Task: "demo-1", Items: []task.EvidenceItem{{Kind: "test", Value: "ok", Note: "all"}, {Kind: "log",
			Value: "x"}}})
		k.must(err)
		is(k, "ids", len(e.IDs), 2)
		b := k.show("demo-1")
		is(k, "version", b.Task.Version, 2)
		is(k, "note", b.Notes[0].Text+" "+b.Notes[0].Actor, "look at this bee")
		is(k, "evidence", b.Evidence[0].Kind+" "+string(b.Evidence[0].Note)+" "+b.Evidence[1].Value, "test all x")
		k.healthy()
	})
}

func TestTextsThatNoRecordMayHoldAreInvalid(t *testing.T) {
	each(t, func(k *kit) {
		k.tasks(`{"key": "a", "title": "A"}`)
		for _, text := range []string{"", "a\x00b", "\xff", strings.Repeat("x", task.MaxText+1)} {
			_, err := k.s.Work.Note(bot, work.NoteIn{Task: "demo-1", Text: text})
			k.refused(err, fault.Invalid, "the note")
			_, err = k.s.Work.Release(bot, work.ReleaseIn{Task: "demo-1", Note: &text})
			k.refused(err, fault.Invalid, "the note")
			_, err = k.s.Work.Evidence(bot, work.EvidenceIn{Task: "demo-1", Items: []task.EvidenceItem{{Kind: "k", Value: "v"}, {Kind: "k", Value: text}}})
			k.refused(err, fault.Invalid, "items[1].value")
		}
		_, err := k.s.Work.Evidence(bot, work.EvidenceIn{Task: "demo-1", Items: []task.EvidenceItem{{Value: "v"}, {Kind: "k"}}})
		k.refused(err, fault.Invalid, "items[0].kind is empty", "items[1].value is empty")
		_, err = k.s.Work.Evidence(bot, work.EvidenceIn{Task: "demo-1"})
		k.refused(err, fault.Invalid, "there are no items of evidence")
		same(k, "events", k.events("demo-1"), task.TaskCreated)
	})
}

func TestTicksEvidenceAndMovesBeginAttemptsAnew(t *testing.T) {
	each(t, func(k *kit) {
		k.tasks(`{"key": "a", "title": "A", "criteria": ["one"]}`)
		fail := func() {
			k.Helper()
			k.claim(bot, "demo-1")
			_, err := k.s.Work.Release(bot, work.ReleaseIn{Task: "demo-1", Failed: true})
			k.must(err)
		}
		fail()
		fail()
		is(k, "attempts", k.task("demo-1").Attempts, 2)
		_, err := k.s.Work.Tick(bot, work.TickIn{Task: "demo-1", Index: 1})
		k.must(err)
		is(k, "attempts after a tick", k.task("demo-1").Attempts, 0)
		fail()
		_, err = k.s.Work.Evidence(bot, work.EvidenceIn{Task: "demo-1", Items: []task.EvidenceItem{{Kind: "k", Value: "v"}}})
		k.must(err)
		is(k, "attempts after evidence", k.task("demo-1").Attempts, 0)
		fail()
		k.move(bot, work.MoveIn{Task: "demo-1", To: "in_review"})
		is(k, "attempts after a move", k.task("demo-1").Attempts, 0)
	})
}

func TestOnlyHumansApproveAndAnAgentsAttemptIsAnEvent(t *testing.T) {
	each(t, func(k *kit) {
		k.tasks(`{"key": "a", "title": "A"}`)
		_, err := k.s.Work.Approve(bot, work.ApproveIn{Task: "demo-1"})
		k.refused(err, fault.Declined, "bot may not approve demo-1")
		event, payload := k.last("demo-1")
		is(k, "kind", event.Kind, task.ApprovalRefused)
		is(k, "actor", event.Actor, "bot")
		says(k, []string{payload}, "only humans")
		_, err = k.s.Work.Approve(bob, work.ApproveIn{Task: "demo-1", Role: "lead"})
		k.refused(err, fault.Declined, `bob does not hold the role "lead"`)
		_, err = k.s.Work.Approve(ann, work.ApproveIn{Task: "demo-1", Kind: "blessing"})
		k.refused(err, fault.Invalid, `"blessing" is not a kind of approval`)
		got, err := k.s.Work.Approve(ann, work.ApproveIn{Task: "demo-1", Role: "lead", Note: "fine", Kind: "verification"})
		k.must(err)
		event, _ = k.last("demo-1")
		want := task.Approval{
			ID:    event.ID,
			Task:  "demo-1",
			Kind:  "verification",
			Actor: "ann",
			Role:  "lead",
			Note:  "fine",
			At:    event.At,
			Roles: []string{"lead"},
		}
		if d := cmp.Diff(want, got); d != "" {
			k.Error(d)
		}
		same(k, "events", k.events("demo-1"), task.TaskCreated, task.ApprovalRefused, task.ApprovalGiven)
		is(k, "version", k.task("demo-1").Version, 1)
	})
}

func TestAnApprovalCountsForTheRolesOfItsGiver(t *testing.T) {
	each(t, func(k *kit) {
		k.policy.RequireApproval = []task.Requirement{{Role: "lead"}, {}}
		k.policy.ReviewPolicy = map[string][]task.Requirement{"ship": {{Kind: "verification", Actor: "bob", Reason: "he runs it"}}}
		k.apply(`{"project": "demo", "gates": {"ship": []}, "tasks": [{"key": "a", "title": "A", "gate": "ship"}]}`)
		_, err := k.s.Work.Approve(ann, work.ApproveIn{Task: "demo-1"})
		k.must(err)
		_, err = k.s.Work.Move(bot, work.MoveIn{Task: "demo-1", To: "done"})
		e := k.refused(err, fault.Declined)
		same(k, "missing", e.Missing, "verification by bob: he runs it")
		_, err = k.s.Work.Approve(bob, work.ApproveIn{Task: "demo-1", Kind: "verification"})
		k.must(err)
		k.done(bot, "demo-1")
	})
}

func TestWhoMayApproveIsDecidedByWhatCountsInTheProject(t *testing.T) {
	each(t, func(k *kit) {
		k.tasks(`{"key": "a", "title": "A", "autonomy": "human_only"}`)
		k.actorIn = func(p *task.Project, a task.Actor) task.Actor {
			a.Human = p.Slug == "demo" && a.Name == "bot"
			return a
		}
		_, err := k.s.Work.Approve(bot, work.ApproveIn{Task: "demo-1"})
		k.must(err)
		k.claim(bot, "demo-1")
		who, err := k.s.Reading.Whoami(bot, reading.WhoamiIn{})
		k.must(err)
		is(k, "kind", who.Kind, "human")
		_, err = k.s.Work.Approve(ann, work.ApproveIn{Task: "demo-1"})
		k.refused(err, fault.Declined, "ann may not approve")
	})
}
