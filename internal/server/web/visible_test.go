package web

import (
	"bytes"
	"strings"
	"testing"

	"tasker/internal/task"
	"tasker/internal/views/picture"
	"tasker/internal/views/picture/chart"
)

// Control characters in a title reach no picture: they make SVG malformed, and a terminal obeys them.
func TestPicturesHoldNoControlCharacters(t *testing.T) {
	title := "a\x1b[31mred\x07\x00\u0085b\ufffe"
	if got := chart.Visible(title); strings.ContainsAny(got, "\x1b\x07\x00\u0085\ufffe") || !strings.Contains(got, "red") {
		t.Errorf("visible returns %q", got)
	}
	out := &picture.NetworkOut{Project: "demo", Nodes: []picture.NetworkNode{{Task: &task.Task{ID: "demo-1", Title: title}, State: "open"}}}
	for name, write := range map[string]func(*bytes.Buffer, *picture.NetworkOut){"dot": dot, "mermaid": mermaid} {
		var buf bytes.Buffer
		write(&buf, out)
		if strings.ContainsAny(buf.String(), "\x1b\x07\x00") {
			t.Errorf("%s holds %q", name, buf.String())
		}
	}
}
