package core

import (
	"strconv"
	"strings"
	"time"

	"tasker/internal/fault"
	"tasker/internal/task"
)

// sinceForms are the forms of a time in a parameter `since` besides RFC 3339: without a zone they are in UTC.
var sinceForms = []string{time.DateOnly, "2006-01-02T15:04:05", "2006-01-02T15:04", time.DateTime, "2006-01-02 15:04"}

// ParseSince reads the time in a parameter `since`: RFC 3339, a date (its first moment in UTC), a time without a zone
// (UTC), or the seconds or milliseconds since 1970. It returns no time before 1970, and never zero, which stands for none.
func ParseSince(s string) (task.Time, error) {
	at, ok := sinceEpoch(s)
	ok = ok || len(s) <= 40 && at.UnmarshalText([]byte(s)) == nil
	for _, form := range sinceForms {
		if ok {
			break
		}
		var err error
		at, err = time.Parse(form, s)
		ok = err == nil
	}
	if ok {
		return max(task.TimeOf(at), 1), nil
	}
	return 0, fault.Bad("since %q is not a time", s).WithMissing(fault.Parameter("since")).
		WithHint("an RFC 3339 time such as 2026-03-31T17:00:00Z, a date such as 2026-03-31, or the seconds since 1970")
}

// sinceEpoch reads the seconds since 1970, or the milliseconds: from 1973 on they have more digits than any second has
// before the year 5138. A program's clock often gives seconds with a fraction.
func sinceEpoch(s string) (time.Time, bool) {
	whole, part, split := strings.Cut(s, ".")
	if len(whole) > 14 || split && part == "" || strings.Trim(whole+part, "0123456789") != "" {
		return time.Time{}, false
	}
	n, err := strconv.ParseInt(whole, 10, 64)
	if err != nil {
		return time.Time{}, false
	}
	micros, _ := strconv.ParseInt((part + "000000")[:6], 10, 64) // digits
	if n < 1e11 {
		return time.Unix(n, micros*1000), true
	}
	return time.UnixMilli(n), true
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
