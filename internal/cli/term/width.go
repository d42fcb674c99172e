package term

import (
	"strings"

	"github.com/clipperhouse/displaywidth"
)

// Columns returns how many cells a text takes on a terminal. A character made of several code points, such as a family
// emoji, counts as one.
func Columns(s string) int { return displaywidth.String(s) }

// Cut shortens a text to at most n cells (0 for no bound), and marks the cut with ….
func Cut(s string, n int) string {
	if n <= 0 {
		return s
	}
	return displaywidth.TruncateString(s, n, "…")
}

// Pad fills a text up to n cells with spaces.
func Pad(s string, n int) string { return s + strings.Repeat(" ", max(0, n-Columns(s))) }

// Wrap breaks a line at spaces so that each part takes at most n cells if its words allow; n < 20 does not wrap.
func Wrap(line string, n int) []string {
	if n < 20 || Columns(line) <= n {
		return []string{line}
	}
	lead := line[:len(line)-len(strings.TrimLeft(line, " "))]
	var out []string
	now, used := lead, len(lead)
	for word := range strings.FieldsSeq(line) {
		w := Columns(word)
		if used > len(lead) && used+1+w > n {
			out = append(out, now)
			now, used = lead, len(lead)
		}
		if used > len(lead) {
			now, used = now+" ", used+1
		}
		now, used = now+word, used+w
	}
	return append(out, now)
}
