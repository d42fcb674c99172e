package glob

import (
	"slices"
	"strings"
	"unicode/utf8"
)

// alternative is a glob without braces, and what every path that it matches begins and ends with. These are enough to
// tell most pairs of globs apart, so an automaton is compiled only when needed, and not stored: many of them are large.
type alternative struct {
	text           string
	prefix, suffix string
}

// automaton is a nondeterministic automaton over characters. It starts at its first place and accepts at its last one.
type automaton []place

// place is a state of the automaton: the characters it accepts next, and the places it can reach without a character.
type place struct {
	edges []edge
	skips []int32
}

type edge struct {
	on runes
	to int32
}

// newAlternative reads a glob without braces. ok is false for a malformed one.
func newAlternative(text string) (a alternative, ok bool) {
	segments, ok := Segments(text)
	if !ok {
		return alternative{}, false
	}
	a.text = text
	a.prefix, a.suffix = literalEnds(segments)
	if strings.ContainsAny(text, `[]\`) {
		_, ok = newAutomaton(segments)
	}
	return a, ok
}

// automaton compiles a glob that newAlternative has accepted.
func (a alternative) automaton() automaton {
	segments, _ := Segments(a.text)
	compiled, _ := newAutomaton(segments)
	return compiled
}

// newAutomaton compiles the segments of a glob. ok is false for a malformed class or escape.
func newAutomaton(segments []string) (p automaton, ok bool) {
	p = automaton{place{}}
	for i, seg := range segments {
		last := i == len(segments)-1
		switch {
		case seg == "**" && i == 0 && last:
			p.loop(anyRune)
		case seg == "**" && last: // a/** matches a, and everything below it
			here := p.end()
			p.step(slash)
			p.loop(anyRune)
			p.add() // after the loop, so that skipping it does not end up in it
			p.skip(p.end()-1, p.end())
			p.skip(here, p.end())
		case seg == "**": // **/ matches nothing, or some directories
			here := p.end()
			p.loop(anyRune)
			p.step(slash)
			p.skip(here, p.end())
		case !p.segment(seg):
			return nil, false
		case !last && !endsBelow(segments, i):
			p.step(slash)
		}
	}
	return p, true
}

// endsBelow reports whether the segment after i is the `**` that ends the glob, which brings its own slash.
func endsBelow(segments []string, i int) bool {
	return i == len(segments)-2 && segments[i+1] == "**"
}

// literalEnds returns the text before the first and after the last wildcard. An escape counts as a wildcard.
func literalEnds(segments []string) (prefix, suffix string) {
	for i, seg := range segments {
		if at := strings.IndexAny(seg, `*?[\`); at >= 0 {
			prefix += seg[:at]
			break
		}
		prefix += seg
		if i == len(segments)-1 || endsBelow(segments, i) {
			break
		}
		prefix += "/"
	}
	last := segments[len(segments)-1]
	return prefix, last[strings.LastIndexAny(last, `*?]\`)+1:]
}

// apart reports whether two globs already differ before the first or after the last wildcard of either.
func (a alternative) apart(b alternative) bool {
	return !strings.HasPrefix(a.prefix, b.prefix) && !strings.HasPrefix(b.prefix, a.prefix) ||
		!strings.HasSuffix(a.suffix, b.suffix) && !strings.HasSuffix(b.suffix, a.suffix)
}

func (p automaton) end() int32 { return int32(len(p) - 1) }

func (p *automaton) add() { *p = append(*p, place{}) }

func (p automaton) skip(from, to int32) { p[from].skips = append(p[from].skips, to) }

// step adds a place that is reached with one character.
func (p *automaton) step(on runes) {
	here := p.end()
	p.add()
	(*p)[here].edges = append((*p)[here].edges, edge{on, p.end()})
}

// loop adds a place that is reached without a character and accepts any number of them.
func (p *automaton) loop(on runes) {
	here := p.end()
	p.add()
	p.skip(here, p.end())
	(*p)[p.end()].edges = append((*p)[p.end()].edges, edge{on, p.end()})
}

// segment compiles the text between two slashes, and reports whether it is well formed.
func (p *automaton) segment(s string) bool {
	for s != "" {
		switch s[0] {
		case '*':
			p.loop(noSlash)
			s = strings.TrimLeft(s, "*")
		case '?':
			p.step(noSlash)
			s = s[1:]
		case '[':
			end := ClassEnd(s)
			set, ok := class(s[1:max(1, end)])
			if end < 0 || !ok {
				return false
			}
			p.step(set)
			s = s[end+1:]
		default:
			if s[0] == '\\' {
				s = s[1:]
			}
			r, n := utf8.DecodeRuneInString(s)
			if n == 0 {
				return false
			}
			p.step(runes{{r, r}})
			s = s[n:]
		}
	}
	return true
}

// runes is a set of characters: sorted, disjoint ranges, both ends included.
type runes []span

type span struct{ lo, hi rune }

var (
	anyRune = runes{{1, utf8.MaxRune}}
	noSlash = runes{{1, '/' - 1}, {'/' + 1, utf8.MaxRune}}
	slash   = runes{{'/', '/'}}
)

// class compiles the text between brackets. It may match a slash, as it does in doublestar.
func class(s string) (runes, bool) {
	negated := s != "" && (s[0] == '^' || s[0] == '!')
	if negated {
		s = s[1:]
	}
	var set runes
	for s != "" {
		lo, rest, ok := classRune(s)
		if !ok {
			return nil, false
		}
		hi := lo
		if after, dash := strings.CutPrefix(rest, "-"); dash {
			if hi, rest, ok = classRune(after); !ok {
				return nil, false
			}
		}
		s = rest
		if lo <= hi {
			set = append(set, span{lo, hi})
		}
	}
	if len(set) == 0 {
		return nil, false
	}
	set = set.sorted()
	if negated {
		set = set.complement()
	}
	return set, true
}

func classRune(s string) (r rune, rest string, ok bool) {
	if s == "" || s[0] == '-' {
		return 0, "", false // a misplaced dash: matchers do not agree on its meaning
	}
	s = strings.TrimPrefix(s, `\`)
	r, n := utf8.DecodeRuneInString(s)
	return r, s[n:], n > 0
}

func (s runes) sorted() runes {
	slices.SortFunc(s, func(x, y span) int { return int(x.lo - y.lo) })
	out := s[:1]
	for _, r := range s[1:] {
		if top := &out[len(out)-1]; r.lo <= top.hi+1 {
			top.hi = max(top.hi, r.hi)
		} else {
			out = append(out, r)
		}
	}
	return out
}

func (s runes) complement() runes {
	var out runes
	next := rune(1)
	for _, r := range s {
		if next < r.lo {
			out = append(out, span{next, r.lo - 1})
		}
		next = r.hi + 1
	}
	if next <= utf8.MaxRune {
		out = append(out, span{next, utf8.MaxRune})
	}
	return out
}

// common returns a character in both sets other than the slash, preferably one that reads well in a path.
func (s runes) common(t runes) (rune, bool) {
	for _, r := range "xa0_" {
		if s.has(r) && t.has(r) {
			return r, true
		}
	}
	for i, j := 0, 0; i < len(s) && j < len(t); {
		lo, hi := max(s[i].lo, t[j].lo), min(s[i].hi, t[j].hi)
		if lo < '!' && '!' <= hi {
			lo = '!'
		}
		if lo == '/' {
			lo++
		}
		if 0xd800 <= lo && lo <= 0xdfff { // not characters
			lo = 0xe000
		}
		if lo <= hi {
			return lo, true
		}
		if s[i].hi < t[j].hi {
			i++
		} else {
			j++
		}
	}
	return 0, false
}

func (s runes) has(r rune) bool {
	return slices.ContainsFunc(s, func(one span) bool { return one.lo <= r && r <= one.hi })
}

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
