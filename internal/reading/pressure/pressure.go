// Package pressure counts how much of a project waits for each of its open tasks, and says how old such a count may be.
package pressure

import (
	"cmp"
	"context"
	"slices"

	"tasker/internal/graph"
	"tasker/internal/task"
	"tasker/internal/task/query"
)

// Flow is a version of the dependencies of a project.
type Flow struct {
	Version int64
	Now     task.Time
	Open    int // open tasks
}

// Count is how much depends on each open task of a project, worst first, at one version of the flow.
type Count struct {
	Version   int64
	At        task.Time // when the snapshot that it was counted from was taken
	IDs       []task.ID
	Loads     []graph.Load
	Behind    map[task.ID]int // of each of them: how many open tasks wait for it, directly or not
	Estimated bool
}

// Limits of counting.
const (
	// manyOpen is how many open tasks a project may have for its count to be always up to date; with more, it may be as old
	// as maxAge.
	manyOpen = 50_000
	maxAge   = 30_000 // milliseconds
	// Steps limits a count to some seconds. Past it, the numbers of transitive dependents are estimates.
	Steps = 1 << 32
)

// Serves reports whether a count is recent enough to answer with.
func (c *Count) Serves(f Flow) bool {
	return c.Version >= f.Version || f.Open > manyOpen && f.Now <= c.At.Add(maxAge)
}

// Weigh counts what depends on each task, and sorts the tasks that have dependents. If counting takes more than the given
// number of steps, transitive numbers are estimates. It returns nil if ctx has ended.
func Weigh(ctx context.Context, ids []task.ID, edges []query.Edge, steps int) *Count {
	at := make(map[task.ID]int32, len(ids))
	for i, id := range ids {
		at[id] = int32(i)
	}
	behind := make([]graph.Edge, len(edges))
	for i, e := range edges {
		behind[i] = graph.Edge{From: at[e.To], To: at[e.From]} // from a task to its dependent
	}
	loads, exact := graph.Loads(len(ids), behind, steps, func() bool { return ctx.Err() == nil })
	if ctx.Err() != nil {
		return nil
	}
	order := make([]int, 0, len(ids))
	for i, l := range loads {
		if l.Direct > 0 {
			order = append(order, i)
		}
	}
	slices.SortFunc(order, func(a, b int) int {
		return cmp.Or(cmp.Compare(loads[b].Transitive, loads[a].Transitive), cmp.Compare(loads[b].Direct, loads[a].Direct),
			cmp.Compare(loads[b].Depth, loads[a].Depth), cmp.Compare(a, b))
	})
	c := &Count{Estimated: !exact, Behind: make(map[task.ID]int, len(order))}
	for _, i := range order {
		c.IDs = append(c.IDs, ids[i])
		c.Loads = append(c.Loads, loads[i])
		c.Behind[ids[i]] = loads[i].Transitive
	}
	return c
}
