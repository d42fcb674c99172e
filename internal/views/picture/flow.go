package picture

import (
	"slices"
	"sync"

	"tasker/internal/core"
	"tasker/internal/core/cache"
	"tasker/internal/task"
	"tasker/internal/task/query"
	"tasker/internal/views/reading/roots"
)

// flow holds the open tasks of a project and their dependencies, with the critical path: the longest chain to the root that
// holds up the most.
type flow struct {
	version  int64
	ids      []task.ID
	deps     []query.Edge
	roots    *roots.Chart
	path     []task.ID
	critical map[task.ID]bool
	step     map[query.Edge]bool
	parent   map[task.ID]task.ID   // of each open part
	waiting  map[task.ID][]task.ID // dependents of a task, and the parent it is a part of
	parts    map[task.ID]query.Parts
	below    map[task.ID]below // of each parent that waits for parts
}

// below counts the tasks of a parent: itself, its parts, theirs and so on.
type below struct{ open, closed int }

// flows caches the last flow of each project. An entry is valid while the version of the flow, read in the same snapshot,
// is the same. A flow holds all open tasks of a project: without the cache, "the page of the graph" of make bench takes
// ten times the processor time and allocates 3.5 times as much. Only one flow is read at a time, so that many requests
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
	parts := read.Named(read.Parts)
	f := chart(read.IDs(), read.Named(read.Deps), parts)
	f.version = s.Project.FlowVersion
	f.parts, err = s.View.Parts(s.Project.Slug)
	f.count(parts)
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

func chart(ids []task.ID, deps, parts []query.Edge) *flow {
	edges := slices.Concat(deps, parts)
	f := &flow{ids: ids, deps: deps, critical: map[task.ID]bool{}, step: map[query.Edge]bool{}, waiting: map[task.ID][]task.ID{}, parent: map[task.ID]task.ID{}}
	for _, e := range parts {
		f.parent[e.To] = e.From
	}
	for _, e := range edges {
		f.waiting[e.To] = append(f.waiting[e.To], e.From)
	}
	f.roots = roots.Of(ids, edges)
	f.path = f.roots.Longest()
	for i, id := range f.path {
		f.critical[id] = true
		if i > 0 {
			f.step[query.Edge{From: id, To: f.path[i-1]}] = true
		}
	}
	return f
}

// count adds up what is below each parent, from the leaves up.
func (f *flow) count(parts []query.Edge) {
	f.below = map[task.ID]below{}
	left := map[task.ID]int{} // of each parent: parts that are not added yet
	for _, e := range parts {
		left[e.From]++
	}
	var ready []task.ID
	for _, e := range parts {
		if left[e.To] == 0 {
			ready = append(ready, e.To)
		}
	}
	for len(ready) > 0 {
		id := ready[len(ready)-1]
		ready = ready[:len(ready)-1]
		up, waits := f.parent[id]
		if !waits {
			continue
		}
		own, sum := f.belowOf(id), f.belowOf(up)
		f.below[up] = below{sum.open + own.open, sum.closed + own.closed}
		if left[up]--; left[up] == 0 {
			ready = append(ready, up)
		}
	}
}

// belowOf returns what is counted below a task so far: at first the task itself, and its closed parts.
func (f *flow) belowOf(id task.ID) below {
	if n, counted := f.below[id]; counted {
		return n
	}
	return below{open: 1, closed: f.parts[id].Closed}
}
