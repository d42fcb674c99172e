package task

import (
	"strconv"
	"strings"

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

func isDigit(c byte) bool { return '0' <= c && c <= '9' }

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
	if digits == "" || digits[0] == '0' || len(digits) > 10 || !ValidSlug(project) {
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
