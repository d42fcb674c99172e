package task

import (
	"strings"
	"unicode/utf8"
)

// machine is a glob without braces: its segments, and what every path that it matches begins and ends with. Most pairs
// of globs part by these alone, so the automaton of a glob that cannot be malformed is made when it is asked for.
type machine struct {
	segments       []string
	places         automaton // nil: not made yet
	prefix, suffix string
}

// automaton starts at its first place and accepts at its last one.
type automaton []place

// place is where an automaton can stand: what it can go on with, and where it can go without a character.
type place struct {
	edges []edge
	skips []int32
}

type edge struct {
	on runes
	to int32
}

// newMachine compiles a glob without braces. It is not ok for a malformed one.
func newMachine(text string) (m machine, ok bool) {
	segments, ok := segmentsOf(text)
	if !ok {
		return machine{}, false
	}
	m.segments = segments
	m.prefix, m.suffix = literalEnds(segments)
	if strings.ContainsAny(text, `[]\`) {
		m.places, ok = compiled(segments)
	}
	return m, ok
}

// automaton is the machine's automaton.
func (m machine) automaton() automaton {
	if m.places == nil {
		m.places, _ = compiled(m.segments)
	}
	return m.places
}

// compiled makes the automaton of a glob. It is not ok for a malformed class or escape.
func compiled(segments []string) (p automaton, ok bool) {
	p = automaton{place{}}
	for i, seg := range segments {
		last := i == len(segments)-1
		switch {
		case seg == "**" && i == 0 && last:
			p.loop(anyRune)
		case seg == "**" && last: // a/** matches a, and all below it
			here := p.end()
			p.step(slash)
			p.loop(anyRune)
			p.add() // past the loop, so that skipping it does not end up in it
			p.skip(p.end()-1, p.end())
			p.skip(here, p.end())
		case seg == "**": // **/ is nothing, or some directories
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

// endsBelow tells whether the segment after i is the `**` that ends the glob, which brings its own slash.
func endsBelow(segments []string, i int) bool {
	return i == len(segments)-2 && segments[i+1] == "**"
}

// literalEnds is what stands before the first and after the last wildcard. An escape counts as a wildcard.
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

// parts tells whether two globs part at once, before the first or after the last wildcard of either.
func (m machine) parts(n machine) bool {
	return !strings.HasPrefix(m.prefix, n.prefix) && !strings.HasPrefix(n.prefix, m.prefix) ||
		!strings.HasSuffix(m.suffix, n.suffix) && !strings.HasSuffix(n.suffix, m.suffix)
}

func (p automaton) end() int32 { return int32(len(p) - 1) }

func (p *automaton) add() { *p = append(*p, place{}) }

func (p automaton) skip(from, to int32) { p[from].skips = append(p[from].skips, to) }

// step goes on to a new place with one character.
func (p *automaton) step(on runes) {
	here := p.end()
	p.add()
	(*p)[here].edges = append((*p)[here].edges, edge{on, p.end()})
}

// loop stays at a place of its own with any number of characters.
func (p *automaton) loop(on runes) {
	here := p.end()
	p.add()
	p.skip(here, p.end())
	(*p)[p.end()].edges = append((*p)[p.end()].edges, edge{on, p.end()})
}

// segment compiles what stands between two slashes. It is not ok for what is malformed.
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
			end := classEnd(s)
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

// segmentsOf splits a glob at its slashes, those in classes aside. Empty segments and `.` mean nothing; a slash
// at the end means all below.
func segmentsOf(text string) (out []string, ok bool) {
	from := 0
	add := func(to int) {
		seg := text[from:to]
		doubled := seg == "**" && len(out) > 0 && out[len(out)-1] == "**"
		if seg != "" && seg != "." && !doubled {
			out = append(out, seg)
		}
	}
	for i := 0; i < len(text); i++ {
		switch text[i] {
		case '\\':
			if i++; i < len(text) && text[i] == '/' {
				add(i - 1)
				from = i + 1
			}
		case '[':
			n := classEnd(text[i:])
			if n < 0 {
				return nil, false
			}
			i += n
		case '/':
			add(i)
			from = i + 1
		}
	}
	add(len(text))
	if n := len(out); strings.HasSuffix(text, "/") && (n == 0 || out[n-1] != "**") {
		out = append(out, "**")
	}
	if len(out) == 0 { // "." alone
		out = []string{"**"}
	}
	return out, true
}
