package layout

import (
	"cmp"
	"math"
	"slices"

	"tasker/internal/graph"
)

// pack draws a sheet that has blocks. What holds a block, however deep, is filled row by row: with blocks, groups, nodes
// without edges, and the other nodes together. A group without blocks is drawn in columns by itself.
func pack(s Sheet, m Measures) *Drawing {
	p := newPacking(s, m)
	for _, g := range slices.Backward(p.groupsBelow(slices.Clone(p.kids[p.outside]))) { // from the inside out: a group's pieces are drawn before it
		if p.holds[g] {
			p.within[slot(s.Parent[g], p.outside)] = append(p.within[slot(s.Parent[g], p.outside)], p.framed(g))
		}
	}
	whole := p.rows(p.outside)
	p.shift(whole, m.Pad, 0)
	p.connect()
	p.d.W, p.d.H = whole.w+2*m.Pad, whole.h
	return p.d
}

// packing is a packed drawing in progress. Positions are relative to the piece that they are in until it is placed.
type packing struct {
	s Sheet
	m Measures
	d *Drawing

	outside int       // the slot of what is in no group
	kids    [][]int32 // of each slot: the groups directly in it
	own     [][]int32 // of each slot: the nodes directly in it
	holds   []bool    // of each slot: there is a block in it, however deep
	within  [][]piece // of each slot: the groups in it that hold blocks, drawn
	inner   [][]int32 // of each piece in columns, by the piece's number: its edges
	of      []int32   // of each node: the number of its piece in columns, -1 for a block
	tied    []bool    // of each node: an edge of its piece leads to it or from it
}

// piece is a part of the drawing that is placed as a whole.
type piece struct {
	nodes, groups []int32
	edges         []int32
	w, h          float64
	when          When
	turns         int   // how many of its nodes have that time
	first         int32 // its lowest node, by which pieces of the same time are ordered
}

func newPacking(s Sheet, m Measures) *packing {
	groups := len(s.Parent)
	p := &packing{
		s: s, m: m, outside: groups, kids: s.kids(), own: make([][]int32, groups+1), holds: make([]bool, groups+1),
		within: make([][]piece, groups+1), of: slices.Repeat([]int32{-1}, s.Nodes), tied: make([]bool, s.Nodes),
		d: &Drawing{
			Node: make([]Point, s.Nodes), Column: make([]int32, s.Nodes), Way: make([][]Point, len(s.Edges)), Loose: make([]bool, len(s.Edges)),
			Apart: make([]bool, len(s.Edges)), Frame: make([]Rect, groups),
		},
	}
	p.holds[groups] = true
	for v := range int32(s.Nodes) {
		g := p.s.Group[v]
		at := slot(g, groups)
		p.own[at] = append(p.own[at], v)
		for ; s.Block[v] && g >= 0 && !p.holds[g]; g = s.Parent[g] {
			p.holds[g] = true
		}
	}
	p.number()
	return p
}

// number gives the nodes of each piece in columns its number, and each piece its edges.
func (p *packing) number() {
	number, made := slices.Repeat([]int32{-1}, p.outside+1), int32(0)
	for v := range int32(p.s.Nodes) {
		if p.s.Block[v] {
			continue
		}
		top := slot(p.s.Group[v], p.outside) // the outermost group around it that holds no block, or what directly holds it
		for !p.holds[top] && !p.holds[slot(p.s.Parent[top], p.outside)] {
			top = p.s.Parent[top]
		}
		if number[top] < 0 {
			number[top] = made
			made++
		}
		p.of[v] = number[top]
	}
	p.inner = make([][]int32, made)
	for i, e := range p.s.Edges {
		if a := p.of[e.From]; a >= 0 && a == p.of[e.To] {
			p.inner[a] = append(p.inner[a], int32(i))
			p.tied[e.From], p.tied[e.To] = true, true
		} else {
			p.d.Apart[i], p.d.Loose[i] = true, true
		}
	}
}

// rows packs what is directly in a slot: in rows that are filled from left to right, what has its turn now first.
func (p *packing) rows(at int) piece {
	all, rest := p.within[at], []int32(nil)
	for _, g := range p.kids[at] {
		if !p.holds[g] {
			groups := p.groupsBelow([]int32{g})
			if nodes := p.below(groups); len(nodes) > 0 {
				all = append(all, p.columns(nodes, groups))
			}
		}
	}
	for _, v := range p.own[at] {
		if p.s.Block[v] || !p.tied[v] {
			p.d.Node[v] = Point{p.m.W / 2, p.m.H / 2}
			all = append(all, piece{nodes: []int32{v}, w: p.m.W, h: p.m.H, when: p.s.When[v], first: v})
		} else {
			rest = append(rest, v)
		}
	}
	if len(rest) > 0 {
		all = append(all, p.columns(rest, nil))
	}
	slices.SortFunc(all, func(a, b piece) int {
		return cmp.Or(cmp.Compare(a.when.turn(), b.when.turn()), cmp.Compare(a.first, b.first))
	})
	// What is small has rows of its own: what is large would tear holes in them.
	large := func(q piece) bool { return len(q.nodes) > 1 || len(q.groups) > 0 }
	few := slices.DeleteFunc(slices.Clone(all), large)
	rows := [][][]piece{p.even(few), p.uneven(slices.DeleteFunc(all, func(q piece) bool { return !large(q) }))}
	if len(few) > 0 && !few[0].when.now() && !slices.ContainsFunc(few, func(q piece) bool { return p.s.Block[q.first] }) {
		slices.Reverse(rows) // they are single nodes, and there is nothing to do yet
	}
	out := piece{when: Over, first: math.MaxInt32}
	for _, row := range slices.Concat(rows...) {
		x, y := 0.0, out.h
		if y > 0 {
			y += 2 * p.m.GapY
		}
		for _, q := range row {
			p.shift(q, x, y)
			out.add(q)
			out.w, out.h = max(out.w, x+q.w), max(out.h, y+q.h)
			x += q.w + 2*p.m.GapY
		}
	}
	return out
}

// fill puts pieces in rows that are at most so wide, in their order.
func (p *packing) fill(all []piece, wide float64) (rows [][]piece) {
	x := 0.0
	for _, q := range all {
		if len(rows) == 0 || x+q.w > wide {
			rows, x = append(rows, nil), 0
		}
		rows[len(rows)-1] = append(rows[len(rows)-1], q)
		x += q.w + 2*p.m.GapY
	}
	return rows
}

// extent returns how much room rows take.
func (p *packing) extent(rows [][]piece) (w, h float64) {
	for _, row := range rows {
		x, high := 0.0, 0.0
		for _, q := range row {
			x, high = x+q.w+2*p.m.GapY, max(high, q.h)
		}
		w, h = max(w, x), h+high+2*p.m.GapY
	}
	return w, h
}

// widths is how many widths are tried for the rows of a drawing.
const widths = 24

// even puts pieces of about the same size in rows, so that the whole is as large as possible in the room. The square
// root of the area is near the best width of a row.
func (p *packing) even(all []piece) (best [][]piece) {
	ratio := 1.0
	if p.m.Room.Y > 0 {
		ratio = p.m.Room.X / p.m.Room.Y
	}
	area, least := 0.0, math.Inf(1)
	for _, q := range all {
		area += (q.w + 2*p.m.GapY) * (q.h + 2*p.m.GapY)
	}
	for i := range widths {
		rows := p.fill(all, math.Sqrt(area*ratio)*(0.5+float64(i)/widths*1.5))
		if w, h := p.extent(rows); max(w/ratio, h) < least {
			best, least = rows, max(w/ratio, h)
		}
	}
	return best
}

// uneven puts pieces of any size in rows, so that the beginning of as many as possible is seen at once: in each row narrow
// ones as long as there is room, and then the widest that is left, whose end may be out of sight. Rows in which more has
// its turn come first.
func (p *packing) uneven(all []piece) (rows [][]piece) {
	for len(all) > 0 {
		n := 1 // of the same time
		for n < len(all) && all[n].when == all[0].when {
			n++
		}
		same := slices.Clone(all[:n])
		all = all[n:]
		slices.SortStableFunc(same, func(a, b piece) int { return cmp.Compare(a.w, b.w) })
		var some [][]piece
		for len(same) > 0 {
			var row []piece
			for x := 0.0; len(same) > 1 && x+same[0].w+2*p.m.GapY+p.m.Pad+p.m.W <= p.m.Room.X; {
				x += same[0].w + 2*p.m.GapY
				row, same = append(row, same[0]), same[1:]
			}
			row, same = append(row, same[len(same)-1]), same[:len(same)-1]
			some = append(some, row)
		}
		slices.SortStableFunc(some, func(a, b []piece) int { return cmp.Compare(count(b), count(a)) })
		rows = append(rows, some...)
	}
	return rows
}

// count returns how many nodes of a row have their turn first.
func count(row []piece) (n int) {
	for _, q := range row {
		n += q.turns
	}
	return n
}

// add takes the contents of another piece into this one.
func (q *piece) add(other piece) {
	q.nodes, q.groups, q.edges = append(q.nodes, other.nodes...), append(q.groups, other.groups...), append(q.edges, other.edges...)
	if other.when.turn() < q.when.turn() {
		q.when = other.when
	}
	q.first = min(q.first, other.first)
}

// framed packs a group that holds blocks and puts its frame around it.
func (p *packing) framed(g int32) piece {
	q := p.rows(int(g))
	p.shift(q, p.m.Pad, p.m.Head)
	q.w, q.h = q.w+2*p.m.Pad, q.h+p.m.Head+p.m.Pad
	p.d.Frame[g] = Rect{0, 0, q.w, q.h}
	q.groups = append(q.groups, g)
	return q
}

// groupsBelow lists groups and the groups in them, each after the one around it.
func (p *packing) groupsBelow(groups []int32) []int32 {
	for i := 0; i < len(groups); i++ { // it grows meanwhile
		groups = append(groups, p.kids[groups[i]]...)
	}
	return groups
}

// below lists the nodes in groups in their own order.
func (p *packing) below(groups []int32) (out []int32) {
	for _, g := range groups {
		out = append(out, p.own[g]...)
	}
	slices.Sort(out)
	return out
}

// columns draws nodes and their groups in columns, as a piece whose corner is at zero.
func (p *packing) columns(nodes, groups []int32) piece {
	became, group := make(map[int32]int32, len(nodes)), make(map[int32]int32, len(groups))
	sub := Sheet{Nodes: len(nodes), Group: make([]int32, len(nodes)), When: make([]When, len(nodes))}
	for i, g := range groups {
		group[g] = int32(i)
		up, in := group[p.s.Parent[g]]
		if !in {
			up = -1
		}
		sub.Parent = append(sub.Parent, up)
	}
	for i, v := range nodes {
		became[v] = int32(i)
		sub.Group[i], sub.When[i] = -1, p.s.When[v]
		if g, in := group[p.s.Group[v]]; in {
			sub.Group[i] = g
		}
	}
	edges := p.inner[p.of[nodes[0]]]
	for _, i := range edges {
		e := p.s.Edges[i]
		sub.Edges = append(sub.Edges, graph.Edge{From: became[e.From], To: became[e.To]})
		sub.Hidden = append(sub.Hidden, p.s.Hidden[i])
	}
	d := inColumns(sub, p.m)
	q := piece{nodes: nodes, groups: groups, edges: edges, when: Over, first: nodes[0]}
	left, top, right, bottom := math.Inf(1), math.Inf(1), math.Inf(-1), math.Inf(-1)
	room := func(x, y, w, h float64) {
		left, top, right, bottom = min(left, x), min(top, y), max(right, x+w), max(bottom, y+h)
	}
	for i, v := range nodes {
		p.d.Node[v], p.d.Column[v] = d.Node[i], d.Column[i]
		room(d.Node[i].X-p.m.W/2, d.Node[i].Y-p.m.H/2, p.m.W, p.m.H)
		if p.s.When[v].turn() < q.when.turn() {
			q.when, q.turns = p.s.When[v], 0
		}
		if p.s.When[v] == q.when {
			q.turns++
		}
	}
	for i, g := range groups {
		if p.d.Frame[g] = d.Frame[i]; d.Frame[i].W > 0 {
			room(d.Frame[i].X, d.Frame[i].Y, d.Frame[i].W, d.Frame[i].H)
		}
	}
	for k, i := range edges {
		p.d.Way[i], p.d.Loose[i] = d.Way[k], d.Loose[k]
		for _, at := range d.Way[k] { // an edge may pass above or below all nodes
			room(at.X, at.Y, 0, 0)
		}
	}
	q.w, q.h = right-left, bottom-top
	p.shift(q, -left, -top)
	return q
}

// shift moves a piece.
func (p *packing) shift(q piece, dx, dy float64) {
	for _, v := range q.nodes {
		p.d.Node[v].X += dx
		p.d.Node[v].Y += dy
	}
	for _, g := range q.groups {
		p.d.Frame[g].X += dx
		p.d.Frame[g].Y += dy
	}
	for _, i := range q.edges {
		for k := range p.d.Way[i] {
			p.d.Way[i][k].X += dx
			p.d.Way[i][k].Y += dy
		}
	}
}

// connect draws the edges between pieces from one node to the other, across whatever is in between.
func (p *packing) connect() {
	for i, e := range p.s.Edges {
		if p.d.Apart[i] {
			a, b := p.d.Node[e.From], p.d.Node[e.To]
			p.d.Way[i] = []Point{{a.X + p.m.W/2, a.Y}, {b.X - p.m.W/2, b.Y}}
		}
	}
}
