// Package tail stores the end of what a command prints, for readers that cannot take all of it.
package tail

import "strings"

// Writer stores the end of what is written to it.
type Writer struct {
	limit  int
	stored []byte
	cut    bool
}

// New returns a Writer of at most limit bytes.
func New(limit int) *Writer { return &Writer{limit: limit} }

// Write stores the end of p.
func (t *Writer) Write(p []byte) (int, error) {
	t.stored = append(t.stored, p...)
	if over := len(t.stored) - t.limit; over > 0 {
		t.cut = true
		t.stored = append(t.stored[:0], t.stored[over:]...)
	}
	return len(p), nil
}

// Last returns a Writer with the end of what is stored, at most limit bytes.
func (t *Writer) Last(limit int) *Writer {
	over := max(0, len(t.stored)-limit)
	return &Writer{limit: limit, stored: t.stored[over:], cut: t.cut || over > 0}
}

// Limit returns how many bytes are stored at most.
func (t *Writer) Limit() int { return t.limit }

// Cut reports whether something was cut off.
func (t *Writer) Cut() bool { return t.cut }

// String returns what is stored as valid text, from the beginning of a line where something was cut off.
func (t *Writer) String() string {
	s := string(t.stored)
	if _, rest, ok := strings.Cut(s, "\n"); t.cut && ok {
		s = rest
	}
	return strings.ReplaceAll(strings.ToValidUTF8(s, "\ufffd"), "\x00", "\ufffd")
}
