package task_test

import (
	"bytes"
	"cmp"
	"fmt"
	"slices"
	"testing"

	"pgregory.net/rapid"

	"tasker/internal/fault"
	"tasker/internal/task"
)

func TestOrderOfAPolicy(t *testing.T) {
	for _, o := range []func() (task.Order, error){
		func() (task.Order, error) { return task.NewOrder(nil) },
		func() (task.Order, error) { return task.Order{}, nil },
		func() (task.Order, error) { return task.Policy{Selection: []task.SelectKey{"luck"}}.Order(), nil },
	} {
		got, err := o()
		passes(t, err)
		if got.String() != "severity,sprint,due,priority,rank,age" || !slices.Equal(got.Keys(), task.DefaultSelection) {
			t.Errorf("%s", got)
		}
	}
	got, err := task.NewOrder([]task.SelectKey{task.ByAge, task.ByDue})
	if passes(t, err); got.String() != "age,due" {
		t.Errorf("%s", got)
	}
	if o := (task.Policy{Selection: []task.SelectKey{task.ByDue}}).Order(); o.String() != "due" {
		t.Errorf("%s", o)
	}
	_, err = task.NewOrder([]task.SelectKey{task.ByAge, "luck"})
	refused(t, err, fault.Invalid, `"luck"`, "severity, sprint, due, priority, rank, age")
	_, err = task.NewOrder([]task.SelectKey{task.ByAge, task.ByDue, task.ByAge})
	refused(t, err, fault.Invalid, "age twice")
}

func TestAPolicyWithoutKeysOrdersByNumber(t *testing.T) {
	o, err := task.NewOrder([]task.SelectKey{})
	passes(t, err)
	if o.String() != "" || len(o.Keys()) != 0 || o.Same(task.Order{}) || o.Words() != "number" || (task.Policy{Selection: []task.SelectKey{}}).Order().String() != "" {
		t.Errorf("by %q", o)
	}
	first, second := &task.Task{ID: "demo-2", Priority: 3}, &task.Task{ID: "demo-10", Priority: 0, Severity: 1}
	if !o.Less(task.Policy{}, claude, first, second) || o.Less(task.Policy{}, claude, second, first) {
		t.Error("the number does not decide")
	}
	if k1, k2 := o.SortKey(first); len(k1)+len(k2) > 0 {
		t.Errorf("the sort keys are %x and %x", k1, k2)
	}
	second.PreferredActor = task.Opt(claude.Name)
	if !o.Less(task.Policy{}, claude, second, first) {
		t.Error("a task that prefers the caller does not come first")
	}
}

func TestAnOrderKeepsItsOwnKeys(t *testing.T) {
	keys := []task.SelectKey{task.ByAge, task.ByDue}
	o, err := task.NewOrder(keys)
	passes(t, err)
	keys[0] = task.ByRank
	o.Keys()[1] = task.ByRank
	if o.String() != "age,due" {
		t.Errorf("%s", o)
	}
}

func TestBias(t *testing.T) {
	project := task.Policy{PreferredActor: "claude"}
	for _, c := range []struct {
		name string
		own  string
		p    task.Policy
		want int
	}{
		{"mine, whatever my instance", "claude", task.Policy{}, 0},
		{"nobody's", "", task.Policy{}, 1},
		{"somebody else's", "alice", task.Policy{}, 2},
		{"the project's where the task prefers nobody", "", project, 0},
		{"the task's before the project's", "alice", project, 2},
	} {
		if got := task.Bias(c.own, c.p, claude); got != c.want {
			t.Errorf("%s: %d, want %d", c.name, got, c.want)
		}
	}
	if got := task.Bias("", project, alice); got != 2 {
		t.Errorf("the project prefers somebody else: %d", got)
	}
}

func TestWhereTheBiasGoes(t *testing.T) {
	mine := &task.Task{ID: "demo-2", PreferredActor: "claude", Priority: 1, Rank: "b", CreatedAt: 2}
	theirs := &task.Task{ID: "demo-1", PreferredActor: "alice", Priority: 1, Rank: "a", CreatedAt: 1}
	for _, c := range []struct {
		keys      []task.SelectKey
		mineFirst bool
	}{
		{nil, true}, // before rank and age
		{[]task.SelectKey{task.ByPriority}, true},
		{[]task.SelectKey{task.ByAge, task.ByPriority}, true},
		{[]task.SelectKey{task.ByRank}, true},
	} {
		o, err := task.NewOrder(c.keys)
		passes(t, err)
		if got := o.Less(task.Policy{}, claude, mine, theirs); got != c.mineFirst {
			t.Errorf("%s: mine before the other's = %v", o, got)
		}
	}
	urgent := *theirs
	urgent.Priority = 0
	if o, _ := task.NewOrder(nil); !o.Less(task.Policy{}, claude, &urgent, mine) {
		t.Error("a preference sorted before priority")
	}
	// After its last key where the policy lists neither.
	o, err := task.NewOrder([]task.SelectKey{task.ByPriority, task.ByDue})
	passes(t, err)
	soon := *theirs
	soon.Due = "2026-01-01"
	if !o.Less(task.Policy{}, claude, &soon, mine) {
		t.Error("a preference sorted before due")
	}
}

func TestOrderOfEachKey(t *testing.T) {
	for key, inOrder := range map[task.SelectKey][]task.Task{
		task.BySeverity: {{Severity: 1}, {Severity: 3}, {ID: "demo-1", Severity: 4}, {ID: "demo-2"}},
		task.ByPriority: {{Priority: 0}, {Priority: 1}, {Priority: 3}},
		task.ByDue: {
			{Due: "1960-01-01"}, {Due: "2026-03-30T23:00:00Z"}, {Due: "2026-03-30"}, {Due: "2026-03-31T02:00:00+01:00"},
			{Due: "9999-12-31"}, {ID: "demo-1"}, {ID: "demo-2", Due: "no date"},
		},
		task.BySprint: {{Sprint: "1"}, {Sprint: "10"}, {Sprint: "2"}, {Sprint: "\U0010ffff"}, {ID: "demo-1"}, {ID: "demo-2"}},
		task.ByRank:   {{Rank: "a"}, {Rank: "aa"}, {Rank: "b"}, {}},
		task.ByAge:    {{CreatedAt: -5}, {CreatedAt: 0}, {CreatedAt: 7}, {CreatedAt: now}},
	} {
		o, err := task.NewOrder([]task.SelectKey{key})
		passes(t, err)
		for i := range inOrder {
			for j := range inOrder {
				if got := o.Less(task.Policy{}, claude, &inOrder[i], &inOrder[j]); got != (i < j) {
					t.Errorf("%s: %d before %d is %v", key, i, j, got)
				}
			}
		}
	}
}

func TestLastTheNumberOfTheIDDecides(t *testing.T) {
	o, err := task.NewOrder(nil)
	passes(t, err)
	ids := []task.ID{"b-2", "a-9", "a-10", "b-10"}
	for i, x := range ids {
		for j, y := range ids {
			if got := o.Less(task.Policy{}, claude, &task.Task{ID: x}, &task.Task{ID: y}); got != (i < j) {
				t.Errorf("%s before %s is %v", x, y, got)
			}
		}
	}
}

func someTask(n int) *rapid.Generator[*task.Task] {
	return rapid.Custom(func(t *rapid.T) *task.Task {
		word := rapid.SampledFrom([]string{"", "a", "ab", "b", "a\x01", "é", "\U0010ffff", "z"})
		return &task.Task{
			ID:             task.MakeID("demo", int64(n)),
			Severity:       task.Severity(rapid.IntRange(0, 4).Draw(t, "severity")),
			Priority:       rapid.IntRange(0, 3).Draw(t, "priority"),
			Due:            task.Opt(rapid.SampledFrom([]string{"", "1960-01-01", "2026-01-01", "2026-01-01T12:00:00Z", "2026-01-02"}).Draw(t, "due")),
			Sprint:         task.Opt(word.Draw(t, "sprint")),
			Rank:           task.Opt(word.Draw(t, "rank")),
			PreferredActor: task.Opt(rapid.SampledFrom([]string{"", "claude", "alice"}).Draw(t, "preferred")),
			CreatedAt:      task.Time(rapid.Int64Range(-2, 2).Draw(t, "age")),
		}
	})
}

// naive compares one key of two tasks field by field.
func naive(k task.SelectKey, x, y *task.Task) int {
	noneLast := func(a, b task.Opt, both int) int {
		if a == "" || b == "" {
			return cmp.Compare(b, "") - cmp.Compare(a, "")
		}
		return both
	}
	switch k {
	case task.BySeverity:
		s := func(t *task.Task) task.Severity {
			if t.Severity == 0 {
				return 4
			}
			return t.Severity
		}
		return cmp.Compare(s(x), s(y))
	case task.ByPriority:
		return cmp.Compare(x.Priority, y.Priority)
	case task.BySprint:
		return noneLast(x.Sprint, y.Sprint, cmp.Compare(x.Sprint, y.Sprint))
	case task.ByRank:
		return noneLast(x.Rank, y.Rank, cmp.Compare(x.Rank, y.Rank))
	case task.ByDue:
		dx, _ := task.ParseDue(string(x.Due))
		dy, _ := task.ParseDue(string(y.Due))
		return noneLast(x.Due, y.Due, cmp.Compare(dx, dy))
	default:
		return cmp.Compare(x.CreatedAt, y.CreatedAt)
	}
}

func TestTheOrderOfBytesIsTheOrderOfFields(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		keys := rapid.Permutation(task.DefaultSelection).Draw(t, "keys")[:rapid.IntRange(1, 6).Draw(t, "how many")]
		o, err := task.NewOrder(keys)
		if err != nil {
			t.Fatal(err)
		}
		x, y := someTask(1).Draw(t, "x"), someTask(2).Draw(t, "y")
		p := task.Policy{PreferredActor: rapid.SampledFrom([]string{"", "claude", "alice"}).Draw(t, "project prefers")}
		var before, after int
		biased := false
		for _, k := range keys {
			if k == task.ByRank || k == task.ByAge {
				biased = true
			}
			if biased {
				after = cmp.Or(after, naive(k, x, y))
			} else {
				before = cmp.Or(before, naive(k, x, y))
			}
		}
		x1, x2 := o.SortKey(x)
		y1, y2 := o.SortKey(y)
		if got := bytes.Compare(x1, y1); got != sign(before) {
			t.Fatalf("keys before the bias compare as %d, want %d (%x %x)", got, before, x1, y1)
		}
		if got := bytes.Compare(x2, y2); got != sign(after) {
			t.Fatalf("keys after the bias compare as %d, want %d (%x %x)", got, after, x2, y2)
		}
		bias := cmp.Compare(task.Bias(string(x.PreferredActor), p, claude), task.Bias(string(y.PreferredActor), p, claude))
		want := cmp.Or(sign(before), bias, sign(after), -1)
		if got := o.Less(p, claude, x, y); got != (want < 0) || o.Less(p, claude, y, x) == got {
			t.Fatalf("less is %v, want %d", got, want)
		}
	})
}

func sign(n int) int { return cmp.Compare(n, 0) }

func TestSortingIsTotal(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		var tasks []*task.Task
		for n := range rapid.IntRange(2, 8).Draw(t, "n") {
			tasks = append(tasks, someTask(n+1).Draw(t, fmt.Sprint("task ", n)))
		}
		o, _ := task.NewOrder(nil)
		compare := func(x, y *task.Task) int { return o.Compare(task.Policy{}, claude, x, y) }
		slices.SortFunc(tasks, compare)
		for i := range tasks {
			for j := range tasks {
				if compare(tasks[i], tasks[j]) != cmp.Compare(i, j) {
					t.Fatalf("%d and %d are not in order", i, j)
				}
			}
		}
	})
}

func BenchmarkLess(b *testing.B) {
	o, _ := task.NewOrder(nil)
	x := &task.Task{ID: "demo-1", Severity: 2, Sprint: "2026-10", Due: "2026-03-31", Rank: "0|abc", CreatedAt: now}
	y := &task.Task{ID: "demo-2", Severity: 2, Sprint: "2026-10", Due: "2026-03-31", Rank: "0|abc", CreatedAt: now}
	b.ReportAllocs()
	for b.Loop() {
		o.Less(task.Policy{}, claude, x, y)
	}
}
