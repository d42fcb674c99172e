package layout

import (
	"cmp"
	"slices"

	"tasker/internal/graph"
)

// lanes orders the groups so that connected ones are near each other and the contents of a group stay together, and
// gives each node its lane.
func (l *layout) lanes() {
	groups := len(l.s.Parent)
	kids := l.s.kids()
	of := make([]int32, groups+1)
	l.rankGroups()
	for _, siblings := range kids {
		slices.SortStableFunc(siblings, func(a, b int32) int { return cmp.Compare(l.late[a], l.late[b]) })
	}
	l.number(kids, of)
	ties := l.ties()
	best, seq, kept := stretch(ties, of), slices.Clone(l.seq), slices.Clone(of)
	for range laneSweeps {
		if len(l.seq) < 3 || best == 0 {
			break
		}
		l.settle(kids, of, ties)
		l.number(kids, of)
		if n := stretch(ties, of); n < best {
			best, seq, kept = n, slices.Clone(l.seq), slices.Clone(of)
		}
	}
	l.seq = seq
	l.lane = make([]int32, l.s.Nodes)
	for v := range l.lane {
		l.lane[v] = kept[slot(l.s.Group[v], groups)]
	}
}

// rankGroups finds the groups that have nodes whose turn is now, however deep: they come before the others.
func (l *layout) rankGroups() {
	l.late = slices.Repeat([]int8{Later.turn()}, len(l.s.Parent))
	for v := range int32(l.s.Nodes) {
		turn := l.s.When[v].turn()
		for g := l.s.Group[v]; g >= 0 && l.late[g] > turn; g = l.s.Parent[g] {
			l.late[g] = turn
		}
	}
}

// kids lists the groups directly in each group, and last those in none.
func (s *Sheet) kids() [][]int32 {
	out := make([][]int32, len(s.Parent)+1)
	for g, parent := range s.Parent {
		at := slot(parent, len(s.Parent))
		out[at] = append(out[at], int32(g))
	}
	return out
}

// slot returns the index of a group in a list whose last index is for no group.
func slot(g int32, groups int) int32 {
	if g < 0 {
		return int32(groups)
	}
	return g
}

// tie is an edge between two groups.
type tie struct{ a, b int32 }

func (l *layout) ties() (out []tie) {
	groups := len(l.s.Parent)
	for i, e := range l.s.Edges {
		if l.s.Hidden[i] {
			continue
		}
		a, b := slot(l.s.Group[e.From], groups), slot(l.s.Group[e.To], groups)
		if a != b {
			out = append(out, tie{a, b})
		}
	}
	return out
}

// stretch returns the total distance between connected lanes.
func stretch(ties []tie, of []int32) (n int) {
	for _, t := range ties {
		n += int(max(of[t.a]-of[t.b], of[t.b]-of[t.a]))
	}
	return n
}

// number lists the lanes from top to bottom: a group's own, then those of the groups in it.
func (l *layout) number(kids [][]int32, of []int32) {
	l.seq = l.seq[:0]
	for stack := []lane{{-1, -1}}; len(stack) > 0; {
		o := stack[len(stack)-1]
		stack = stack[:len(stack)-1]
		at := slot(o.group, len(l.s.Parent))
		of[at] = int32(len(l.seq))
		l.seq = append(l.seq, o)
		for _, g := range slices.Backward(kids[at]) {
			block := o.block
			if block < 0 {
				block = g
			}
			stack = append(stack, lane{g, block})
		}
	}
}

// settle sorts groups with the same parent by the position of the groups they are connected to.
func (l *layout) settle(kids [][]int32, of []int32, weight []tie) {
	sum, n := make([]float64, len(of)), make([]float64, len(of))
	for _, t := range weight {
		sum[t.a] += float64(of[t.b])
		sum[t.b] += float64(of[t.a])
		n[t.a]++
		n[t.b]++
	}
	for i := len(l.seq) - 1; i > 0; i-- { // the contents of a group count for it; a group comes after the one around it
		g := l.seq[i].group
		if p := l.s.Parent[g]; p >= 0 {
			sum[p] += sum[g]
			n[p] += n[g]
		}
	}
	at := func(g int32) float64 {
		if n[g] == 0 {
			return float64(of[g])
		}
		return sum[g] / n[g]
	}
	for _, siblings := range kids {
		slices.SortStableFunc(siblings, func(a, b int32) int {
			return cmp.Or(cmp.Compare(l.late[a], l.late[b]), cmp.Compare(at(a), at(b)))
		})
	}
}

// bends gives every edge that passes columns an item in each of them, in the lane where it ends. The shortest edges
// come first; edges past the bound run loose.
func (l *layout) bends() {
	type long struct{ edge, span int32 }
	var longs []long
	l.chain = make([][]int32, len(l.s.Edges))
	l.loose = make([]bool, len(l.s.Edges))
	var links []graph.Edge
	for i, e := range l.s.Edges {
		if l.s.Hidden[i] {
			l.loose[i] = true
			continue
		}
		if span := l.column[e.To] - l.column[e.From]; span > 1 {
			longs = append(longs, long{int32(i), span})
		} else {
			links = append(links, e)
		}
	}
	slices.SortStableFunc(longs, func(a, b long) int { return cmp.Compare(a.span, b.span) })
	budget := bendsPerNode*l.s.Nodes + 1000
	for _, g := range longs {
		if budget -= int(g.span) - 1; budget < 0 {
			l.loose[g.edge] = true
			continue
		}
		e := l.s.Edges[g.edge]
		last := e.From
		for c := l.column[e.From] + 1; c < l.column[e.To]; c++ {
			item := int32(len(l.column))
			l.column, l.lane = append(l.column, c), append(l.lane, l.lane[e.To])
			l.chain[g.edge] = append(l.chain[g.edge], item)
			links = append(links, graph.Edge{From: last, To: item})
			last = item
		}
		links = append(links, graph.Edge{From: last, To: e.To})
	}
	l.after = graph.New(len(l.column), links)
	l.before = l.after.Reversed()
}
