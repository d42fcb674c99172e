package graph

import (
	"testing"

	"pgregory.net/rapid"
)

func TestLoadsAgreeWithANaiveCount(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		n := rapid.IntRange(1, 60).Draw(t, "n")
		if rapid.IntRange(0, 9).Draw(t, "wide") == 0 {
			n += block // more than one block
		}
		seen := map[Edge]bool{}
		var edges []Edge
		for range rapid.IntRange(0, 3*min(n, 60)).Draw(t, "m") {
			a, b := rapid.IntRange(0, n-1).Draw(t, "a"), rapid.IntRange(0, n-1).Draw(t, "b")
			e := Edge{int32(min(a, b)), int32(max(a, b))}
			if a != b && !seen[e] {
				seen[e] = true
				edges = append(edges, e)
			}
		}
		got := Loads(n, edges)
		g := New(n, edges)
		for v := range int32(n) {
			want := Load{Direct: len(g.Out(v))}
			level, reached := []int32{v}, map[int32]bool{}
			for len(level) > 0 {
				var next []int32
				here := map[int32]bool{}
				for _, u := range level {
					for _, w := range g.Out(u) {
						reached[w] = true
						if !here[w] {
							here[w] = true
							next = append(next, w)
						}
					}
				}
				if level = next; len(level) > 0 {
					want.Depth++
				}
			}
			want.Transitive = len(reached)
			if got[v] != want {
				t.Fatalf("behind %d of %v lies %+v, counted %+v", v, edges, want, got[v])
			}
		}
	})
}

func BenchmarkLoads100k(b *testing.B) {
	const n = 100_000
	var edges []Edge
	for v := range int32(n) {
		edges = append(edges, Edge{v, min(v+1, n-1)}, Edge{v, min(v+1+v%97, n-1)})
	}
	for b.Loop() {
		Loads(n, edges[:150_000])
	}
}
