package format

import (
	"strconv"
	"strings"
	"time"

	"tasker/internal/fault"
	"tasker/internal/text/words"
)

// MaxLease is the longest possible lease.
const MaxLease = 366 * 24 * time.Hour

// units, from the smallest up.
var units = [...]struct {
	name, long string
	size       time.Duration
}{
	{"ms", "milliseconds", time.Millisecond},
	{"s", "seconds", time.Second},
	{"m", "minutes", time.Minute},
	{"h", "hours", time.Hour},
	{"d", "days", 24 * time.Hour},
}

// ParseDuration reads a duration as configuration and command line write it: a whole number and a unit (ms, s, m, h,
// d), or 0. Anything ambiguous is refused: no sign, no fraction, no sum, no leading zero.
func ParseDuration(s string) (time.Duration, error) {
	d, why, suggest := ReadDuration(s)
	if why == "" {
		return d, nil
	}
	e := fault.Bad("%s; a duration is a whole number with ms, s, m, h or d, or 0", why)
	if suggest != "" {
		e.WithHint("did you mean %s?", suggest)
	}
	return 0, e
}

// ReadDuration is ParseDuration, but returns why a text is not a duration, and what it might have meant.
func ReadDuration(s string) (d time.Duration, why, suggest string) {
	if s == "0" {
		return 0, "", ""
	}
	digits := len(s) - len(strings.TrimLeft(s, "0123456789"))
	count, unit := s[:digits], s[digits:]
	for _, u := range units {
		if u.name != unit || count == "" {
			continue
		}
		if len(count) > 1 && count[0] == '0' {
			return 0, words.Quoted(s) + " starts with a zero", strings.TrimLeft(count[:len(count)-1], "0") + count[len(count)-1:] + unit
		}
		n, err := strconv.ParseInt(count, 10, 64)
		if err != nil || n > (1<<63-1)/int64(u.size) {
			return 0, words.Quoted(s) + " is too long to be counted", ""
		}
		return time.Duration(n) * u.size, "", ""
	}
	why, suggest = ambiguous(s, count, unit)
	return 0, why, suggest
}

// ambiguous returns why s is not a duration, and what it might have meant.
func ambiguous(s, count, unit string) (why, suggest string) {
	switch {
	case s == "":
		return "an empty string is not a duration", ""
	case unit == "" && strings.Trim(s, "0") == "":
		return words.Quoted(s) + " has too many zeros", "0"
	case unit == "":
		count = strings.TrimLeft(count, "0")
		unit = "m"
		if len(count) > 5 { // more than 69 days in minutes: they are milliseconds, as in leaseMs
			unit = "ms"
		}
		return words.Quoted(s) + " has no unit", count + unit
	}
	if count != "" {
		if u := meant(strings.ToLower(strings.TrimSpace(unit))); u != "" {
			return words.Quoted(s) + " is not written as a duration", count + u
		}
	}
	// If Go can read it (1.5h, 1h30m), it has one meaning after all: suggest it in the largest unit that divides it.
	if d, err := time.ParseDuration(s); err == nil && d > 0 {
		for i := len(units) - 1; i >= 0; i-- {
			if d%units[i].size == 0 {
				return words.Quoted(s) + " is not a whole number with one unit", strconv.FormatInt(int64(d/units[i].size), 10) + units[i].name
			}
		}
	}
	return words.Quoted(s) + " is not a duration", ""
}

// meant returns the unit for a word: "hours", "min". A unit's own name wins over words that start with it.
func meant(word string) string {
	for _, u := range units {
		if word == u.name {
			return u.name
		}
	}
	for _, u := range units {
		if stem := strings.TrimSuffix(word, "s"); stem != "" && strings.HasPrefix(u.long, stem) {
			return u.name
		}
	}
	return ""
}
