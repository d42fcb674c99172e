package graph

import "slices"

// Cycles returns one cycle for every strongly connected component of the graph that has one, so that breaking the
// reported cycles makes progress in every component at once. Each cycle lists its nodes in the direction of the edges,
// starts with its component's lowest node (the last one leads back to it), and is as short as a cycle through that node
// can be. They are sorted by their first nodes. The result is nil for a graph without cycles.
func (g *Graph) Cycles() [][]int32 {
	component := g.Components()
	inside := g.inside(component)
	done := make(map[int32]bool)
	var cycles [][]int32
	for v, c := range component {
		if c < 0 || done[c] {
			continue
		}
		done[c] = true
		starts, _ := inside(int32(v))
		back, _ := Way(starts, int32(v), inside) // in memory nothing can fail
		cycles = append(cycles, append([]int32{int32(v)}, back[:len(back)-1]...))
	}
	return cycles
}

// inside returns the edges of the graph that stay within a component, in the form that Way takes.
func (g *Graph) inside(component []int32) func(int32) ([]int32, error) {
	return func(v int32) ([]int32, error) {
		return slices.DeleteFunc(slices.Clone(g.Out(v)), func(w int32) bool { return component[w] != component[v] }), nil
	}
}

// Components numbers the strongly connected components of the graph that have a cycle: two nodes have the same number
// if each can be reached from the other. Nodes on no cycle have the number -1. The result is nil for a graph without
// cycles. It is Tarjan's algorithm with the call stack in a slice.
func (g *Graph) Components() []int32 {
	n := g.Len()
	var (
		component = slices.Repeat([]int32{-1}, n)
		low       = make([]int32, n)
		order     = make([]int32, n) // 0: not seen
		next      = make([]int32, n) // how many of v's edges are done
		onPath    = make([]bool, n)
		path      []int32 // Tarjan's stack
		calls     []int32 // what recursion would keep on the call stack
		count     int32
		found     int32
	)
	for root := range n {
		if order[root] != 0 {
			continue
		}
		calls = append(calls, int32(root))
		for len(calls) > 0 {
			v := calls[len(calls)-1]
			if order[v] == 0 {
				count++
				order[v], low[v] = count, count
				path = append(path, v)
				onPath[v] = true
			}
			out := g.Out(v)
			for ; int(next[v]) < len(out); next[v]++ {
				w := out[next[v]]
				if order[w] == 0 {
					calls = append(calls, w)
					break
				}
				if onPath[w] {
					low[v] = min(low[v], low[w])
				}
			}
			if int(next[v]) < len(out) {
				continue // the edge is visited again on return
			}
			calls = calls[:len(calls)-1]
			if low[v] != order[v] {
				continue
			}
			number := int32(-1)
			if path[len(path)-1] != v || slices.Contains(out, v) {
				number = found
				found++
			}
			for onPath[v] {
				w := path[len(path)-1]
				path = path[:len(path)-1]
				onPath[w], component[w] = false, number
			}
		}
	}
	if found == 0 {
		return nil
	}
	return component
}
