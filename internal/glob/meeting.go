package glob

import "slices"

// meeting searches for a path that two automata both accept. It walks the pairs of their places breadth first, so that
// the path it finds is a short one. Paths have no empty segment and end in a name.
type meeting struct {
	work  int      // how many pairs may still be visited
	round uint32   // number of this search, so that seen need not be cleared
	seen  []uint32 // the round in which a pair was seen last
	hops  []hop
}

// hop is a pair of places, whether a segment has just begun there, and how the walk reached it: from which hop, with
// which character (0: none).
type hop struct {
	a, b  int32
	begun bool
	from  int32
	on    rune
}

// find returns such a path; it is empty if a bound was reached, and the two may meet.
func (s *meeting) find(m, n automaton) (path string, ok bool) {
	pairs := 2 * len(m) * len(n)
	if s.work <= 0 || pairs > maxPairs {
		return "", true
	}
	if pairs > len(s.seen) {
		s.seen = make([]uint32, pairs)
	}
	s.round++
	s.hops = s.hops[:0]
	s.visit(len(n), hop{begun: true, from: -1})
	for i := 0; i < len(s.hops); i++ { //nolint:intrange // it grows during the loop
		if s.work--; s.work <= 0 {
			return "", true
		}
		at := s.hops[i]
		if at.a == m.end() && at.b == n.end() && !at.begun {
			return s.path(i), true
		}
		at.from, at.on = int32(i), 0
		s.skip(m, n, at)
		s.step(m, n, at)
	}
	return "", false
}

// skip follows the moves of one automaton that need no character.
func (s *meeting) skip(m, n automaton, at hop) {
	for _, to := range m[at.a].skips {
		s.visit(len(n), hop{a: to, b: at.b, begun: at.begun, from: at.from})
	}
	for _, to := range n[at.b].skips {
		s.visit(len(n), hop{a: at.a, b: to, begun: at.begun, from: at.from})
	}
}

// step follows the moves of both automata with the same character.
func (s *meeting) step(m, n automaton, at hop) {
	for _, e := range m[at.a].edges {
		for _, f := range n[at.b].edges {
			if r, ok := e.on.common(f.on); ok {
				s.visit(len(n), hop{a: e.to, b: f.to, from: at.from, on: r})
			}
			if !at.begun && e.on.has('/') && f.on.has('/') {
				s.visit(len(n), hop{a: e.to, b: f.to, begun: true, from: at.from, on: '/'})
			}
		}
	}
}

func (s *meeting) visit(width int, h hop) {
	at := 2 * (int(h.a)*width + int(h.b))
	if h.begun {
		at++
	}
	if s.seen[at] != s.round {
		s.seen[at] = s.round
		s.hops = append(s.hops, h)
	}
}

func (s *meeting) path(i int) string {
	var out []rune
	for ; i >= 0; i = int(s.hops[i].from) {
		if r := s.hops[i].on; r != 0 {
			out = append(out, r)
		}
	}
	slices.Reverse(out)
	return string(out)
}
