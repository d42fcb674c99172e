package graph

import (
	"math/rand/v2"
	"testing"

	"pgregory.net/rapid"
)

func always() bool { return true }

func TestReachAgreesWithLoads(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		n := rapid.IntRange(1, 3*asked).Draw(t, "n")
		r := rand.New(rand.NewPCG(rapid.Uint64().Draw(t, "seed"), 1))
		seen := map[Edge]bool{}
		var edges []Edge
		for range rapid.IntRange(0, 2*n).Draw(t, "m") {
			a, b := int32(r.IntN(n)), int32(r.IntN(n))
			if e := (Edge{min(a, b), max(a, b)}); a != b && !seen[e] {
				seen[e] = true
				edges = append(edges, e)
			}
		}
		want, _ := Loads(n, edges, 1<<40, always)
		reach := NewReach(n, edges)
		nodes := make([]int32, n, n+1)
		for v := range nodes {
			nodes[v] = int32((v * 7) % n) // some of them more than once
		}
		nodes = append(nodes, 0)
		for i, got := range reach.Exactly(nodes, always) {
			if v := nodes[i]; got != want[v].Transitive {
				t.Fatalf("%d reaches %d, want %d", v, got, want[v].Transitive)
			}
		}
		near, about := reach.Near(), reach.Estimate(always)
		for v, l := range near {
			if l.Direct != want[v].Direct || l.Depth != want[v].Depth {
				t.Fatalf("near %d there is %+v, want %+v", v, l, want[v])
			}
		}
		for _, e := range edges {
			if about[e.From] < about[e.To] {
				t.Fatalf("%d leads to %d, is said to reach %d, and that %d", e.From, e.To, about[e.From], about[e.To])
			}
		}
	})
}

func TestNodesOnACycleReachNothing(t *testing.T) {
	r := NewReach(4, edges(0, 1, 1, 0, 2, 3))
	for v, got := range r.Exactly([]int32{0, 1, 2, 3}, always) {
		if want := []int{0, 0, 1, 0}[v]; got != want {
			t.Errorf("%d reaches %d, want %d", v, got, want)
		}
	}
	if got := r.Estimate(always); got[0] != 0 || got[2] < 1 || got[3] != 0 {
		t.Errorf("estimates: %v", got)
	}
}

// TestEstimatesAreClose estimates a random graph in which nodes reach from none to all of the others.
func TestEstimatesAreClose(t *testing.T) {
	const n = 5000
	r := rand.New(rand.NewPCG(3, 4))
	var list []Edge
	for v := 1; v < n; v++ {
		list = append(list, Edge{int32(v), int32(r.IntN(v))})
		if other := int32(r.IntN(v)); v%3 == 0 && other != list[len(list)-1].To {
			list = append(list, Edge{int32(v), other})
		}
	}
	exact, _ := Loads(n, list, 1<<40, always)
	far := 0
	for v, about := range NewReach(n, list).Estimate(always) {
		if want := exact[v].Transitive; want > 50 && (about < want*4/5 || about > want*6/5) {
			far++
		}
	}
	if far > n/5 {
		t.Errorf("%d of %d estimates are more than a fifth off", far, n)
	}
}

func TestReachStopsWhenItIsTold(t *testing.T) {
	r, never := NewReach(2, edges(0, 1)), func() bool { return false }
	if r.Estimate(never) != nil || r.Exactly([]int32{0}, never) != nil {
		t.Error("it goes on although it was told to stop")
	}
}

func BenchmarkReachOfAMillion(b *testing.B) {
	const n = 1_000_000
	var list []Edge
	for v := range int32(n - 1) {
		list = append(list, Edge{v, min(v+1+v%97, n-1)})
	}
	nodes := make([]int32, 1024)
	for i := range nodes {
		nodes[i] = int32(i)
	}
	for b.Loop() {
		r := NewReach(n, list)
		r.Estimate(always)
		r.Exactly(nodes, always)
	}
}
