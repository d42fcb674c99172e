package term

import (
	"strings"

	"github.com/clipperhouse/displaywidth"
)

// Row returns spans as one line of a screen: inert, cut to the given number of cells, and coloured only if color is
// set.
func Row(spans []Span, cells int, color bool) string {
	t := Terminal{Color: color}
	var b strings.Builder
	for _, s := range spans {
		text := Inert(s.Text, false)
		width := Columns(text)
		if width > cells {
			text = Cut(text, cells)
			width = cells
		}
		b.WriteString(t.styled(Span{text, s.Style}))
		if cells -= width; cells <= 0 {
			break
		}
	}
	return b.String()
}

// Styled parses lines that a Terminal printed back into spans, for a caller that draws its own screen.
func Styled(printed string) [][]Span {
	var lines [][]Span
	style := Plain
	for line := range strings.Lines(printed) {
		line = strings.TrimRight(line, "\n")
		var spans []Span
		for {
			text, rest, found := strings.Cut(line, "\x1b[")
			if text != "" {
				spans = append(spans, Span{text, style})
			}
			if !found {
				break
			}
			code, after, _ := strings.Cut(rest, "m")
			if style = Style(code); code == "0" {
				style = Plain
			}
			line = after
		}
		lines = append(lines, spans)
	}
	return lines
}

// Fold breaks a line into parts of at most the given number of cells, at spaces if possible. The later parts have the
// same indent as the first.
func Fold(line []Span, cells int) [][]Span {
	first := ""
	if len(line) > 0 {
		first = line[0].Text
	}
	indent := first[:len(first)-len(strings.TrimLeft(first, " "))]
	if len(indent) > cells/2 {
		indent = ""
	}
	var out [][]Span
	var now []Span
	used := 0
	put := func(s Span) {
		now = joined(now, s)
		used += Columns(s.Text)
	}
	flush := func() {
		out = append(out, now)
		now, used = nil, 0
		if indent != "" {
			put(Plain.Of(indent))
		}
	}
	for _, s := range line {
		for _, piece := range strings.SplitAfter(Inert(s.Text, false), " ") {
			if word := Columns(strings.TrimRight(piece, " ")); used+word > cells && used > len(indent) {
				flush()
			}
			for all := displaywidth.StringGraphemes(piece); all.Next(); {
				if used+all.Width() > cells {
					if all.Value() == " " { // trailing spaces are invisible
						continue
					}
					flush()
				}
				put(Span{all.Value(), s.Style})
			}
		}
	}
	return append(out, now)
}
