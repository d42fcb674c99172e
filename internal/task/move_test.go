package task_test

import (
	"slices"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
	"pgregory.net/rapid"

	"tasker/internal/fault"
	"tasker/internal/task"
)

func TestEveryMoveBetweenTwoStatusesIsAllowed(t *testing.T) {
	for _, from := range task.Statuses {
		for _, to := range task.Statuses {
			before := with(open(), func(x *task.Task) { x.Status, x.Attempts, x.ApprovalEpoch, x.Recorded = from, 3, 1, true })
			if from.Closed() {
				before.ClosedAt, before.ClosedBy = now-9, "bob"
			}
			want := *before
			if from != to {
				want.Status, want.Version, want.UpdatedAt, want.Attempts, want.Recorded = to, 5, now, 0, false
				switch {
				case to.Closed():
					want.ClosedAt, want.ClosedBy = now, "claude/3"
				case from.Closed(): // reopened
					want.ClosedAt, want.ClosedBy, want.ApprovalEpoch, want.Returned, want.SentBack = 0, "", 2, task.ThisEvent, task.ThisEvent
				}
				if to == task.InReview {
					want.AwaitingSince, want.ReviewBy = task.ThisEvent, "claude/3"
				}
				if to == task.InProgress {
					want.UnheldSince = task.ThisEvent
				}
				if from == task.InReview && !to.Closed() { // sent back
					want.Failures, want.ApprovalEpoch, want.Returned, want.SentBack = 1, 2, task.ThisEvent, task.ThisEvent
				}
			}
			got, err := before.MoveBy(claude, task.Policy{}, task.Move{To: to}, task.Standing{}, now)
			passes(t, err)
			if d := cmp.Diff(task.Moved{After: &want, From: from, Changed: from != to}, got); d != "" {
				t.Errorf("%s to %s: %s", from, to, d)
			}
		}
	}
	_, err := open().MoveBy(claude, task.Policy{}, task.Move{To: "blocked"}, task.Standing{}, now)
	refused(t, err, fault.Invalid, "open, in_progress, in_review, done, cancelled")
}

func TestAMoveEndsTheClaim(t *testing.T) {
	for _, to := range []task.Status{task.Open, task.InReview, task.Done, task.Cancelled} {
		for _, by := range []task.Actor{claude, alice} {
			got, err := held(claude).MoveBy(by, task.Policy{}, task.Move{To: to}, task.Standing{}, now)
			passes(t, err)
			taken := by.Name == "alice"
			if got.After.Claim != nil || got.After.FenceEnded != taken || (got.TookFrom == "claude/3") != taken {
				t.Errorf("%s to %s: %+v %+v", by.Name, to, got, got.After)
			}
		}
	}
	got, err := held(claude).MoveBy(alice, task.Policy{}, task.Move{To: task.InProgress}, task.Standing{}, now)
	passes(t, err)
	if got.Changed || got.After.Claim == nil || got.TookFrom != "" {
		t.Errorf("a move to the status it has took the claim: %+v", got)
	}
}

func TestOrderOfTheChecksOfAMove(t *testing.T) {
	criteria := []task.Criterion{{Index: 1, Text: "works"}}
	unfit := func() *task.Task { return with(held(alice), func(x *task.Task) { x.Criteria = criteria }) }
	done := func() *task.Task {
		return with(open(), func(x *task.Task) { x.Status, x.Criteria = task.Done, criteria })
	}
	for _, c := range []struct {
		name string
		task *task.Task
		by   task.Actor
		move task.Move
		kind fault.Kind
		says string
	}{
		{"the version first", unfit(), claude, task.Move{To: task.Done, ExpectedVersion: ptr(int64(4))}, fault.Conflict, "has version 5, not 4"},
		{"and the fence", unfit(), claude, task.Move{To: task.Done, Fence: ptr(int64(2))}, fault.Conflict, "fence 2"},
		{"then another's claim", unfit(), claude, task.Move{To: task.Done, Fence: ptr(int64(3)), ExpectedVersion: ptr(int64(5))}, fault.Declined,
			"demo-1 is held by alice until"},
		{"force does not pass it", unfit(), claude, task.Move{To: task.Done, Force: true}, fault.Declined, "is held by alice until"},
		{"it stands before a move that changes nothing", held(alice), claude, task.Move{To: task.InProgress}, fault.Declined, "is held by alice until"},
		{"then the rules for done", unfit(), alice, task.Move{To: task.Done}, fault.Declined, "demo-1 cannot complete because of 1 unchecked criteria"},
		{"also from done", done(), claude, task.Move{To: task.Done}, fault.Declined, "1 unchecked criteria"},
	} {
		t.Run(c.name, func(t *testing.T) {
			got, err := c.task.MoveBy(c.by, task.Policy{}, c.move, task.Standing{}, now)
			refused(t, err, c.kind, c.says)
			if got.After != nil || got.Changed || got.Forced != nil {
				t.Errorf("a refusal returned %+v", got)
			}
		})
	}
}

func TestALapsedClaimStandsInNobodysWay(t *testing.T) {
	one := held(alice)
	late := one.Claim.ExpiresAt
	got, err := one.MoveBy(claude, task.Policy{}, task.Move{To: task.InReview, ExpectedVersion: ptr(int64(6)), Fence: ptr(int64(3))}, task.Standing{}, late)
	passes(t, err)
	if got.From != task.Open || got.After.Version != 7 || got.TookFrom != "" || got.After.FenceEnded {
		t.Errorf("%+v %+v", got, got.After)
	}
	if one.Claim == nil || one.Version != 5 {
		t.Error("the record itself was changed")
	}
}

// everything returns a task with every obstacle to done, and the policy that asks for them.
func everything() (*task.Task, task.Policy, task.Standing) {
	one := with(open(), func(x *task.Task) {
		x.Gate, x.Questions = "release", 1
		x.Criteria = []task.Criterion{{Index: 1, Text: "works"}, {Index: 2, Text: "is fast", Checked: true}, {Index: 3, Text: "is documented"}}
	})
	p := task.Policy{
		Gates:             map[string][]string{"release": {"test", "build"}},
		RequireApproval:   []task.Requirement{{Role: "lead", Reason: "it ships"}},
		ReviewPolicy:      map[string][]task.Requirement{"release": {{Kind: "verification", Actor: "alice", Reason: "tried it"}, {}}},
		RequireNoteOnDone: true,
	}
	s := task.Standing{
		Evidence:  []string{"build"},
		Approvals: []task.Approval{{Actor: "alice", Roles: []string{"lead"}, Stale: true}},
		Questions: []task.Question{{ID: 7, Text: "which port?", Blocking: true}, {ID: 8, Text: "colour?"}, {ID: 9, Text: "old", Blocking: true, AnsweredAt: 1}},
	}
	return one, p, s
}

func TestOneRefusalNamesEverythingInOrder(t *testing.T) {
	one, p, s := everything()
	got, err := one.MoveBy(claude, p, task.Move{To: task.Done}, s, now)
	refused(t, err, fault.Declined, "demo-1 cannot complete because of 2 unchecked criteria", "tick each criterion once it is true (tasker check demo-1 1 3)",
		"or force the override, which is logged", "tasker prove demo-1 --kind test -- CMD", "tasker approve demo-1", "tasker note demo-1", "tasker answer 7")
	e := fault.Of(err)
	want := []string{
		"criterion 1: works", "criterion 3: is documented", "evidence test", "approval by lead: it ships",
		"verification by alice: tried it", "approval by any human", "note: at least one on the task", "question 7: which port?",
	}
	if d := cmp.Diff(want, e.Missing); d != "" {
		t.Error(d)
	}
	if e.Message != "demo-1 cannot complete because of 2 unchecked criteria" {
		t.Error(e.Message)
	}
	if d := cmp.Diff(task.Moved{From: task.Open}, got); d != "" {
		t.Error(d)
	}
	// Approvals are requested once nothing else is missing.
	s.Notes, s.Questions, one.Questions = 1, nil, 0
	got, err = one.MoveBy(alice, p, task.Move{To: task.Done, Force: true}, s, now)
	refused(t, err, fault.Declined, "3 missing approvals")
	wantRequested := slices.Concat(p.RequireApproval, p.ReviewPolicy["release"])
	if d := cmp.Diff(task.Moved{From: task.Open, Requested: wantRequested}, got); d != "" {
		t.Error(d)
	}
}

func TestForcePassesCriteriaAndEvidenceAlone(t *testing.T) {
	one, p, s := everything()
	got, err := one.MoveBy(alice, p, task.Move{To: task.Done, Force: true}, s, now)
	refused(t, err, fault.Declined, "demo-1 cannot complete because of 3 missing approvals, a missing note and 1 open blocking question")
	if missing := fault.Of(err).Missing; len(missing) != 5 || missing[0] != "approval by lead: it ships" || len(got.Requested) != 0 {
		t.Errorf("%v %v", missing, got.Requested)
	}
	// Everything else is there.
	s.Notes, s.Questions, one.Questions = 1, nil, 0
	s.Approvals = []task.Approval{{Actor: "alice", Roles: []string{"lead"}}, {Actor: "alice", Kind: "verification"}}
	got, err = one.MoveBy(alice, p, task.Move{To: task.Done, Force: true}, s, now)
	passes(t, err)
	if d := cmp.Diff([]string{"criterion 1: works", "criterion 3: is documented", "evidence test"}, got.Forced); d != "" {
		t.Error(d)
	}
	if got.After.Status != task.Done || got.After.Criteria[0].Checked {
		t.Errorf("%+v", got.After)
	}
	// Nothing is overridden if nothing changes, or nothing is in the way.
	again, err := got.After.MoveBy(alice, p, task.Move{To: task.Done, Force: true}, s, now)
	if passes(t, err); again.Changed || again.Forced != nil {
		t.Errorf("%+v", again)
	}
	clean, err := open().MoveBy(alice, task.Policy{}, task.Move{To: task.Done, Force: true}, task.Standing{}, now)
	if passes(t, err); clean.Forced != nil || !clean.Changed {
		t.Errorf("%+v", clean)
	}
}

func TestWhoMayForce(t *testing.T) {
	unnamed := alice
	unnamed.Shell = "claude"
	for _, c := range []struct {
		name     string
		by       task.Actor
		declares bool
		evidence bool // may be overridden too; anybody may override criteria
	}{
		{"an agent where no human is declared", claude, false, true},
		{"an agent where one is", claude, true, false},
		{"one that nobody declares, where a human is", ghost, true, false},
		{"a human whom nobody named, in an agent's shell", unnamed, true, false},
		{"a human", alice, true, true},
	} {
		t.Run(c.name, func(t *testing.T) {
			one := with(open(), func(x *task.Task) { x.Criteria = []task.Criterion{{Index: 1, Text: "works"}} })
			p := task.Policy{DeclaresHuman: c.declares, Gates: map[string][]string{"ship": {"test"}}}
			got, err := one.MoveBy(c.by, p, task.Move{To: task.Done, Force: true}, task.Standing{}, now)
			if passes(t, err); !slices.Equal(got.Forced, []string{"criterion 1: works"}) {
				t.Errorf("%v", got.Forced)
			}
			one.Gate = "ship"
			got, err = one.MoveBy(c.by, p, task.Move{To: task.Done, Force: true}, task.Standing{}, now)
			if c.evidence {
				if passes(t, err); !slices.Equal(got.Forced, []string{"criterion 1: works", "evidence test"}) {
					t.Errorf("%v", got.Forced)
				}
				return
			}
			refused(t, err, fault.Declined, "1 missing kind of evidence", "have a human force the override, which is logged")
		})
	}
}

func TestAHumanWhomNobodyNamedInAnAgentsShellHasAnAgentsRights(t *testing.T) {
	unnamed := alice
	unnamed.Shell = "claude"
	p := task.Policy{DeclaresHuman: true}
	mine := with(open(), func(x *task.Task) { x.Autonomy = task.Opt(task.HumanOnly) })
	theirs := held(other)
	_, _, claiming := mine.ClaimBy(unnamed, p, nil, nil, now)
	_, moving := mine.MoveBy(unnamed, p, task.Move{To: task.Cancelled}, task.Standing{}, now)
	_, passing := theirs.MoveBy(unnamed, p, task.Move{To: task.Open}, task.Standing{}, now)
	_, _, releasing := theirs.ReleaseBy(unnamed, nil, false, now)
	_, approving := open().ApproveBy(unnamed, "", "")
	question := task.Question{ID: 7, Actor: "bot", Task: "demo-1", Blocking: true}
	for name, err := range map[string]error{
		"claim what is for humans": claiming, "move it": moving, "pass another's claim": passing, "release it": releasing,
		"approve": approving, "answer an agent": question.AnswerBy(unnamed, true),
	} {
		t.Run(name, func(t *testing.T) {
			e := fault.Of(err)
			e.For(p.Reader(unnamed))
			refused(t, e, fault.Declined, "this is the shell of claude, an agent, and nobody has named alice", "")
			if e.Hint == "" || strings.Contains(e.Hint, "TASKER_ACTOR") || strings.Contains(e.Hint, "--actor") {
				t.Errorf("the shell of an agent is told how to be alice: %q", e.Hint)
			}
		})
	}
	passes(t, question.AnswerBy(unnamed, false))
	passes(t, question.AnswerBy(alice, true))
	loose := with(open(), func(x *task.Task) { x.Autonomy = "" })
	if task.Loosened(mine, loose, unnamed, p) == nil || task.Loosened(mine, loose, alice, p) != nil {
		t.Error("an agent, and nobody else, should be said to loosen")
	}
}

func TestAnAgentDoesNotMoveOrTickWhatItMayNotHold(t *testing.T) {
	for _, c := range []struct {
		name string
		set  func(*task.Task)
		p    task.Policy
		why  string
	}{
		{"for humans", func(x *task.Task) { x.Autonomy = task.Opt(task.HumanOnly) }, task.Policy{}, "it is human_only"},
		{"for humans by default", func(*task.Task) {}, task.Policy{DefaultAutonomy: task.HumanOnly}, "it is human_only"},
		{"for a role", func(x *task.Task) { x.MayExecute = []string{"lead"} }, task.Policy{}, "it takes one of lead"},
	} {
		t.Run(c.name, func(t *testing.T) {
			one := with(open(), func(x *task.Task) { x.Criteria = []task.Criterion{{Index: 1, Text: "works"}}; c.set(x) })
			move := task.Move{To: task.Cancelled}
			_, err := one.MoveBy(claude, c.p, move, task.Standing{}, now)
			passes(t, err) // no declared human could do it instead
			c.p.DeclaresHuman = true
			_, err = one.MoveBy(claude, c.p, move, task.Standing{}, now)
			refused(t, err, fault.Declined, "is not for claude", c.why)
			_, _, err = one.Tick(claude, c.p, 1, nil, true, task.Basis{}, now)
			refused(t, err, fault.Declined, "is not for claude", c.why)
			_, err = one.MoveBy(alice, c.p, move, task.Standing{}, now)
			passes(t, err)
			_, _, err = one.Tick(alice, c.p, 1, nil, true, task.Basis{}, now)
			passes(t, err)
		})
	}
}

func TestAnUndefinedGateKeepsATaskOpen(t *testing.T) {
	one := with(open(), func(x *task.Task) { x.Gate = "ghost" })
	for _, force := range []bool{false, true} {
		_, err := one.MoveBy(alice, task.Policy{}, task.Move{To: task.Done, Force: force}, task.Standing{}, now)
		refused(t, err, fault.Declined, "because of the undefined gate ghost", "define the gate ghost")
		if d := cmp.Diff([]string{"gate ghost: it is defined nowhere"}, fault.Of(err).Missing); d != "" {
			t.Error(d)
		}
	}
	_, err := one.MoveBy(alice, task.Policy{}, task.Move{To: task.Cancelled}, task.Standing{}, now)
	passes(t, err)
}

func TestARefusalWithoutCriteriaSumsUp(t *testing.T) {
	one, p, s := everything()
	one.Criteria = nil
	_, err := one.MoveBy(claude, p, task.Move{To: task.Done}, s, now)
	refused(t, err, fault.Declined,
		"demo-1 cannot complete because of 1 missing kind of evidence, 3 missing approvals, a missing note and 1 open blocking question", "--force")
}

func TestANoteAnywhereOnTheTaskWillDo(t *testing.T) {
	p := task.Policy{RequireNoteOnDone: true}
	_, err := open().MoveBy(alice, p, task.Move{To: task.Done}, task.Standing{}, now)
	refused(t, err, fault.Declined, "a missing note")
	_, err = open().MoveBy(alice, p, task.Move{To: task.Done}, task.Standing{Notes: 1}, now)
	passes(t, err)
	_, err = with(open(), func(x *task.Task) { x.Notes = 2 }).MoveBy(alice, p, task.Move{To: task.Done}, task.Standing{}, now)
	passes(t, err)
}

func TestQuestionsThatWereNotLoadedStillStandInTheWay(t *testing.T) {
	one := with(open(), func(x *task.Task) { x.Questions = 2 })
	_, err := one.MoveBy(alice, task.Policy{}, task.Move{To: task.Done}, task.Standing{}, now)
	refused(t, err, fault.Declined, "2 open blocking questions", "tasker show demo-1")
	if got := fault.Of(err).Missing; !slices.Equal(got, []string{"question: 2 open blocking ones"}) {
		t.Error(got)
	}
}

// A move to done passes exactly when nothing stands in the way, and otherwise names at least one thing.
func TestARefusalAlwaysNamesSomething(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		one, p, s := everything()
		flip := func(name string) bool { return rapid.Bool().Draw(t, name) }
		if flip("ticked") {
			one.Criteria[0].Checked, one.Criteria[2].Checked = true, true
		}
		if flip("evidence") {
			s.Evidence = []string{"build", "test"}
		}
		if flip("approved") {
			s.Approvals = []task.Approval{{Actor: "alice", Roles: []string{"lead"}}, {Actor: "alice", Kind: "verification"}}
		}
		if flip("noted") {
			s.Notes = 1
		}
		if flip("answered") {
			s.Questions, one.Questions = nil, 0
		}
		if flip("gateless") {
			one.Gate = ""
		}
		p.DeclaresHuman = flip("declares")
		by := rapid.SampledFrom([]task.Actor{claude, alice}).Draw(t, "by")
		o := one.Obstacles(p, s)
		got, err := one.MoveBy(by, p, task.Move{To: task.Done, Force: flip("force")}, s, now)
		if o.Empty() != (len(o.Missing()) == 0) {
			t.Fatalf("%+v lists %v", o, o.Missing())
		}
		switch {
		case err != nil:
			if len(fault.Of(err).Missing) == 0 || fault.Of(err).Hint == "" || o.Empty() {
				t.Fatalf("%v", err)
			}
			alone := len(fault.Of(err).Missing) == len(o.Approvals)
			if alone && len(got.Requested) != len(o.Approvals) || !alone && len(got.Requested) > 0 {
				t.Fatalf("requested %v of %v, for want of %v", got.Requested, o.Approvals, fault.Of(err).Missing)
			}
		case got.After.Status != task.Done || len(got.Forced) != len(o.Missing()):
			t.Fatalf("%v passed over %v", o.Missing(), got.Forced)
		}
	})
}

func TestOnlyWhatIsInReviewIsSentBack(t *testing.T) {
	for _, s := range task.Statuses {
		one := &task.Task{ID: "demo-4", Status: s}
		if s == task.InReview {
			passes(t, one.CheckReturn())
			continue
		}
		refused(t, one.CheckReturn(), fault.Declined, "only what is in review can be sent back")
	}
}
