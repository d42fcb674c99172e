package tokens

import "container/heap"

// pieces returns how many tokens a piece takes. The piece begins as single bytes, and the neighbouring pair with the
// lowest rank, the leftmost of equals, is merged until no pair is a token. A heap makes it n log n, however repetitive
// the text is.
func (e *encoding) pieces(piece string) int {
	if _, ok := e.ranks[piece]; ok || piece == "" {
		return 1
	}
	m := merging{e: e, piece: piece, next: make([]int, len(piece)+1), prev: make([]int, len(piece)+1), rank: make([]uint32, len(piece)+1)}
	for i := range m.next {
		m.next[i], m.prev[i] = i+1, i-1
	}
	for i := range len(piece) {
		m.look(i)
	}
	count := len(piece)
	for len(m.pairs) > 0 {
		p := heap.Pop(&m).(pair)
		if m.rank[p.at] != p.rank { // one of them was merged already
			continue
		}
		gone := m.next[p.at]
		m.rank[gone] = none
		m.next[p.at] = m.next[gone]
		m.prev[m.next[gone]] = p.at
		count--
		m.look(p.at)
		if before := m.prev[p.at]; before >= 0 {
			m.look(before)
		}
	}
	return count
}

// none is the rank of a pair that is not a token.
const none = ^uint32(0)

// pair is two neighbours that form a token: where the first begins, and the token's rank.
type pair struct {
	rank uint32
	at   int
}

// merging is a piece being merged: its parts by where they begin, linked to their neighbours, and the pairs that can be
// merged.
type merging struct {
	e          *encoding
	piece      string
	next, prev []int
	rank       []uint32 // of the token formed by the part that begins here and the next one
	pairs      []pair
}

// look checks whether a part and the next one form a token.
func (m *merging) look(at int) {
	m.rank[at] = none
	middle := m.next[at]
	if middle >= len(m.piece) {
		return
	}
	if rank, ok := m.e.ranks[m.piece[at:m.next[middle]]]; ok {
		m.rank[at] = rank
		heap.Push(m, pair{rank, at})
	}
}

// Len, Less, Swap, Push and Pop implement the heap of pairs: by rank, then from the left.
func (m *merging) Len() int { return len(m.pairs) }

// Less compares by rank, then by position.
func (m *merging) Less(i, j int) bool {
	a, b := m.pairs[i], m.pairs[j]
	return a.rank < b.rank || a.rank == b.rank && a.at < b.at
}

// Swap exchanges two pairs.
func (m *merging) Swap(i, j int) { m.pairs[i], m.pairs[j] = m.pairs[j], m.pairs[i] }

// Push adds a pair.
func (m *merging) Push(p any) { m.pairs = append(m.pairs, p.(pair)) }

// Pop removes the last pair.
func (m *merging) Pop() any {
	last := m.pairs[len(m.pairs)-1]
	m.pairs = m.pairs[:len(m.pairs)-1]
	return last
}
