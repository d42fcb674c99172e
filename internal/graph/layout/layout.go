// Package layout draws a graph in columns: the position of each node, the route of each edge, and the frame of each
// group. Draw is a plain function of a Sheet and its Measures, and the same sheet gives the same drawing; callers cache
// it by the graph, and add colours and text.
package layout

import (
	"slices"

	"tasker/internal/graph"
)

// Sheet is a graph to be drawn in columns from left to right: every edge leads to a column further right. Nodes may be
// in groups, and groups in groups; each group gets its own rectangle.
//
// A sheet with blocks is packed in rows instead: each block, and each outermost group in columns of its own. A sheet with
// Rows set is packed too if it is larger than the room.
type Sheet struct {
	Nodes  int
	Edges  []graph.Edge
	Hidden []bool  // of each edge: it decides on columns and takes no room; nil if none does
	Group  []int32 // of each node: its group, -1 for none; nil if no node has one
	Parent []int32 // of each group: the group around it, -1 for none
	When   []When  // of each node; nil if all are Later
	Block  []bool  // of each node: it stands for a whole group; nil if none does
	Rows   bool    // its groups may be packed in rows
}

// When says when a node has its turn. What is Ready or has begun stands in one column, the first one if nothing precedes
// it, at the top of its group, and such groups come first. Groups that are Over come last where a drawing is packed.
type When int8

// The times of a node.
const (
	Later When = iota
	Begun
	Ready
	Over
)

// now reports whether a node has its turn now.
func (w When) now() bool { return w == Ready || w == Begun }

// turn orders times as they are read.
func (w When) turn() int8 { return [...]int8{Ready: 0, Begun: 1, Later: 2, Over: 3}[w] }

// Measures are the sizes of what is drawn, in any unit.
type Measures struct {
	W, H       float64 // of a node
	GapX, GapY float64 // between columns, and between nodes of a column
	Line       float64 // the height that an edge takes where it passes a column
	Pad, Head  float64 // around the contents of a group, and above them for its name
	Room       Point   // how much is seen at once; packed drawings come close to its ratio
}

// Drawing is a sheet laid out.
type Drawing struct {
	W, H      float64
	Node      []Point // the middle of each node
	Column    []int32 // of each node
	Way       [][]Point
	Loose     []bool // of each edge: it runs straight, without avoiding the columns in between
	Apart     []bool // of each edge: it connects two blocks of a packed drawing
	Frame     []Rect // of each group; empty if the group is empty
	Crossings int    // between neighbouring columns
}

// Point is a position.
type Point struct{ X, Y float64 }

// Rect is a rectangle by its corner and size.
type Rect struct{ X, Y, W, H float64 }

// Bounds of a layout's work.
const (
	orderSweeps = 8
	placeSweeps = 8
	laneSweeps  = 6
	// bendsPerNode bounds how many bends long edges may have, on average; the longest edges past it run loose.
	bendsPerNode = 6
)

// Draw lays out a sheet: columns by the longest path from a start, a lane for each group, few crossings within the
// lanes by sweeping barycentres, and heights that follow the neighbours'; or blocks in rows. The same sheet gives the
// same drawing. Edges that close a cycle are drawn in reverse.
func Draw(s Sheet, m Measures) *Drawing {
	s = s.whole()
	if slices.Contains(s.Block, true) {
		return pack(s, m)
	}
	d := inColumns(s, m)
	if s.Rows && (d.W > m.Room.X || d.H > m.Room.Y) && len(s.Parent) > 1 {
		return pack(s, m)
	}
	return d
}

// whole returns the sheet with the lists that were left out.
func (s Sheet) whole() Sheet {
	if s.Hidden == nil {
		s.Hidden = make([]bool, len(s.Edges))
	}
	if s.Group == nil {
		s.Group = slices.Repeat([]int32{-1}, s.Nodes)
	}
	if s.When == nil {
		s.When = make([]When, s.Nodes)
	}
	if s.Block == nil {
		s.Block = make([]bool, s.Nodes)
	}
	return s
}

func inColumns(s Sheet, m Measures) *Drawing {
	l := &layout{s: s, m: m}
	l.columns()
	l.lanes()
	l.bends()
	l.order()
	l.stack()
	l.place()
	return l.drawing()
}

// layout is a drawing in progress. Items are the nodes and then the bends of edges.
type layout struct {
	s Sheet // whole; once there are columns, its edges lead to the right
	m Measures

	column []int32 // of each item
	lane   []int32 // of each item
	width  int32   // how many columns there are
	chain  [][]int32
	loose  []bool
	before *graph.Graph // item to the items of the previous column that lead to it
	after  *graph.Graph

	late   []int8 // of each group: the turn of what comes first in it
	seq    []lane // the lanes from top to bottom
	cell   [][]int32
	rank   []int32 // of each item: its position within its column
	y      []float64
	top    []float64 // of each lane
	bottom []float64
	frame  []Rect
	cross  int
}

// lane is a horizontal band: the nodes directly in one group.
type lane struct {
	group int32 // -1: in none
	block int32 // the outermost group around it, -1 for none
}

// columns gives each node its column, and reverses the edges that would lead back.
func (l *layout) columns() {
	n := l.s.Nodes
	l.column = make([]int32, n)
	place := l.topological()
	l.s.Edges = slices.Clone(l.s.Edges)
	for i, e := range l.s.Edges {
		if place[e.From] > place[e.To] {
			l.s.Edges[i] = graph.Edge{From: e.To, To: e.From}
		}
	}
	out, at := graph.New(n, l.s.Edges), make([]int32, n)
	for v, p := range place {
		at[p] = int32(v)
	}
	in := make([]int32, n)
	for _, v := range at {
		for _, w := range out.Out(v) {
			in[w]++
			l.column[w] = max(l.column[w], l.column[v]+1)
		}
		l.width = max(l.width, l.column[v]+1)
	}
	now := l.alignNow(at, out)
	// A start node is placed right before the first node that needs it, unless its turn is now.
	for i := n - 1; i >= 0; i-- {
		v := at[i]
		if next := out.Out(v); in[v] == 0 && len(next) > 0 && !l.s.When[v].now() {
			nearest := l.width
			for _, w := range next {
				nearest = min(nearest, l.column[w])
			}
			l.column[v] = nearest - 1
		}
	}
	l.spread(in, out, now)
}

// alignNow puts the nodes whose turn is now in one column, the first that has room for what precedes any of them, and
// returns it, or -1 if there are none. A node that follows another of them still comes after it, and so does what has its
// turn later, for whatever reason. at holds the nodes in topological order.
func (l *layout) alignNow(at []int32, out *graph.Graph) int32 {
	now, follows := int32(-1), make([]bool, len(at))
	for _, v := range at {
		if l.s.When[v].now() && !follows[v] {
			now = max(now, l.column[v])
		}
		if l.s.When[v].now() || follows[v] {
			for _, w := range out.Out(v) {
				follows[w] = true
			}
		}
	}
	for _, v := range at {
		switch {
		case l.s.When[v].now():
			l.column[v] = max(l.column[v], now)
		case l.s.When[v] == Later:
			l.column[v] = max(l.column[v], now+1)
		}
		for _, w := range out.Out(v) {
			l.column[w] = max(l.column[w], l.column[v]+1)
		}
		l.width = max(l.width, l.column[v]+1)
	}
	return now
}

// topological gives each node its position in a topological order. If there are cycles, the remaining nodes keep their
// own order.
func (l *layout) topological() []int32 {
	n := l.s.Nodes
	g := graph.New(n, l.s.Edges)
	in := make([]int32, n)
	for _, e := range l.s.Edges {
		in[e.To]++
	}
	place := make([]int32, n)
	done := make([]bool, n)
	queue := make([]int32, 0, n)
	for v := range int32(n) {
		if in[v] == 0 {
			queue, done[v] = append(queue, v), true
		}
	}
	rest := int32(0)
	for head := range n {
		if head == len(queue) { // a cycle: enter it at its first node
			for done[rest] {
				rest++
			}
			queue, done[rest] = append(queue, rest), true
		}
		v := queue[head]
		place[v] = int32(head)
		for _, w := range g.Out(v) {
			if in[w]--; in[w] == 0 && !done[w] {
				queue, done[w] = append(queue, w), true
			}
		}
	}
	return place
}

// columnOfNow is how many nodes without edges whose turn is now stand in one column.
const columnOfNow = 12

// spread puts nodes without edges side by side: a single column of all of them would be too long to look at.
func (l *layout) spread(in []int32, out *graph.Graph, now int32) {
	type place struct {
		group int32
		when  When
	}
	alone := map[place][]int32{}
	for v := range int32(l.s.Nodes) {
		if in[v] == 0 && len(out.Out(v)) == 0 {
			p := place{l.s.Group[v], l.s.When[v]}
			alone[p] = append(alone[p], v)
		}
	}
	for p, members := range alone { // each separately: the order does not matter
		from, wide := int32(0), int32(1)
		for int(wide)*int(wide)*3 < len(members) {
			wide++
		}
		wide = max(wide, min(l.width, int32(len(members)+2)/3))
		switch {
		case p.when.now():
			from = now
			if len(members) <= columnOfNow {
				wide = 1
			}
		case p.when == Later:
			from = now + 1
		}
		for i, v := range members {
			l.column[v] = from + int32(i)%wide
			l.width = max(l.width, l.column[v]+1)
		}
	}
}
