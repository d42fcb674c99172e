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
	id     func(v int32) task.ID
	find   func(task.ID) (int32, bool)
	chains graph.Chains
	ends   []int
	loads  []graph.Load
}

// chart charts the chains of some tasks; all says that they are all there are, so that counts of them are true.
func chart(ids []task.ID, edges []query.Edge, all bool) *Chart {
	at := make(map[task.ID]int32, len(ids))
	for i, id := range ids {
		at[id] = int32(i)
	}
	on := make([]graph.Edge, len(edges))
	for i, e := range edges {
		on[i] = graph.Edge{From: at[e.From], To: at[e.To]}
	}
	c := &Chart{id: func(v int32) task.ID { return ids[v] }, find: func(id task.ID) (int32, bool) { v, known := at[id]; return v, known }}
	c.draw(len(ids), on, all)
	return c
}

// OfFlow charts the chains of all open tasks of a project, and makes ids only for tasks that are asked for. Where there are
// more than MaxOpen, nothing is known of what a root holds up.
func OfFlow(f query.Flow) *Chart {
	c := &Chart{id: f.ID, find: f.Find}
	c.draw(len(f.Numbers), f.Waits(), len(f.Numbers) <= MaxOpen)
	return c
}

// draw works out the chains of n tasks.
func (c *Chart) draw(n int, on []graph.Edge, all bool) {
	if all {
		behind := make([]graph.Edge, len(on))
		for i, e := range on {
			behind[i] = graph.Edge{From: e.To, To: e.From}
		}
		c.loads, _ = graph.Loads(n, behind, steps, func() bool { return true })
		c.ends = graph.Ends(n, on)
	}
	c.chains = graph.NewChains(n, on, c.weight)
}

func (c *Chart) weight(v int32) int {
	if c.loads == nil {
		return 0
	}
	return c.loads[v].Transitive
}

// Root returns what a task waits for in the end; false if it does not wait, or if no chain of it ends.
func (c *Chart) Root(id task.ID) (Root, bool) {
	v, known := c.find(id)
	if !known || c.chains.Next[v] == graph.None {
		return Root{}, false
	}
	end := c.chains.End[v]
	r := Root{Task: c.id(end), Via: c.id(c.chains.Next[v]), Holds: c.weight(end)}
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
		out = append(out, c.id(v))
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
	return OfFlow(flow), nil
}
