package plan

import (
	"fmt"
	"slices"
	"strings"

	"tasker/internal/graph"
	"tasker/internal/task"
	"tasker/internal/task/query"
)

// Circles are children that stand in a circle of dependencies and parts with their parents.
type Circles struct {
	Marks []query.CircleMark // where the mark of a stored child changes
	New   bool               // of a task that is created: it stands in a circle
	ways  [][]task.ID        // from a child on to its parent, of circles of more than two
	more  int                // how many further ones there are
}

// maxCircles is how many circles one answer names.
const maxCircles = 20

// Warnings names the circles of more than two; created is the id that a task got which had none before. That a child
// depends on its own parent is how one says that it comes after: nothing to warn of.
func (c Circles) Warnings(created task.ID) []string {
	var out []string
	for _, way := range c.ways {
		names := make([]string, len(way))
		for i, id := range way {
			if names[i] = string(id); id == "" {
				names[i] = string(created)
			}
		}
		out = append(out, CircleWords(names))
	}
	return andMore(out, c.more)
}

// CircleWords says that a child is no part of its parent: names lead from the child to the parent.
func CircleWords(names []string) string {
	return names[0] + " is no part of " + names[len(names)-1] + ": " + chain(names, " → ") + " is a circle"
}

func andMore(warnings []string, more int) []string {
	if more > 0 {
		warnings = append(warnings, fmt.Sprintf("%d more children are no parts of their parents, by such circles", more))
	}
	return warnings
}

// chain writes a way out, cut in the middle where it is long.
func chain(names []string, between string) string {
	const limit = 20
	if len(names) > limit {
		names = slices.Concat(names[:limit-2], []string{"…"}, names[len(names)-2:])
	}
	return strings.Join(names, between)
}

// web is a graph in which tasks lead to what they depend on and to their children.
type web struct {
	all       *graph.Graph
	parent    []int32
	component []int32
}

// newWeb makes the web of dependencies and parents, -1 for none.
func newWeb(deps []graph.Edge, parent []int32) web {
	all := slices.Clip(deps)
	for v, p := range parent {
		if p >= 0 {
			all = append(all, graph.Edge{From: p, To: int32(v)})
		}
	}
	w := web{all: graph.New(len(parent), all), parent: parent}
	w.component = w.all.Components()
	return w
}

// circled reports whether v stands in a circle with its parent.
func (w web) circled(v int32) bool {
	p := w.parent[v]
	return w.component != nil && p >= 0 && w.component[p] >= 0 && w.component[p] == w.component[v]
}

// way returns a shortest circle of a child with its parent: from v on, to its parent. It is nil for the smallest, in which
// v depends on its parent itself.
func (w web) way(v int32) []int32 {
	if slices.Contains(w.all.Out(v), w.parent[v]) {
		return nil
	}
	way, _ := graph.Way([]int32{v}, w.parent[v], func(at int32) (out []int32, _ error) { // in memory nothing can fail
		for _, next := range w.all.Out(at) {
			if w.component[next] == w.component[v] {
				out = append(out, next)
			}
		}
		return out, nil
	})
	return way
}
