package graph

import "slices"

// Longest returns the nodes of a longest path through a graph without cycles, from its start; if there are several, the
// one through the lowest nodes. It returns nil if there are no edges; nodes on a cycle are left out.
func Longest(n int, edges []Edge) []int32 {
	if len(edges) == 0 {
		return nil
	}
	g := New(n, edges)
	left := make([]int32, n) // the length of the longest path from each node
	order := g.inwards()
	start := int32(-1)
	known := make([]bool, n)
	for _, v := range order {
		for _, w := range g.Out(v) {
			left[v] = max(left[v], left[w]+1)
		}
		known[v] = true
		if start < 0 || left[v] > left[start] || (left[v] == left[start] && v < start) {
			start = v
		}
	}
	if start < 0 || left[start] == 0 {
		return nil
	}
	way := []int32{start}
	for v := start; left[v] > 0; {
		next := int32(-1)
		for _, w := range g.Out(v) {
			if known[w] && left[w] == left[v]-1 && (next < 0 || w < next) {
				next = w
			}
		}
		way = append(way, next)
		v = next
	}
	return slices.Clip(way)
}
