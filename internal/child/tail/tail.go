// Package tail keeps the end or the beginning of what a command prints, for readers that cannot take all of it.
package tail

import (
	"bytes"
	"strings"
)

// Writer keeps the end of what is written to it.
type Writer struct {
	limit  int
	stored []byte
	cut    bool
}

// New returns a Writer that keeps at most limit bytes.
func New(limit int) *Writer { return &Writer{limit: limit} }

// Write keeps the end of p.
func (t *Writer) Write(p []byte) (int, error) {
	t.stored = append(t.stored, p...)
	if over := len(t.stored) - t.limit; over > 0 {
		t.cut = true
		t.stored = append(t.stored[:0], t.stored[over:]...)
	}
	return len(p), nil
}

// String returns the kept bytes as valid text. If anything was cut off, it starts at the beginning of a line.
func (t *Writer) String() string {
	s := string(t.stored)
	if _, rest, ok := strings.Cut(s, "\n"); t.cut && ok {
		s = rest
	}
	return strings.ReplaceAll(strings.ToValidUTF8(s, "\ufffd"), "\x00", "\ufffd")
}

// Start keeps the beginning of what is written to it, up to a limit.
type Start struct {
	text  bytes.Buffer // not embedded: its ReadFrom has no limit
	limit int
	full  func()
	cut   bool
}

// NewStart returns a Start that keeps at most limit bytes. It calls full when something does not fit.
func NewStart(limit int, full func()) *Start { return &Start{limit: limit, full: full} }

// Write keeps what fits of p.
func (s *Start) Write(p []byte) (int, error) {
	n := min(len(p), s.limit-s.text.Len())
	s.text.Write(p[:n])
	if n < len(p) {
		s.cut = true
		s.full()
	}
	return len(p), nil
}

// Cut reports whether anything was cut off.
func (s *Start) Cut() bool { return s.cut }

// String returns the kept bytes.
func (s *Start) String() string { return s.text.String() }
