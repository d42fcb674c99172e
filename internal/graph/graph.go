// Package graph answers questions about directed graphs over the nodes 0 to n-1: where the cycles are, what lies
// below what. It knows nothing of tasks, walks without recursion, and takes time linear in nodes and edges unless
// a function says otherwise.
package graph

// Edge leads from one node to another.
type Edge struct{ From, To int32 }

// Graph is a directed graph that does not change. Edges keep the order in which they were given.
type Graph struct {
	start []int32 // start[v] to start[v+1] are v's part of to
	to    []int32
}

// New builds the graph of n nodes. Every edge must lie within them.
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

// Len is the number of nodes.
func (g *Graph) Len() int { return len(g.start) - 1 }

// Out returns the nodes that v leads to. The caller does not change them.
func (g *Graph) Out(v int32) []int32 { return g.to[g.start[v]:g.start[v+1]] }

// within returns the nodes that lie on a cycle or between two cycles: what is left when nodes that nothing leads to,
// and nodes that lead nowhere, are taken away again and again. It is nil for a graph without cycles.
func (g *Graph) within() []bool {
	n := g.Len()
	left := make([]bool, n)
	for v := range left {
		left[v] = true
	}
	rest := peel(g, left)
	if rest > 0 {
		rest = peel(g.Reversed(), left)
	}
	if rest == 0 {
		return nil
	}
	return left
}

// peel takes away from left, again and again, the nodes that no edge of g leads to, and gives the number that
// stay.
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

// Reversed returns the graph with every edge turned round.
func (g *Graph) Reversed() *Graph {
	edges := make([]Edge, 0, len(g.to))
	for v := range g.Len() {
		for _, w := range g.Out(int32(v)) {
			edges = append(edges, Edge{From: w, To: int32(v)})
		}
	}
	return New(g.Len(), edges)
}
