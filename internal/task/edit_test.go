package task_test

import (
	"fmt"
	"slices"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"tasker/internal/fault"
	"tasker/internal/task"
)

func TestTick(t *testing.T) {
	before := func() *task.Task {
		return with(held(claude), func(x *task.Task) {
			x.Attempts = 2
			x.Criteria = []task.Criterion{{Index: 1, Text: "works"}, {Index: 2, Text: "is fast", Checked: true, CheckedBy: "bob", CheckedAt: 5}}
		})
	}
	one := before()
	after, changed, err := one.Tick(claude, task.Policy{}, 1, ptr("works"), true, task.Basis{}, now)
	passes(t, err)
	want := before()
	want.Criteria[0] = task.Criterion{Index: 1, Text: "works", Checked: true, CheckedBy: "claude/3", CheckedAt: now, Rests: task.RestsOnNothing}
	want.Version, want.UpdatedAt, want.Attempts = 6, now, 0
	if d := cmp.Diff(want, after); d != "" || !changed {
		t.Error(changed, d)
	}
	if d := cmp.Diff(before(), one); d != "" {
		t.Error("the record itself was changed", d)
	}

	after, changed, err = one.Tick(alice, task.Policy{}, 2, nil, false, task.Basis{}, now)
	passes(t, err)
	if d := cmp.Diff(task.Criterion{Index: 2, Text: "is fast"}, after.Criteria[1]); d != "" || !changed || after.Version != 6 {
		t.Error(changed, d)
	}

	if after, changed, err = one.Tick(claude, task.Policy{}, 2, nil, true, task.Basis{}, now); err != nil || changed || after != one {
		t.Errorf("ticked again: %v %v %+v", err, changed, after)
	}

	seen, changed, err := one.Tick(claude, task.Policy{}, 2, nil, true, task.Seen("12 ms"), now)
	passes(t, err)
	saw := task.Criterion{Index: 2, Text: "is fast", Checked: true, CheckedBy: "claude/3", CheckedAt: now, Rests: task.RestsOnSeen, Note: "12 ms"}
	if d := cmp.Diff(saw, seen.Criteria[1]); d != "" || !changed {
		t.Error(changed, d)
	}
	for on, want := range map[task.Basis]bool{{}: false, task.Seen("12 ms"): false, task.Seen("13 ms"): true, {By: 7, Rests: task.RestsOnRun}: true} {
		if _, changed, err = seen.Tick(claude, task.Policy{}, 2, nil, true, on, now); err != nil || changed != want {
			t.Errorf("seen before, and now on %+v: changed is %v, %v", on, changed, err)
		}
	}
	_, _, err = seen.Tick(claude, task.Policy{}, 1, nil, true, task.Seen(strings.Repeat("x", task.MaxList)), now)
	refused(t, err, fault.Invalid, "what was seen for the criteria of demo-1 takes")
	seen.Criteria[0].Checked, seen.Criteria[0].Rests = true, task.RestsOnNothing
	if got := task.Resting(seen.Criteria); got != "1 seen, 1 without evidence" {
		t.Errorf("the ticks rest on: %s", got)
	}
}

func TestRefusedTicks(t *testing.T) {
	one := with(held(claude), func(x *task.Task) { x.Criteria = []task.Criterion{{Index: 1, Text: "works"}} })
	for _, c := range []struct {
		name  string
		task  *task.Task
		by    task.Actor
		index int
		text  *string
		kind  fault.Kind
		says  string
	}{
		{"index 0", one, claude, 0, nil, fault.Invalid, "from 1 to 1"},
		{"an index past the end", one, claude, 2, nil, fault.Invalid, "demo-1 has no criterion 2"},
		{"no criteria", open(), claude, 1, nil, fault.Invalid, "demo-1 has no criteria, and so no criterion 1"},
		{"another text", one, claude, 1, ptr("is fast"), fault.Conflict, `criterion 1 of demo-1 is "works", not "is fast"`},
		{"another's hold", one, other, 1, nil, fault.Declined, "demo-1 is held by claude/3 until"},
	} {
		t.Run(c.name, func(t *testing.T) {
			_, _, err := c.task.Tick(c.by, task.Policy{}, c.index, c.text, true, task.Basis{}, now)
			refused(t, err, c.kind, c.says)
			if named := fmt.Sprintf("criterion %d", c.index); c.kind == fault.Invalid && !slices.Equal(fault.Of(err).Missing, []string{named}) {
				t.Errorf("missing is %q, and not %q", fault.Of(err).Missing, named)
			}
		})
	}
	after, changed, err := one.Tick(other, task.Policy{}, 1, nil, true, task.Basis{}, now.Add(hour))
	passes(t, err)
	if !changed || after.Claim != nil || after.Version != 7 {
		t.Errorf("a lapsed claim prevented the edit: %+v", after)
	}
}

func TestCriteriaAreMatchedByTheirText(t *testing.T) {
	a := task.Criterion{Index: 1, Text: "a", Checked: true, CheckedBy: "bob", CheckedAt: 1}
	a2 := task.Criterion{Index: 2, Text: "a"}
	b := task.Criterion{Index: 3, Text: "b", Checked: true, CheckedBy: "eve", CheckedAt: 2}
	at := func(c task.Criterion, i int) task.Criterion { c.Index = i; return c }
	for _, c := range []struct {
		name  string
		texts []string
		want  []task.Criterion
	}{
		{"the same", []string{"a", "a", "b"}, []task.Criterion{a, a2, b}},
		{"reordered", []string{"b", "a", "a"}, []task.Criterion{at(b, 1), at(a, 2), at(a2, 3)}},
		{"one more of a text is new", []string{"a", "a", "a"}, []task.Criterion{a, a2, {Index: 3, Text: "a"}}},
		{"reworded is new", []string{"A", "b"}, []task.Criterion{{Index: 1, Text: "A"}, at(b, 2)}},
		{"none", nil, []task.Criterion{}},
	} {
		t.Run(c.name, func(t *testing.T) {
			one := &task.Task{Criteria: []task.Criterion{a, a2, b}}
			if d := cmp.Diff(c.want, one.MergeCriteria(c.texts)); d != "" {
				t.Error(d)
			}
		})
	}
}

func TestWhatAnAgentMayNotLoosen(t *testing.T) {
	human := task.Policy{DeclaresHuman: true}
	strict := task.Policy{DeclaresHuman: true, MayExecute: []string{"ops", "dev"}, DefaultAutonomy: task.Supervised}
	base := func() *task.Task {
		return &task.Task{ID: "demo-1", Gate: "release", Autonomy: "supervised", MayExecute: []string{"dev", "ops"}, Criteria: []task.Criterion{
			{Index: 1, Text: "a", Checked: true}, {Index: 2, Text: "b"}, {Index: 3, Text: "b"}, {Index: 4, Text: "c"},
		}}
	}
	for _, c := range []struct {
		name   string
		p      task.Policy
		before func(*task.Task)
		change func(*task.Task)
		want   []string
	}{
		{name: "nothing changes", p: human},
		{name: "a ticked criterion goes", p: human, change: func(x *task.Task) { x.Criteria = x.MergeCriteria([]string{"b", "b", "c"}) }},
		{name: "criteria come and move", p: human, change: func(x *task.Task) { x.Criteria = x.MergeCriteria([]string{"d", "c", "b", "a", "b"}) }},
		{
			name: "an unticked criterion goes", p: human, change: func(x *task.Task) { x.Criteria = x.MergeCriteria([]string{"a", "b", "b"}) },
			want: []string{"criterion 4: c"},
		},
		{
			name: "one of two alike goes", p: human, change: func(x *task.Task) { x.Criteria = x.MergeCriteria([]string{"a", "b", "c"}) },
			want: []string{"criterion 3: b"},
		},
		{
			name: "all go", p: human, change: func(x *task.Task) { x.Criteria = nil },
			want: []string{"criterion 2: b", "criterion 3: b", "criterion 4: c"},
		},
		{
			name: "rewording drops the old", p: human, change: func(x *task.Task) { x.Criteria = x.MergeCriteria([]string{"a", "b", "b", "C"}) },
			want: []string{"criterion 4: c"},
		},
		{
			name: "the unticked of two alike goes, the ticked one stays", p: human,
			before: func(x *task.Task) {
				x.Criteria = []task.Criterion{{Index: 1, Text: "a", Checked: true}, {Index: 2, Text: "a"}}
			},
			change: func(x *task.Task) { x.Criteria = x.MergeCriteria([]string{"a"}) },
			want:   []string{"criterion 2: a"},
		},
		{
			name: "the ticked of two alike goes, the unticked one stays", p: human,
			before: func(x *task.Task) {
				x.Criteria = []task.Criterion{{Index: 1, Text: "a"}, {Index: 2, Text: "a", Checked: true}}
			},
			change: func(x *task.Task) { x.Criteria = x.MergeCriteria([]string{"a"}) },
		},
		{
			name: "a criterion that was ticked meanwhile is not dropped", p: human,
			change: func(x *task.Task) {
				x.Criteria = slices.Clone(x.Criteria)
				x.Criteria[3].Checked = true
			},
		},
		{name: "the gate is cleared", p: human, change: func(x *task.Task) { x.Gate = "" }, want: []string{"gate: from release to none"}},
		{name: "the gate is changed", p: human, change: func(x *task.Task) { x.Gate = "x" }, want: []string{"gate: from release to x"}},
		{name: "a gate is set", p: human, before: func(x *task.Task) { x.Gate = "" }, change: func(x *task.Task) { x.Gate = "x" }},
		{name: "mayExecute narrows", p: human, change: func(x *task.Task) { x.MayExecute = []string{"dev"} }},
		{name: "mayExecute is reordered", p: human, change: func(x *task.Task) { x.MayExecute = []string{"ops", "dev"} }},
		{
			name: "mayExecute widens", p: human, change: func(x *task.Task) { x.MayExecute = []string{"dev", "qa"} },
			want: []string{"mayExecute: from dev, ops to dev, qa"},
		},
		{name: "mayExecute is cleared", p: human, change: func(x *task.Task) { x.MayExecute = nil }, want: []string{"mayExecute: from dev, ops to anyone"}},
		{name: "mayExecute is cleared down to the project's same list", p: strict, change: func(x *task.Task) { x.MayExecute = nil }},
		{
			name: "a list in place of the project's", p: strict, before: func(x *task.Task) { x.MayExecute = nil },
			change: func(x *task.Task) { x.MayExecute = []string{"qa"} }, want: []string{"mayExecute: from ops, dev to qa"},
		},
		{name: "a list where anyone might", p: human, before: func(x *task.Task) { x.MayExecute = nil },
			change: func(x *task.Task) { x.MayExecute = []string{"qa"} }},
		{name: "autonomy is lowered", p: human, change: func(x *task.Task) { x.Autonomy = "human_only" }},
		{name: "autonomy is raised", p: human, change: func(x *task.Task) { x.Autonomy = "autonomous" }, want: []string{"autonomy: from supervised to autonomous"}},
		{name: "autonomy is cleared to the default", p: human, change: func(x *task.Task) { x.Autonomy = "" },
			want: []string{"autonomy: from supervised to autonomous"}},
		{name: "autonomy is cleared to the same", p: strict, change: func(x *task.Task) { x.Autonomy = "" }},
		{name: "a title is nobody's to guard", p: human, change: func(x *task.Task) { x.Title, x.Priority = "new", 0 }},
		{name: "no human is declared", p: task.Policy{}, change: func(x *task.Task) { *x = task.Task{} }},
		{
			name: "everything at once", p: human, change: func(x *task.Task) { *x = task.Task{Criteria: x.Criteria[:3]} },
			want: []string{"criterion 4: c", "gate: from release to none", "mayExecute: from dev, ops to anyone", "autonomy: from supervised to autonomous"},
		},
	} {
		t.Run(c.name, func(t *testing.T) {
			before := base()
			if c.before != nil {
				c.before(before)
			}
			after := *before
			if c.change != nil {
				c.change(&after)
			}
			if d := cmp.Diff(c.want, task.Loosened(before, &after, claude, c.p)); d != "" {
				t.Error(d)
			}
			if got := task.Loosened(before, &after, alice, c.p); got != nil {
				t.Errorf("a human is said to loosen: %v", got)
			}
		})
	}
}

func TestGatesAnAgentMayNotLoosen(t *testing.T) {
	human := task.Policy{DeclaresHuman: true, Record: &task.Policy{Gates: map[string][]string{"checked": {"$ make"}}}}
	named := map[string]bool{"taken": true, "checked": true}
	before := map[string][]string{"release": {"test", "build"}, "doc": {"link"}, "free": nil}
	for _, c := range []struct {
		name  string
		after map[string][]string
		want  []string
	}{
		{"the same", before, nil},
		{"more", map[string][]string{"release": {"build", "test", "log"}, "doc": {"link"}, "free": {"x"}}, nil},
		{"one that is new", map[string][]string{"release": {"test", "build"}, "doc": {"link"}, "free": nil, "new": {}}, nil},
		{"one that tasks have", map[string][]string{"release": {"test", "build"}, "doc": {"link"}, "free": nil, "taken": {}}, []string{"gate taken: it would be defined, and tasks have it"}},
		{"one that the record has", map[string][]string{"release": {"test", "build"}, "doc": {"link"}, "free": nil, "checked": {"log"}}, []string{"gate checked: it would no longer ask for evidence $ make"}},
		{"less", map[string][]string{"release": {"log"}, "doc": {"link"}, "free": nil}, []string{
			"gate release: it would no longer ask for evidence test", "gate release: it would no longer ask for evidence build",
		}},
		{"gone", nil, []string{"gate doc: it would be gone", "gate free: it would be gone", "gate release: it would be gone"}},
	} {
		t.Run(c.name, func(t *testing.T) {
			if d := cmp.Diff(c.want, task.LoosenedGates(before, c.after, named, claude, human)); d != "" {
				t.Error(d)
			}
			if task.LoosenedGates(before, c.after, named, alice, human) != nil || task.LoosenedGates(before, c.after, named, claude, task.Policy{}) != nil {
				t.Error("a human, or an agent where no human is declared, is said to loosen")
			}
		})
	}
}

func TestWhatMakesApprovalsStale(t *testing.T) {
	base := func() *task.Task {
		return &task.Task{Title: "t", Body: "b", Gate: "g", Criteria: []task.Criterion{{Index: 1, Text: "a"}, {Index: 2, Text: "b"}}}
	}
	for name, c := range map[string]struct {
		change func(*task.Task)
		stale  bool
	}{
		"nothing":            {func(*task.Task) {}, false},
		"title":              {func(x *task.Task) { x.Title = "T" }, true},
		"body":               {func(x *task.Task) { x.Body = "" }, true},
		"gate":               {func(x *task.Task) { x.Gate = "" }, true},
		"a criterion's text": {func(x *task.Task) { x.Criteria[1].Text = "B" }, true},
		"a criterion less":   {func(x *task.Task) { x.Criteria = x.Criteria[:1] }, true},
		"a tick":             {func(x *task.Task) { x.Criteria[1].Checked = true }, false},
		"anything else": {func(x *task.Task) {
			x.Priority, x.Autonomy, x.Deps, x.Status, x.Version = 1, "supervised", []task.ID{"demo-2"}, task.Done, 9
		}, false},
	} {
		after := base()
		after.Criteria = slices.Clone(after.Criteria)
		c.change(after)
		if got := task.StalesApprovals(base(), after); got != c.stale {
			t.Errorf("%s: %v", name, got)
		}
	}
}

// TestAnAgentTakesNoOpenEdgesAway edits a task by an agent: what it would take away of tasks that others created.
func TestAnAgentTakesNoOpenEdgesAway(t *testing.T) {
	before := &task.Task{ID: "demo-1", Status: task.Open, Parent: "demo-4", Deps: []task.ID{"demo-2", "demo-3"}, CreatedBy: "alice"}
	around := []*task.Task{
		{ID: "demo-2", Title: "B", Status: task.InReview}, {ID: "demo-3", Title: "C", Status: task.Done}, {ID: "demo-4", Title: "D", Status: task.Open, CreatedBy: "alice"},
	}
	for name, c := range map[string]struct {
		by            task.Actor
		p             task.Policy
		before, after func(*task.Task)
		want          []string
	}{
		"a dependency":             {by: claude, p: people, after: func(x *task.Task) { x.Deps = []task.ID{"demo-3"} }, want: []string{"dependency demo-2: B (in_review)"}},
		"a closed dependency":      {by: claude, p: people, after: func(x *task.Task) { x.Deps = []task.ID{"demo-2"} }},
		"of its own task":          {by: claude, p: people, before: func(x *task.Task) { x.CreatedBy = "claude/9" }, after: func(x *task.Task) { x.Deps = nil }},
		"a part":                   {by: claude, p: people, after: func(x *task.Task) { x.Parent = "" }, want: []string{"part demo-1: it would no longer be one of demo-4"}},
		"its own child, a part":    {by: claude, p: people, before: func(x *task.Task) { x.CreatedBy = "claude" }, after: func(x *task.Task) { x.Parent = "demo-5" }, want: []string{"part demo-1: it would no longer be one of demo-4"}},
		"a closed child":           {by: claude, p: people, before: func(x *task.Task) { x.Status = task.Done }, after: func(x *task.Task) { x.Parent = "" }},
		"nothing":                  {by: claude, p: people, after: func(x *task.Task) { x.Title = "other" }},
		"by a human":               {by: alice, p: people, after: func(x *task.Task) { x.Parent, x.Deps = "", nil }},
		"by nobody named":          {by: shell, p: people, after: func(x *task.Task) { x.Deps = nil }, want: []string{"dependency demo-2: B (in_review)"}},
		"where nobody is declared": {by: claude, after: func(x *task.Task) { x.Parent, x.Deps = "", nil }},
	} {
		was := *before
		if c.before != nil {
			c.before(&was)
		}
		is := was
		c.after(&is)
		if got := task.LoosenedEdges(&was, &is, around, c.by, c.p); !slices.Equal(got, c.want) {
			t.Errorf("%s: %q, want %q", name, got, c.want)
		}
	}
	child := &task.Task{ID: "demo-1", Status: task.Open, Parent: "demo-4"}
	if task.LoosenedCircle(child, around[2], claude, people) == "" || task.LoosenedCircle(child, around[2], alice, people) != "" {
		t.Error("a circle takes a part away, and a human may make one")
	}
}
