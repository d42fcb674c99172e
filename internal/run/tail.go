package run

import "strings"

// Tail keeps the end of what is written to it.
type Tail struct {
	most int
	kept []byte
	cut  bool
}

// NewTail keeps at most so many bytes.
func NewTail(most int) *Tail { return &Tail{most: most} }

// Write keeps the end of p.
func (t *Tail) Write(p []byte) (int, error) {
	t.kept = append(t.kept, p...)
	if over := len(t.kept) - t.most; over > 0 {
		t.cut = true
		t.kept = append(t.kept[:0], t.kept[over:]...)
	}
	return len(p), nil
}

// String is what is kept, from the beginning of a line where some was cut, as valid text.
func (t *Tail) String() string {
	s := string(t.kept)
	if _, rest, ok := strings.Cut(s, "\n"); t.cut && ok {
		s = rest
	}
	return strings.ReplaceAll(strings.ToValidUTF8(s, "\ufffd"), "\x00", "\ufffd")
}
