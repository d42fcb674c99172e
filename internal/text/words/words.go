// Package words is how messages are worded, in one place: suggestions for misspelt names, how given texts are quoted
// and shortened, how things are counted and listed, and how a span of time reads.
//
// Messages, errors and help of every package use it, so that the same thing reads the same on every face. It knows
// nothing about tasks, terminals or JSON: text in, text out.
package words

import (
	"regexp"
	"strconv"
	"strings"
	"sync"
	"unicode/utf8"
)

// Cut shortens a text to its first limit characters, followed by … if something is missing.
func Cut(s string, limit int) string {
	if len(s) <= limit || utf8.RuneCountInString(s) <= limit {
		return s
	}
	return string([]rune(s)[:limit]) + "…"
}

// Quoted returns a text from a user for a message: in quotes, with unprintable characters escaped, and cut if it is
// long.
func Quoted(s string) string {
	const limit = 60
	return strconv.Quote(Cut(s, limit))
}

// Shown returns a text that may contain any bytes, for a message without quotes around it: valid UTF-8, and cut if it
// is long.
func Shown(s string) string {
	const limit = 100 // bytes
	if len(s) > limit {
		s = s[:limit] + "…"
	}
	return strings.ToValidUTF8(s, "\ufffd")
}

// When returns a text if a condition holds, and "" otherwise.
func When(holds bool, text string) string { return Either(holds, text, "") }

// Either returns the first of two texts if a condition holds, and the other otherwise.
func Either(holds bool, text, other string) string {
	if holds {
		return text
	}
	return other
}

// Count returns a number with its noun: 1 task, 3 tasks.
func Count(n int, one, many string) string {
	if n == 1 {
		return "1 " + one
	}
	return strconv.Itoa(n) + " " + many
}

// Thousands returns the digits of a number with a comma before each three: 1,234,567. Any other text stays as it is.
func Thousands(digits string) string {
	if strings.Trim(digits, "0123456789") != "" || len(digits) < 4 {
		return digits
	}
	var b strings.Builder
	for i, r := range digits {
		if i > 0 && (len(digits)-i)%3 == 0 {
			b.WriteByte(',')
		}
		b.WriteRune(r)
	}
	return b.String()
}

// Pattern returns a regular expression that is compiled on first use, not at the start of every command.
func Pattern(text string) func() *regexp.Regexp {
	return sync.OnceValue(func() *regexp.Regexp { return regexp.MustCompile(text) })
}
