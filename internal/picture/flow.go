package picture

import (
	"slices"
	"sync"

	"tasker/internal/graph"
	"tasker/internal/task"
	"tasker/internal/task/query"
)

// flow holds the open tasks of a project and their dependencies, with the critical path: a longest chain.
type flow struct {
	created  task.Time // of the project: after it is deleted and recreated, versions start at one again
	restore  int64     // the generation of the database: after a restore, versions repeat as well
	version  int64
	ids      []task.ID
	deps     []query.Edge
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
	mu     sync.Mutex
	cached map[string]*flow
}

// maxFlows limits the cache; it is emptied when full.
const maxFlows = 16

func (k *flows) of(sc scene) (*flow, error) {
	k.mu.Lock()
	defer k.mu.Unlock()
	f := k.cached[sc.Project.Slug]
	if f != nil && f.created == sc.Project.CreatedAt && f.restore == sc.View.Generation() && f.version == sc.Project.FlowVersion {
		return f, nil
	}
	ids, deps, parts, err := sc.View.Flow(sc.Project.Slug)
	if err != nil {
		return nil, err
	}
	f = chart(ids, deps, parts)
	if f.parts, err = sc.View.Parts(sc.Project.Slug); err != nil {
		return nil, err
	}
	f.count(parts)
	f.created, f.restore, f.version = sc.Project.CreatedAt, sc.View.Generation(), sc.Project.FlowVersion
	if f.version < 0 {
		return f, nil // of an earlier moment, which is rarely requested
	}
	if len(k.cached) >= maxFlows {
		clear(k.cached)
	}
	k.cached[sc.Project.Slug] = f
	return f, nil
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
	at := indexOf(ids)
	on := make([]graph.Edge, len(edges))
	for i, e := range edges {
		on[i] = graph.Edge{From: at[e.To], To: at[e.From]}
		f.waiting[e.To] = append(f.waiting[e.To], e.From)
	}
	for i, v := range graph.Longest(len(ids), on) {
		f.path = append(f.path, ids[v])
		f.critical[ids[v]] = true
		if i > 0 {
			f.step[query.Edge{From: ids[v], To: f.path[i-1]}] = true
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
		own, is := f.below[id]
		if !is { // it has no parts that are open
			own = below{open: 1, closed: f.parts[id].Closed}
		}
		up, waits := f.parent[id]
		if !waits {
			continue
		}
		sum, is := f.below[up]
		if !is {
			sum = below{open: 1, closed: f.parts[up].Closed}
		}
		f.below[up] = below{sum.open + own.open, sum.closed + own.closed}
		if left[up]--; left[up] == 0 {
			ready = append(ready, up)
		}
	}
}
