package terminal_test

import (
	"strings"
	"testing"
)

// Colours are for terminals that have them, unless NO_COLOR says otherwise.
func TestNoColorIsHeardOnATerminal(t *testing.T) {
	t.Parallel()
	w := newWorld(t)
	for _, c := range []struct {
		name     string
		env      []string
		coloured bool
	}{
		{"a terminal", []string{"TERM=xterm-256color"}, true},
		{"NO_COLOR", []string{"TERM=xterm-256color", "NO_COLOR=1"}, false},
		{"an empty NO_COLOR", []string{"TERM=xterm-256color", "NO_COLOR="}, true},
		{"a dumb terminal", []string{"TERM=dumb"}, false},
	} {
		w.env = c.env
		s := w.open(80, 24, "list")
		s.shows("After shipping")
		s.ends()
		if coloured := strings.Contains(s.written(), "\x1b["); coloured != c.coloured {
			t.Errorf("%s: colours are %v, want %v: %q", c.name, coloured, c.coloured, s.written())
		}
	}
}

// written returns what was written to the terminal.
func (t *tty) written() string {
	t.mu.Lock()
	defer t.mu.Unlock()
	return t.raw.String()
}
