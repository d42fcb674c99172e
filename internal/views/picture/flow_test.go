package picture

import (
	"slices"
	"testing"

	"tasker/internal/graph"
	"tasker/internal/task"
	"tasker/internal/task/query"
)

// chained is a flow of parents with nine parts each, in which every task waits for one just before it.
func chained(n int) query.Flow {
	f := query.Flow{Project: "demo", Numbers: make([]int64, n)}
	for i := range n {
		f.Numbers[i] = int64(i + 1)
		if i%10 != 0 {
			f.Parts = append(f.Parts, graph.Edge{From: int32(i / 10 * 10), To: int32(i)})
		}
		if i > 7 && i%10 != 0 {
			f.Deps = append(f.Deps, graph.Edge{From: int32(i), To: int32(i - 1 - i%7)})
		}
	}
	return f
}

// What a flow costs does not follow the number of its tasks in ids and maps: those of a million took seconds of every first
// page after a change.
func TestAFlowMakesIdsOnlyForWhatIsAsked(t *testing.T) {
	open := chained(30_000) // past roots.MaxOpen
	if made := testing.AllocsPerRun(3, func() { chart(open).count() }); made > 500 {
		t.Errorf("a flow of %d tasks allocates %.0f times", len(open.Numbers), made)
	}
}

func TestAFlowKnowsWhatWaitsAndWhatIsBelow(t *testing.T) {
	f := chart(chained(30))
	f.parts = map[task.ID]query.Parts{"demo-11": {Closed: 4}}
	f.count()
	if got := f.waiting("demo-14"); !slices.Equal(got, []task.ID{"demo-15", "demo-16", "demo-17", "demo-18", "demo-19", "demo-20", "demo-11"}) {
		t.Errorf("for demo-14 wait %v", got)
	}
	if got := f.waiting("demo-99"); got != nil {
		t.Errorf("for a task that is not open wait %v", got)
	}
	if a, b := f.parent("demo-12"), f.parent("demo-11"); a != "demo-11" || b != "" {
		t.Errorf("the parents are %q and %q", a, b)
	}
	if a, b := f.belowOf("demo-11"), f.belowOf("demo-12"); a != (below{10, 4}) || b != (below{}) {
		t.Errorf("below them are %+v and %+v", a, b)
	}
}
