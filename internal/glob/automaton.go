package glob

import (
	"strings"
	"unicode/utf8"

	"tasker/internal/glob/syntax"
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
	segments, ok := syntax.Segments(text)
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
	segments, _ := syntax.Segments(a.text)
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
			end := syntax.ClassEnd(s)
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
