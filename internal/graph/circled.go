package graph

// Circled reports of every node whether it lies on a cycle of g together with its parent; parent[v] is -1 where v has
// none. g has an edge from each parent to its child.
func Circled(parent []int32, g *Graph) []bool {
	out := make([]bool, len(parent))
	component := g.Components()
	if component == nil {
		return out
	}
	for v, p := range parent {
		out[v] = p >= 0 && component[p] >= 0 && component[p] == component[v]
	}
	return out
}
