package task

import (
	"strings"
	"time"

	"tasker/internal/fault"
	"tasker/internal/text/words"
)

// ParseDue reads a due date: a day, which means its last microsecond in UTC, or a full RFC 3339 time.
func ParseDue(s string) (Time, error) {
	if len(s) == len(time.DateOnly) {
		if day, err := time.Parse(time.DateOnly, s); err == nil {
			return TimeOf(day.AddDate(0, 0, 1)) - 1, nil
		}
	}
	if strictTime(s) {
		if at, err := time.Parse(time.RFC3339, s); err == nil {
			return TimeOf(at), nil
		}
	}
	return 0, fault.Bad("due %s is not a date", words.Quoted(s)).WithHint("a day such as 2026-03-31, or a time such as 2026-03-31T17:00:00Z")
}

// strictTime refuses three things that time.Parse accepts and RFC 3339 does not: an hour of one digit, a comma before
// the fraction, and an offset of a day or more. The limit of 40 bytes leaves room for nanoseconds and an offset.
func strictTime(s string) bool {
	if len(s) < len("2006-01-02T15:04:05Z") || len(s) > 40 || s[13] != ':' || strings.Contains(s, ",") {
		return false
	}
	offset := s[len(s)-len("00:00"):]
	return strings.HasSuffix(s, "Z") || offset[:2] < "24" && offset[3:] < "60"
}

// DueAt returns the moment of the task's due date, if it has one.
func (t *Task) DueAt() (Time, bool) {
	if t.Due == "" {
		return 0, false
	}
	at, err := ParseDue(string(t.Due))
	return at, err == nil
}
