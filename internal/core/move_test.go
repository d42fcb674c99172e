package core_test

import (
	"testing"

	"tasker/internal/core/reading"
	"tasker/internal/core/work"
	"tasker/internal/fault"
	"tasker/internal/task"
)

func TestAMoveToDoneIsRefusedWhileCriteriaAreUnchecked(t *testing.T) {
	each(t, func(k *kit) {
		k.tasks(`{"key": "a", "title": "A", "criteria": ["it works", "it is fast"]}`)
		_, err := k.s.Work.Move(bot, work.MoveIn{Task: "demo-1", To: "done"})
		e := k.refused(err, fault.Declined)
		is(k, "message", e.Message, "demo-1 cannot complete because of 2 unchecked criteria")
		same(k, "missing", e.Missing, "criterion 1: it works", "criterion 2: it is fast")
		is(k, "status", k.task("demo-1").Status, task.Open)
		same(k, "events", k.events("demo-1"), task.TaskCreated)
	})
}

func TestForceIsLoggedWithWhatItPassedOver(t *testing.T) {
	each(t, func(k *kit) {
		k.apply(`{"project": "demo", "gates": {"ship": ["test", "review"]}, "tasks": [{"key": "a", "title": "A", "criteria": ["one"], "gate": "ship"}]}`)
		out := k.move(bot, work.MoveIn{Task: "demo-1", To: "done", Force: true, Evidence: []task.EvidenceItem{{Kind: "review", Value: "ok"}}})
		is(k, "status", out.Task.Status, task.Done)
		is(k, "from", out.From, task.Open)
		same(k, "events", k.events("demo-1"), task.TaskCreated, task.EvidenceAdded, task.OverrideForced, task.TaskMoved)
		all, err := k.s.Reading.Events(ann, reading.EventsIn{Task: "demo-1", Kind: "override.forced"})
		k.must(err)
		is(k, "payload", string(all[0].Payload), `{"passedOver":["criterion 1: one","evidence test"],"to":"done"}`)
		_, payload := k.last("demo-1")
		for _, part := range []string{`"forced":true`, `"from":"open"`, `"to":"done"`, `"tookFrom":null`} {
			says(k, []string{payload}, part)
		}
	})
}

func TestForceDoesNotPassEvidenceForAnAgentWhereAHumanIsDeclared(t *testing.T) {
	each(t, func(k *kit) {
		k.policy.DeclaresHuman = true
		k.apply(`{"project": "demo", "gates": {"ship": ["test"]}, "tasks": [
			{"key": "a", "title": "A", "criteria": ["one"], "gate": "ship"}, {"key": "b", "title": "B", "criteria": ["one"]}]}`)
		_, err := k.s.Work.Move(bot, work.MoveIn{Task: "demo-1", To: "done", Force: true})
		k.refused(err, fault.Declined, "evidence test")
		k.move(bob, work.MoveIn{Task: "demo-1", To: "done", Force: true})
		k.move(bot, work.MoveIn{Task: "demo-2", To: "done", Force: true})
	})
}

func TestOneRefusalNamesEverythingInOrder(t *testing.T) {
	each(t, func(k *kit) {
		k.policy.RequireNoteOnDone = true
		k.policy.RequireApproval = []task.Requirement{{Role: "lead", Reason: "it ships"}, {Kind: "verification"}}
		k.apply(`{"project": "demo", "gates": {"ship": ["test"]}, "tasks": [{"key": "a", "title": "A", "criteria": ["one"], "gate": "ship"}]}`)
		_, err := k.s.Work.Move(bot, work.MoveIn{Task: "demo-1", To: "done"})
		e := k.refused(err, fault.Declined)
		same(k, "missing", e.Missing, "criterion 1: one", "evidence test", "approval by lead: it ships", "verification by any human", "note: at least "+
			"one on the task")
		// Force never passes approvals or the note.
		_, err = k.s.Work.Move(bot, work.MoveIn{Task: "demo-1", To: "done", Force: true})
		e = k.refused(err, fault.Declined)
		same(k, "missing", e.Missing, "approval by lead: it ships", "verification by any human", "note: at least one on the task")
	})
}

func TestADeclinedMoveRecordsWhatItBrings(t *testing.T) {
	each(t, func(k *kit) {
		k.policy.RequireApproval = []task.Requirement{{Role: "lead", Reason: "it ships"}}
		k.tasks(`{"key": "a", "title": "A", "criteria": ["one"]}`)
		in := work.MoveIn{Task: "demo-1", To: "done", Check: []int{1}, Note: ptr("finished"), Evidence: []task.EvidenceItem{{Kind: "test", Value: "ok"}}}
		_, err := k.s.Work.Move(bot, in)
		e := k.refused(err, fault.Declined, "approval by lead: it ships")
		same(k, "recorded", e.Recorded, "criterion 1", "evidence test", "note")
		is(k, "the version told", e.Version, int64(2))
		same(k, "events", k.events("demo-1"), task.TaskCreated, task.EvidenceAdded, task.NoteAdded, task.CriterionChecked, task.ApprovalRequested)
		_, payload := k.last("demo-1")
		says(k, []string{payload}, `"missing":["approval by lead: it ships"]`)
		b := k.show("demo-1")
		if !b.Task.Criteria[0].Checked || len(b.Notes) != 1 || len(b.Evidence) != 1 || b.Task.Version != 2 || b.Task.Status != task.Open {
			k.Errorf("a declined move left %+v, %+v, %+v", b.Task.Criteria, b.Notes, b.Evidence)
		}
		_, err = k.s.Work.Move(bot, in)
		e = k.refused(err, fault.Declined)
		if e.Recorded == nil || len(e.Recorded) != 0 || e.Version != 0 {
			k.Errorf("the second time %v is recorded, version %d", e.Recorded, e.Version)
		}
		is(k, "missing approvals", len(b.Approvals.Missing), 1)
		_, err = k.s.Work.Approve(ann, work.ApproveIn{Task: "demo-1"})
		k.must(err)
		is(k, "missing approvals after one", len(k.show("demo-1").Approvals.Missing), 0)
		out := k.move(bot, in)
		is(k, "version", out.Task.Version, 3)
		b = k.show("demo-1")
		is(k, "notes", len(b.Notes), 1)
		is(k, "evidence", len(b.Evidence), 1)
		is(k, "tick", b.Task.Criteria[0].CheckedBy, "bot")
		same(k, "events", k.events("demo-1"), task.TaskCreated, task.EvidenceAdded, task.NoteAdded, task.CriterionChecked,
			task.ApprovalRequested, task.ApprovalRequested, task.ApprovalGiven, task.TaskMoved)
		k.healthy()
	})
}

func TestApprovalsAreAskedForOnceNothingElseIsMissing(t *testing.T) {
	each(t, func(k *kit) {
		k.policy.RequireApproval = []task.Requirement{{Role: "lead"}}
		k.tasks(`{"key": "a", "title": "A", "criteria": ["one"]}`)
		_, err := k.s.Work.Move(bot, work.MoveIn{Task: "demo-1", To: "done"})
		e := k.refused(err, fault.Declined)
		same(k, "missing", e.Missing, "criterion 1: one", "approval by lead")
		same(k, "events", k.events("demo-1"), task.TaskCreated)
		_, err = k.s.Work.Move(bot, work.MoveIn{Task: "demo-1", To: "done", Check: []int{1}})
		k.refused(err, fault.Declined, "approval by lead")
		same(k, "events", k.events("demo-1"), task.TaskCreated, task.CriterionChecked, task.ApprovalRequested)
		k.healthy()
	})
}

func TestWhatComesWithAMoveCountsAndIsAllOrNothing(t *testing.T) {
	each(t, func(k *kit) {
		k.policy.RequireNoteOnDone = true
		k.tasks(`{"key": "a", "title": "A", "criteria": ["one"]}`)
		_, err := k.s.Work.Move(bot, work.MoveIn{Task: "demo-1", To: "done", Check: []int{1, 7}, Note: ptr("x")})
		k.refused(err, fault.Invalid, "demo-1 has no criterion 7")
		_, err = k.s.Work.Move(bot, work.MoveIn{Task: "demo-1", To: "done", Check: []int{1}, Note: ptr("")})
		k.refused(err, fault.Invalid, "the note is empty")
		_, err = k.s.Work.Move(bot, work.MoveIn{Task: "demo-1", To: "done", Evidence: []task.EvidenceItem{{Value: "v"}}})
		k.refused(err, fault.Invalid, "evidence[0].kind is empty")
		_, err = k.s.Work.Move(bot, work.MoveIn{Task: "demo-1", To: "finished"})
		k.refused(err, fault.Invalid, `"finished" is not a status`)
		same(k, "events", k.events("demo-1"), task.TaskCreated)
		k.move(bot, work.MoveIn{Task: "demo-1", To: "done", Check: []int{1}, Note: ptr("x")})
	})
}

func TestTheOrderOfTheChecksOfAMove(t *testing.T) {
	each(t, func(k *kit) {
		k.tasks(`{"key": "a", "title": "A", "criteria": ["one"]}`)
		k.claim(bee, "demo-1") // fence 1, version 2
		_, err := k.s.Work.Move(bot, work.MoveIn{Task: "demo-7", To: "done", ExpectedVersion: ptr(int64(9))})
		k.refused(err, fault.NotFound)
		_, err = k.s.Work.Move(bot, work.MoveIn{Task: "demo-1", To: "done", ExpectedVersion: ptr(int64(1)), Check: []int{8}})
		k.refused(err, fault.Conflict, "demo-1 has version 2, not 1")
		_, err = k.s.Work.Move(bot, work.MoveIn{Task: "demo-1", To: "done", ExpectedVersion: ptr(int64(2)), Fence: ptr(int64(3))})
		k.refused(err, fault.Conflict, "fence 3")
		_, err = k.s.Work.Move(bot, work.MoveIn{Task: "demo-1", To: "done", ExpectedVersion: ptr(int64(2)), Check: []int{8}})
		k.refused(err, fault.Declined, "held by bee")
		_, err = k.s.Work.Move(bee, work.MoveIn{Task: "demo-1", To: "done"})
		k.refused(err, fault.Declined, "1 unchecked criteria")
		out := k.move(bee, work.MoveIn{Task: "demo-1", To: "in_progress"})
		is(k, "version after a move to where it is", out.Task.Version, 2)
		same(k, "events", k.events("demo-1"), task.TaskCreated, task.TaskClaimed)
	})
}

func TestTheRulesForDoneApplyFromDoneToo(t *testing.T) {
	each(t, func(k *kit) {
		k.tasks(`{"key": "a", "title": "A", "criteria": ["one"], "status": "done"}`)
		_, err := k.s.Work.Move(bot, work.MoveIn{Task: "demo-1", To: "done"})
		k.refused(err, fault.Declined, "criterion 1: one")
	})
}

func TestAHumanPassesAnothersClaimAndTheEventSaysFromWhom(t *testing.T) {
	each(t, func(k *kit) {
		k.tasks(`{"key": "a", "title": "A"}`)
		k.claim(bot, "demo-1")
		out := k.move(ann, work.MoveIn{Task: "demo-1", To: "in_review"})
		if out.Task.Claim != nil {
			k.Errorf("the claim %+v is left", out.Task.Claim)
		}
		_, payload := k.last("demo-1")
		says(k, []string{payload}, `"tookFrom":"bot"`)
		k.healthy()
	})
}

func TestMovesThatEndTheClaim(t *testing.T) {
	each(t, func(k *kit) {
		k.tasks(`{"key": "a", "title": "A"}`)
		for _, to := range []string{"in_review", "open", "done", "cancelled"} {
			if k.task("demo-1").Status.Closed() || k.task("demo-1").Status == task.InReview {
				k.move(ann, work.MoveIn{Task: "demo-1", To: "open"})
			}
			k.claim(bot, "demo-1")
			if out := k.move(bot, work.MoveIn{Task: "demo-1", To: to}); out.Task.Claim != nil {
				k.Errorf("a move to %s leaves the claim", to)
			}
		}
		k.healthy()
	})
}

func TestClosingTellsWhatBecameReadyAndReopeningTakesItBack(t *testing.T) {
	each(t, func(k *kit) {
		k.tasks(`{"key": "a", "title": "A"}, {"key": "b", "title": "B", "deps": ["a"]}, {"key": "c", "title": "C", "deps": ["a", "b"]}, {"key": "d", ` +
			`"title": "D", "deps": ["a"]}`)
		out := k.done(bot, "demo-1")
		same(k, "unblocked", out.Unblocked, "demo-2", "demo-4")
		k.claim(bot, "demo-2")
		k.move(ann, work.MoveIn{Task: "demo-1", To: "open"})
		b := k.show("demo-2")
		is(k, "open deps", b.Task.OpenDeps, 1)
		if b.Task.Claim == nil {
			k.Error("a reopened dependency ended the claim")
		}
		says(k, b.Warnings, "demo-2 waits again for demo-1")
		// A renewal ignores dependencies that reopened meanwhile.
		_, err := k.s.Work.Claim(bot, work.ClaimIn{Task: "demo-2", Fence: ptr(b.Task.Claim.Fence)})
		k.must(err)
		_, err = k.s.Work.Claim(bee, work.ClaimIn{Task: "demo-4"})
		k.refused(err, fault.Declined, "demo-4 waits for 1 open task")
		k.healthy()
	})
}

func TestACancelledDependencyCountsAsClosedAndTheBundleSaysSo(t *testing.T) {
	each(t, func(k *kit) {
		k.tasks(`{"key": "a", "title": "A"}, {"key": "b", "title": "B", "deps": ["a"]}`)
		out := k.move(bot, work.MoveIn{Task: "demo-1", To: "cancelled"})
		same(k, "unblocked", out.Unblocked, "demo-2")
		says(k, k.show("demo-2").Warnings, "demo-1 was cancelled")
	})
}

func TestClosingClosesNothingElseAndWarnsOfWhatIsOpen(t *testing.T) {
	each(t, func(k *kit) {
		k.tasks(`{"key": "p", "title": "P"}, {"key": "a", "title": "A", "parent": "p"}, {"key": "b", "title": "B", "parent": "p"}`)
		out := k.done(bot, "demo-2")
		says(k, out.Warnings, "the parent demo-1 is still open: 1 child is still open")
		out = k.done(bot, "demo-1")
		says(k, out.Warnings, "1 child is still open below demo-1")
		is(k, "child", k.task("demo-3").Status, task.Open)
		out = k.done(bot, "demo-3")
		quiet(k, out.Warnings)
		k.move(bot, work.MoveIn{Task: "demo-1", To: "open"})
		k.move(bot, work.MoveIn{Task: "demo-3", To: "open"})
		out = k.done(bot, "demo-3")
		says(k, out.Warnings, "the parent demo-1 is still open: none of its children is open any more")
		same(k, "unblocked", out.Unblocked, "demo-1")
		k.healthy()
	})
}

func TestApprovalsGivenBeforeAReopeningOrAChangeOfTheWorkNoLongerCount(t *testing.T) {
	each(t, func(k *kit) {
		k.policy.RequireApproval = []task.Requirement{{}}
		k.tasks(`{"key": "a", "title": "A"}`)
		approve := func() {
			k.Helper()
			_, err := k.s.Work.Approve(bob, work.ApproveIn{Task: "demo-1"})
			k.must(err)
		}
		approve()
		k.done(bot, "demo-1")
		k.move(bot, work.MoveIn{Task: "demo-1", To: "open"})
		_, err := k.s.Work.Move(bot, work.MoveIn{Task: "demo-1", To: "done"})
		k.refused(err, fault.Declined, "approval by any human")
		is(k, "stale", k.show("demo-1").Approvals.Given[0].Stale, true)
		approve()
		k.edit(ann, "demo-1", `{"priority": 0}`)
		k.done(bot, "demo-1")
		k.move(bot, work.MoveIn{Task: "demo-1", To: "open"})
		for _, change := range []string{`{"title": "Another"}`, `{"body": "more"}`, `{"addCriteria": ["x"]}`, `{"gate": "ship"}`} {
			approve()
			k.edit(ann, "demo-1", change)
			is(k, "missing after "+change, len(k.show("demo-1").Approvals.Missing), 1)
		}
	})
}

func TestAnUndefinedGateIsNeverPassed(t *testing.T) {
	each(t, func(k *kit) {
		out := k.tasks(`{"key": "a", "title": "A", "gate": "ship"}`)
		says(k, out.Warnings, "gate ship is defined nowhere")
		says(k, k.show("demo-1").Warnings, "the gate ship is defined nowhere")
		_, err := k.s.Work.Move(ann, work.MoveIn{Task: "demo-1", To: "done", Force: true})
		k.refused(err, fault.Declined, "gate ship")
		k.policy.Gates = map[string][]string{"ship": {"test"}}
		b := k.show("demo-1")
		quiet(k, b.Warnings)
		same(k, "gate's missing", b.Gate.Missing, "test")
		_, err = k.s.Work.Evidence(bot, work.EvidenceIn{Task: "demo-1", Items: []task.EvidenceItem{{Kind: "test", Value: "42 pass"}}})
		k.must(err)
		k.done(bot, "demo-1")
	})
}

func TestTheHolderIsToldWhoChangedTheRecordSinceTheClaim(t *testing.T) {
	each(t, func(k *kit) {
		k.tasks(`{"key": "a", "title": "A", "criteria": ["one", "two"]}`)
		k.claim(bot, "demo-1")
		// Its own ticks are no news to it.
		_, err := k.s.Work.Tick(bot, work.TickIn{Task: "demo-1", Index: 1})
		k.must(err)
		n, err := k.s.Work.Note(bot, work.NoteIn{Task: "demo-1", Text: "x"})
		k.must(err)
		quiet(k, n.Warnings)
		k.edit(ann, "demo-1", `{"body": "and mind the gap"}`)
		if n, err = k.s.Work.Note(bot, work.NoteIn{Task: "demo-1", Text: "x"}); err != nil {
			k.Fatal(err)
		}
		says(k, n.Warnings, "by ann (task.updated)")
		e, err := k.s.Work.Evidence(bot, work.EvidenceIn{Task: "demo-1", Items: []task.EvidenceItem{{Kind: "k", Value: "v"}}})
		k.must(err)
		says(k, e.Warnings, "by ann (task.updated)")
		says(k, k.show("demo-1").Warnings, "by ann (task.updated)")
		n, err = k.s.Work.Note(bee, work.NoteIn{Task: "demo-1", Text: "x"})
		k.must(err)
		quiet(k, n.Warnings)
		out := k.move(bot, work.MoveIn{Task: "demo-1", To: "done", Check: []int{2}})
		says(k, out.Warnings, "by ann (task.updated)")
	})
}

func TestAMoveMayClaimTheNextTaskInTheSameStep(t *testing.T) {
	each(t, func(k *kit) {
		k.tasks(`{"key": "a", "title": "A"}, {"key": "b", "title": "B", "deps": ["a"], "body": "what to do"}`)
		k.claim(bot, "demo-1")
		out := k.move(bot, work.MoveIn{Task: "demo-1", To: "done", Next: true})
		if out.Next == nil || out.Next.Task == nil || out.Next.Claimed == nil {
			k.Fatalf("next is %+v", out.Next)
		}
		is(k, "next", out.Next.Task.ID, "demo-2")
		is(k, "its body", out.Next.Bundle.Task.Body, "what to do")
		is(k, "its holder", out.Next.Claimed.Actor, "bot")
		all, err := k.s.Reading.Events(ann, reading.EventsIn{Limit: ptr(2)})
		k.must(err)
		is(k, "batch", all[1].Batch, all[0].ID)
		out = k.move(bot, work.MoveIn{Task: "demo-2", To: "done", Next: true})
		if out.Next == nil || out.Next.Task != nil || out.Next.Idle == nil || !out.Next.Idle.Finished {
			k.Errorf("next after the last is %+v", out.Next)
		}
		k.healthy()
	})
}

func TestTheAnswerOfAMoveIsTheWholeRecord(t *testing.T) {
	each(t, func(k *kit) {
		k.tasks(`{"key": "a", "title": "A", "status": "done"}, {"key": "b", "title": "B", "deps": ["a"], "body": "text"}`)
		out := k.move(bot, work.MoveIn{Task: "demo-2", To: "in_review"})
		is(k, "body", out.Task.Body, "text")
		same(k, "deps", out.Task.Deps, "demo-1")
		if out.Next != nil {
			k.Error("next was not asked for")
		}
	})
}
