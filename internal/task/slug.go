package task

import (
	"errors"
	"strings"
	"unicode"
)

// Slugs begin task ids, appear in addresses, and become parts of paths and branches, so their grammar is declared once,
// for documents, the configuration and the command line.
const (
	// SlugRule is the grammar in words.
	SlugRule = "a slug has 1 to 63 of A-Z, a-z, 0-9, dots, underscores and hyphens, begins with a letter or a digit, " +
		"ends with neither a dot nor a hyphen, and has no two dots in a row"
	// SlugPattern is the grammar without MaxSlug, as a regular expression that matches the whole text.
	SlugPattern = `[A-Za-z0-9](?:(?:\.?[A-Za-z0-9_-])*\.?[A-Za-z0-9_])?`
	// MaxSlug is the maximum number of characters in a slug.
	MaxSlug = 63
)

// UnknownProject is the cause of the error for a project that does not exist, so that callers can add advice.
type UnknownProject string

func (u UnknownProject) Error() string { return "unknown project " + string(u) }

// UnknownProjectIn returns the project that err, which may be nil, reports as unknown, or "".
func UnknownProjectIn(err error) string {
	var name UnknownProject
	if !errors.As(err, &name) {
		return ""
	}
	return string(name)
}

// ValidSlug reports whether s can name a project.
func ValidSlug(s string) bool {
	if s == "" || len(s) > MaxSlug || !alphanumeric(rune(s[0])) || strings.HasSuffix(s, "-") || strings.HasSuffix(s, ".") {
		return false
	}
	for _, r := range s {
		if !inSlug(r) {
			return false
		}
	}
	return !strings.Contains(s, "..")
}

// SuggestSlug returns a valid slug for any text: a valid one unchanged, any other in lower case, with hyphens for characters
// that a slug cannot have.
func SuggestSlug(s string) string {
	if ValidSlug(s) {
		return s
	}
	var b strings.Builder
	hyphen := false
	for _, r := range s {
		r = unicode.ToLower(r)
		switch {
		case b.Len() == 0 && !alphanumeric(r), r == '.' && strings.HasSuffix(b.String(), "."):
			continue
		case !inSlug(r):
			hyphen = true
			continue
		case hyphen && !strings.HasSuffix(b.String(), "-") && r != '-':
			b.WriteByte('-')
		}
		hyphen = false
		b.WriteRune(r)
		if b.Len() >= MaxSlug {
			break
		}
	}
	out := b.String()
	if out = strings.TrimRight(out[:min(len(out), MaxSlug)], ".-"); out == "" {
		return "project"
	}
	return out
}

// LowerSlug returns the form of a slug that stands in paths and branches, which not every system tells apart by case. Two
// slugs of the same form are not both allowed.
func LowerSlug(s string) string { return strings.ToLower(s) }

func inSlug(r rune) bool { return alphanumeric(r) || r == '.' || r == '_' || r == '-' }

func alphanumeric(r rune) bool {
	return 'a' <= r && r <= 'z' || 'A' <= r && r <= 'Z' || '0' <= r && r <= '9'
}
