package graph

import "slices"

// Circles says which children lie on a cycle with their parents, in a graph that has an edge from each parent to its
// child.
type Circles struct {
	g         *Graph
	parent    []int32
	component []int32 // nil if there are no cycles at all
}

// FindCircles finds the circles of a graph; parent[v] is -1 if v has none.
func FindCircles(g *Graph, parent []int32) *Circles {
	return &Circles{g: g, parent: parent, component: g.Components()}
}

// None reports whether the graph has no cycles at all.
func (c *Circles) None() bool { return c.component == nil }

// Has reports whether v lies on a cycle with its parent.
func (c *Circles) Has(v int32) bool {
	p := c.parent[v]
	return c.component != nil && p >= 0 && c.component[p] >= 0 && c.component[p] == c.component[v]
}

// Smallest reports whether v, which lies on a cycle with its parent, has an edge to it.
func (c *Circles) Smallest(v int32) bool { return slices.Contains(c.g.Out(v), c.parent[v]) }

// Way returns the nodes of a shortest path from v, which lies on a cycle with its parent, to that parent.
func (c *Circles) Way(v int32) []int32 {
	way, _ := Way([]int32{v}, c.parent[v], c.g.inside(c.component)) // in memory nothing can fail
	return way
}
