package graph

import "math/bits"

// Load is what lies behind a node: the nodes that it leads to, all that can be reached from it, and the length of the
// longest path.
type Load struct {
	Direct     int
	Transitive int
	Depth      int
}

// block is how many nodes are counted at once: as many bits per node as fit in a few cache lines. With one word of 64
// bits per node, "GET bottlenecks, the first count of a server" of make bench takes 1.7 times the processor time, and
// Loads itself 3.5 times.
const block = 64 * 16

// Loads counts what lies behind every node of a graph without cycles. Reachable nodes are counted a block at a time
// with one bit each, in one pass over the edges per block: n*m/64 steps, and memory linear in n. If that would take
// more than the given steps, evenly spread blocks stand for all of them, Transitive is an estimate, and exact is false.
// Nodes on a cycle stay at zero. Each edge is given once. Between blocks, Loads calls goOn, and returns nil if that
// returns false.
func Loads(n int, edges []Edge, steps int, goOn func() bool) (loads []Load, exact bool) {
	out := make([]Load, n)
	g := New(n, edges)
	order := g.inwards()
	place := make([]int32, n)
	for i, v := range order {
		place[v] = int32(i)
		out[v].Direct = len(g.Out(v))
		for _, w := range g.Out(v) {
			out[v].Depth = max(out[v].Depth, out[w].Depth+1)
		}
	}
	// With nodes numbered by their position in the order, all edges lead back, so nothing before a block leads into it.
	from := make([]int32, 1, len(order)+1)
	to := make([]int32, 0, len(edges))
	for _, v := range order {
		for _, w := range g.Out(v) {
			to = append(to, place[w])
		}
		from = append(from, int32(len(to)))
	}
	const words = block / 64
	reach := make([][words]uint64, len(order))
	stride := stride(len(order), len(to), steps)
	counted := 0
	for first := 0; first < len(order); first += block * stride {
		if !goOn() {
			return nil, false
		}
		counted += min(block, len(order)-first)
		for i := first; i < len(order); i++ {
			var r [words]uint64
			for _, w := range to[from[i]:from[i+1]] {
				at := int(w) - first
				if at < 0 {
					continue
				}
				of := &reach[w]
				for k := range r {
					r[k] |= of[k]
				}
				if at < block {
					r[at/64] |= 1 << (at % 64)
				}
			}
			reach[i] = r
			sum := 0
			for _, word := range r {
				sum += bits.OnesCount64(word)
			}
			out[order[i]].Transitive += sum
		}
	}
	if counted < len(order) {
		for v := range out {
			out[v].Transitive = max(out[v].Direct, int(int64(out[v].Transitive)*int64(len(order))/int64(counted)))
		}
	}
	return out, counted == len(order)
}

// stride returns which blocks to count, every one or every second and so on, so that they take at most the given steps.
func stride(nodes, edges, steps int) int {
	blocks := (nodes + block - 1) / block
	each := (nodes + edges) * (block / 64) / 2 // on average half of them lie before a block
	affordable := max(1, steps/max(1, each))
	return max(1, (blocks+affordable-1)/affordable)
}

// inwards orders the nodes so that each comes after everything it leads to; nodes on or before a cycle are left out.
func (g *Graph) inwards() []int32 {
	n := g.Len()
	left := make([]int32, n)
	before := make([]int32, 0, n)
	back := g.Reversed()
	for v := range int32(n) {
		left[v] = int32(len(g.Out(v)))
		if left[v] == 0 {
			before = append(before, v)
		}
	}
	for i := 0; i < len(before); i++ {
		for _, u := range back.Out(before[i]) {
			if left[u]--; left[u] == 0 {
				before = append(before, u)
			}
		}
	}
	return before
}
