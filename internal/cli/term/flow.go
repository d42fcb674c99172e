package term

import "strings"

// Flow prints styled text, wrapped at spaces to the width of the terminal. The first line begins with first, the others
// with rest, which both must be our own text.
func (t *Terminal) Flow(first, rest string, spans ...Span) {
	limit := t.Width - max(Columns(first), Columns(rest))
	var line []Span
	begin, used := first, 0
	flush := func() {
		text := begin
		for _, s := range line {
			text += t.styled(s)
		}
		t.raw(strings.TrimRight(text, " ") + "\n")
		line, begin, used = nil, rest, 0
	}
	for _, word := range wordsOf(spans) {
		columns := 0
		for _, s := range word {
			columns += Columns(s.Text)
		}
		if used > 0 && limit >= leastFlow && used+1+columns > limit {
			flush()
		}
		if used > 0 {
			space := Span{Text: " "}
			if line[len(line)-1].Style == word[0].Style {
				space.Style = word[0].Style
			}
			line = joined(line, space)
			used++
		}
		for _, s := range word {
			line = joined(line, s)
		}
		used += columns
	}
	flush()
}

// leastFlow is the width below which text is not wrapped.
const leastFlow = 20

// wordsOf makes spans inert and splits them at spaces. A word may consist of several spans.
func wordsOf(spans []Span) [][]Span {
	var words [][]Span
	var word []Span
	end := func() {
		if len(word) > 0 {
			words = append(words, word)
		}
		word = nil
	}
	for _, s := range spans {
		text := Inert(s.Text, false)
		for i, piece := range strings.Split(text, " ") {
			if i > 0 {
				end()
			}
			if piece != "" {
				word = append(word, Span{piece, s.Style})
			}
		}
	}
	end()
	return words
}
