package glob

import (
	"slices"
	"strings"
	"unicode/utf8"
)

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
	for _, one := range s {
		if one.lo <= r && r <= one.hi {
			return true
		}
	}
	return false
}
