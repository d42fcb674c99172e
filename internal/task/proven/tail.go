package proven

import (
	"strings"
	"unicode/utf8"

	"tasker/internal/task"
	"tasker/internal/text/safetext"
)

// What is kept of the output of a run.
const (
	TailLines = 20
	TailBytes = task.MaxOutput
)

// Tail returns the end of what a command printed, as it is kept with its evidence: the last lines, within a bound, without
// what a reader cannot see. Credentials are masked before, where they are known.
func Tail(text string) string {
	text = strings.TrimRight(safetext.Visible(text), "\n\t ")
	lines := strings.Split(text, "\n")
	lines = lines[max(0, len(lines)-TailLines):]
	size := 0
	for _, line := range lines {
		size += len(line) + 1
	}
	for size-1 > TailBytes && len(lines) > 1 { // whole lines, while there are several
		size -= len(lines[0]) + 1
		lines = lines[1:]
	}
	out := strings.Join(lines, "\n")
	if over := len(out) - TailBytes; over > 0 {
		out = out[over:]
		for len(out) > 0 && !utf8.RuneStart(out[0]) {
			out = out[1:]
		}
	}
	return out
}
