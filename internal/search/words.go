package search

import (
	"slices"
	"strings"
)

// The limits on what is stored for one text, so that it fits every engine. Positions are stored for a limited number of
// words, and of occurrences of each; beyond that a word is still found, but not as part of a phrase. A text with more
// than maxWords bytes of words is found only by its beginning.
const (
	MaxPlaces  = 16_000
	maxRepeats = 200
	maxWords   = 512 << 10
)

// Hole stands in Words for a position without a word, which no phrase crosses.
const Hole = "_"

// Text joins the parts of a record, leaving empty ones out. No phrase reaches from one part into the next.
func Text(parts ...string) string {
	given := slices.DeleteFunc(slices.Clone(parts), func(part string) bool { return part == "" })
	return strings.Join(given, string(gap))
}

// Words returns the words of a text in order, separated by spaces: what an engine stores for a document. A word
// consists of letters and digits only. The words of context, each with Hole before it, come first: a query's words may
// be there too, as long as one of them is in the text itself. For a text without words it returns the empty string.
func Words(text, context string) string {
	b := builder{out: make([]byte, 0, len(text)+2*len(context)+16)}
	s := scanner{text: context}
	for s.next() && b.places < MaxPlaces/2 {
		b.hole(s.apart)
		b.put(Hole, s.word)
	}
	b.hole(true)
	mine := len(b.out)
	s = scanner{text: text, word: s.word[:0]}
	for s.next() && len(b.out) < maxWords {
		switch {
		case b.places >= MaxPlaces:
			b.tail(s.word)
		case b.places >= maxRepeats && b.often(s.word):
			b.hole(true)
		default:
			b.hole(s.apart)
			b.put("", s.word)
		}
	}
	if len(b.out) == mine {
		return ""
	}
	return strings.TrimSuffix(string(b.out), " ")
}

type builder struct {
	out    []byte
	places int
	times  map[string]int // nil while no word can have been repeated too often
}

// hole leaves a position empty, if there is a word before it.
func (b *builder) hole(yes bool) {
	if yes && b.places > 0 {
		b.put("", []byte(Hole))
	}
}

func (b *builder) put(mark string, word []byte) {
	b.out = append(b.out, mark...)
	b.out = append(b.out, word...)
	b.out = append(b.out, ' ')
	b.places++
}

// often reports whether a word has used up its positions, and counts it.
func (b *builder) often(word []byte) bool {
	b.count()
	b.times[string(word)]++
	return b.times[string(word)] > maxRepeats
}

// tail adds a word after the last position, once.
func (b *builder) tail(word []byte) {
	b.count()
	if b.times[string(word)]++; b.times[string(word)] == 1 {
		b.hole(true)
		b.put("", word)
	}
}

// count starts counting how often each word occurs.
func (b *builder) count() {
	if b.times != nil {
		return
	}
	b.times = map[string]int{}
	for w := range strings.SplitSeq(string(b.out), " ") {
		b.times[w]++
	}
}
