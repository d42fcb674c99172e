// Package roots finds what waiting tasks wait for in the end: the open tasks at the other end of their chains, which wait
// for nothing themselves, and of these the one that matters most.
package roots

import (
	"slices"

	"tasker/internal/graph"
	"tasker/internal/store"
	"tasker/internal/task"
	"tasker/internal/task/query"
)

// MaxOpen is how many open tasks a project may have for all its chains to be compared. With more, a chain is followed from
// each task to the first that it waits for.
const MaxOpen = 20_000

// steps limits how long it takes to weigh the roots; past it, weights are estimates.
const steps = 1 << 26

// Root is what a task waits for in the end: the root of its longest chain and, of several such, the one that holds up the
// most.
type Root struct {
	Task   task.ID
	Via    task.ID // the task that it waits for directly on that chain
	Others int     // how many other roots it has; 0 if they were not counted
	Holds  int     // how many open tasks wait for the root, directly or not; 0 if they were not counted
}

// Chart has the chains of the open tasks of a project.
type Chart struct {
	ids    []task.ID
	at     map[task.ID]int32
	chains graph.Chains
	ends   []int
	loads  []graph.Load
}

// Of charts the chains of all open tasks of a project. Each edge leads from a task to one that it waits for. Where there are
// more than MaxOpen, nothing is known of what a root holds up.
func Of(ids []task.ID, edges []query.Edge) *Chart {
	return chart(ids, edges, len(ids) <= MaxOpen)
}

// chart charts the chains of some tasks; all says that they are all there are, so that counts of them are true.
func chart(ids []task.ID, edges []query.Edge, all bool) *Chart {
	c := &Chart{ids: ids, at: make(map[task.ID]int32, len(ids))}
	for i, id := range ids {
		c.at[id] = int32(i)
	}
	on, behind := make([]graph.Edge, len(edges)), make([]graph.Edge, len(edges))
	for i, e := range edges {
		from, to := c.at[e.From], c.at[e.To]
		on[i], behind[i] = graph.Edge{From: from, To: to}, graph.Edge{From: to, To: from}
	}
	if all {
		c.loads, _ = graph.Loads(len(ids), behind, steps, func() bool { return true })
		c.ends = graph.Ends(len(ids), on)
	}
	c.chains = graph.NewChains(len(ids), on, c.weight)
	return c
}

func (c *Chart) weight(v int32) int {
	if c.loads == nil {
		return 0
	}
	return c.loads[v].Transitive
}

// Root returns what a task waits for in the end; false if it does not wait, or if no chain of it ends.
func (c *Chart) Root(id task.ID) (Root, bool) {
	v, known := c.at[id]
	if !known || c.chains.Next[v] == graph.None {
		return Root{}, false
	}
	end := c.chains.End[v]
	r := Root{Task: c.ids[end], Via: c.ids[c.chains.Next[v]], Holds: c.weight(end)}
	if c.ends != nil {
		r.Others = c.ends[v] - 1
	}
	return r, true
}

// Longest returns the critical path: the longest chain of all from its root and, of several such, the one whose root holds
// up the most. It is nil if nothing waits.
func (c *Chart) Longest() []task.ID {
	var out []task.ID
	for _, v := range c.chains.Longest(c.weight) {
		out = append(out, c.ids[v])
	}
	slices.Reverse(out)
	return out
}

// Follow charts the chains of a project that is too large to compare them all: from each of some tasks to the first task
// that it waits for, and on.
func Follow(v store.View, tasks []task.ID) (*Chart, error) {
	var ids []task.ID
	var edges []query.Edge
	seen := map[task.ID]bool{}
	add := func(some []task.ID) (fresh []task.ID) {
		for _, id := range some {
			if !seen[id] {
				seen[id] = true
				fresh = append(fresh, id)
			}
		}
		ids = append(ids, fresh...)
		return fresh
	}
	next := add(tasks)
	for round := 0; len(next) > 0 && round < maxRounds; round++ {
		first, err := v.FirstAwaited(next)
		if err != nil {
			return nil, err
		}
		var on []task.ID
		for _, id := range next {
			if to, waits := first[id]; waits {
				edges = append(edges, query.Edge{From: id, To: to})
				on = append(on, to)
			}
		}
		next = add(on)
	}
	return chart(ids, edges, false), nil
}

// maxRounds limits how far chains are followed.
const maxRounds = 200

// In returns the chart that is right for some tasks of a project: of all its open tasks, or, if it is too large, of theirs.
func In(v store.View, p *task.Project, tasks []task.ID) (*Chart, error) {
	if p.Tasks.Left() > MaxOpen {
		return Follow(v, tasks)
	}
	flow, err := v.Flow(p.Slug)
	if err != nil {
		return nil, err
	}
	return Of(flow.IDs(), flow.Named(flow.Waits())), nil
}
