package layout

import (
	"slices"

	"tasker/internal/graph"
)

// height returns how much of a column an item takes.
func (l *layout) height(item int32) float64 {
	if int(item) < l.s.Nodes {
		return l.m.H + l.m.GapY
	}
	return l.m.Line
}

// span is a range of columns.
type span struct{ from, to int32 }

func (s span) meets(t span) bool { return s.from <= t.to && t.from <= s.to }

// stack gives each lane its top and bottom. Lanes of one outermost group are stacked; such blocks share a height if
// they have no column in common.
func (l *layout) stack() {
	need := make([]float64, len(l.seq)) // the height of the fullest column of a lane
	for _, column := range l.cell {
		sum, of := 0.0, int32(-1)
		for _, item := range column {
			if l.lane[item] != of {
				sum, of = 0, l.lane[item]
			}
			sum += l.height(item)
			need[of] = max(need[of], sum)
		}
	}
	reach := slices.Repeat([]span{{l.width, -1}}, len(l.seq))
	for item, c := range l.column {
		r := &reach[l.lane[item]]
		r.from, r.to = min(r.from, c), max(r.to, c)
	}
	l.top, l.bottom = make([]float64, len(l.seq)), make([]float64, len(l.seq))
	l.frame = make([]Rect, len(l.s.Parent))
	var placed []placedBlock
	for first := 0; first < len(l.seq); {
		last := first + 1
		for last < len(l.seq) && l.seq[last].block == l.seq[first].block && l.seq[first].block >= 0 {
			last++
		}
		cols := span{l.width, -1}
		for i := first; i < last; i++ {
			cols.from, cols.to = min(cols.from, reach[i].from), max(cols.to, reach[i].to)
		}
		y := 0.0
		for _, b := range placed {
			if b.cols.meets(cols) {
				y = max(y, b.bottom)
			}
		}
		end := l.block(first, last, y, need)
		if end > y {
			placed = append(placed, placedBlock{cols, end + l.m.GapY})
		}
		first = last
	}
}

type placedBlock struct {
	cols   span
	bottom float64
}

// block positions the lanes from first to before last below y, with room for the frames around them, and returns where
// they end.
func (l *layout) block(first, last int, y float64, need []float64) float64 {
	var open []int32 // the groups around, outermost first
	closeTo := func(parent int32) {
		for len(open) > 0 && open[len(open)-1] != parent {
			g := open[len(open)-1]
			open = open[:len(open)-1]
			y += l.m.Pad
			l.frame[g].H = y - l.frame[g].Y
			y += l.m.GapY
		}
	}
	for i := first; i < last; i++ {
		if g := l.seq[i].group; g >= 0 {
			closeTo(l.s.Parent[g])
			open = append(open, g)
			l.frame[g].Y = y
			y += l.m.Head
		}
		l.top[i] = y
		y += need[i]
		l.bottom[i] = y
	}
	closeTo(-1)
	return y
}

// place gives each item its height: near its neighbours' heights, in order, within its lane.
func (l *layout) place() {
	l.y = make([]float64, len(l.column))
	for _, column := range l.cell {
		l.each(column, func(cell []int32) {
			total := 0.0
			for _, item := range cell {
				total += l.height(item)
			}
			lane := l.lane[cell[0]]
			at := (l.top[lane] + l.bottom[lane] - total) / 2
			for _, item := range cell {
				h := l.height(item)
				l.y[item] = at + h/2
				at += h
			}
		})
	}
	for sweep := range placeSweeps {
		l.swept(sweep, func(column []int32, side, other *graph.Graph) {
			l.each(column, func(cell []int32) { l.fit(cell, side, other) })
		})
	}
}

// swept calls fn with each column, with what leads to its items and what they lead to: from left to right or, in every
// other sweep, the other way round.
func (l *layout) swept(sweep int, fn func(column []int32, side, other *graph.Graph)) {
	if sweep%2 == 0 {
		for _, column := range l.cell {
			fn(column, l.before, l.after)
		}
		return
	}
	for _, column := range slices.Backward(l.cell) {
		fn(column, l.after, l.before)
	}
}

// each calls fn with the part of a column in each lane.
func (l *layout) each(column []int32, fn func([]int32)) {
	for from := 0; from < len(column); {
		to := from + 1
		for to < len(column) && l.lane[column[to]] == l.lane[column[from]] {
			to++
		}
		fn(column[from:to])
		from = to
	}
}

// fit moves the items of a cell together as near as possible to the mean height of their neighbours. Wishes that
// contradict the order are pooled, which minimises the sum of squares.
func (l *layout) fit(cell []int32, side, other *graph.Graph) {
	type pool struct {
		sum, weight float64
		items       int
	}
	var pools []pool
	offset, total := 0.0, 0.0
	for _, item := range cell {
		h := l.height(item)
		wish, weight := l.y[item], 1.0
		near := side.Out(item)
		if len(near) == 0 {
			near, weight = other.Out(item), 0.2
		}
		if l.turn(item) < Later.turn() { // it stays at the top, and what waits for it follows
			wish, weight = l.top[l.lane[item]]+offset+h/2, 1e6
		} else if len(near) > 0 {
			sum := 0.0
			for _, w := range near {
				sum += l.y[w]
			}
			wish = sum / float64(len(near))
			if int(item) >= l.s.Nodes {
				weight *= 4 // a long edge should be straight
			}
		}
		wish -= offset + h/2 // where the first item of the cell would have to begin
		offset += h
		total += h
		pools = append(pools, pool{wish * weight, weight, 1})
		for k := len(pools) - 1; k > 0 && pools[k-1].sum/pools[k-1].weight > pools[k].sum/pools[k].weight; k-- {
			pools[k-1].sum += pools[k].sum
			pools[k-1].weight += pools[k].weight
			pools[k-1].items += pools[k].items
			pools = pools[:k]
		}
	}
	lane := l.lane[cell[0]]
	lowest, highest := l.top[lane], l.bottom[lane]-total
	i, offset := 0, 0.0
	for _, p := range pools {
		at := min(max(p.sum/p.weight, lowest), highest)
		for range p.items {
			h := l.height(cell[i])
			l.y[cell[i]] = at + offset + h/2
			offset += h
			i++
		}
	}
}

// drawing returns the result of the layout, in the measures' unit.
func (l *layout) drawing() *Drawing {
	d := &Drawing{
		Node: make([]Point, l.s.Nodes), Column: l.column[:l.s.Nodes], Way: make([][]Point, len(l.s.Edges)),
		Loose: l.loose, Apart: make([]bool, len(l.s.Edges)), Frame: l.frame, Crossings: l.cross,
	}
	step := l.m.W + l.m.GapX
	x := func(item int32) float64 { return l.m.Pad + l.m.W/2 + float64(l.column[item])*step }
	for v := range d.Node {
		d.Node[v] = Point{x(int32(v)), l.y[v]}
		d.W = max(d.W, d.Node[v].X+l.m.W/2+l.m.Pad)
		d.H = max(d.H, d.Node[v].Y+l.m.H/2)
	}
	for i, e := range l.s.Edges {
		way := []Point{{x(e.From) + l.m.W/2, l.y[e.From]}}
		for _, item := range l.chain[i] {
			way = append(way, Point{x(item) - l.m.W/2, l.y[item]}, Point{x(item) + l.m.W/2, l.y[item]})
		}
		d.Way[i] = append(way, Point{x(e.To) - l.m.W/2, l.y[e.To]})
	}
	l.frames(d)
	for _, f := range d.Frame {
		d.W, d.H = max(d.W, f.X+f.W), max(d.H, f.Y+f.H)
	}
	return d
}

// frames gives each frame its width: from the first to the last column of its contents.
func (l *layout) frames(d *Drawing) {
	type reach struct{ from, to float64 }
	of := slices.Repeat([]reach{{1e18, -1e18}}, len(d.Frame))
	for v, p := range d.Node {
		if g := l.s.Group[v]; g >= 0 {
			of[g].from, of[g].to = min(of[g].from, p.X-l.m.W/2-l.m.Pad), max(of[g].to, p.X+l.m.W/2+l.m.Pad)
		}
	}
	for i := len(l.seq) - 1; i > 0; i-- { // inner groups come after the outer ones
		g := l.seq[i].group
		if of[g].from > of[g].to {
			d.Frame[g] = Rect{}
			continue
		}
		d.Frame[g].X, d.Frame[g].W = of[g].from, of[g].to-of[g].from
		if p := l.s.Parent[g]; p >= 0 {
			of[p].from, of[p].to = min(of[p].from, of[g].from-l.m.Pad/2), max(of[p].to, of[g].to+l.m.Pad/2)
		}
	}
}
