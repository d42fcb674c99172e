// Package words is how messages say things, in one place: which name was probably meant, how a text that somebody gave
// is quoted and shortened, how things are counted and listed, and how a span of time reads.
//
// Messages, errors and help of every package use it, so that the same thing reads the same on every face. It knows
// nothing of tasks, terminals or JSON: text in, text out.
package words

import (
	"strconv"
	"strings"
	"unicode/utf8"
)

// Cut shortens a text to its first limit characters, with … after them where something is missing.
func Cut(s string, limit int) string {
	if len(s) <= limit || utf8.RuneCountInString(s) <= limit {
		return s
	}
	return string([]rune(s)[:limit]) + "…"
}

// Quoted is a text that somebody gave, for a message: in quotes, with what cannot be printed escaped, and cut where it
// is long.
func Quoted(s string) string {
	const limit = 60
	return strconv.Quote(Cut(s, limit))
}

// Shown is a text that may hold any bytes, for a message that puts no quotes around it: valid UTF-8, and cut where it
// is long.
func Shown(s string) string {
	const limit = 100 // bytes
	if len(s) > limit {
		s = s[:limit] + "…"
	}
	return strings.ToValidUTF8(s, "\ufffd")
}

// When returns a text where a condition holds, and nothing elsewhere.
func When(holds bool, text string) string { return Either(holds, text, "") }

// Either returns the first of two texts where a condition holds, and the other elsewhere.
func Either(holds bool, text, other string) string {
	if holds {
		return text
	}
	return other
}

// Count is a number with its noun: 1 task, 3 tasks.
func Count(n int, one, many string) string {
	if n == 1 {
		return "1 " + one
	}
	return strconv.Itoa(n) + " " + many
}
