package pressure

import (
	"context"
	"math/rand/v2"
	"slices"
	"testing"

	"tasker/internal/graph"
	"tasker/internal/task"
	"tasker/internal/task/query"
)

func TestACountIsOfTheNewestEventUnlessTheProjectIsLarge(t *testing.T) {
	const now = 1_000_000_000
	c := &Count{Version: 5, At: now}
	for _, row := range []struct {
		name string
		f    Flow
		want bool
	}{
		{"the same version", Flow{Version: 5, Now: now}, true},
		{"an older snapshot", Flow{Version: 4, Now: now}, true},
		{"a change since", Flow{Version: 6, Now: now, Open: manyOpen}, false},
		{"a change since, many open", Flow{Version: 6, Now: now + 30_000_000, Open: manyOpen + 1}, true},
		{"a change since, many open, later", Flow{Version: 6, Now: now + 30_000_001, Open: manyOpen + 1}, false},
	} {
		if got := c.Serves(row.f); got != row.want {
			t.Errorf("%s: serves = %v", row.name, got)
		}
	}
}

// TestWhatALargeProjectListsIsCounted compares what is listed of a project that is too large to compare all tasks with a
// count of everything.
func TestWhatALargeProjectListsIsCounted(t *testing.T) {
	const n = 6_000
	r := rand.New(rand.NewPCG(1, 2))
	flow := query.Flow{Project: "demo"}
	for i := range n {
		flow.Numbers = append(flow.Numbers, int64(2*i+1)) // every second task is closed
		if i > 0 && i%3 > 0 {
			flow.Deps = append(flow.Deps, graph.Edge{From: int32(i), To: int32(max(0, i-1-r.IntN(20)))})
		}
	}
	exact, large := weigh(t.Context(), flow, n), weigh(t.Context(), flow, n-1)
	if exact.Estimated || !large.Estimated || exact.Total() != large.Total() || large.Total() <= compared {
		t.Fatalf("exact %v of %d, large %v of %d", exact.Estimated, exact.Total(), large.Estimated, large.Total())
	}
	all, loads := exact.Worst(n)
	want := map[task.ID]graph.Load{}
	for i, id := range all {
		want[id] = loads[i]
	}
	ids, loads := large.Worst(50)
	for i, id := range ids {
		if loads[i] != want[id] {
			t.Errorf("%s holds up %+v, want %+v", id, loads[i], want[id])
		}
	}
	if len(ids) != 50 || ids[0] != all[0] || !slices.IsSortedFunc(loads, func(a, b graph.Load) int { return b.Transitive - a.Transitive }) {
		t.Errorf("%d tasks, the first %s, want %s: %+v", len(ids), ids[0], all[0], loads)
	}
	few := []task.ID{all[len(all)-1], all[len(all)/2], "demo-2", "other-1", "demo-99999999"} // far from the worst, closed, and none
	for _, c := range []*Count{exact, large} {
		got := c.Behind(t.Context(), few)
		if len(got) != 2 || got[few[0]] != want[few[0]].Transitive || got[few[1]] != want[few[1]].Transitive {
			t.Errorf("estimated %v: behind are %v, want %+v and %+v", c.Estimated, got, want[few[0]], want[few[1]])
		}
	}
	ended, end := context.WithCancel(t.Context())
	end()
	if Weigh(ended, flow) != nil || weigh(ended, flow, 0) != nil || large.Behind(ended, few) != nil {
		t.Error("it counts for a request that has ended")
	}
}
