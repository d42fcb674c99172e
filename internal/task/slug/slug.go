// Package slug defines which names a project can have. Slugs begin task ids, appear in addresses, and become parts of
// paths and branches, so the grammar is declared once, for documents, the configuration and the command line.
package slug

import (
	"errors"
	"strings"
	"unicode"
)

const (
	// Rule is the grammar in words.
	Rule = "a slug has 1 to 63 of A-Z, a-z, 0-9, dots, underscores and hyphens, begins with a letter or a digit, " +
		"ends with neither a dot nor a hyphen, and has no two dots in a row"
	// Pattern is the grammar without Max, as a regular expression that matches the whole text.
	Pattern = `[A-Za-z0-9](?:(?:\.?[A-Za-z0-9_-])*\.?[A-Za-z0-9_])?`
	// Max is the maximum number of characters in a slug.
	Max = 63
)

// Unknown is the cause of the error for a project that does not exist, so that callers can add advice.
type Unknown string

func (u Unknown) Error() string { return "unknown project " + string(u) }

// UnknownIn returns the project that err, which may be nil, reports as unknown, or "".
func UnknownIn(err error) string {
	var name Unknown
	if !errors.As(err, &name) {
		return ""
	}
	return string(name)
}

// Valid reports whether s can name a project.
func Valid(s string) bool {
	if s == "" || len(s) > Max || !alphanumeric(rune(s[0])) || strings.HasSuffix(s, "-") || strings.HasSuffix(s, ".") {
		return false
	}
	for _, r := range s {
		if !allowed(r) {
			return false
		}
	}
	return !strings.Contains(s, "..")
}

// Suggest returns a valid slug for any text: a valid one unchanged, any other in lower case, with hyphens for characters
// that a slug cannot have.
func Suggest(s string) string {
	if Valid(s) {
		return s
	}
	var b strings.Builder
	hyphen := false
	for _, r := range s {
		r = unicode.ToLower(r)
		switch {
		case b.Len() == 0 && !alphanumeric(r), r == '.' && strings.HasSuffix(b.String(), "."):
			continue
		case !allowed(r):
			hyphen = true
			continue
		case hyphen && !strings.HasSuffix(b.String(), "-") && r != '-':
			b.WriteByte('-')
		}
		hyphen = false
		b.WriteRune(r)
		if b.Len() >= Max {
			break
		}
	}
	out := b.String()
	if out = strings.TrimRight(out[:min(len(out), Max)], ".-"); out == "" {
		return "project"
	}
	return out
}

// Lower returns the form of a slug that stands in paths and branches, which not every system tells apart by case. Two
// slugs of the same form are not both allowed.
func Lower(s string) string { return strings.ToLower(s) }

func allowed(r rune) bool { return alphanumeric(r) || r == '.' || r == '_' || r == '-' }

func alphanumeric(r rune) bool {
	return 'a' <= r && r <= 'z' || 'A' <= r && r <= 'Z' || '0' <= r && r <= '9'
}
