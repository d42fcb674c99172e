package graph

import "math/bits"

// None stands for no node.
const None = -1

// Chains are the longest paths of a graph without cycles: one from each node to an end, which leads nowhere.
type Chains struct {
	Length []int32 // how many edges the path from a node has
	Next   []int32 // the next node on it; None at an end, and for a node on or before a cycle
	End    []int32 // where it ends; None for a node on or before a cycle
}

// NewChains finds the chains of a graph of n nodes. Of several longest paths from a node it takes the one to the heaviest
// end, and of those the lowest. Ends without a weight weigh nothing.
func NewChains(n int, edges []Edge, weight func(end int32) int) Chains {
	g := New(n, edges)
	c := Chains{Length: make([]int32, n), Next: make([]int32, n), End: make([]int32, n)}
	for v := range n {
		c.Next[v], c.End[v] = None, None
	}
	for _, v := range g.inwards() {
		c.End[v] = v
		for _, w := range g.Out(v) {
			if c.Next[v] == None || c.prefers(w, c.Next[v], weight) {
				c.Next[v] = w
			}
		}
		if w := c.Next[v]; w != None {
			c.Length[v], c.End[v] = c.Length[w]+1, c.End[w]
		}
	}
	return c
}

// prefers reports whether the chain through v is to be taken, and not the one through w.
func (c Chains) prefers(v, w int32, weight func(int32) int) bool {
	if c.Length[v] != c.Length[w] {
		return c.Length[v] > c.Length[w]
	}
	if p, q := c.End[v], c.End[w]; p != q {
		if a, b := weight(p), weight(q); a != b {
			return a > b
		}
		return p < q
	}
	return v < w
}

// Longest returns the nodes of a longest chain of all, from its start; nil if no node leads to another.
func (c Chains) Longest(weight func(end int32) int) (way []int32) {
	start := int32(None)
	for v := range c.Length {
		if v := int32(v); c.Length[v] > 0 && (start == None || c.prefers(v, start, weight)) {
			start = v
		}
	}
	for v := start; v != None; v = c.Next[v] {
		way = append(way, v)
	}
	return way
}

// Ends counts, for each node of a graph without cycles, the ends that its paths lead to; an end has one, itself. Nodes on
// or before a cycle have none. It takes n*m/64 steps, and memory linear in n: see Loads.
func Ends(n int, edges []Edge) []int {
	g := New(n, edges)
	order := g.inwards() // begins with the ends
	place := make([]int32, n)
	ends := 0
	for i, v := range order {
		place[v] = int32(i)
		ends += one(len(g.Out(v)) == 0)
	}
	const words = block / 64
	out := make([]int, n)
	reach := make([][words]uint64, len(order))
	for first := 0; first < ends; first += block {
		for i, v := range order {
			var r [words]uint64
			if i < ends {
				if at := i - first; at >= 0 && at < block {
					r[at/64] = 1 << (at % 64)
				}
			}
			for _, w := range g.Out(v) {
				for k, word := range reach[place[w]] {
					r[k] |= word
				}
			}
			reach[i] = r
			for _, word := range r {
				out[v] += bits.OnesCount64(word)
			}
		}
	}
	return out
}

func one(yes bool) int {
	if yes {
		return 1
	}
	return 0
}
