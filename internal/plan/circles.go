package plan

import (
	"fmt"
	"maps"
	"slices"
	"strings"

	"tasker/internal/graph"
	"tasker/internal/task"
	"tasker/internal/task/query"
)

// Circles are the children that are in a circle of dependencies and parts with their parents.
type Circles struct {
	Marks []query.CircleMark // stored children whose mark changes
	New   bool               // the task that is created is in a circle
	ways  [][]task.ID        // paths from a child to its parent, for circles of more than two
	more  int                // how many more there are
}

// maxCircles is how many circles one answer names.
const maxCircles = 20

// Warnings names the circles of more than two tasks; created is the id that a new task got. A child that depends on its
// own parent is the way to say that it comes after the parent, and gets no warning.
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

// CircleWords says that a child is not a part of its parent; names lead from the child to the parent.
func CircleWords(names []string) string {
	if len(names) == smallest {
		return names[0] + " is no part of " + names[1] + ": it depends on it"
	}
	return names[0] + " is no part of " + names[len(names)-1] + ": " + chain(names, " → ") + " is a circle"
}

func andMore(warnings []string, more int) []string {
	if more > 0 {
		warnings = append(warnings, fmt.Sprintf("%d more children are no part of their parents, because of such circles", more))
	}
	return warnings
}

// maxChain is how many names of a path are written.
const maxChain = 20

// chain writes out a path, cut in the middle if it is long.
func chain(names []string, between string) string {
	if len(names) > maxChain {
		names = slices.Concat(names[:maxChain-2], []string{"…"}, names[len(names)-2:])
	}
	return strings.Join(names, between)
}

// shownOf reports whether chain writes the i-th of n names.
func shownOf(i, n int) bool { return n <= maxChain || i < maxChain-2 || i >= n-2 }

// circlesOf finds the circles among tasks with these dependencies and parents.
func circlesOf(deps []graph.Edge, parent []int32) *graph.Circles {
	all := slices.Clip(deps)
	for v, p := range parent {
		if p >= 0 {
			all = append(all, graph.Edge{From: p, To: int32(v)})
		}
	}
	return graph.FindCircles(graph.New(len(parent), all), parent)
}

// smallest is the length of the path of a child that directly depends on its parent.
const smallest = 2

// CircleWays returns, for children that are in a circle with their parents, a shortest path from each to its parent.
func CircleWays(children []query.Tie, ties Ties) ([][]task.ID, error) {
	n, circles, err := netBetween(children, ties, ties)
	if err != nil {
		return nil, err
	}
	var out [][]task.ID
	for _, t := range children {
		if v, ok := n.place[t.To]; ok && circles.Has(v) { // a wrong mark leads nowhere
			out = append(out, n.named(circles.Way(v)))
		}
	}
	return out, nil
}

// CircleMarks returns whether children were in a circle with their parents before edges changed, for every child that
// may be affected, and the children whose mark is now different: ties are the edges as they are and as they were, were
// are the edges as they were.
func CircleMarks(changed []query.Tie, ties, were Ties) (stood map[task.ID]bool, otherwise []task.ID, err error) {
	n, circles, err := netBetween(changed, ties, were)
	if err != nil {
		return nil, nil, err
	}
	stood = make(map[task.ID]bool, len(n.ids))
	for v, id := range n.ids {
		if stood[id] = circles.Has(int32(v)); stood[id] != n.marked[v] {
			otherwise = append(otherwise, id)
		}
	}
	return stood, otherwise, nil
}

// between returns the tasks on the paths that ties make from some tasks to others.
func between(from, to []task.ID, ties Ties) (map[task.ID]bool, error) {
	return graph.Between(from, to, tiesAtOnce, ends(ties.From, func(t query.Tie) task.ID { return t.To }),
		ends(ties.To, func(t query.Tie) task.ID { return t.From }))
}

// netBetween returns the tasks on the paths that ties make from the end of one of some edges to the beginning of another,
// with the edges of were between them and their circles.
func netBetween(edges []query.Tie, ties, were Ties) (*net, *graph.Circles, error) {
	var heads, tails []task.ID
	for _, t := range edges {
		heads, tails = append(heads, t.To), append(tails, t.From)
	}
	around, err := between(heads, tails, ties)
	if err != nil {
		return nil, nil, err
	}
	n := newNet(around)
	err = n.read(were, nil)
	return n, circlesOf(n.deps, n.parent), err
}

// ends turns a reader of ties into a reader of the tasks at one of their ends.
func ends(read func([]task.ID) ([]query.Tie, error), end func(query.Tie) task.ID) func([]task.ID) ([]task.ID, error) {
	return func(ids []task.ID) ([]task.ID, error) {
		ties, err := read(ids)
		out := make([]task.ID, len(ties))
		for i, t := range ties {
			out[i] = end(t)
		}
		return out, err
	}
}

// net is the edges between some tasks.
type net struct {
	ids    []task.ID // by number
	place  map[task.ID]int32
	deps   []graph.Edge
	parent []int32 // none if it is not one of them
	marked []bool
}

func newNet(around map[task.ID]bool) *net {
	n := &net{ids: slices.SortedFunc(maps.Keys(around), task.CompareIDs), place: make(map[task.ID]int32, len(around))}
	n.parent, n.marked = make([]int32, len(n.ids)), make([]bool, len(n.ids))
	for i, id := range n.ids {
		n.place[id], n.parent[i] = int32(i), none
	}
	return n
}

// read reads the stored edges, except the ones for which without returns true.
func (n *net) read(stored Ties, without func(query.Tie) bool) error {
	ties, err := stored.From(slices.DeleteFunc(slices.Clone(n.ids), func(id task.ID) bool { return id == "" }))
	for _, t := range ties {
		if without == nil || !without(t) {
			n.add(t)
		}
	}
	return err
}

// add adds an edge if both of its ends belong to the net.
func (n *net) add(t query.Tie) {
	from, a := n.place[t.From]
	to, b := n.place[t.To]
	switch {
	case !a || !b:
	case t.Child:
		n.parent[to], n.marked[to] = from, t.InCircle
	default:
		n.deps = append(n.deps, graph.Edge{From: from, To: to})
	}
}

// judge compares the circles of a net with the marks of its stored tasks, and returns the marks that change. It also
// returns the paths of more than two tasks from a child to its parent, if the child was not in a circle before or is to be
// reported anyway, and how many more there are.
func (n *net) judge(found *graph.Circles, report func(v int32) bool) (marks []query.CircleMark, ways [][]int32, more int) {
	for i, before := range n.marked {
		v := int32(i)
		is := found.Has(v)
		if is != before && i < len(n.ids) && n.ids[i] != "" {
			marks = append(marks, query.CircleMark{Child: n.ids[i], In: is})
		}
		switch {
		case !is || before && !report(v) || found.Smallest(v):
		case len(ways) == maxCircles:
			more++
		default:
			ways = append(ways, found.Way(v))
		}
	}
	return marks, ways, more
}

// edgeKind is the edges of a net of one kind, which may not make a cycle.
type edgeKind struct {
	*graph.Graph
	through, what string
}

// kinds returns the edges of a net by their kinds.
func (n *net) kinds() []edgeKind {
	size := len(n.parent)
	return []edgeKind{
		{graph.New(size, n.deps), "deps", "wait for each other"},
		{graph.New(size, parentEdges(n.parent)), "parents", "are each other's parents"},
	}
}

func parentEdges(parents []int32) []graph.Edge {
	var edges []graph.Edge
	for v, p := range parents {
		if p >= 0 {
			edges = append(edges, graph.Edge{From: int32(v), To: p})
		}
	}
	return edges
}

// words names a cycle.
func (k edgeKind) words(names []string) string {
	return "a cycle through " + k.through + ": " + chain(names, " -> ") + " " + k.what
}

// named returns the ids of the tasks on a path.
func (n *net) named(way []int32) []task.ID {
	out := make([]task.ID, len(way))
	for i, v := range way {
		out[i] = n.ids[v]
	}
	return out
}
