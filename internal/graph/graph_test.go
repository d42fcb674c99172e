package graph

import (
	"errors"
	"slices"
	"testing"

	"pgregory.net/rapid"
)

func edges(pairs ...int32) []Edge {
	var out []Edge
	for i := 0; i < len(pairs); i += 2 {
		out = append(out, Edge{pairs[i], pairs[i+1]})
	}
	return out
}

func TestCyclesNamesOneShortCyclePerComponent(t *testing.T) {
	for _, c := range []struct {
		name  string
		n     int
		edges []Edge
		want  [][]int32
	}{
		{"nothing", 0, nil, nil},
		{"no edges", 3, nil, nil},
		{"a chain", 3, edges(0, 1, 1, 2), nil},
		{"a diamond", 4, edges(0, 1, 0, 2, 1, 3, 2, 3), nil},
		{"the same edge twice", 2, edges(0, 1, 0, 1), nil},
		{"a node that leads to itself", 2, edges(0, 1, 1, 1), [][]int32{{1}}},
		{"two nodes", 2, edges(1, 0, 0, 1), [][]int32{{0, 1}}},
		{"the short way round", 4, edges(0, 1, 1, 2, 2, 3, 3, 0, 1, 0), [][]int32{{0, 1}}},
		{"two components", 5, edges(3, 4, 4, 3, 0, 2, 2, 0), [][]int32{{0, 2}, {3, 4}}},
		{"a node between two cycles is on neither", 5, edges(0, 1, 1, 0, 1, 2, 2, 3, 3, 4, 4, 3), [][]int32{{0, 1}, {3, 4}}},
		{"a diamond that closes", 4, edges(0, 1, 0, 2, 1, 3, 2, 3, 3, 0), [][]int32{{0, 1, 3}}},
	} {
		if got := New(c.n, c.edges).Cycles(); !equal(got, c.want) {
			t.Errorf("%s: %v, want %v", c.name, got, c.want)
		}
	}
}

func TestCyclesOfAChainOfAHundredThousand(t *testing.T) {
	const n = 100_000
	var chain []Edge
	for v := range int32(n - 1) {
		chain = append(chain, Edge{v, v + 1})
		if v%2 == 0 && v+2 < n {
			chain = append(chain, Edge{v, v + 2})
		}
	}
	if got := New(n, chain).Cycles(); got != nil {
		t.Fatalf("a chain has %d cycles", len(got))
	}
	if got := New(n, append(chain, Edge{n - 1, 0})).Cycles(); len(got) != 1 || len(got[0]) != n/2+1 {
		t.Fatalf("the closed chain: %d cycles, the first of %d nodes", len(got), len(got[0]))
	}
}

func equal(a, b [][]int32) bool {
	return slices.EqualFunc(a, b, func(x, y []int32) bool { return slices.Equal(x, y) })
}

// drawn returns a random graph with its reachability matrix, computed the plain way.
func drawn(t *rapid.T) (*Graph, []Edge, [][]bool) {
	n := rapid.IntRange(1, 12).Draw(t, "n")
	node := rapid.Int32Range(0, int32(n-1))
	list := rapid.SliceOfN(rapid.Custom(func(t *rapid.T) Edge {
		return Edge{node.Draw(t, "from"), node.Draw(t, "to")}
	}), 0, 24).Draw(t, "edges")
	reach := make([][]bool, n)
	for v := range reach {
		reach[v] = make([]bool, n)
	}
	for _, e := range list {
		reach[e.From][e.To] = true
	}
	for k := range n {
		for i := range n {
			for j := range n {
				reach[i][j] = reach[i][j] || reach[i][k] && reach[k][j]
			}
		}
	}
	return New(n, list), list, reach
}

func TestCyclesAgreesWithReachability(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		g, list, reach := drawn(t)
		found := map[int32]bool{} // nodes whose component was reported
		for _, c := range g.Cycles() {
			for i, v := range c {
				if !slices.Contains(list, Edge{v, c[(i+1)%len(c)]}) {
					t.Fatalf("%v is not a cycle", c)
				}
			}
			if found[c[0]] {
				t.Fatalf("the component of %d is reported twice", c[0])
			}
			for v := range reach {
				if reach[c[0]][v] && reach[v][c[0]] {
					found[int32(v)] = true
					if int32(v) < c[0] {
						t.Fatalf("%v does not begin with the lowest node of its component, %d", c, v)
					}
				}
			}
		}
		for v := range reach {
			if reach[v][v] != found[int32(v)] {
				t.Fatalf("node %d: on a cycle %v, reported %v", v, reach[v][v], found[int32(v)])
			}
		}
	})
}

func TestWayIsShortest(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		g, list, reach := drawn(t)
		node := rapid.Int32Range(0, int32(g.Len()-1))
		from, to := node.Draw(t, "from"), node.Draw(t, "goal")
		way, err := Way([]int32{from}, to, func(v int32) ([]int32, error) { return g.Out(v), nil })
		if err != nil {
			t.Fatal(err)
		}
		if (way != nil) != (from == to || reach[from][to]) {
			t.Fatalf("from %d to %d: %v", from, to, way)
		}
		if way == nil {
			return
		}
		if way[0] != from || way[len(way)-1] != to {
			t.Fatalf("from %d to %d: %v", from, to, way)
		}
		at := map[int32]bool{from: true} // what is reached in exactly that many steps
		for range len(way) - 1 {
			if at[to] {
				t.Fatalf("there is a path shorter than %v", way)
			}
			next := map[int32]bool{}
			for _, e := range list {
				if at[e.From] {
					next[e.To] = true
				}
			}
			at = next
		}
	})
}

func TestWayGivesTheErrorOfNext(t *testing.T) {
	lost := errors.New("lost")
	_, err := Way([]int{1}, 2, func(int) ([]int, error) { return nil, lost })
	if !errors.Is(err, lost) {
		t.Fatalf("got %v", err)
	}
}

func BenchmarkCyclesOf100000(b *testing.B) {
	const n = 100_000
	var list []Edge
	for v := int32(1); v < n; v++ {
		list = append(list, Edge{v, v / 2})
		if v%2 == 0 {
			list = append(list, Edge{v, v - 1})
		}
	}
	for b.Loop() {
		if New(n, list).Cycles() != nil {
			b.Fatal("found a cycle where there is none")
		}
	}
}

func TestComponentsAgreeWithReachability(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		g, _, reach := drawn(t)
		component := g.Components()
		for v := range reach {
			if component == nil && reach[v][v] {
				t.Fatalf("node %d is on a cycle, and none was found", v)
			}
			for w := range reach {
				want := v != w && reach[v][w] && reach[w][v]
				if got := component != nil && v != w && component[v] >= 0 && component[v] == component[w]; got != want {
					t.Fatalf("%d and %d on one cycle: want %v, got %v", v, w, want, got)
				}
			}
		}
	})
}

func TestBetweenIsWhatLiesOnAWay(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		_, list, reach := drawn(t)
		node := rapid.IntRange(0, len(reach)-1)
		from, to := rapid.SliceOfN(node, 0, 3).Draw(t, "from"), rapid.SliceOfN(node, 0, 3).Draw(t, "to")
		asked := 0
		ask := func(side func(Edge) (int32, int32)) func([]int) ([]int, error) {
			return func(of []int) (out []int, err error) {
				asked += len(of)
				for _, e := range list {
					if near, far := side(e); slices.Contains(of, int(near)) {
						out = append(out, int(far))
					}
				}
				return out, nil
			}
		}
		got, err := Between(from, to, rapid.IntRange(1, 4).Draw(t, "batch"), ask(func(e Edge) (int32, int32) { return e.From, e.To }),
			ask(func(e Edge) (int32, int32) { return e.To, e.From }))
		if err != nil {
			t.Fatal(err)
		}
		leads := func(v, w int) bool { return v == w || reach[v][w] }
		for v := range reach {
			want := slices.ContainsFunc(from, func(a int) bool { return leads(a, v) }) && slices.ContainsFunc(to, func(b int) bool { return leads(v, b) })
			if got[v] != want {
				t.Fatalf("%d between %v and %v: want %v, got %v", v, from, to, want, got[v])
			}
		}
	})
}

func TestBetweenGoesNoFurtherThanTheShorterSide(t *testing.T) {
	// From 0 a chain leads far; nothing but 1 leads to -1.
	asked := 0
	out := func(of []int) ([]int, error) {
		asked += len(of)
		return []int{of[0] + 1}, nil
	}
	in := func(of []int) ([]int, error) {
		asked += len(of)
		if of[0] == -1 {
			return []int{-2}, nil
		}
		return nil, nil
	}
	got, err := Between([]int{0}, []int{-1}, 10, out, in)
	if err != nil || len(got) > 0 || asked > 5 {
		t.Errorf("%v, %v, after %d nodes", got, err, asked)
	}
	stop := errors.New("stop")
	if _, err := Between([]int{0}, []int{1}, 10, out, func([]int) ([]int, error) { return nil, stop }); !errors.Is(err, stop) {
		t.Errorf("the error of a reader is returned as %v", err)
	}
}
