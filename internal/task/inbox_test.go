package task_test

import (
	"testing"

	"tasker/internal/fault"
	"tasker/internal/task"
	"tasker/internal/task/waiting"
)

func TestWhoAnswersABlockingQuestion(t *testing.T) {
	lead := task.Actor{Name: "gpt", Declared: true, Roles: []string{"lead"}}
	for _, c := range []struct {
		name string
		to   task.Opt
		by   task.Actor
		ok   bool
		why  string
	}{
		{"a human, no matter who is asked", "gpt", alice, true, ""},
		{"a human, where it is put to nobody", "", alice, true, ""},
		{"an agent that it is put to", "ghost", ghost, true, ""},
		{"an agent that holds the role", "lead", lead, true, ""},
		{"an agent, where it is put to nobody", "", ghost, false, "a human answers it, not ghost"},
		{"an agent that it is not put to", "gpt", ghost, false, "gpt or a human answers it, not ghost"},
		{"who asked", "", claude, false, "nobody may answer their own blocking question"},
		{"another worker of the same name", "claude", other, false, "tasker answer 7 --withdraw"},
	} {
		t.Run(c.name, func(t *testing.T) {
			q := task.Question{ID: 7, Task: "demo-1", Actor: "claude/3", To: c.to, Blocking: true}
			err := q.AnswerBy(c.by, true)
			if c.ok {
				passes(t, err)
			} else {
				refused(t, err, fault.Declined, c.why)
			}
			q.Blocking = false
			passes(t, q.AnswerBy(c.by, true))
		})
	}
	own := task.Question{ID: 7, Actor: "alice", Blocking: true}
	refused(t, own.AnswerBy(alice, true), fault.Declined, "alice asked question 7")
}

func TestAQuestionIsAnsweredOrWithdrawnOnce(t *testing.T) {
	answered := task.Question{ID: 7, Task: "demo-1", Actor: "claude/3", AnsweredBy: "alice", AnsweredAt: now}
	refused(t, answered.AnswerBy(alice, true), fault.Declined, "question 7 was answered by alice")
	refused(t, answered.WithdrawBy(claude), fault.Declined, "question 7 was answered by alice")
	withdrawn := task.Question{ID: 7, Task: "demo-1", Actor: "claude/3", Withdrawn: true}
	refused(t, withdrawn.AnswerBy(alice, true), fault.Declined, "question 7 was withdrawn by claude/3")
	refused(t, withdrawn.WithdrawBy(claude), fault.Declined, "withdrawn already")
	open := task.Question{ID: 7, Task: "demo-1", Actor: "claude/3"}
	refused(t, open.WithdrawBy(alice), fault.Declined, "claude/3, who alone may withdraw it")
	passes(t, open.WithdrawBy(claude))
	if !open.Open() || answered.Open() || withdrawn.Open() {
		t.Error("Open should report what is neither answered nor withdrawn")
	}
}

func TestWhatAMoveLeavesForPeople(t *testing.T) {
	supervised := func(x *task.Task) { x.Autonomy = "supervised" }
	wary := claude
	wary.Ceiling = task.Supervised
	move := func(x *task.Task, by task.Actor, p task.Policy, to task.Status) *task.Task {
		got, err := x.MoveBy(by, p, task.Move{To: to}, task.Standing{}, now)
		passes(t, err)
		return got.After
	}
	for _, c := range []struct {
		name   string
		got    *task.Task
		events [3]int64 // awaiting, lapse, unwatched
	}{
		{"an agent closes what it was to be watched at", move(with(open(), supervised), claude, task.Policy{}, task.Done), [3]int64{0, 0, task.ThisEvent}},
		{"a human closes it", move(with(open(), supervised), alice, task.Policy{}, task.Done), [3]int64{}},
		{"the project says supervised", move(open(), claude, task.Policy{DefaultAutonomy: task.Supervised}, task.Cancelled), [3]int64{0, 0, task.ThisEvent}},
		{"the actor's ceiling says so", move(open(), wary, task.Policy{}, task.Done), [3]int64{0, 0, task.ThisEvent}},
		{"nobody says so", move(open(), claude, task.Policy{}, task.Done), [3]int64{}},
		{"it is handed over", move(open(), claude, task.Policy{}, task.InReview), [3]int64{task.ThisEvent, 0, 0}},
		{
			"it is handed over after approvals were asked for",
			move(with(open(), func(x *task.Task) { x.AwaitingSince = 5 }), claude, task.Policy{}, task.InReview), [3]int64{5, 0, 0},
		},
		{
			"it is sent back",
			move(with(open(), func(x *task.Task) { x.AwaitingSince, x.Status = 5, task.InReview }), alice, task.Policy{}, task.Open), [3]int64{},
		},
		{
			"it goes on while approvals are asked for",
			move(with(open(), func(x *task.Task) { x.AwaitingSince = 5 }), claude, task.Policy{}, task.InProgress), [3]int64{5, 0, 0},
		},
		{
			"it is closed after a lapse",
			move(with(open(), func(x *task.Task) { x.AwaitingSince, x.Lapse = 5, 6 }), alice, task.Policy{}, task.Done), [3]int64{},
		},
		{
			"it is reopened",
			move(with(open(), func(x *task.Task) { x.UnsupervisedClose, x.Status = 5, task.Done }), claude, task.Policy{}, task.Open), [3]int64{},
		},
	} {
		if got := [3]int64{c.got.AwaitingSince, c.got.Lapse, c.got.UnsupervisedClose}; got != c.events {
			t.Errorf("%s: %v, want %v", c.name, got, c.events)
		}
	}
	again, _, err := with(open(), func(x *task.Task) { x.Lapse = 6 }).ClaimBy(claude, task.Policy{}, nil, nil, now)
	if passes(t, err); again.Lapse != 0 {
		t.Errorf("claimed again, Lapse is still %d", again.Lapse)
	}
}

func TestWhoARequirementIsFor(t *testing.T) {
	for _, c := range []struct {
		r    task.Requirement
		who  string
		by   bool // alice, who is a lead
		kind waiting.ItemKind
	}{
		{task.Requirement{}, "human", true, waiting.ItemApproval},
		{task.Requirement{Role: "lead", Kind: "verification"}, "role:lead", true, waiting.ItemVerification},
		{task.Requirement{Role: "qa"}, "role:qa", false, waiting.ItemApproval},
		{task.Requirement{Actor: "alice", Kind: "approval"}, "actor:alice", true, waiting.ItemApproval},
		{task.Requirement{Actor: "bob"}, "actor:bob", false, waiting.ItemApproval},
		{task.Requirement{Actor: "alice", Role: "qa"}, "actor:alice,role:qa", false, waiting.ItemApproval},
	} {
		if c.r.For() != c.who || c.r.By(alice) != c.by || waiting.KindOf(c.r) != c.kind {
			t.Errorf("%+v is %s, by alice %v, %s", c.r, c.r.For(), c.r.By(alice), waiting.KindOf(c.r))
		}
		if c.r.By(claude) {
			t.Errorf("%+v: an agent should not be able to satisfy it", c.r)
		}
	}
}

func TestATaskFailsAtItsThirdFailure(t *testing.T) {
	move := func(x *task.Task, to task.Status) *task.Task {
		got, err := x.MoveBy(alice, task.Policy{}, task.Move{To: to}, task.Standing{}, now)
		passes(t, err)
		return got.After
	}
	once := func(x *task.Task) { x.Failures, x.Status = 2, task.InReview }
	released := func(failed bool) *task.Task {
		after, _, err := with(held(claude), func(x *task.Task) { x.Failures = 2 }).ReleaseBy(claude, nil, failed, now)
		passes(t, err)
		return after
	}
	for _, c := range []struct {
		name     string
		got      *task.Task
		failures int
		failing  int64
	}{
		{"a lapse", with(held(claude), func(x *task.Task) { x.Failures = 2 }).Expired(), 3, task.ThisEvent},
		{"the second lapse", with(held(claude), func(x *task.Task) { x.Failures = 1 }).Expired(), 2, 0},
		{"given back as failed", released(true), 3, task.ThisEvent},
		{"given back", released(false), 2, 0},
		{"sent back from review", move(with(open(), once), task.Open), 3, task.ThisEvent},
		{"sent back to work", move(with(open(), once), task.InProgress), 3, task.ThisEvent},
		{"closed from review", move(with(open(), once), task.Done), 0, 0},
		{"closed", move(with(open(), func(x *task.Task) { x.Failures, x.Failing = 4, 9 }), task.Cancelled), 0, 0},
		{"acknowledged", with(open(), func(x *task.Task) { x.Failures, x.Failing = 4, 9 }).Acknowledge(), 0, 0},
	} {
		if c.got.Failures != c.failures || c.got.Failing != c.failing {
			t.Errorf("%s: %d failures, failing since %d; want %d and %d", c.name, c.got.Failures, c.got.Failing, c.failures, c.failing)
		}
	}
}

func TestATaskIsUnheldFromItsMoveUntilItsClaim(t *testing.T) {
	moved, err := open().MoveBy(alice, task.Policy{}, task.Move{To: task.InProgress}, task.Standing{}, now)
	if passes(t, err); moved.After.UnheldSince != task.ThisEvent {
		t.Errorf("after a move UnheldSince is %d", moved.After.UnheldSince)
	}
	claimed, _, err := with(moved.After, func(x *task.Task) { x.UnheldSince = 7 }).ClaimBy(claude, task.Policy{}, nil, nil, now)
	if passes(t, err); claimed.UnheldSince != 0 {
		t.Errorf("after a claim UnheldSince is %d", claimed.UnheldSince)
	}
	stayed, err := held(claude).MoveBy(claude, task.Policy{}, task.Move{To: task.InProgress}, task.Standing{}, now)
	if passes(t, err); stayed.After.UnheldSince != 0 {
		t.Errorf("while held UnheldSince is %d", stayed.After.UnheldSince)
	}
}
