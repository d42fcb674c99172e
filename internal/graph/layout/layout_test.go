package layout_test

import (
	"math"
	"math/rand/v2"
	"reflect"
	"testing"

	"pgregory.net/rapid"

	"tasker/internal/graph"
	"tasker/internal/graph/layout"
)

var sizes = layout.Measures{W: 180, H: 44, GapX: 60, GapY: 14, Line: 10, Pad: 12, Head: 22, Room: layout.Point{X: 1600, Y: 800}}

func drawSheet(t *rapid.T) layout.Sheet {
	n := rapid.IntRange(0, 40).Draw(t, "n")
	s := layout.Sheet{Nodes: n, Group: make([]int32, n)}
	groups := rapid.IntRange(0, 6).Draw(t, "groups")
	for g := range groups {
		s.Parent = append(s.Parent, int32(rapid.IntRange(-1, g-1).Draw(t, "parent")))
	}
	packed := rapid.Bool().Draw(t, "packed")
	s.When, s.Block, s.Rows = make([]layout.When, n), make([]bool, n), rapid.Bool().Draw(t, "rows")
	for v := range n {
		s.Group[v] = int32(rapid.IntRange(-1, groups-1).Draw(t, "group"))
		s.When[v] = layout.When(rapid.IntRange(0, 3).Draw(t, "when"))
		s.Block[v] = packed && rapid.IntRange(0, 3).Draw(t, "block") == 0
		for w := range n {
			if w != v && rapid.IntRange(0, 12).Draw(t, "edge") == 0 { // cycles too
				s.Edges = append(s.Edges, graph.Edge{From: int32(v), To: int32(w)})
				s.Hidden = append(s.Hidden, rapid.IntRange(0, 5).Draw(t, "hidden") == 0)
			}
		}
	}
	return s
}

func TestNodesOfADrawingNeverOverlapAndLieInTheirGroups(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		s := drawSheet(t)
		d := layout.Draw(s, sizes)
		for a := range s.Nodes {
			p := d.Node[a]
			if p.X-sizes.W/2 < -0.01 || p.Y-sizes.H/2 < -0.01 || p.X+sizes.W/2 > d.W+0.01 || p.Y+sizes.H/2 > d.H+0.01 {
				t.Fatalf("node %d at %v lies outside %v x %v", a, p, d.W, d.H)
			}
			for b := range a {
				q := d.Node[b]
				if math.Abs(p.X-q.X) < sizes.W && math.Abs(p.Y-q.Y) < sizes.H {
					t.Fatalf("nodes %d and %d overlap: %v %v", a, b, p, q)
				}
			}
			for g := s.Group[a]; g >= 0; g = s.Parent[g] {
				f := d.Frame[g]
				if p.X-sizes.W/2 < f.X || p.X+sizes.W/2 > f.X+f.W || p.Y-sizes.H/2 < f.Y || p.Y+sizes.H/2 > f.Y+f.H {
					t.Fatalf("node %d at %v lies outside its group %d: %v", a, p, g, f)
				}
			}
		}
	})
}

func TestFramesOfADrawingAreNestedOrApart(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		s := drawSheet(t)
		d := layout.Draw(s, sizes)
		above := func(a, b int32) bool {
			for ; b >= 0; b = s.Parent[b] {
				if a == b {
					return true
				}
			}
			return false
		}
		for a := range d.Frame {
			for b := range a {
				f, g := d.Frame[a], d.Frame[b]
				if f.W == 0 || g.W == 0 || above(int32(a), int32(b)) || above(int32(b), int32(a)) {
					continue
				}
				if f.X < g.X+g.W && g.X < f.X+f.W && f.Y < g.Y+g.H-0.01 && g.Y < f.Y+f.H-0.01 {
					t.Fatalf("frames %d and %d overlap: %v %v", a, b, f, g)
				}
			}
		}
	})
}

func TestEdgesOfADrawingLeadOnAndAroundNodes(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		s := drawSheet(t)
		d := layout.Draw(s, sizes)
		for i, way := range d.Way {
			if d.Apart[i] { // from block to block, in any direction
				continue
			}
			for k := 1; k < len(way); k++ {
				a, b := way[k-1], way[k]
				if b.X <= a.X {
					t.Fatalf("edge %d goes back: %v", i, way)
				}
				if k%2 == 1 || d.Loose[i] { // between two columns, where no node is
					continue
				}
				for v, p := range d.Node { // through a column
					if p.X > a.X && p.X < b.X && math.Abs(p.Y-a.Y) < sizes.H/2 {
						t.Fatalf("edge %d runs through node %d: %v", i, v, way)
					}
				}
			}
		}
	})
}

// A chain behind each start, and two starts have their turn: they begin the drawing, whatever waits for them, and their
// groups come first.
func TestWhatHasItsTurnBeginsADrawing(t *testing.T) {
	s := layout.Sheet{
		Nodes: 8, Group: []int32{0, 0, 0, 1, 1, 2, 2, 2}, Parent: []int32{-1, -1, -1}, When: make([]layout.When, 8),
		Edges: []graph.Edge{{From: 0, To: 1}, {From: 1, To: 2}, {From: 3, To: 4}, {From: 4, To: 2}, {From: 5, To: 6}, {From: 6, To: 7}, {From: 5, To: 2}},
	}
	s.When[3], s.When[5] = layout.Begun, layout.Begun
	d := layout.Draw(s, sizes)
	if d.Column[3] != 0 || d.Column[5] != 0 {
		t.Errorf("the nodes of now are in columns %v", d.Column)
	}
	if d.Frame[0].Y < d.Frame[1].Y || d.Frame[0].Y < d.Frame[2].Y {
		t.Errorf("the group without any is above the others: %v", d.Frame)
	}
	// After what is over they stand in one column, the first that all of them can have.
	s.When[0], s.When[1], s.When[2], s.When[3] = layout.Over, layout.Over, layout.Ready, layout.Over
	s.When[4] = layout.Over
	s.Edges = s.Edges[:6]
	if d := layout.Draw(s, sizes); d.Column[2] != 2 || d.Column[5] != 2 || d.Column[6] != 3 {
		t.Errorf("the nodes of now are in columns %v", d.Column)
	}
}

func TestAHiddenEdgeTakesNoRoom(t *testing.T) {
	s := layout.Sheet{Nodes: 5, Edges: []graph.Edge{{From: 0, To: 1}, {From: 1, To: 2}, {From: 2, To: 3}, {From: 3, To: 4}, {From: 0, To: 4}, {From: 1, To: 4}}}
	drawn := layout.Draw(s, sizes)
	s.Hidden = []bool{4: true, 5: true}
	hidden := layout.Draw(s, sizes)
	if hidden.H >= drawn.H || hidden.Column[4] != 4 || !hidden.Loose[4] {
		t.Errorf("%v high with two edges hidden, %v with none", hidden.H, drawn.H)
	}
}

// TestBlocksAreNamedOnHalfOfAWindow packs what a large plan is folded into: in a window of the ratio asked for, the
// blocks are large and fill most of it, in the order of their turns.
func TestBlocksAreNamedOnHalfOfAWindow(t *testing.T) {
	for _, blocks := range []int{1, 2, 5, 12, 25, 60, 100} {
		s := layout.Sheet{Nodes: blocks, When: make([]layout.When, blocks), Block: make([]bool, blocks)}
		for v := range blocks {
			s.Block[v] = true
			if v > 0 {
				s.Edges = append(s.Edges, graph.Edge{From: int32(v - 1), To: int32(v)}) // one after the other is still packed
			}
		}
		s.When[0], s.When[blocks-1] = layout.Over, layout.Ready
		d := layout.Draw(s, sizes)
		if first := d.Node[blocks-1]; first.X > sizes.W || first.Y > sizes.H {
			t.Errorf("%d blocks: the one that has its turn is at %v", blocks, first)
		}
		if last := d.Node[0]; blocks > 1 && last.Y < d.H-sizes.H {
			t.Errorf("%d blocks: the one that is over is at %v", blocks, last)
		}
		high := max(d.H, d.W/2)
		if share := d.W * d.H / (high * high * 2); blocks >= 5 && share < 0.6 {
			t.Errorf("%d blocks fill %.2f of their window: %v x %v", blocks, share, d.W, d.H)
		}
	}
}

// TestTheBeginningsOfGroupsAreSeenAtOnce packs four groups, one of them wide and with the most to do. The ready tasks of
// all four fit in the window; if the groups shared their columns, they would not.
func TestTheBeginningsOfGroupsAreSeenAtOnce(t *testing.T) {
	s := layout.Sheet{Rows: true}
	var ready []int
	for g, long := range []int{3, 3, 5, 11} {
		s.Parent = append(s.Parent, -1)
		for row := range 4 {
			for c := range long {
				when := layout.Later
				if c == 0 && row <= g {
					when, ready = layout.Ready, append(ready, s.Nodes)
				}
				if c > 0 {
					s.Edges = append(s.Edges, graph.Edge{From: int32(s.Nodes - 1), To: int32(s.Nodes)})
				}
				s.Group, s.When, s.Nodes = append(s.Group, int32(g)), append(s.When, when), s.Nodes+1
			}
		}
	}
	seen := func() (n int) {
		d := layout.Draw(s, sizes)
		for _, v := range ready {
			if p := d.Node[v]; p.X+sizes.W/2 <= sizes.Room.X && p.Y+sizes.H/2 <= sizes.Room.Y {
				n++
			}
		}
		return n
	}
	if n := seen(); n != len(ready) {
		t.Errorf("%d of %d ready nodes are seen", n, len(ready))
	}
	if s.Rows = false; seen() == len(ready) {
		t.Error("columns show them as well: the test shows nothing")
	}
}

func TestTheSameSheetGivesTheSameDrawing(t *testing.T) {
	s := plant(400, 1)
	if !reflect.DeepEqual(layout.Draw(s, sizes), layout.Draw(s, sizes)) {
		t.Error("two drawings of one sheet differ")
	}
}

func TestALayoutUntanglesWhatCanBeUntangled(t *testing.T) {
	// Chains given in a shuffled order have no crossing at all.
	const chains, length = 30, 6
	r := rand.New(rand.NewPCG(1, 2))
	perm := r.Perm(chains * length)
	s := layout.Sheet{Nodes: chains * length}
	for c := range chains {
		for k := 1; k < length; k++ {
			s.Edges = append(s.Edges, graph.Edge{From: int32(perm[c*length+k-1]), To: int32(perm[c*length+k])})
		}
	}
	if d := layout.Draw(s, sizes); d.Crossings != 0 {
		t.Errorf("%d crossings of chains that need none", d.Crossings)
	}
}

// plant returns a graph like the plans that people write: groups of tasks that mostly wait for tasks shortly before
// them.
func plant(n int, seed uint64) layout.Sheet {
	r := rand.New(rand.NewPCG(seed, 7))
	s := layout.Sheet{Nodes: n, Group: make([]int32, n)}
	for range max(1, n/25) {
		parent := int32(-1)
		if len(s.Parent) > 4 && r.IntN(3) == 0 {
			parent = int32(r.IntN(len(s.Parent)))
		}
		s.Parent = append(s.Parent, parent)
	}
	for v := range n {
		s.Group[v] = int32(v * len(s.Parent) / n)
		for range r.IntN(3) + 1 {
			if v > 0 {
				s.Edges = append(s.Edges, graph.Edge{From: int32(max(0, v-1-r.IntN(60))), To: int32(v)})
			}
		}
	}
	return s
}

func BenchmarkLayout1000(b *testing.B)  { benchLayout(b, 1000) }
func BenchmarkLayout10000(b *testing.B) { benchLayout(b, 10000) }

func benchLayout(b *testing.B, n int) {
	s := plant(n, 3)
	for b.Loop() {
		layout.Draw(s, sizes)
	}
}
