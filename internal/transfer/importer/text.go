package importer

import (
	"strings"
	"time"

	"tasker/internal/task"
	"tasker/internal/text/words"
)

var (
	box    = words.Pattern(`^\s*(?:[-*+]|\d+[.)])\s+\[([ xX])\]\s*(.*)$`)
	bullet = words.Pattern(`^\s*(?:[-*+]|\d+[.)])\s+(.*)$`)
	fence  = words.Pattern("^\\s*(```+|~~~+)")
)

// checkbox parses a line of a checklist.
func checkbox(line string) (c Criterion, ok bool) {
	m := box().FindStringSubmatch(line)
	if m == nil || strings.TrimSpace(m[2]) == "" {
		return c, false
	}
	return Criterion{Text: strings.TrimSpace(m[2]), Checked: m[1] != " "}, true
}

// criteriaOf parses acceptance criteria: the entries of a list, or every line if the text has no
// list.
func criteriaOf(text string) []Criterion {
	var out []Criterion
	var more []string // lines of the last entry, which may be very many
	end := func() {
		if len(more) > 0 {
			out[len(out)-1].Text += " " + strings.Join(more, " ")
			more = nil
		}
	}
	listed := false
	for line := range strings.Lines(text) {
		line = strings.TrimRight(line, "\r\n")
		trimmed := strings.TrimSpace(line)
		c, entry := checkbox(line)
		if m := bullet().FindStringSubmatch(line); !entry && m != nil && strings.TrimSpace(m[1]) != "" {
			c, entry = Criterion{Text: strings.TrimSpace(m[1])}, true
		}
		switch {
		case entry:
			end()
			if !listed {
				out, listed = nil, true
			}
			out = append(out, c)
		case listed && trimmed != "" && line != trimmed && len(out) > 0: // continues the entry
			more = append(more, trimmed)
		case !listed && trimmed != "" && !strings.HasPrefix(trimmed, "#"):
			out = append(out, Criterion{Text: trimmed})
		}
	}
	end()
	return out
}

// checklist returns the boxes of a text, except in code blocks.
func checklist(text string) []Criterion {
	var out []Criterion
	var code fenced
	for line := range strings.Lines(text) {
		line = strings.TrimRight(line, "\r\n")
		if code.inside(line) {
			continue
		}
		if c, ok := checkbox(line); ok {
			out = append(out, c)
		}
	}
	return out
}

// fenced tracks code blocks.
type fenced struct{ mark string }

// inside reports whether a line belongs to a code block, including its fences.
func (f *fenced) inside(line string) bool {
	m := fence().FindStringSubmatch(line)
	switch {
	case m == nil:
		return f.mark != ""
	case f.mark == "":
		f.mark = m[1]
	case strings.HasPrefix(m[1], f.mark):
		f.mark = ""
	}
	return true
}

// layouts lists the formats in which tools write days and times.
var layouts = []string{
	time.RFC3339Nano, "2006-01-02T15:04:05.000-0700", "2006-01-02T15:04:05-0700", "20060102T150405Z", "2006-01-02 15:04:05", "2006-01-02 15:04",
	"2006/01/02 15:04:05", "2006-01-02T15:04:05", "2006-01-02T15:04",
}

var days = []string{time.DateOnly, "2006/01/02", "02/Jan/06", "2/Jan/06", "02.01.2006", "01/02/2006", "Jan 2, 2006", "02/Jan/06 3:04 PM", "2/Jan/06 3:04 PM"}

// moment returns a day or a time as plans write it. It returns any other text as it is, so that the
// fault shows it.
func moment(s string) string {
	s = strings.TrimSpace(s)
	if s == "" || strings.HasPrefix(s, "0001-01-01") {
		return ""
	}
	if _, err := task.ParseDue(s); err == nil {
		return s
	}
	for _, l := range days {
		if at, err := time.Parse(l, s); err == nil {
			return at.Format(time.DateOnly)
		}
	}
	for _, l := range layouts {
		if at, err := time.Parse(l, s); err == nil {
			return at.UTC().Format(time.RFC3339)
		}
	}
	return s
}
