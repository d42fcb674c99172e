package task

import (
	"time"

	"tasker/internal/fault"
)

// ParseDue reads a due date: a day, which means its last microsecond in UTC, or a full RFC 3339 time.
func ParseDue(s string) (Time, error) {
	if len(s) == len(time.DateOnly) {
		if day, err := time.Parse(time.DateOnly, s); err == nil {
			return TimeOf(day.AddDate(0, 0, 1)) - 1, nil
		}
	}
	var at time.Time
	// UnmarshalText holds to RFC 3339 where time.Parse is lenient. The bound leaves room for nanoseconds and an offset.
	if len(s) > 40 || at.UnmarshalText([]byte(s)) != nil {
		return 0, fault.Bad("due %s is not a date", quoted(s)).
			WithHint("a day such as 2026-03-31, or a time such as 2026-03-31T17:00:00Z")
	}
	return TimeOf(at), nil
}
