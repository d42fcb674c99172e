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
		got, exact := Loads(n, edges, 1<<40, func() bool { return true })
		if !exact {
			t.Fatal("the count is an estimate, although there were steps enough")
		}
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
				t.Fatalf("Loads of %d in %v: want %+v, got %+v", v, edges, want, got[v])
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
		Loads(n, edges[:150_000], 1<<40, func() bool { return true })
	}
}

// TestLoadsThatWouldTakeTooLongAreEstimated counts a chain of 50 blocks by a few of them.
func TestLoadsThatWouldTakeTooLongAreEstimated(t *testing.T) {
	const n = 50 * block
	edges := make([]Edge, 0, n)
	for v := range int32(n - 1) {
		edges = append(edges, Edge{v, v + 1})
	}
	passes := 0
	loads, exact := Loads(n, edges, 10*(2*n)*(block/64)/2, func() bool { passes++; return true })
	if exact || passes != 10 {
		t.Errorf("exact = %v after %d passes, want false after 10", exact, passes)
	}
	for _, v := range []int{0, n / 2, n - 1} {
		want := n - 1 - v
		if off := loads[v].Transitive - want; off > n/10 || off < -n/10 {
			t.Errorf("behind %d there are %d, estimated at %d", v, want, loads[v].Transitive)
		}
		if loads[v].Depth != want {
			t.Errorf("the way behind %d has %d steps, want %d", v, loads[v].Depth, want)
		}
	}
	if loads, _ := Loads(n, edges, 1<<40, func() bool { return false }); loads != nil {
		t.Error("Loads goes on although it was told to stop")
	}
}
