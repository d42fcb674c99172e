package term

import "fmt"

// Span is a piece of text in one style.
type Span struct {
	Text  string
	Style Style
}

// Style is the parameter of an SGR sequence.
type Style string

// The styles.
const (
	Plain   Style = ""
	Bold    Style = "1"
	Faint   Style = "2"
	Italic  Style = "3"
	Reverse Style = "7"
	Red     Style = "31"
	Green   Style = "32"
	Yellow  Style = "33"
	Blue    Style = "34"
	Cyan    Style = "36"
)

// Of returns a text in this style.
func (s Style) Of(text string) Span { return Span{text, s} }

// joined appends a span to a line; adjacent spans of one style become one.
func joined(line []Span, s Span) []Span {
	if last := len(line) - 1; last >= 0 && line[last].Style == s.Style {
		line[last].Text += s.Text
		return line
	}
	return append(line, s)
}

// Textf returns a plain span, formatted as by fmt.Sprintf if there are arguments.
func Textf(format string, args ...any) Span {
	if len(args) == 0 {
		return Span{Text: format}
	}
	return Span{Text: fmt.Sprintf(format, args...)}
}
