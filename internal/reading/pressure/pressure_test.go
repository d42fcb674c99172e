package pressure

import (
	"testing"

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

// TestACountThatTakesTooLongIsAnEstimate counts a chain once with enough steps, and once with too few.
func TestACountThatTakesTooLongIsAnEstimate(t *testing.T) {
	const n = 20_000
	var ids []task.ID
	var edges []query.Edge
	for i := range n {
		ids = append(ids, task.MakeID("demo", int64(i+1)))
		if i > 0 {
			edges = append(edges, query.Edge{From: ids[i], To: ids[i-1]})
		}
	}
	exact := Weigh(t.Context(), ids, edges, Steps)
	if exact.Estimated || exact.IDs[0] != "demo-1" || exact.Loads[0].Transitive != n-1 {
		t.Errorf("with enough steps: estimated %v, %s holds up %d", exact.Estimated, exact.IDs[0], exact.Loads[0].Transitive)
	}
	some := Weigh(t.Context(), ids, edges, 1_000_000)
	if !some.Estimated || some.Loads[0].Direct != 1 || some.Loads[0].Transitive < n/2 || some.Loads[0].Transitive > 2*n {
		t.Errorf("with few steps: estimated %v, %+v", some.Estimated, some.Loads[0])
	}
}
