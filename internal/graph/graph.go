// Package graph answers questions about directed graphs with the nodes 0 to n-1: where the cycles are, and what is
// below what. It knows nothing about tasks, walks without recursion, and takes time linear in nodes and edges unless a
// function says otherwise.
package graph

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
