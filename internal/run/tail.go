package run

import "strings"

// Tail is a writer that stores the end of what is written to it.
type Tail struct {
	limit  int
	stored []byte
	cut    bool
}

// NewTail returns a Tail of at most limit bytes.
func NewTail(limit int) *Tail { return &Tail{limit: limit} }

// Write stores the end of p.
func (t *Tail) Write(p []byte) (int, error) {
	t.stored = append(t.stored, p...)
	if over := len(t.stored) - t.limit; over > 0 {
		t.cut = true
		t.stored = append(t.stored[:0], t.stored[over:]...)
	}
	return len(p), nil
}

// String returns what is stored as valid text, from the beginning of a line where something was cut off.
func (t *Tail) String() string {
	s := string(t.stored)
	if _, rest, ok := strings.Cut(s, "\n"); t.cut && ok {
		s = rest
	}
	return strings.ReplaceAll(strings.ToValidUTF8(s, "\ufffd"), "\x00", "\ufffd")
}
