package term

import (
	"fmt"
	"io"
	"strings"
	"sync"

	"tasker/internal/text/safetext"
)

// Terminal is the only way from a command to a stream. It makes text inert and adds colours itself, so that no stored
// text can bring its own.
type Terminal struct {
	Color bool // colours are on
	Width int  // columns, 0 for no bound: not a terminal
	Model bool // a model reads this, wherever it is written to

	w    io.Writer
	tty  bool       // a terminal reads this
	mu   sync.Mutex // a server's log comes from many requests
	err  error
	held *strings.Builder // what was printed while output is held back; otherwise nil
}

// New returns a Terminal that writes to w; tty says that w is a terminal.
func New(w io.Writer, tty bool) *Terminal { return &Terminal{w: w, tty: tty} }

// Err returns the first write error: the reader may have gone.
func (t *Terminal) Err() error { return t.err }

// Printf prints text. The format is ours and may break lines; the arguments stay on their line.
func (t *Terminal) Printf(format string, args ...any) {
	for i, a := range args {
		switch a := a.(type) {
		case string:
			args[i] = Inert(a, false)
		case int, int64, bool, float64:
		default:
			args[i] = Inert(fmt.Sprint(a), false)
		}
	}
	t.raw(Inert(fmt.Sprintf(format, args...), true))
}

// Clear clears the screen of a terminal; elsewhere it prints a line that separates the old output from the new.
func (t *Terminal) Clear() {
	if t.tty {
		t.raw("\x1b[H\x1b[2J\x1b[3J")
		return
	}
	t.raw("---\n")
}

// Block prints a text of several lines, each indented, so that no line of it can be mistaken for ours.
func (t *Terminal) Block(indent, text string) {
	for line := range strings.Lines(strings.TrimRight(text, "\n") + "\n") {
		line = Inert(strings.TrimRight(line, "\r\n"), false)
		for _, part := range Wrap(line, t.Width-len(indent)) {
			t.raw(strings.TrimRight(indent+part, " ") + "\n")
		}
	}
}

// Spans prints styled text without a line break.
func (t *Terminal) Spans(spans ...Span) {
	for _, s := range spans {
		t.raw(t.styled(s))
	}
}

// Line prints styled text and a line break.
func (t *Terminal) Line(spans ...Span) {
	t.Spans(spans...)
	t.raw("\n")
}

// Text prints a text of several lines that we made.
func (t *Terminal) Text(text string) { t.raw(Inert(text, true)) }

// Document prints a JSON document and a line break, byte for byte. For a terminal and for a model, whatever it could obey
// or not see is escaped in a way that JSON reads as the same text; on a terminal the document is also indented and
// coloured.
func (t *Terminal) Document(doc []byte) {
	if t.tty || t.Model {
		doc = safetext.InertJSON(doc)
	}
	if t.tty {
		doc = t.indented(doc)
	}
	t.raw(string(doc) + "\n")
}

// Write lets a library print here; it makes everything inert.
func (t *Terminal) Write(p []byte) (int, error) {
	t.raw(Inert(string(p), true))
	return len(p), t.err
}

// Verbatim returns a writer that changes nothing, for protocols: a program reads them, and their text is JSON.
func (t *Terminal) Verbatim() io.Writer { return verbatim{t} }

type verbatim struct{ t *Terminal }

func (v verbatim) Write(p []byte) (int, error) {
	v.t.raw(string(p))
	return len(p), v.t.err
}

// raw writes, and keeps the first error: if the reader has gone, the command ends quietly.
func (t *Terminal) raw(s string) {
	t.mu.Lock()
	defer t.mu.Unlock()
	if t.held != nil {
		t.held.WriteString(s)
		return
	}
	if t.err == nil {
		_, t.err = io.WriteString(t.w, s)
	}
}

// Hold holds back the output until Release.
func (t *Terminal) Hold() {
	t.mu.Lock()
	defer t.mu.Unlock()
	t.held = &strings.Builder{}
}

// Held returns the output held back, between Hold and Release: inert, with our colours.
func (t *Terminal) Held() string {
	t.mu.Lock()
	defer t.mu.Unlock()
	return t.held.String()
}

// Release prints the output held back, unless it has already been shown.
func (t *Terminal) Release(shown bool) {
	t.mu.Lock()
	held := t.held
	t.held = nil
	t.mu.Unlock()
	if held != nil && !shown {
		t.raw(held.String())
	}
}

// styled returns the text of a span with its colours, if colours are on.
func (t *Terminal) styled(s Span) string {
	text := Inert(s.Text, false)
	if !t.Color || s.Style == Plain || text == "" {
		return text
	}
	return "\x1b[" + string(s.Style) + "m" + text + "\x1b[0m"
}

// ForProgram prints text for a program to read: byte for byte, except on a terminal, where it is made inert.
func (t *Terminal) ForProgram(text string) {
	if t.tty {
		text = Inert(text, true)
	}
	t.raw(text)
}
