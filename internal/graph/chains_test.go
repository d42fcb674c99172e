package graph_test

import (
	"math/rand/v2"
	"slices"
	"testing"

	"tasker/internal/graph"
)

// TestChainsAgreeWithTryingEveryWay compares chains and ends with a walk along every path.
func TestChainsAgreeWithTryingEveryWay(t *testing.T) {
	r := rand.New(rand.NewPCG(1, 2))
	for range 300 {
		n := 1 + r.IntN(12)
		var edges []graph.Edge
		for v := range n {
			for w := range v {
				if r.IntN(3) == 0 {
					edges = append(edges, graph.Edge{From: int32(v), To: int32(w)})
				}
			}
		}
		weights := make([]int, n)
		for v := range weights {
			weights[v] = r.IntN(4)
		}
		weight := func(v int32) int { return weights[v] }
		g, c, ends := graph.New(n, edges), graph.NewChains(n, edges, weight), graph.Ends(n, edges)
		best := int32(0)
		for v := range int32(n) {
			far, at := everyWay(g, v)
			if c.Length[v] != far || ends[v] != len(at) {
				t.Fatalf("from %d of %v: %d edges to %d ends, want %d and %d", v, edges, c.Length[v], ends[v], far, len(at))
			}
			want := int32(graph.None)
			for end, length := range at {
				if length == far && (want == graph.None || weight(end) > weight(want) || weight(end) == weight(want) && end < want) {
					want = end
				}
			}
			if c.End[v] != want {
				t.Fatalf("from %d of %v, weights %v: to %d, want %d", v, edges, weights, c.End[v], want)
			}
			best = max(best, far)
			last := v
			for w := c.Next[v]; w != graph.None; w = c.Next[w] {
				if !slices.Contains(g.Out(last), w) {
					t.Fatalf("there is no edge from %d to %d", last, w)
				}
				last = w
			}
			if last != want {
				t.Fatalf("the chain from %d ends at %d, want %d", v, last, want)
			}
		}
		if way := c.Longest(weight); len(way) != int(best)+1 && (best > 0 || way != nil) {
			t.Fatalf("a longest chain of %v is %v, want %d edges", edges, way, best)
		}
	}
}

// everyWay returns the length of the longest path from a node, and for each end the longest path to it.
func everyWay(g *graph.Graph, v int32) (far int32, ends map[int32]int32) {
	type step struct{ at, length int32 }
	ends = map[int32]int32{}
	for todo := []step{{v, 0}}; len(todo) > 0; {
		s := todo[len(todo)-1]
		todo = todo[:len(todo)-1]
		far = max(far, s.length)
		if len(g.Out(s.at)) == 0 {
			ends[s.at] = max(ends[s.at], s.length)
		}
		for _, w := range g.Out(s.at) {
			todo = append(todo, step{w, s.length + 1})
		}
	}
	return far, ends
}

func TestChainsLeaveCyclesOut(t *testing.T) {
	// 3 leads into the cycle of 1 and 2; 4 leads to 0.
	edges := []graph.Edge{{From: 1, To: 2}, {From: 2, To: 1}, {From: 3, To: 1}, {From: 3, To: 0}, {From: 4, To: 0}}
	c := graph.NewChains(5, edges, func(int32) int { return 0 })
	for v, want := range []int32{0, graph.None, graph.None, graph.None, 0} {
		if c.End[v] != want {
			t.Errorf("the chain from %d ends at %d, want %d", v, c.End[v], want)
		}
	}
	if ends := graph.Ends(5, edges); !slices.Equal(ends, []int{1, 0, 0, 0, 1}) {
		t.Errorf("ends: %v", ends)
	}
}

// TestEndsOfManyBlocks counts more ends than are counted at once.
func TestEndsOfManyBlocks(t *testing.T) {
	const n = 2500
	var edges []graph.Edge
	for v := range int32(n) {
		edges = append(edges, graph.Edge{From: n, To: v})
	}
	if ends := graph.Ends(n+1, edges); ends[n] != n || ends[7] != 1 {
		t.Errorf("%d ends, and %d of an end", ends[n], ends[7])
	}
}
