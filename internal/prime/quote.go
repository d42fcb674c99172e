package prime

import (
	"strconv"
	"strings"
	"unicode/utf8"

	"tasker/internal/safetext"
)

// quote is stored text as the manual holds it: between « and », on one line, without what no reader sees, cut where it
// is long. It cannot end its own quotation.
func quote(text string, most int) string {
	text = strings.Join(strings.Fields(safetext.Visible(text)), " ")
	text = strings.NewReplacer("«", "'", "»", "'", "`", "'").Replace(text)
	if utf8.RuneCountInString(text) > most {
		text = string([]rune(text)[:most]) + "…"
	}
	return "«" + text + "»"
}

// name is a name that somebody chose: as it is where it is a plain word, quoted otherwise.
func name(text string, most int) string {
	if text == "" || len(text) > most {
		return quote(text, most)
	}
	for _, r := range text {
		if !('a' <= r && r <= 'z' || 'A' <= r && r <= 'Z' || '0' <= r && r <= '9' || strings.ContainsRune("-_./@:*", r)) {
			return quote(text, most)
		}
	}
	return text
}

// names joins the first few names.
func names[T ~string](all []T, few, most int) string {
	var out []string
	for _, n := range all[:min(len(all), few)] {
		out = append(out, name(string(n), most))
	}
	if more := len(all) - few; more > 0 {
		out = append(out, strconv.Itoa(more)+" more")
	}
	return strings.Join(out, ", ")
}

// duration gives milliseconds as a person would say them.
func duration(ms int64) string {
	const minute, hour, day = 60_000, 60 * 60_000, 24 * 60 * 60_000
	rounded := func(unit int64) string { return strconv.FormatInt((ms+unit/2)/unit, 10) }
	switch {
	case ms < minute:
		return rounded(1000) + "s"
	case ms < 90*minute:
		return rounded(minute) + "m"
	case ms < 48*hour:
		return rounded(hour) + "h"
	default:
		return rounded(day) + "d"
	}
}
