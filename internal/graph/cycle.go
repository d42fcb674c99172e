package graph

import "slices"

// Cycles returns one cycle for every strongly connected component of the graph that has one, so that breaking the
// reported cycles makes progress in every component at once. Each cycle lists its nodes in the direction of the edges,
// starts with its component's lowest node (the last one leads back to it), and is as short as a cycle through that node
// can be. They are sorted by their first nodes. The result is nil for a graph without cycles.
func (g *Graph) Cycles() [][]int32 {
	left := g.within()
	if left == nil {
		return nil
	}
	component := g.components(left)
	done := make(map[int32]bool)
	via := slices.Repeat([]int32{-1}, g.Len())
	var cycles [][]int32
	for v := range left {
		if !left[v] || done[component[v]] {
			continue
		}
		if c := g.shortest(int32(v), component, via); c != nil {
			cycles = append(cycles, c)
			done[component[v]] = true
		}
	}
	return cycles
}

// Components numbers the strongly connected components of the graph: two nodes have the same number if each can be
// reached from the other. Nodes that are neither on a cycle nor between two have the number -1. The result is nil for a
// graph without cycles.
func (g *Graph) Components() []int32 {
	left := g.within()
	if left == nil {
		return nil
	}
	component := g.components(left)
	for v := range left {
		if !left[v] {
			component[v] = -1
		}
	}
	return component
}

// components numbers the strongly connected components among the nodes of within. It is Tarjan's algorithm with the
// call stack in a slice.
func (g *Graph) components(within []bool) []int32 {
	n := g.Len()
	var (
		component = make([]int32, n)
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
		if !within[root] || order[root] != 0 {
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
			deeper := false
			for int(next[v]) < len(out) {
				w := out[next[v]]
				if !within[w] {
					next[v]++
					continue
				}
				if order[w] == 0 {
					calls = append(calls, w) // the edge is visited again on return
					deeper = true
					break
				}
				if onPath[w] {
					low[v] = min(low[v], low[w])
				}
				next[v]++
			}
			if deeper {
				continue
			}
			calls = calls[:len(calls)-1]
			if low[v] != order[v] {
				continue
			}
			for {
				w := path[len(path)-1]
				path = path[:len(path)-1]
				onPath[w] = false
				component[w] = found
				if w == v {
					break
				}
			}
			found++
		}
	}
	return component
}

// shortest returns a shortest cycle through v within its component, or nil if there is none. via is the node that each
// node was first reached from; it is -1 for every node, before and after.
func (g *Graph) shortest(v int32, component, via []int32) []int32 {
	queue := []int32{v}
	defer func() {
		for _, w := range queue {
			via[w] = -1
		}
	}()
	for head := 0; head < len(queue); head++ {
		u := queue[head]
		for _, w := range g.Out(u) {
			if w == v {
				return back(u, v, via)
			}
			if component[w] != component[v] || via[w] != -1 {
				continue
			}
			via[w] = u
			queue = append(queue, w)
		}
	}
	return nil
}

// back follows via from u to v and returns the path from v to u.
func back(u, v int32, via []int32) []int32 {
	var way []int32
	for u != v {
		way = append(way, u)
		u = via[u]
	}
	way = append(way, v)
	slices.Reverse(way)
	return way
}
