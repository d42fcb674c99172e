package core_test

import (
	"fmt"
	"strings"
	"testing"

	"tasker/internal/bundle"
	"tasker/internal/core/reading"
	"tasker/internal/core/work"
	"tasker/internal/task"
)

// hub makes a task with n tasks that it waits for, n that wait for it and n parts, of which those from a to b (not
// including b) are cancelled. It is the task demo-<n+1>.
func (k *kit) hub(n, a, b int) {
	k.Helper()
	var defs, deps []string
	status := func(i int) string {
		if i >= a && i < b {
			return "cancelled"
		}
		return "open"
	}
	for i := range n {
		defs = append(defs, fmt.Sprintf(`{"key": "up%d", "title": "U", "status": %q}`, i, status(i)))
		deps = append(deps, fmt.Sprintf("%q", fmt.Sprint("up", i)))
	}
	defs = append(defs, fmt.Sprintf(`{"key": "hub", "title": "Hub", "deps": [%s]}`, strings.Join(deps, ",")))
	for i := range n {
		defs = append(defs, fmt.Sprintf(`{"key": "down%d", "title": "D", "deps": ["hub"], "status": %q}`, i, status(i)))
	}
	for i := range n {
		defs = append(defs, fmt.Sprintf(`{"key": "part%d", "title": "P", "parent": "hub", "status": %q}`, i, status(i)))
	}
	k.tasks(strings.Join(defs, ","))
}

// numbers are the numbers of tasks in brief, those of closed ones below 0.
func numbers(list []bundle.Brief) []int64 {
	var out []int64
	for _, b := range list {
		_, n, _ := task.ParseID(string(b.ID))
		if b.Status.Closed() {
			n = -n
		}
		out = append(out, n)
	}
	return out
}

// ids counts from a to b, including b.
func ids(a, b int64) []int64 {
	var out []int64
	for ; a <= b; a++ {
		out = append(out, a)
	}
	return out
}

func TestABundleListsOpenKinBeforeClosedOnes(t *testing.T) {
	each(t, func(k *kit) {
		k.hub(1010, 0, 1005)
		closed := ids(-995, -1)
		for i, j := 0, len(closed)-1; i < j; i, j = i+1, j-1 {
			closed[i], closed[j] = closed[j], closed[i]
		}
		after := func(base int64) []int64 { // the five open ones, then the first closed ones
			out := ids(base+1006, base+1010)
			for _, n := range closed {
				out = append(out, n-base)
			}
			return out
		}
		b := k.show("hub")
		same(k, "deps", numbers(b.Deps), after(0)...)
		same(k, "dependents", numbers(b.Dependents), after(1011)...)
		same(k, "children", numbers(b.Children), after(2021)...)
		is(k, "deps of the record", len(b.Task.Deps), 1010)
		is(k, "deps left out", *omits(b, "deps").Items, 10)
		is(k, "how to fetch them", omits(b, "deps").Command, "tasker list --dependency-of "+string(b.Task.ID))
		k.healthy()
	})
}

func TestOpenKinAreFoundFromEitherEnd(t *testing.T) {
	each(t, func(k *kit) {
		k.hub(1500, 20, 1490)
		b := k.show("hub")
		want := func(base int64) []int64 {
			out := append(ids(base+1, base+20), ids(base+1491, base+1500)...)
			for n := base + 21; len(out) < 1000; n++ {
				out = append(out, -n)
			}
			return out
		}
		same(k, "deps", numbers(b.Deps), want(0)...)
		same(k, "dependents", numbers(b.Dependents), want(1501)...)
		same(k, "children", numbers(b.Children), want(3001)...)
	})
}

func TestNextListsOpenKinFirstToo(t *testing.T) {
	each(t, func(k *kit) {
		defs := []string{`{"key": "hub", "title": "Hub", "priority": 0}`}
		for i := range 1010 {
			status := "open"
			if i < 1005 {
				status = "cancelled"
			}
			defs = append(defs, fmt.Sprintf(`{"key": "d%d", "title": "D", "deps": ["hub"], "status": %q}`, i, status))
		}
		k.tasks(strings.Join(defs, ","))
		shown := numbers(k.show("hub").Dependents)
		is(k, "the first", shown[0], 1007)
		is(k, "how many", len(shown), 1000)
		next, err := k.s.Work.Next(bot, work.NextIn{Project: "demo"})
		k.must(err)
		same(k, "dependents", numbers(next.Bundle.Dependents), shown...)
	})
}

func TestWhatABundleLeavesOutOfItsKinIsListedPageByPage(t *testing.T) {
	each(t, func(k *kit) {
		k.hub(130, 0, 10)
		for name, c := range map[string]struct {
			in    reading.ListIn
			first int64
		}{
			"what it waits for":  {reading.ListIn{Project: "demo", DependencyOf: "hub"}, 1},
			"what waits for it":  {reading.ListIn{Project: "demo", DependsOn: "hub"}, 132},
			"its parts":          {reading.ListIn{Project: "demo", Parent: "hub"}, 262},
			"by id, no project":  {reading.ListIn{DependsOn: "demo-131"}, 132},
			"with another limit": {reading.ListIn{Project: "demo", DependencyOf: "hub", Limit: ptr(7)}, 1},
		} {
			var got []int64
			for in := c.in; ; {
				out, err := k.s.Reading.List(bot, in)
				k.must(err)
				is(k, name+", total", out.Total, 130)
				for _, t := range out.Tasks {
					_, n, _ := task.ParseID(string(t.ID))
					got = append(got, n)
				}
				if out.NextCursor == "" {
					break
				}
				in.Cursor = string(out.NextCursor)
			}
			same(k, name, got, ids(c.first, c.first+129)...)
		}
		total := func(in reading.ListIn) int {
			k.Helper()
			out, err := k.s.Reading.List(bot, in)
			k.must(err)
			return out.Total
		}
		is(k, "cancelled ones", total(reading.ListIn{Project: "demo", DependsOn: "hub", Status: "cancelled"}), 10)
		is(k, "by title", total(reading.ListIn{Project: "demo", DependsOn: "hub", Q: "down12"}), 11) // 12 and 120 to 129
		is(k, "in between", total(reading.ListIn{Project: "demo", DependsOn: "up3", DependencyOf: "down4"}), 1)
		is(k, "nowhere in between", total(reading.ListIn{Project: "demo", DependsOn: "hub", DependencyOf: "hub"}), 0)
		_, err := k.s.Reading.List(bot, reading.ListIn{Project: "demo", DependsOn: "nobody"})
		if err == nil || !strings.Contains(err.Error(), "nobody") {
			k.Errorf("a list along the dependencies of nobody: %v", err)
		}
	})
}

func TestWhatATurnHasChangedCountsInItsStandstill(t *testing.T) {
	each(t, func(k *kit) {
		k.tasks(`{"key": "a", "title": "A"}, {"key": "b", "title": "B", "deps": ["a"], "autonomy": "human_only"}, {"key": "c", "title": "C", "deps": ` +
			`["a"], "mayExecute": ["nobody"]}`)
		k.claim(bot, "a")
		out := k.move(bot, work.MoveIn{Task: "a", To: "done", Next: true})
		if idle := out.Next.Idle; idle == nil || idle.WaitingForHuman != 1 || idle.NotForYou != 1 || idle.Held != 0 {
			k.Errorf("two became ready, for others: %+v", idle)
		}
		k.healthy()
	})
}
