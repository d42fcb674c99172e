package picture

import (
	"sync"
	"sync/atomic"
	"testing"

	"tasker/internal/core"
	"tasker/internal/store"
	"tasker/internal/task"
	"tasker/internal/task/query"
)

// countedFlows is a view of a project with two tasks that counts how often its flow is read.
type countedFlows struct {
	store.View
	asked atomic.Int32
}

func (c *countedFlows) Flow(string) (ids []task.ID, deps, parts []query.Edge, err error) {
	c.asked.Add(1)
	return []task.ID{"x-1", "x-2"}, []query.Edge{{From: "x-2", To: "x-1"}}, nil, nil
}

func (*countedFlows) Parts(string) (map[task.ID]query.Parts, error) { return nil, nil }

func (*countedFlows) Generation() int64 { return 1 }

// TestAFlowIsReadOnceForAllWhoAsk requests the flow of a large project many times at once, after a change: a copy for
// each request would take up most of a server's memory.
func TestAFlowIsReadOnceForAllWhoAsk(t *testing.T) {
	var reads countedFlows
	k := flows{cached: map[string]*flow{}}
	ask := func(version int64) {
		sc := scene{core.Scene{View: &reads, Project: &task.Project{Slug: "x", FlowVersion: version}}}
		if f, err := k.of(sc); err != nil || len(f.path) != 2 {
			t.Errorf("flow %+v, %v", f, err)
		}
	}
	for version := range int64(3) {
		var wg sync.WaitGroup
		for range 16 {
			wg.Go(func() { ask(version) })
		}
		wg.Wait()
		if got, want := reads.asked.Load(), int32(version+1); got != want {
			t.Fatalf("%d flows read, want %d", got, want)
		}
	}
}
