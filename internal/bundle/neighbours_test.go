package bundle_test

import (
	"fmt"
	"strings"
	"testing"

	"tasker/internal/bundle"
	"tasker/internal/task"
	"tasker/internal/testkit/coretest"
	"tasker/internal/views/reading"
	"tasker/internal/work"
)

// hub makes a task with n dependencies, n dependents and n parts, of which those from a to b (excluding b) are cancelled.
// It is the task demo-<n+1>.
func hub(k *coretest.Kit, n, a, b int) {
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
	k.Tasks(strings.Join(defs, ","))
}

// depNumbers returns the numbers of the tasks, negative for closed ones.
func depNumbers(list []bundle.Dep) []int64 {
	var briefs []bundle.Brief
	for _, d := range list {
		briefs = append(briefs, bundle.Brief{ID: d.ID, Status: d.Status})
	}
	return numbers(briefs)
}

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

// ids returns the numbers from a to b, including b.
func ids(a, b int64) []int64 {
	var out []int64
	for ; a <= b; a++ {
		out = append(out, a)
	}
	return out
}

func TestABundleListsOpenKinBeforeClosedOnes(t *testing.T) {
	coretest.Each(t, func(k *coretest.Kit) {
		hub(k, 1010, 0, 1005)
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
		b := k.Show("hub")
		coretest.EqualSlices(k, "deps", depNumbers(b.Deps), after(0)...)
		coretest.EqualSlices(k, "dependents", numbers(b.Dependents), after(1011)...)
		coretest.EqualSlices(k, "children", numbers(b.Children), after(2021)...)
		coretest.Equal(k, "deps of the record", len(b.Task.Deps), 1010)
		coretest.Equal(k, "deps left out", *omits(b, "deps").Items, 10)
		coretest.Equal(k, "how to fetch them", omits(b, "deps").Command.String(), "tasker list --dependency-of "+string(b.Task.ID))
		k.Healthy()
	})
}

func TestOpenKinAreFoundFromEitherEnd(t *testing.T) {
	coretest.Each(t, func(k *coretest.Kit) {
		hub(k, 1500, 20, 1490)
		b := k.Show("hub")
		want := func(base int64) []int64 {
			out := append(ids(base+1, base+20), ids(base+1491, base+1500)...)
			for n := base + 21; len(out) < 1000; n++ {
				out = append(out, -n)
			}
			return out
		}
		coretest.EqualSlices(k, "deps", depNumbers(b.Deps), want(0)...)
		coretest.EqualSlices(k, "dependents", numbers(b.Dependents), want(1501)...)
		coretest.EqualSlices(k, "children", numbers(b.Children), want(3001)...)
	})
}

func TestNextListsOpenKinFirstToo(t *testing.T) {
	coretest.Each(t, func(k *coretest.Kit) {
		defs := []string{`{"key": "hub", "title": "Hub", "priority": 0}`}
		for i := range 1010 {
			status := "open"
			if i < 1005 {
				status = "cancelled"
			}
			defs = append(defs, fmt.Sprintf(`{"key": "d%d", "title": "D", "deps": ["hub"], "status": %q}`, i, status))
		}
		k.Tasks(strings.Join(defs, ","))
		shown := numbers(k.Show("hub").Dependents)
		coretest.Equal(k, "the first", shown[0], 1007)
		coretest.Equal(k, "how many", len(shown), 1000)
		next, err := k.Work.Next(coretest.Bot, work.NextIn{Project: "demo"})
		k.Must(err)
		coretest.EqualSlices(k, "dependents", numbers(next.Bundle.Dependents), shown...)
	})
}

func TestKinThatABundleLeavesOutAreListedPageByPage(t *testing.T) {
	coretest.Each(t, func(k *coretest.Kit) {
		hub(k, 130, 0, 10)
		for name, c := range map[string]struct {
			in    reading.ListIn
			first int64
		}{
			"what it waits for":  {reading.ListIn{Project: "demo", DependencyOf: "hub"}, 1},
			"what waits for it":  {reading.ListIn{Project: "demo", DependsOn: "hub"}, 132},
			"its parts":          {reading.ListIn{Project: "demo", Parent: "hub"}, 262},
			"by id, no project":  {reading.ListIn{DependsOn: "demo-131"}, 132},
			"with another limit": {reading.ListIn{Project: "demo", DependencyOf: "hub", Limit: new(7)}, 1},
		} {
			var got []int64
			for in := c.in; ; {
				out, err := k.Reading.List(coretest.Bot, in)
				k.Must(err)
				coretest.Equal(k, name+", total", out.Total, 130)
				for _, t := range out.Tasks {
					_, n, _ := task.ParseID(string(t.ID))
					got = append(got, n)
				}
				if out.NextCursor == "" {
					break
				}
				in.Cursor = string(out.NextCursor)
			}
			coretest.EqualSlices(k, name, got, ids(c.first, c.first+129)...)
		}
		total := func(in reading.ListIn) int {
			k.Helper()
			out, err := k.Reading.List(coretest.Bot, in)
			k.Must(err)
			return out.Total
		}
		coretest.Equal(k, "cancelled ones", total(reading.ListIn{Project: "demo", DependsOn: "hub", Status: "cancelled"}), 10)
		coretest.Equal(k, "by title", total(reading.ListIn{Project: "demo", DependsOn: "hub", Q: "down12"}), 11) // 12 and 120 to 129
		coretest.Equal(k, "in between", total(reading.ListIn{Project: "demo", DependsOn: "up3", DependencyOf: "down4"}), 1)
		coretest.Equal(k, "nowhere in between", total(reading.ListIn{Project: "demo", DependsOn: "hub", DependencyOf: "hub"}), 0)
		_, err := k.Reading.List(coretest.Bot, reading.ListIn{Project: "demo", DependsOn: "nobody"})
		if err == nil || !strings.Contains(err.Error(), "nobody") {
			k.Errorf("a list along the dependencies of nobody: %v", err)
		}
	})
}
