package task

import (
	"strconv"
	"strings"
	"unicode"

	"tasker/internal/fault"
	"tasker/internal/words"
)

const (
	maxSlug   = 63
	maxNumber = 1 << 31 // of a task within its project
)

// CheckSlug refuses what cannot name a project, and suggests a slug that can.
func CheckSlug(s string) error {
	if validSlug(s) {
		return nil
	}
	if s == "" {
		return fault.Bad("the project's slug is empty").WithHint("%s", slugRule)
	}
	return fault.Bad("%s is not a project slug", words.Quoted(s)).WithHint("%s; for example %s", slugRule, SuggestSlug(s))
}

const slugRule = "a slug has 1 to 63 of a-z, 0-9 and hyphens, and neither starts nor ends with a hyphen"

func validSlug(s string) bool {
	if s == "" || len(s) > maxSlug || s[0] == '-' || s[len(s)-1] == '-' {
		return false
	}
	for i := range len(s) {
		if c := s[i]; c != '-' && !isDigit(c) && (c < 'a' || c > 'z') {
			return false
		}
	}
	return true
}

func isDigit(c byte) bool { return '0' <= c && c <= '9' }

// SuggestSlug returns a valid slug for any text: characters that a slug cannot have become hyphens.
func SuggestSlug(s string) string {
	var b strings.Builder
	hyphen := false
	for _, r := range s {
		r = unicode.ToLower(r)
		if r > unicode.MaxASCII || (r < 'a' || r > 'z') && (r < '0' || r > '9') {
			hyphen = b.Len() > 0
			continue
		}
		if hyphen {
			b.WriteByte('-')
			hyphen = false
		}
		b.WriteRune(r)
		if b.Len() >= maxSlug {
			break
		}
	}
	out := b.String()
	out = strings.TrimRight(out[:min(len(out), maxSlug)], "-")
	if out == "" {
		return "project"
	}
	return out
}

// MakeID returns the id of a project's n-th task.
func MakeID(slug string, n int64) ID {
	var b [84]byte // a slug has up to 63 characters
	return ID(strconv.AppendInt(append(append(b[:0], slug...), '-'), n, 10))
}

// ParseID splits an id. It is the exact inverse of MakeID: a task has one spelling, so leading zeros are refused.
func ParseID(s string) (slug string, n int64, ok bool) {
	at := strings.LastIndexByte(s, '-')
	if at < 0 {
		return "", 0, false
	}
	slug, digits := s[:at], s[at+1:]
	if digits == "" || digits[0] == '0' || len(digits) > 10 || !validSlug(slug) {
		return "", 0, false
	}
	for i := range len(digits) {
		if !isDigit(digits[i]) {
			return "", 0, false
		}
		n = n*10 + int64(digits[i]-'0')
	}
	if n > maxNumber {
		return "", 0, false
	}
	return slug, n, true
}

// number returns the number of the task within its project, or zero if the text is not an id.
func (id ID) number() int64 {
	_, n, _ := ParseID(string(id))
	return n
}

// CheckKey refuses a key that a project cannot have. A key that reads like an id of the project would name two tasks,
// so only the task with that id may have it.
func CheckKey(slug, key string, own ID) error {
	if err := checkLine("key", key, MaxKey); err != nil {
		return err
	}
	if s, _, ok := ParseID(key); ok && s == slug && ID(key) != own {
		return fault.Bad("key %s reads like the id of a task of %s", words.Quoted(key), slug).
			WithHint("choose a key that is not %s, a hyphen and a number", slug)
	}
	return nil
}
