// Package graph answers questions about directed graphs with the nodes 0 to n-1: where the cycles are, and what is
// below what. It knows nothing about tasks, walks without recursion, and takes time linear in nodes and edges unless a
// function says otherwise.
package graph

import "slices"

// Edge leads from one node to another.
type Edge struct{ From, To int32 }

// Graph is an immutable directed graph. Edges keep the order in which they were given.
type Graph struct {
	start []int32 // start[v] to start[v+1] are v's part of to
	to    []int32
}

// New builds the graph of n nodes. Every edge must be between two of them.
func New(n int, edges []Edge) *Graph {
	g := &Graph{start: make([]int32, n+1), to: make([]int32, len(edges))}
	for _, e := range edges {
		g.start[e.From+1]++
	}
	for v := range n {
		g.start[v+1] += g.start[v]
	}
	fill := make([]int32, n)
	for _, e := range edges {
		g.to[g.start[e.From]+fill[e.From]] = e.To
		fill[e.From]++
	}
	return g
}

// Len returns the number of nodes.
func (g *Graph) Len() int { return len(g.start) - 1 }

// Out returns the nodes that v leads to. The caller must not change them.
func (g *Graph) Out(v int32) []int32 { return g.to[g.start[v]:g.start[v+1]] }

// within returns the nodes that are on a cycle or between two cycles: what remains after repeatedly removing nodes
// without incoming edges and nodes without outgoing edges. The result is nil for a graph without cycles.
func (g *Graph) within() []bool {
	left := slices.Repeat([]bool{true}, g.Len())
	rest := peel(g, left)
	if rest > 0 {
		rest = peel(g.Reversed(), left)
	}
	if rest == 0 {
		return nil
	}
	return left
}

// peel repeatedly removes from left the nodes that no edge of g leads to, and returns how many remain.
func peel(g *Graph, left []bool) int {
	in := make([]int32, len(left))
	rest := 0
	for v := range left {
		if !left[v] {
			continue
		}
		rest++
		for _, w := range g.Out(int32(v)) {
			in[w]++
		}
	}
	queue := make([]int32, 0, rest)
	for v := range left {
		if left[v] && in[v] == 0 {
			queue = append(queue, int32(v))
		}
	}
	for head := 0; head < len(queue); head++ {
		v := queue[head]
		left[v] = false
		for _, w := range g.Out(v) {
			if in[w]--; in[w] == 0 && left[w] {
				queue = append(queue, w)
			}
		}
	}
	return rest - len(queue)
}

// Reversed returns the graph with every edge reversed.
func (g *Graph) Reversed() *Graph {
	edges := make([]Edge, 0, len(g.to))
	for v := range g.Len() {
		for _, w := range g.Out(int32(v)) {
			edges = append(edges, Edge{From: w, To: int32(v)})
		}
	}
	return New(g.Len(), edges)
}
