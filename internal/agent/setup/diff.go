package setup

import (
	"strings"

	"tasker/internal/text/linediff"
)

// Line is a line of a difference: kept (' '), added ('+') or removed ('-').
type Line struct {
	Op   byte
	Text string
}

// around is how many kept lines are shown around a changed one.
const around = 2

// Diff returns the lines in which two texts differ, with a few lines around them. A run of kept lines that is left out
// becomes one line "…".
func Diff(before, after []byte) []Line {
	var all []Line
	linediff.Compare(lines(before), lines(after), func(op byte, line string) { all = append(all, Line{op, line}) })
	return linediff.Near(all, func(l Line) bool { return l.Op != ' ' }, around, Line{' ', "…"})
}

// lines returns the lines of a text; the last one says if it has no line break.
func lines(src []byte) []string {
	var out []string
	for line := range strings.Lines(string(src)) {
		text, whole := strings.CutSuffix(line, "\n")
		if !whole {
			text += " (no line break)"
		}
		out = append(out, strings.TrimSuffix(text, "\r"))
	}
	return out
}
