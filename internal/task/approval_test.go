package task_test

import (
	"testing"

	"github.com/google/go-cmp/cmp"

	"tasker/internal/fault"
	"tasker/internal/task"
)

func TestRequiredApprovalsAreTheProjectsAndTheGates(t *testing.T) {
	all, gate := task.Requirement{Role: "lead"}, task.Requirement{Actor: "alice", Kind: task.KindVerification}
	p := task.Policy{RequireApproval: []task.Requirement{all}, ReviewPolicy: map[string][]task.Requirement{"release": {gate}, "": {gate}}}
	for gateName, want := range map[task.Opt][]task.Requirement{"": {all}, "release": {all, gate}, "other": {all}} {
		if d := cmp.Diff(want, p.Required(&task.Task{Gate: gateName})); d != "" {
			t.Errorf("gate %q: %s", gateName, d)
		}
	}
	if got := (task.Policy{}).Required(&task.Task{Gate: "x"}); len(got) != 0 {
		t.Errorf("%v", got)
	}
}

func TestWhichApprovalSatisfiesWhat(t *testing.T) {
	lead := task.Approval{Actor: "alice", Roles: []string{"lead", "security"}}
	for _, c := range []struct {
		name string
		need task.Requirement
		have task.Approval
		ok   bool
	}{
		{"any human", task.Requirement{}, task.Approval{Actor: "bob"}, true},
		{"any human, though a role is named", task.Requirement{}, task.Approval{Actor: "bob", Role: "lead"}, true},
		{"no kind is approval", task.Requirement{Kind: "approval"}, lead, true},
		{"an approval verifies nothing", task.Requirement{Kind: "verification"}, lead, false},
		{"a verification approves nothing", task.Requirement{}, task.Approval{Actor: "bob", Kind: "verification"}, false},
		{"verification", task.Requirement{Kind: "verification"}, task.Approval{Kind: "verification"}, true},
		{"a stale one", task.Requirement{}, task.Approval{Actor: "bob", Stale: true}, false},
		{"a role held", task.Requirement{Role: "security"}, lead, true},
		{"a role not held", task.Requirement{Role: "legal"}, lead, false},
		{"a role named", task.Requirement{Role: "lead"}, task.Approval{Role: "lead", Roles: []string{"lead", "security"}}, true},
		{"it speaks for the role it names alone", task.Requirement{Role: "security"}, task.Approval{Role: "lead", Roles: []string{"lead", "security"}}, false},
		{"the actor", task.Requirement{Actor: "alice"}, lead, true},
		{"an instance of the actor", task.Requirement{Actor: "alice"}, task.Approval{Actor: "alice/2"}, true},
		{"another actor", task.Requirement{Actor: "bob"}, lead, false},
		{"actor and role", task.Requirement{Actor: "alice", Role: "lead"}, lead, true},
		{"the actor without the role", task.Requirement{Actor: "alice", Role: "legal"}, lead, false},
		{"the role without the actor", task.Requirement{Actor: "bob", Role: "lead"}, lead, false},
	} {
		t.Run(c.name, func(t *testing.T) {
			missing := task.MissingApprovals([]task.Requirement{c.need}, []task.Approval{c.have})
			if got := len(missing) == 0; got != c.ok {
				t.Errorf("satisfied = %v", got)
			}
		})
	}
}

func TestOneApprovalMaySatisfySeveral(t *testing.T) {
	need := []task.Requirement{{Role: "lead"}, {Actor: "bob"}, {}, {Role: "legal", Reason: "licence"}}
	have := []task.Approval{{Actor: "alice", Roles: []string{"lead"}}}
	if d := cmp.Diff([]task.Requirement{need[1], need[3]}, task.MissingApprovals(need, have)); d != "" {
		t.Error(d)
	}
	if d := cmp.Diff(need, task.MissingApprovals(need, nil)); d != "" {
		t.Error(d)
	}
}

func TestARequirementInARefusal(t *testing.T) {
	for want, r := range map[string]task.Requirement{
		"approval by lead: it ships to customers": {Role: "lead", Reason: "it ships to customers"},
		"verification by alice: tried it":         {Actor: "alice", Kind: "verification", Reason: "tried it"},
		"approval by any human":                   {},
		"verification by any human: why":          {Kind: "verification", Reason: "why"},
		"approval by alice as lead":               {Actor: "alice", Role: "lead", Kind: "approval"},
	} {
		if got := r.String(); got != want {
			t.Errorf("%q, want %q", got, want)
		}
	}
}

func TestOnlyHumansApprove(t *testing.T) {
	one := open()
	got, err := one.ApproveBy(task.Actor{Name: "alice", Instance: "2", Human: true, Roles: []string{"lead", "dev"}}, "", "dev")
	passes(t, err)
	want := task.Approval{Task: "demo-1", Kind: "approval", Actor: "alice/2", Role: "dev", Roles: []string{"lead", "dev"}}
	if d := cmp.Diff(want, got); d != "" {
		t.Error(d)
	}
	if got, err := one.ApproveBy(alice, "verification", ""); err != nil || got.Kind != "verification" || got.Role != "" {
		t.Errorf("%+v, %v", got, err)
	}
	for _, c := range []struct {
		name       string
		by         task.Actor
		kind, role string
		want       fault.Kind
		says       []string
	}{
		{"an agent", claude, "", "", fault.Declined, []string{"claude/3 may not approve demo-1", "this actor is an agent", "tasker approve demo-1"}},
		{"one that nobody declares", ghost, "", "", fault.Declined, []string{".tasker.json", `{"name": "ghost", "kind": "human"}`}},
		{"an unknown kind", alice, "blessing", "", fault.Invalid, []string{`"blessing"`, "approval, verification"}},
		{"a role not held", alice, "", "legal", fault.Declined, []string{`"legal"`, "lead"}},
		{"a capability is not a role", task.Actor{Name: "bob", Human: true, Capabilities: []string{"x"}}, "", "x", fault.Declined, []string{"holds none"}},
	} {
		t.Run(c.name, func(t *testing.T) {
			_, err := one.ApproveBy(c.by, c.kind, c.role)
			refused(t, err, c.want, c.says...)
		})
	}
}

func TestMissingEvidence(t *testing.T) {
	p := task.Policy{Gates: map[string][]string{"release": {"test", "build", "test"}, "free": {}}}
	for _, c := range []struct {
		gate    task.Opt
		have    []string
		want    []string
		defined bool
	}{
		{"", nil, nil, true},
		{"release", nil, []string{"test", "build"}, true},
		{"release", []string{"build", "log"}, []string{"test"}, true},
		{"release", []string{"build", "test"}, nil, true},
		{"free", nil, nil, true},
		{"ghost", []string{"test"}, nil, false},
	} {
		got, defined := p.MissingEvidence(c.gate, c.have)
		if d := cmp.Diff(c.want, got); d != "" || defined != c.defined {
			t.Errorf("gate %q with %v: defined %v %s", c.gate, c.have, defined, d)
		}
	}
}

func TestReadyAndPart(t *testing.T) {
	child := func() *task.Task { return with(open(), func(x *task.Task) { x.Parent = "demo-1" }) }
	if !child().Ready() || !child().Part() || open().Part() {
		t.Error("a free open task should be ready, and a part of its parent")
	}
	for name, c := range map[string]struct {
		change      func(*task.Task)
		ready, part bool
	}{
		"in progress":      {func(x *task.Task) { x.Status = task.InProgress }, false, true},
		"in review":        {func(x *task.Task) { x.Status = task.InReview }, false, true},
		"done":             {func(x *task.Task) { x.Status = task.Done }, false, false},
		"cancelled":        {func(x *task.Task) { x.Status = task.Cancelled }, false, false},
		"waiting":          {func(x *task.Task) { x.OpenDeps = 1 }, false, true},
		"in a circle":      {func(x *task.Task) { x.InCircle = true }, true, false},
		"a part":           {func(x *task.Task) { x.Parts, x.OpenChildren = 1, 1 }, false, true},
		"a circled child":  {func(x *task.Task) { x.OpenChildren = 1 }, true, true},
		"a question":       {func(x *task.Task) { x.Questions = 1 }, false, true},
		"held":             {func(x *task.Task) { x.Claim = &task.Claim{} }, false, true},
		"no status at all": {func(x *task.Task) { *x = task.Task{Parent: "demo-1"} }, false, true},
	} {
		one := with(child(), c.change)
		if one.Ready() != c.ready || one.Part() != c.part {
			t.Errorf("%s: ready %v, part %v", name, one.Ready(), one.Part())
		}
	}
}
