package frame

import "testing"

func TestColoursComeWithATerminalUnlessSomebodySaysOtherwise(t *testing.T) {
	for _, c := range []struct {
		color string
		tty   bool
		env   map[string]string
		want  bool
	}{
		{"auto", true, nil, true},
		{"auto", false, nil, false},
		{"auto", true, map[string]string{"NO_COLOR": "1"}, false},
		{"auto", true, map[string]string{"TERM": "dumb"}, false},
		{"always", false, map[string]string{"NO_COLOR": "1"}, true},
		{"never", true, nil, false},
	} {
		f := New(Process{Env: func(n string) (string, bool) { v, ok := c.env[n]; return v, ok }}, Wiring{})
		f.Flags.Color = c.color
		if got := f.colored(c.tty); got != c.want {
			t.Errorf("--color %s, terminal %v, %v: %v", c.color, c.tty, c.env, got)
		}
	}
}
