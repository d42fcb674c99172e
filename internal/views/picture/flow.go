package picture

import (
	"slices"
	"sync"

	"tasker/internal/core"
	"tasker/internal/core/cache"
	"tasker/internal/graph"
	"tasker/internal/task"
	"tasker/internal/task/query"
	"tasker/internal/views/reading/roots"
)

// flow holds the open tasks of a project and their dependencies, with the critical path: the longest chain to the root that
// holds up the most.
type flow struct {
	version  int64
	open     query.Flow
	roots    *roots.Chart
	path     []task.ID
	critical map[task.ID]bool
	step     map[query.Edge]bool
	up       []int32 // the parent of each task that is an open part; -1 for none
	start    []int32 // start[v] to start[v+1] are what waits for v in waits
	waits    []int32 // dependents of a task, and the parent it is a part of
	parts    map[task.ID]query.Parts
	below    []below // of each parent that waits for parts; nothing for others
}

// below counts the tasks of a parent: itself, its parts, theirs and so on.
type below struct{ open, closed int32 }

// flows caches the last flow of each project. An entry is valid while the version of the flow, read in the same snapshot,
// is the same. A flow holds all open tasks of a project, and without the cache every page would read them again. Only
// one flow is read at a time, so that many requests
// after a change do not each hold their own copy. To remove the cache, make of never return a cached flow.
type flows struct {
	turn   sync.Mutex
	cached cache.Cache[core.ProjectKey, *flow]
}

func (k *flows) of(sc scene) (*flow, error) {
	k.turn.Lock()
	defer k.turn.Unlock()
	version := sc.Project.FlowVersion
	if version < 0 {
		return sc.flow() // of an earlier moment, which is rarely requested
	}
	return k.cached.Of(sc.Key(), func(f *flow) bool { return f.version == version }, sc.flow)
}

// flow reads the flow of a project.
func (s scene) flow() (*flow, error) {
	read, err := s.View.Flow(s.Project.Slug)
	if err != nil {
		return nil, err
	}
	f := chart(read)
	f.version = s.Project.FlowVersion
	if f.parts, err = s.View.Parts(s.Project.Slug); err == nil {
		f.count()
	}
	return f, err
}

// indexOf returns the index of each task in ids.
func indexOf(ids []task.ID) map[task.ID]int32 {
	at := make(map[task.ID]int32, len(ids))
	for i, id := range ids {
		at[id] = int32(i)
	}
	return at
}

// chart works out what waits for what. It names tasks by their index: maps of a million ids take longer than all the rest.
func chart(open query.Flow) *flow {
	n := len(open.Numbers)
	f := &flow{open: open, critical: map[task.ID]bool{}, step: map[query.Edge]bool{}, up: make([]int32, n), start: make([]int32, n+1)}
	for v := range f.up {
		f.up[v] = -1
	}
	for _, e := range open.Parts {
		f.up[e.To] = e.From
	}
	edges := [][]graph.Edge{open.Deps, open.Parts}
	for _, list := range edges {
		for _, e := range list {
			f.start[e.To+1]++
		}
	}
	for v := range n {
		f.start[v+1] += f.start[v]
	}
	f.waits = make([]int32, f.start[n])
	next := slices.Clone(f.start)
	for _, list := range edges {
		for _, e := range list {
			f.waits[next[e.To]] = e.From
			next[e.To]++
		}
	}
	f.roots = roots.OfFlow(open)
	f.path = f.roots.Longest()
	for i, id := range f.path {
		f.critical[id] = true
		if i > 0 {
			f.step[query.Edge{From: id, To: f.path[i-1]}] = true
		}
	}
	return f
}

// waiting returns what waits for a task: its dependents, and the parent it is a part of.
func (f *flow) waiting(id task.ID) []task.ID {
	v, open := f.open.Find(id)
	if !open {
		return nil
	}
	on := f.waits[f.start[v]:f.start[v+1]]
	out := make([]task.ID, len(on))
	for i, w := range on {
		out[i] = f.open.ID(w)
	}
	return out
}

// parent returns the parent of a task that is an open part; "" for any other.
func (f *flow) parent(id task.ID) task.ID {
	if v, open := f.open.Find(id); open && f.up[v] >= 0 {
		return f.open.ID(f.up[v])
	}
	return ""
}

// belowOf returns what is below a parent that waits for parts; nothing for any other task.
func (f *flow) belowOf(id task.ID) below {
	if v, open := f.open.Find(id); open {
		return f.below[v]
	}
	return below{}
}

// count adds up what is below each parent, from the leaves up.
func (f *flow) count() {
	n := len(f.up)
	f.below = make([]below, n)
	sum, left := make([]below, n), make([]int32, n) // left are the parts of each parent that are not added yet
	for v := range sum {
		sum[v].open = 1
	}
	for id, p := range f.parts {
		if v, open := f.open.Find(id); open {
			sum[v].closed = int32(p.Closed)
		}
	}
	for _, e := range f.open.Parts {
		left[e.From]++
	}
	var ready []int32
	for _, e := range f.open.Parts {
		if left[e.To] == 0 {
			ready = append(ready, e.To)
		}
	}
	for len(ready) > 0 {
		v := ready[len(ready)-1]
		ready = ready[:len(ready)-1]
		up := f.up[v]
		if up < 0 {
			continue
		}
		sum[up] = below{sum[up].open + sum[v].open, sum[up].closed + sum[v].closed}
		f.below[up] = sum[up]
		if left[up]--; left[up] == 0 {
			ready = append(ready, up)
		}
	}
}
