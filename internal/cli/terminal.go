package cli

import (
	"fmt"
	"io"
	"strings"
	"sync"
)

// Terminal is the only way out of this package to a stream. Text is made inert on its way; colours are added by it
// alone, so that no stored text can bring its own.
type Terminal struct {
	w     io.Writer
	color bool
	width int  // columns, 0 for no bound: not a terminal
	tty   bool // a terminal reads this

	mu  sync.Mutex // a server's log comes from many requests
	err error
}

// newTerminal returns the way out to a stream, which may be a terminal.
func newTerminal(w io.Writer, tty bool) *Terminal { return &Terminal{w: w, tty: tty} }

// setColor turns colours on or off.
func (t *Terminal) setColor(on bool) { t.color = on }

// setWidth bounds lines to so many columns; 0 is no bound.
func (t *Terminal) setWidth(columns int) { t.width = columns }

// columns returns the width in columns, 0 for no bound.
func (t *Terminal) columns() int { return t.width }

// failed returns the first error of the stream: who reads may have gone.
func (t *Terminal) failed() error { return t.err }

// Printf prints text. The format is ours and may break lines; whatever is put into it stays on its line.
func (t *Terminal) Printf(format string, args ...any) {
	for i, a := range args {
		switch a := a.(type) {
		case string:
			args[i] = inert(a, false)
		case fmt.Stringer:
			args[i] = inert(a.String(), false)
		case error:
			args[i] = inert(a.Error(), false)
		case int, int64, bool, float64:
		default:
			args[i] = inert(fmt.Sprint(a), false)
		}
	}
	t.raw(inert(fmt.Sprintf(format, args...), true))
}

// clear empties the screen where there is one; elsewhere a line parts what was painted from what comes.
func (t *Terminal) clear() {
	if t.tty {
		t.raw("\x1b[H\x1b[2J\x1b[3J")
		return
	}
	t.raw("---\n")
}

// Block prints a text of several lines, each with the indent before it, so that no line of it can pass for ours.
func (t *Terminal) Block(indent, text string) {
	for line := range strings.Lines(strings.TrimRight(text, "\n") + "\n") {
		line = inert(strings.TrimRight(line, "\r\n"), false)
		for _, part := range wrap(line, t.width-len(indent)) {
			t.raw(strings.TrimRight(indent+part, " ") + "\n")
		}
	}
}

// Spans prints styled text, without a line break of its own.
func (t *Terminal) Spans(spans ...span) {
	for _, s := range spans {
		t.raw(t.styled(s))
	}
}

// Text prints a text of several lines that we made, as it is: what could be obeyed in it is made inert.
func (t *Terminal) Text(text string) { t.raw(inert(text, true)) }

// Document prints a JSON document and a line break, byte for byte; on a terminal what it could obey is escaped, in
// a way that JSON reads as the same text.
func (t *Terminal) Document(doc []byte) {
	if t.tty {
		doc = inertJSON(doc)
	}
	t.raw(string(doc) + "\n")
}

// Write lets a library print here: all of it is made inert.
func (t *Terminal) Write(p []byte) (int, error) {
	t.raw(inert(string(p), true))
	return len(p), t.err
}

// verbatim returns a writer to the stream that changes nothing: a protocol is for a program, and its text is JSON.
func (t *Terminal) verbatim() io.Writer { return verbatim{t} }

type verbatim struct{ t *Terminal }

func (v verbatim) Write(p []byte) (int, error) {
	v.t.raw(string(p))
	return len(p), v.t.err
}

// raw writes, and remembers the first error: a reader that went away ends the command quietly.
func (t *Terminal) raw(s string) {
	t.mu.Lock()
	defer t.mu.Unlock()
	if t.err == nil {
		_, t.err = io.WriteString(t.w, s)
	}
}

// styled is the text of a span with the colours around it, where there are colours.
func (t *Terminal) styled(s span) string {
	text := inert(s.text, false)
	if !t.color || s.style == plain || text == "" {
		return text
	}
	return "\x1b[" + string(s.style) + "m" + text + "\x1b[0m"
}

// span is a piece of text in one style.
type span struct {
	text  string
	style style
}

// style is the parameter of an SGR sequence.
type style string

const (
	plain  style = ""
	bold   style = "1"
	faint  style = "2"
	red    style = "31"
	green  style = "32"
	yellow style = "33"
	blue   style = "34"
	cyan   style = "36"
)

// Of returns a text in this style.
func (s style) Of(text string) span { return span{text, s} }

// txt is a plain span.
func txt(format string, args ...any) span {
	if len(args) == 0 {
		return span{text: format}
	}
	return span{text: fmt.Sprintf(format, args...)}
}
