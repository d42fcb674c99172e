// Package pressure counts how much of a project waits for each of its open tasks, and says how old such a count may be.
package pressure

import (
	"cmp"
	"context"
	"math"
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

// Count is how much depends on each open task of a project, at one version of the flow.
type Count struct {
	Version int64
	At      task.Time // when the snapshot that it was counted from was taken
	// Estimated says that the project is too large to compare all tasks exactly: which of them hold up the most was
	// estimated.
	Estimated bool

	flow  query.Flow
	reach *graph.Reach // nil if everything was counted
	loads []graph.Load // of each task; Transitive may be an estimate
	worst []int32      // tasks that have dependents, worst first
	total int          // how many have dependents
}

// Limits of counting.
const (
	// manyOpen is how many open tasks a project may have for its count to be always up to date; with more, it may be as old
	// as maxAge.
	manyOpen = 50_000
	maxAge   = 30_000 // milliseconds
	// compared is how many tasks of a larger project are counted exactly: those that hold up the most by an estimate. No
	// answer lists more.
	compared = 1024
)

// Serves reports whether a count is recent enough to answer with.
func (c *Count) Serves(f Flow) bool {
	return c.Version >= f.Version || f.Open > manyOpen && f.Now <= c.At.Add(maxAge)
}

// Weigh counts what depends on each task. If more tasks are open than can be compared exactly, it counts for those that an
// estimate places first, and in time linear in tasks and dependencies. It returns nil if ctx has ended.
func Weigh(ctx context.Context, flow query.Flow) *Count { return weigh(ctx, flow, manyOpen) }

func weigh(ctx context.Context, flow query.Flow, exact int) *Count {
	goOn := func() bool { return ctx.Err() == nil }
	c := &Count{flow: flow}
	behind := flow.Behind()
	if len(flow.Numbers) <= exact {
		c.loads, _ = graph.Loads(len(flow.Numbers), behind, math.MaxInt, goOn)
	} else {
		c.estimate(behind, goOn)
	}
	if !goOn() {
		return nil
	}
	var some []int32
	for i, l := range c.loads {
		if l.Direct > 0 {
			some = append(some, int32(i))
		}
	}
	c.total = len(some)
	c.sort(some)
	if c.reach != nil && len(some) > compared {
		some = slices.Clone(some[:compared])
	}
	if c.reach != nil {
		counts := c.reach.Exactly(some, goOn)
		if counts == nil {
			return nil
		}
		for i, at := range some {
			c.loads[at].Transitive = counts[i]
		}
		c.sort(some)
	}
	c.worst = some
	return c
}

// estimate sets the loads of all tasks to an estimate.
func (c *Count) estimate(behind []graph.Edge, goOn func() bool) {
	c.Estimated, c.reach = true, graph.NewReach(len(c.flow.Numbers), behind)
	c.loads = c.reach.Near()
	about := c.reach.Estimate(goOn)
	for i := range about {
		c.loads[i].Transitive = max(c.loads[i].Direct, about[i])
	}
}

// sort puts the tasks that hold up the most first.
func (c *Count) sort(tasks []int32) {
	slices.SortFunc(tasks, func(i, j int32) int {
		a, b := c.loads[i], c.loads[j]
		return cmp.Or(cmp.Compare(b.Transitive, a.Transitive), cmp.Compare(b.Direct, a.Direct), cmp.Compare(b.Depth, a.Depth), cmp.Compare(i, j))
	})
}

// Total returns how many open tasks have dependents.
func (c *Count) Total() int { return c.total }

// Worst returns up to limit tasks that have dependents, worst first, with exact counts.
func (c *Count) Worst(limit int) (ids []task.ID, loads []graph.Load) {
	for _, i := range c.worst[:min(len(c.worst), limit)] {
		ids, loads = append(ids, c.flow.ID(i)), append(loads, c.loads[i])
	}
	return ids, loads
}

// Behind returns how many open tasks wait for each of some tasks, directly or not, exactly. Tasks that nothing waits for
// are left out. It returns nil if ctx has ended.
func (c *Count) Behind(ctx context.Context, tasks []task.ID) map[task.ID]int {
	out := make(map[task.ID]int, len(tasks))
	var some []int32
	for _, id := range tasks {
		if i, open := c.flow.Find(id); open && c.loads[i].Direct > 0 {
			some = append(some, i)
			out[id] = c.loads[i].Transitive
		}
	}
	if c.reach == nil || len(some) == 0 {
		return out
	}
	counts := c.reach.Exactly(some, func() bool { return ctx.Err() == nil })
	if counts == nil {
		return nil
	}
	for k, i := range some {
		out[c.flow.ID(i)] = counts[k]
	}
	return out
}
