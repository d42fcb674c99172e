package work_test

import (
	"testing"

	"tasker/internal/fault"
	"tasker/internal/task"
	"tasker/internal/testkit/coretest"
	"tasker/internal/views/reading"
	"tasker/internal/work"
)

func TestIdleCountsWhatTheSameTurnMadeReady(t *testing.T) {
	coretest.Each(t, func(k *coretest.Kit) {
		k.Tasks(`{"key": "a", "title": "A"}, {"key": "b", "title": "B", "deps": ["a"], "autonomy": "human_only"}, {"key": "c", "title": "C", "deps": ` +
			`["a"], "mayExecute": ["nobody"]}`)
		k.Claim(coretest.Bot, "a")
		out := k.Move(coretest.Bot, work.MoveIn{Task: "a", To: "done", Next: true})
		if idle := out.Next.Idle; idle == nil || idle.WaitingForHuman != 1 || idle.NotForYou != 1 || idle.Held != 0 {
			k.Errorf("want two tasks that became ready for others, got %+v", idle)
		}
		k.Healthy()
	})
}

func TestAMoveToDoneIsRefusedWhileCriteriaAreUnchecked(t *testing.T) {
	coretest.Rule(t, func(k *coretest.Kit) {
		k.Tasks(`{"key": "a", "title": "A", "criteria": ["it works", "it is fast"]}`)
		_, err := k.Work.Move(coretest.Bot, work.MoveIn{Task: "demo-1", To: "done"})
		e := k.Refused(err, fault.Declined)
		coretest.Equal(k, "message", e.Message, "demo-1 cannot complete because of 2 unchecked criteria")
		coretest.EqualSlices(k, "missing", e.Missing, "criterion 1: it works", "criterion 2: it is fast")
		coretest.Equal(k, "status", k.Task("demo-1").Status, task.Open)
		coretest.EqualSlices(k, "events", k.Events("demo-1"), task.TaskCreated)
	})
}

func TestForceIsLoggedWithWhatItPassedOver(t *testing.T) {
	coretest.Rule(t, func(k *coretest.Kit) {
		k.Apply(`{"project": "demo", "gates": {"ship": ["test", "review"]}, "tasks": [{"key": "a", "title": "A", "criteria": ["one"], "gate": "ship"}]}`)
		out := k.Move(coretest.Bot, work.MoveIn{Task: "demo-1", To: "done", Force: true, Evidence: []task.EvidenceItem{{Kind: "review", Value: "ok"}}})
		coretest.Equal(k, "status", out.Task.Status, task.Done)
		coretest.Equal(k, "from", out.From, task.Open)
		coretest.EqualSlices(k, "events", k.Events("demo-1"), task.TaskCreated, task.EvidenceAdded, task.OverrideForced, task.TaskMoved)
		all, err := k.Reading.Events(coretest.Ann, reading.EventsIn{Task: "demo-1", Kind: "override.forced"})
		k.Must(err)
		coretest.Equal(k, "payload", string(all[0].Payload), `{"passedOver":["criterion 1: one","evidence test"],"to":"done"}`)
		_, payload := k.Last("demo-1")
		for _, part := range []string{`"forced":true`, `"from":"open"`, `"to":"done"`, `"tookFrom":null`} {
			coretest.Contains(k, []string{payload}, part)
		}
	})
}

func TestForceDoesNotPassEvidenceForAnAgentWhereAHumanIsDeclared(t *testing.T) {
	coretest.Rule(t, func(k *coretest.Kit) {
		k.Policy.DeclaresHuman = true
		k.Apply(`{"project": "demo", "gates": {"ship": ["test"]}, "tasks": [
			{"key": "a", "title": "A", "criteria": ["one"], "gate": "ship"}, {"key": "b", "title": "B", "criteria": ["one"]}]}`)
		_, err := k.Work.Move(coretest.Bot, work.MoveIn{Task: "demo-1", To: "done", Force: true})
		k.Refused(err, fault.Declined, "evidence test")
		k.Move(coretest.Bob, work.MoveIn{Task: "demo-1", To: "done", Force: true})
		k.Move(coretest.Bot, work.MoveIn{Task: "demo-2", To: "done", Force: true})
	})
}

func TestOneRefusalNamesEverythingInOrder(t *testing.T) {
	coretest.Rule(t, func(k *coretest.Kit) {
		k.Policy.RequireNoteOnDone = true
		k.Policy.RequireApproval = []task.Requirement{{Role: "lead", Reason: "it ships"}, {Kind: "verification"}}
		k.Apply(`{"project": "demo", "gates": {"ship": ["test"]}, "tasks": [{"key": "a", "title": "A", "criteria": ["one"], "gate": "ship"}]}`)
		_, err := k.Work.Move(coretest.Bot, work.MoveIn{Task: "demo-1", To: "done"})
		e := k.Refused(err, fault.Declined)
		coretest.EqualSlices(k, "missing", e.Missing, "criterion 1: one", "evidence test", "approval by lead: it ships", "verification by any human",
			"note: at least one on the task")
		// Force never passes approvals or the note.
		_, err = k.Work.Move(coretest.Bot, work.MoveIn{Task: "demo-1", To: "done", Force: true})
		e = k.Refused(err, fault.Declined)
		coretest.EqualSlices(k, "missing", e.Missing, "approval by lead: it ships", "verification by any human", "note: at least one on the task")
	})
}

func TestADeclinedMoveRecordsWhatItBrings(t *testing.T) {
	coretest.Each(t, func(k *coretest.Kit) {
		k.Policy.RequireApproval = []task.Requirement{{Role: "lead", Reason: "it ships"}}
		k.Tasks(`{"key": "a", "title": "A", "criteria": ["one"]}`)
		in := work.MoveIn{Task: "demo-1", To: "done", Check: []int{1}, Note: new("finished"), Evidence: []task.EvidenceItem{{Kind: "test", Value: "ok"}}}
		_, err := k.Work.Move(coretest.Bot, in)
		e := k.Refused(err, fault.Declined, "approval by lead: it ships")
		coretest.EqualSlices(k, "recorded", e.Recorded, "criterion 1", "evidence test", "note")
		coretest.Equal(k, "the version in the refusal", e.Version, int64(2))
		coretest.EqualSlices(k, "events", k.Events("demo-1"), task.TaskCreated, task.EvidenceAdded, task.NoteAdded, task.CriterionChecked, task.ApprovalRequested)
		_, payload := k.Last("demo-1")
		coretest.Contains(k, []string{payload}, `"missing":["approval by lead: it ships"]`)
		b := k.Show("demo-1")
		if !b.Task.Criteria[0].Checked || len(b.Notes) != 1 || len(b.Evidence) != 1 || b.Task.Version != 2 || b.Task.Status != task.Open {
			k.Errorf("a declined move left %+v, %+v, %+v", b.Task.Criteria, b.Notes, b.Evidence)
		}
		_, err = k.Work.Move(coretest.Bot, in)
		e = k.Refused(err, fault.Declined)
		if e.Recorded == nil || len(e.Recorded) != 0 || e.Version != 0 {
			k.Errorf("the second time %v is recorded, version %d", e.Recorded, e.Version)
		}
		coretest.Equal(k, "missing approvals", len(b.Approvals.Missing), 1)
		_, err = k.Work.Approve(coretest.Ann, work.ApproveIn{Task: "demo-1"})
		k.Must(err)
		coretest.Equal(k, "missing approvals after one", len(k.Show("demo-1").Approvals.Missing), 0)
		out := k.Move(coretest.Bot, in)
		coretest.Equal(k, "version", out.Task.Version, 3)
		b = k.Show("demo-1")
		coretest.Equal(k, "notes", len(b.Notes), 1)
		coretest.Equal(k, "evidence", len(b.Evidence), 1)
		coretest.Equal(k, "tick", b.Task.Criteria[0].CheckedBy, "bot")
		coretest.EqualSlices(k, "events", k.Events("demo-1"), task.TaskCreated, task.EvidenceAdded, task.NoteAdded, task.CriterionChecked,
			task.ApprovalRequested, task.ApprovalRequested, task.ApprovalGiven, task.TaskMoved)
		k.Healthy()
	})
}

func TestApprovalsAreAskedForOnceNothingElseIsMissing(t *testing.T) {
	coretest.Rule(t, func(k *coretest.Kit) {
		k.Policy.RequireApproval = []task.Requirement{{Role: "lead"}}
		k.Tasks(`{"key": "a", "title": "A", "criteria": ["one"]}`)
		_, err := k.Work.Move(coretest.Bot, work.MoveIn{Task: "demo-1", To: "done"})
		e := k.Refused(err, fault.Declined)
		coretest.EqualSlices(k, "missing", e.Missing, "criterion 1: one", "approval by lead")
		coretest.EqualSlices(k, "events", k.Events("demo-1"), task.TaskCreated)
		_, err = k.Work.Move(coretest.Bot, work.MoveIn{Task: "demo-1", To: "done", Check: []int{1}})
		k.Refused(err, fault.Declined, "approval by lead")
		coretest.EqualSlices(k, "events", k.Events("demo-1"), task.TaskCreated, task.CriterionChecked, task.ApprovalRequested)
		k.Healthy()
	})
}

func TestTicksAndNotesOfAMoveCountAndAreAllOrNothing(t *testing.T) {
	coretest.Each(t, func(k *coretest.Kit) {
		k.Policy.RequireNoteOnDone = true
		k.Tasks(`{"key": "a", "title": "A", "criteria": ["one"]}`)
		_, err := k.Work.Move(coretest.Bot, work.MoveIn{Task: "demo-1", To: "done", Check: []int{1, 7}, Note: new("x")})
		k.Refused(err, fault.Invalid, "demo-1 has no criterion 7")
		_, err = k.Work.Move(coretest.Bot, work.MoveIn{Task: "demo-1", To: "done", Check: []int{1}, Note: new("")})
		k.Refused(err, fault.Invalid, "the note is empty")
		_, err = k.Work.Move(coretest.Bot, work.MoveIn{Task: "demo-1", To: "done", Evidence: []task.EvidenceItem{{Value: "v"}}})
		k.Refused(err, fault.Invalid, "evidence[0].kind is empty")
		_, err = k.Work.Move(coretest.Bot, work.MoveIn{Task: "demo-1", To: "finished"})
		k.Refused(err, fault.Invalid, `"finished" is not a status`)
		coretest.EqualSlices(k, "events", k.Events("demo-1"), task.TaskCreated)
		k.Move(coretest.Bot, work.MoveIn{Task: "demo-1", To: "done", Check: []int{1}, Note: new("x")})
	})
}

func TestTheOrderOfTheChecksOfAMove(t *testing.T) {
	coretest.Rule(t, func(k *coretest.Kit) {
		k.Tasks(`{"key": "a", "title": "A", "criteria": ["one"]}`)
		k.Claim(coretest.Bee, "demo-1") // fence 1, version 2
		_, err := k.Work.Move(coretest.Bot, work.MoveIn{Task: "demo-7", To: "done", ExpectedVersion: new(int64(9))})
		k.Refused(err, fault.NotFound)
		_, err = k.Work.Move(coretest.Bot, work.MoveIn{Task: "demo-1", To: "done", ExpectedVersion: new(int64(1)), Check: []int{8}})
		k.Refused(err, fault.Conflict, "demo-1 has version 2, not 1")
		_, err = k.Work.Move(coretest.Bot, work.MoveIn{Task: "demo-1", To: "done", ExpectedVersion: new(int64(2)), Fence: new(int64(3))})
		k.Refused(err, fault.Conflict, "fence 3")
		_, err = k.Work.Move(coretest.Bot, work.MoveIn{Task: "demo-1", To: "done", ExpectedVersion: new(int64(2)), Check: []int{8}})
		k.Refused(err, fault.Declined, "held by bee")
		_, err = k.Work.Move(coretest.Bee, work.MoveIn{Task: "demo-1", To: "done"})
		k.Refused(err, fault.Declined, "1 unchecked criteria")
		out := k.Move(coretest.Bee, work.MoveIn{Task: "demo-1", To: "in_progress"})
		coretest.Equal(k, "version after a move to where it is", out.Task.Version, 2)
		coretest.EqualSlices(k, "events", k.Events("demo-1"), task.TaskCreated, task.TaskClaimed)
	})
}

func TestTheRulesForDoneApplyFromDoneToo(t *testing.T) {
	coretest.Rule(t, func(k *coretest.Kit) {
		k.Tasks(`{"key": "a", "title": "A", "criteria": ["one"], "status": "done"}`)
		_, err := k.Work.Move(coretest.Bot, work.MoveIn{Task: "demo-1", To: "done"})
		k.Refused(err, fault.Declined, "criterion 1: one")
	})
}

func TestAHumanPassesAnothersClaimAndTheEventSaysFromWhom(t *testing.T) {
	coretest.Rule(t, func(k *coretest.Kit) {
		k.Tasks(`{"key": "a", "title": "A"}`)
		k.Claim(coretest.Bot, "demo-1")
		out := k.Move(coretest.Ann, work.MoveIn{Task: "demo-1", To: "in_review"})
		if out.Task.Claim != nil {
			k.Errorf("the claim %+v is left", out.Task.Claim)
		}
		_, payload := k.Last("demo-1")
		coretest.Contains(k, []string{payload}, `"tookFrom":"bot"`)
		k.Healthy()
	})
}

func TestMovesThatEndTheClaim(t *testing.T) {
	coretest.Rule(t, func(k *coretest.Kit) {
		k.Tasks(`{"key": "a", "title": "A"}`)
		for _, to := range []string{"in_review", "open", "done", "cancelled"} {
			if k.Task("demo-1").Status.Closed() || k.Task("demo-1").Status == task.InReview {
				k.Move(coretest.Ann, work.MoveIn{Task: "demo-1", To: "open"})
			}
			k.Claim(coretest.Bot, "demo-1")
			if out := k.Move(coretest.Bot, work.MoveIn{Task: "demo-1", To: to}); out.Task.Claim != nil {
				k.Errorf("a move to %s leaves the claim", to)
			}
		}
		k.Healthy()
	})
}

func TestClosingTellsWhatBecameReadyAndReopeningTakesItBack(t *testing.T) {
	coretest.Each(t, func(k *coretest.Kit) {
		k.Tasks(`{"key": "a", "title": "A"}, {"key": "b", "title": "B", "deps": ["a"]}, {"key": "c", "title": "C", "deps": ["a", "b"]}, {"key": "d", ` +
			`"title": "D", "deps": ["a"]}`)
		out := k.Done(coretest.Bot, "demo-1")
		coretest.EqualSlices(k, "unblocked", out.Unblocked, "demo-2", "demo-4")
		k.Claim(coretest.Bot, "demo-2")
		k.Move(coretest.Ann, work.MoveIn{Task: "demo-1", To: "open"})
		b := k.Show("demo-2")
		coretest.Equal(k, "open deps", b.Task.OpenDeps, 1)
		if b.Task.Claim == nil {
			k.Error("a reopened dependency ended the claim")
		}
		coretest.Contains(k, b.Warnings, "demo-2 waits again for demo-1")
		// A renewal ignores dependencies that reopened meanwhile.
		_, err := k.Work.Claim(coretest.Bot, work.ClaimIn{Task: "demo-2", Fence: new(b.Task.Claim.Fence)})
		k.Must(err)
		_, err = k.Work.Claim(coretest.Bee, work.ClaimIn{Task: "demo-4"})
		k.Refused(err, fault.Declined, "demo-4 waits for 1 open task")
		k.Healthy()
	})
}

func TestACancelledDependencyCountsAsClosedAndTheBundleSaysSo(t *testing.T) {
	coretest.Rule(t, func(k *coretest.Kit) {
		k.Tasks(`{"key": "a", "title": "A"}, {"key": "b", "title": "B", "deps": ["a"]}`)
		out := k.Move(coretest.Bot, work.MoveIn{Task: "demo-1", To: "cancelled"})
		coretest.EqualSlices(k, "unblocked", out.Unblocked, "demo-2")
		coretest.Contains(k, k.Show("demo-2").Warnings, "cancelled, not done, and counted as closed: demo-1")
	})
}

func TestClosingClosesNothingElseAndWarnsOfWhatIsOpen(t *testing.T) {
	coretest.Each(t, func(k *coretest.Kit) {
		k.Tasks(`{"key": "p", "title": "P"}, {"key": "a", "title": "A", "parent": "p"}, {"key": "b", "title": "B", "parent": "p"}`)
		out := k.Done(coretest.Bot, "demo-2")
		coretest.Contains(k, out.Warnings, "the parent demo-1 is still open: 1 child is still open")
		out = k.Done(coretest.Bot, "demo-1")
		coretest.Contains(k, out.Warnings, "1 child is still open below demo-1")
		coretest.Equal(k, "child", k.Task("demo-3").Status, task.Open)
		out = k.Done(coretest.Bot, "demo-3")
		coretest.Empty(k, out.Warnings)
		k.Move(coretest.Bot, work.MoveIn{Task: "demo-1", To: "open"})
		k.Move(coretest.Bot, work.MoveIn{Task: "demo-3", To: "open"})
		out = k.Done(coretest.Bot, "demo-3")
		coretest.Contains(k, out.Warnings, "the parent demo-1 is still open: none of its children is open any more")
		coretest.EqualSlices(k, "unblocked", out.Unblocked, "demo-1")
		k.Healthy()
	})
}

func TestApprovalsGivenBeforeAReopeningOrAChangeOfTheWorkNoLongerCount(t *testing.T) {
	coretest.Rule(t, func(k *coretest.Kit) {
		k.Policy.RequireApproval = []task.Requirement{{}}
		k.Tasks(`{"key": "a", "title": "A"}`)
		approve := func() {
			k.Helper()
			_, err := k.Work.Approve(coretest.Bob, work.ApproveIn{Task: "demo-1"})
			k.Must(err)
		}
		approve()
		k.Done(coretest.Bot, "demo-1")
		k.Move(coretest.Bot, work.MoveIn{Task: "demo-1", To: "open"})
		_, err := k.Work.Move(coretest.Bot, work.MoveIn{Task: "demo-1", To: "done"})
		k.Refused(err, fault.Declined, "approval by any human")
		coretest.Equal(k, "stale", k.Show("demo-1").Approvals.Given[0].Stale, true)
		approve()
		k.Edit(coretest.Ann, "demo-1", `{"priority": 0}`)
		k.Done(coretest.Bot, "demo-1")
		k.Move(coretest.Bot, work.MoveIn{Task: "demo-1", To: "open"})
		for _, change := range []string{`{"title": "Another"}`, `{"body": "more"}`, `{"addCriteria": ["x"]}`, `{"gate": "ship"}`} {
			approve()
			k.Edit(coretest.Ann, "demo-1", change)
			coretest.Equal(k, "missing after "+change, len(k.Show("demo-1").Approvals.Missing), 1)
		}
	})
}

func TestAnUndefinedGateIsNeverPassed(t *testing.T) {
	coretest.Rule(t, func(k *coretest.Kit) {
		out := k.Tasks(`{"key": "a", "title": "A", "gate": "ship"}`)
		coretest.Contains(k, out.Warnings, "gate ship is defined nowhere")
		coretest.Contains(k, k.Show("demo-1").Warnings, "the gate ship is defined nowhere")
		_, err := k.Work.Move(coretest.Ann, work.MoveIn{Task: "demo-1", To: "done", Force: true})
		k.Refused(err, fault.Declined, "gate ship")
		k.Policy.Gates = map[string][]string{"ship": {"test"}}
		b := k.Show("demo-1")
		coretest.Empty(k, b.Warnings)
		coretest.EqualSlices(k, "gate's missing", b.Gate.Missing, "test")
		_, err = k.Work.Evidence(coretest.Bot, work.EvidenceIn{Task: "demo-1", Items: []task.EvidenceItem{{Kind: "test", Value: "42 pass"}}})
		k.Must(err)
		k.Done(coretest.Bot, "demo-1")
	})
}

func TestTheHolderIsToldWhoChangedTheRecordSinceTheClaim(t *testing.T) {
	coretest.Each(t, func(k *coretest.Kit) {
		k.Tasks(`{"key": "a", "title": "A", "criteria": ["one", "two"]}`)
		k.Claim(coretest.Bot, "demo-1")
		// Its own ticks are not news to it.
		_, err := k.Work.Tick(coretest.Bot, work.TickIn{Task: "demo-1", Index: 1})
		k.Must(err)
		n, err := k.Work.Note(coretest.Bot, work.NoteIn{Task: "demo-1", Text: "x"})
		k.Must(err)
		coretest.Empty(k, n.Warnings)
		k.Edit(coretest.Ann, "demo-1", `{"body": "and mind the gap"}`)
		if n, err = k.Work.Note(coretest.Bot, work.NoteIn{Task: "demo-1", Text: "x"}); err != nil {
			k.Fatal(err)
		}
		coretest.Contains(k, n.Warnings, "by ann (edited)")
		e, err := k.Work.Evidence(coretest.Bot, work.EvidenceIn{Task: "demo-1", Items: []task.EvidenceItem{{Kind: "k", Value: "v"}}})
		k.Must(err)
		coretest.Contains(k, e.Warnings, "by ann (edited)")
		coretest.Contains(k, k.Show("demo-1").Warnings, "by ann (edited)")
		n, err = k.Work.Note(coretest.Bee, work.NoteIn{Task: "demo-1", Text: "x"})
		k.Must(err)
		coretest.Empty(k, n.Warnings)
		out := k.Move(coretest.Bot, work.MoveIn{Task: "demo-1", To: "done", Check: []int{2}})
		coretest.Contains(k, out.Warnings, "by ann (edited)")
	})
}

func TestAMoveMayClaimTheNextTaskInTheSameStep(t *testing.T) {
	coretest.Each(t, func(k *coretest.Kit) {
		k.Tasks(`{"key": "a", "title": "A"}, {"key": "b", "title": "B", "deps": ["a"], "body": "what to do"}`)
		k.Claim(coretest.Bot, "demo-1")
		out := k.Move(coretest.Bot, work.MoveIn{Task: "demo-1", To: "done", Next: true})
		if out.Next == nil || out.Next.Task == nil || out.Next.Claimed == nil {
			k.Fatalf("next is %+v", out.Next)
		}
		coretest.Equal(k, "next", out.Next.Task.ID, "demo-2")
		coretest.Equal(k, "its body", out.Next.Bundle.Task.Body, "what to do")
		coretest.Equal(k, "its holder", out.Next.Claimed.Actor, "bot")
		all, err := k.Reading.Events(coretest.Ann, reading.EventsIn{Limit: new(2)})
		k.Must(err)
		coretest.Equal(k, "batch", all[1].Batch, all[0].ID)
		out = k.Move(coretest.Bot, work.MoveIn{Task: "demo-2", To: "done", Next: true})
		if out.Next == nil || out.Next.Task != nil || out.Next.Idle == nil || !out.Next.Idle.Finished {
			k.Errorf("next after the last is %+v", out.Next)
		}
		k.Healthy()
	})
}

func TestTheAnswerOfAMoveIsTheWholeRecord(t *testing.T) {
	coretest.Each(t, func(k *coretest.Kit) {
		k.Tasks(`{"key": "a", "title": "A", "status": "done"}, {"key": "b", "title": "B", "deps": ["a"], "body": "text"}`)
		out := k.Move(coretest.Bot, work.MoveIn{Task: "demo-2", To: "in_review"})
		coretest.Equal(k, "body", out.Task.Body, "text")
		coretest.EqualSlices(k, "deps", out.Task.Deps, "demo-1")
		if out.Next != nil {
			k.Error("there is a next task although none was asked for")
		}
	})
}

// TestAnAgentIsToldThatItClosedWhatItCouldNotClaim runs where no human is declared: there an agent may close such a task.
func TestAnAgentIsToldThatItClosedWhatItCouldNotClaim(t *testing.T) {
	coretest.Rule(t, func(k *coretest.Kit) {
		k.Tasks(`{"key": "a", "title": "A", "autonomy": "human_only"}, {"key": "b", "title": "B", "autonomy": "human_only"}, {"key": "c", "title": "C"}`)
		out := k.Move(coretest.Bot, work.MoveIn{Task: "demo-1", To: "done"})
		coretest.EqualSlices(k, "warnings", out.Warnings, "bot could not have claimed demo-1: it is human_only, and this actor is an agent")
		coretest.Equal(k, "warnings to a human", len(k.Move(coretest.Ann, work.MoveIn{Task: "demo-2", To: "done"}).Warnings), 0)
		coretest.Equal(k, "warnings of another task", len(k.Move(coretest.Bot, work.MoveIn{Task: "demo-3", To: "done"}).Warnings), 0)
	})
}
