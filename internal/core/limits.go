package core

import (
	"time"

	"tasker/internal/fault"
	"tasker/internal/task"
)

// ParseSince reads the time in a parameter `since`.
func ParseSince(s string) (task.Time, error) {
	var at time.Time
	if len(s) > 40 || at.UnmarshalText([]byte(s)) != nil {
		return 0, fault.Bad("since %q is not a time", s).WithMissing(fault.Parameter("since")).WithHint("an RFC 3339 time such as 2026-03-31T17:00:00Z")
	}
	return task.TimeOf(at), nil
}

// LimitOr returns how many records an answer may have: fallback if the request sets no limit, and never more than 1000.
func LimitOr(asked *int, fallback int) (int, error) {
	const limit = WholeLimit
	if asked == nil {
		return fallback, nil
	}
	if *asked <= 0 {
		return 0, fault.Bad("limit is %d", *asked).WithMissing(fault.Parameter("limit")).
			WithHint("a whole number above 0, cut to %d if it is larger", limit)
	}
	return min(*asked, limit), nil
}

// How many records an answer has if the request does not say. WholeLimit is for the frontier, the board and the work, which
// are asked for as a whole: nobody expects the first page of a frontier.
const (
	DefaultLimit       = 50
	DefaultEventsLimit = 100
	WholeLimit         = 1000
)

// PageBytes is roughly how many bytes of records a page has: the first record beyond it ends the page, whatever the
// limit. Clients continue from the end of each page, and are done when there is no next one. StreamBytes is the same
// for a page of a stream, since there may be many streams at once. WholeBytes is the same for an answer that has no next page.
const (
	PageBytes   = 1 << 20
	StreamBytes = 64 << 10
	WholeBytes  = 4 << 20
)

// Whole returns the limit of a read that is asked for as a whole: what the request says, or else WholeLimit.
func Whole(asked *int) *int {
	if asked != nil {
		return asked
	}
	return new(WholeLimit)
}

// Limit is LimitOr with the default limit.
func Limit(asked *int) (int, error) { return LimitOr(asked, DefaultLimit) }
