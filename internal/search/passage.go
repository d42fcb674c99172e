package search

import (
	"math/bits"
	"strings"
	"unicode"
	"unicode/utf8"
)

// maxPassage is the maximum length of a passage, in bytes of the text it is cut from.
const maxPassage = 240

// Span is where something stands in a text, in bytes.
type Span struct{ Start, End int }

// mark is where a group was found.
type mark struct {
	Span
	group int
}

// seen is the part of a query that a text contains.
type seen struct {
	marks []mark
	any   uint64 // groups that were found, by their bit
	whole uint64 // those of them whose last word was found exactly as asked for
}

// look finds the groups in a text. It continues for a while after it has found all of them, to find them closer
// together.
func (q Query) look(text string) seen {
	var out seen
	all := uint64(1)<<len(q.Groups) - 1
	until := len(text)
	var words [MaxAsked]struct {
		word  [maxWord]byte
		n     int
		start int
		apart bool
	}
	at := 0
	for s := (scanner{text: text}); s.next() && s.start < until; at++ {
		w := &words[at%MaxAsked]
		w.n, w.start, w.apart = copy(w.word[:], s.word), s.start, s.apart
		for i, g := range q.Groups {
			last := len(g.Words) - 1
			whole := string(s.word) == g.Words[last]
			if !whole && !(g.Prefix && strings.HasPrefix(string(s.word), g.Words[last])) || last > at {
				continue
			}
			start, fits := s.start, true
			for k := 1; k <= last && fits; k++ {
				before := &words[(at-k)%MaxAsked]
				fits = !words[(at-k+1)%MaxAsked].apart && string(before.word[:before.n]) == g.Words[last-k]
				start = before.start
			}
			if !fits {
				continue
			}
			out.marks = append(out.marks, mark{Span{start, s.end}, i})
			out.any |= 1 << i
			if whole {
				out.whole |= 1 << i
			}
			if out.any == all && until == len(text) {
				until = min(until, s.end+4*maxPassage)
			}
		}
	}
	return out
}

// best returns the marks within one passage that cover the most groups; the first passage wins a tie.
func (s seen) best() (marks []mark, groups int) {
	from := 0
	for to := range s.marks {
		for s.marks[to].End-s.marks[from].Start > maxPassage && from < to {
			from++
		}
		var have uint64
		for _, m := range s.marks[from : to+1] {
			have |= 1 << m.group
		}
		if n := bits.OnesCount64(have); n > groups {
			marks, groups = s.marks[from:to+1], n
		}
	}
	return marks, groups
}

// passage cuts the text around some marks, on one line. Text left out at an end is shown as ….
func passage(text string, marks []mark) string {
	if len(text) <= maxPassage || len(marks) == 0 {
		return oneLine(text, len(text) > maxPassage)
	}
	from, to := marks[0].Start, marks[len(marks)-1].End
	to = max(from, min(to, from+maxPassage))
	room := (maxPassage - (to - from)) / 2
	width := to - from + 2*room
	start := max(0, min(from-room, len(text)-width))
	end := start + width
	if start > 0 {
		if i := strings.IndexFunc(text[start:from], unicode.IsSpace); i >= 0 {
			start += i
		}
	}
	if end < len(text) {
		if i := strings.LastIndexFunc(text[to:end], unicode.IsSpace); i >= 0 {
			end = to + i
		}
	}
	start, end = whole(text, start), whole(text, end)
	out := oneLine(text[start:end], false)
	if start > 0 {
		out = "… " + out
	}
	if end < len(text) {
		out += " …"
	}
	return out
}

// whole moves back to the beginning of a character.
func whole(text string, at int) int {
	for i := range utf8.UTFMax {
		if at-i <= 0 || at == len(text) || utf8.RuneStart(text[at-i]) {
			return at - i
		}
	}
	return at
}

// oneLine turns whatever separates lines and words into single spaces, and whatever separates parts into a dot.
func oneLine(text string, shorten bool) string {
	if shorten {
		text = text[:whole(text, maxPassage)]
	}
	var b strings.Builder
	b.Grow(len(text) + 8)
	between := ""
	for _, r := range text {
		switch {
		case r == gap:
			between = " · "
		case unicode.IsSpace(r):
			if between == "" {
				between = " "
			}
		default:
			if b.Len() > 0 {
				b.WriteString(between)
			}
			between = ""
			b.WriteRune(r)
		}
	}
	if shorten {
		b.WriteString(" …")
	}
	return b.String()
}

// Marks returns where a query's words are in a text, in order and without overlaps, for highlighting.
func (q Query) Marks(text string) []Span {
	var out []Span
	for _, m := range q.look(text).marks {
		for len(out) > 0 && m.Start <= out[len(out)-1].Start {
			out = out[:len(out)-1]
		}
		if len(out) > 0 && m.Start < out[len(out)-1].End {
			out[len(out)-1].End = max(out[len(out)-1].End, m.End)
			continue
		}
		out = append(out, m.Span)
	}
	return out
}
