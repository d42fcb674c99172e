package layout

import (
	"cmp"
	"slices"

	"tasker/internal/graph"
)

// order puts the items of each column in an order with few crossings: lanes from top to bottom, and within a lane by
// the positions of the neighbours in the previous or next column. It keeps the best order it has seen.
func (l *layout) order() {
	l.cell = make([][]int32, l.width)
	for item, c := range l.column {
		l.cell[c] = append(l.cell[c], int32(item))
	}
	l.rank = make([]int32, len(l.column))
	for _, column := range l.cell {
		slices.SortStableFunc(column, func(a, b int32) int {
			return cmp.Or(cmp.Compare(l.lane[a], l.lane[b]), cmp.Compare(l.turn(a), l.turn(b)))
		})
		l.rerank(column)
	}
	key := make([]float64, len(l.column))
	best, kept := l.crossings(), slices.Clone(l.rank)
	for sweep := range orderSweeps {
		if best == 0 {
			break
		}
		l.swept(sweep, func(column []int32, side, _ *graph.Graph) { l.sweep(column, side, key) })
		if n := l.crossings(); n < best {
			best = n
			copy(kept, l.rank)
		}
	}
	l.cross = best
	l.rank = kept
	for _, column := range l.cell {
		slices.SortFunc(column, func(a, b int32) int { return cmp.Compare(l.rank[a], l.rank[b]) })
	}
}

func (l *layout) rerank(column []int32) {
	for i, item := range column {
		l.rank[item] = int32(i)
	}
}

// sweep sorts a column by the mean position of its items' neighbours in another.
func (l *layout) sweep(column []int32, side *graph.Graph, key []float64) {
	for i, item := range column {
		near := side.Out(item)
		if len(near) == 0 {
			key[item] = float64(i) // it stays about where it is
			continue
		}
		sum := 0
		for _, w := range near {
			sum += int(l.rank[w])
		}
		key[item] = float64(sum) / float64(len(near))
	}
	slices.SortStableFunc(column, func(a, b int32) int {
		return cmp.Or(cmp.Compare(l.lane[a], l.lane[b]), cmp.Compare(l.turn(a), l.turn(b)), cmp.Compare(key[a], key[b]))
	})
	l.rerank(column)
}

// turn orders the items of a lane's column: what has its turn now is above everything else.
func (l *layout) turn(item int32) int8 {
	if int(item) < l.s.Nodes && l.s.When[item].now() {
		return l.s.When[item].turn()
	}
	return Later.turn()
}

// crossings counts the crossings between neighbouring columns.
func (l *layout) crossings() int {
	total := 0
	var ends []int32
	for c := 1; c < len(l.cell); c++ {
		ends = ends[:0]
		for _, item := range l.cell[c-1] {
			from := len(ends)
			for _, w := range l.after.Out(item) {
				ends = append(ends, l.rank[w])
			}
			slices.Sort(ends[from:])
		}
		// How many of the previous ends are below this one: a tree of sums over the positions of the column.
		tree := make([]int32, len(l.cell[c])+1)
		for i, at := range ends {
			below := int32(i)
			for k := at + 1; k > 0; k -= k & -k {
				below -= tree[k]
			}
			total += int(below)
			for k := at + 1; k < int32(len(tree)); k += k & -k {
				tree[k]++
			}
		}
	}
	return total
}
