package task

import (
	"cmp"
	"errors"
	"strconv"
	"strings"
	"unicode"

	"tasker/internal/fault"
	"tasker/internal/text/words"
)

const maxNumber = 1 << 31 // of a task within its project

// CheckSlug refuses a text that cannot name a project, and suggests a slug that can.
func CheckSlug(s string) error {
	if ValidSlug(s) {
		return nil
	}
	if s == "" {
		return fault.Bad("the project's slug is empty").WithHint("%s", SlugRule)
	}
	return fault.Bad("%s is not a project slug", words.Quoted(s)).WithHint("%s; for example %s", SlugRule, SuggestSlug(s))
}

// MakeID returns the id of a project's n-th task.
func MakeID(project string, n int64) ID {
	var b [84]byte // a slug has up to 63 characters
	return ID(strconv.AppendInt(append(append(b[:0], project...), '-'), n, 10))
}

// ParseID splits an id into the project's slug, which may contain hyphens and dots, and the number after the last
// hyphen. It is the exact inverse of MakeID: a task has one spelling, so leading zeros are refused.
func ParseID(s string) (project string, n int64, ok bool) {
	at := strings.LastIndexByte(s, '-')
	if at < 0 {
		return "", 0, false
	}
	project, digits := s[:at], s[at+1:]
	n, err := strconv.ParseInt(digits, 10, 64)
	if err != nil || digits[0] < '1' || digits[0] > '9' || n > maxNumber || !ValidSlug(project) {
		return "", 0, false
	}
	return project, n, true
}

// number returns the number of the task within its project, or zero if the text is not an id.
func (id ID) number() int64 {
	_, n, _ := ParseID(string(id))
	return n
}

// project returns the slug of the task's project, or nothing if the text is not an id.
func (id ID) project() string {
	slug, _, _ := ParseID(string(id))
	return slug
}

// ReadsLikeID reports whether a key reads like the id of a task of the project other than own, and so could name two
// tasks.
func ReadsLikeID(project, key string, own ID) bool {
	slug, _, ok := ParseID(key)
	return ok && slug == project && ID(key) != own
}

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
	return !strings.Contains(s, "..") && !strings.ContainsFunc(s, func(r rune) bool { return !inSlug(r) })
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

// CompareIDs orders ids by project, then by number.
func CompareIDs(a, b ID) int {
	pa, na, _ := ParseID(string(a))
	pb, nb, _ := ParseID(string(b))
	return cmp.Or(strings.Compare(pa, pb), cmp.Compare(na, nb))
}

// IDsOf returns the ids of tasks, in their order.
func IDsOf(tasks []*Task) []ID {
	out := make([]ID, len(tasks))
	for i, t := range tasks {
		out[i] = t.ID
	}
	return out
}

// SlugsOf returns the slugs of projects, in their order.
func SlugsOf(projects []*Project) []string {
	return words.Each(projects, func(p *Project) string { return p.Slug })
}

// ByID returns tasks by their ids.
func ByID(tasks []*Task) map[ID]*Task {
	out := make(map[ID]*Task, len(tasks))
	for _, t := range tasks {
		out[t.ID] = t
	}
	return out
}
