package term

import (
	"strings"
	"unicode"

	"golang.org/x/text/width"
)

func Pad(s string, n int) string { return s + strings.Repeat(" ", max(0, n-Columns(s))) }

// Columns counts the cells that a text takes on a terminal.
func Columns(s string) int {
	n := 0
	for _, r := range s {
		n += cells(r)
	}
	return n
}

func cells(r rune) int {
	switch {
	case r < 0x300:
		return 1
	case unicode.In(r, unicode.Mn, unicode.Me, unicode.Cf):
		return 0
	}
	switch width.LookupRune(r).Kind() {
	case width.EastAsianWide, width.EastAsianFullwidth:
		return 2
	}
	return 1
}

// Cut shortens a text to at most n cells, and ends it with … where something is missing.
func Cut(s string, n int) string {
	if n <= 0 || Columns(s) <= n {
		return s
	}
	used := 0
	for i, r := range s {
		if used+cells(r) > n-1 {
			return s[:i] + "…"
		}
		used += cells(r)
	}
	return s
}

// Wrap breaks a line at spaces so that each part takes at most n cells where a word allows it; n < 20 does not wrap.
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
