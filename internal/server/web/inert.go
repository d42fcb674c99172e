package web

import (
	"fmt"
	"io"
)

// inert writes pages with every control character spelled out, as the terminal output does: \x1b. html/template escapes
// what a browser would obey, but leaves control characters, which matter to people who read a page in a terminal. Line
// breaks and tabs stay; the CR of CR LF is dropped.
type inert struct {
	to   io.Writer
	tail byte // the last byte of the previous part, if it may be half of something: 0xc2 or CR; else 0
	buf  []byte
}

// Write writes p, and returns its length.
func (w *inert) Write(p []byte) (int, error) {
	if w.tail == 0 && plain(p) {
		return w.to.Write(p)
	}
	w.buf = w.buf[:0]
	for _, b := range p {
		w.add(b)
	}
	if _, err := w.to.Write(w.buf); err != nil {
		return 0, err
	}
	return len(p), nil
}

// plain reports whether p can be written as it is. A single byte from 0x80 up is not a control character: C1 characters
// have two.
func plain(p []byte) bool {
	for _, b := range p {
		if control(b) || b == 0xc2 {
			return false
		}
	}
	return true
}

func control(b byte) bool { return b < ' ' && b != '\n' && b != '\t' || b == 0x7f }

func (w *inert) add(b byte) {
	tail := w.tail
	w.tail = 0
	switch {
	case tail == 0xc2 && b >= 0x80 && b <= 0x9f: // C1
		w.buf = fmt.Appendf(w.buf, `\x%02x`, b)
		return
	case tail == 0xc2:
		w.buf = append(w.buf, tail)
	case tail == '\r' && b != '\n':
		w.buf = append(w.buf, `\x0d`...)
	}
	switch {
	case b == 0xc2 || b == '\r':
		w.tail = b
	case control(b):
		w.buf = fmt.Appendf(w.buf, `\x%02x`, b)
	default:
		w.buf = append(w.buf, b)
	}
}
