package task

import (
	"math"
	"strconv"
	"strings"

	"tasker/internal/fault"
	"tasker/internal/words"
)

// units of a duration, from the longest: FormatDuration takes the first that divides. ms stands before m and s
// so that the longer suffix is tried first.
var units = []struct {
	suffix string
	ms     int64
}{{"d", 24 * 60 * 60 * 1000}, {"h", 60 * 60 * 1000}, {"ms", 1}, {"m", 60 * 1000}, {"s", 1000}}

// ParseDuration reads a whole number and a unit (ms, s, m, h or d), or 0, as milliseconds.
func ParseDuration(s string) (ms int64, err error) {
	if s == "0" {
		return 0, nil
	}
	for _, u := range units {
		digits, ok := strings.CutSuffix(s, u.suffix)
		if !ok {
			continue
		}
		n, ok := wholeNumber(digits)
		if !ok {
			break
		}
		if n < 0 || n > math.MaxInt64/u.ms {
			return 0, fault.Bad("%s is too long a duration", words.Quoted(s)).WithHint("%s", durationRule)
		}
		return n * u.ms, nil
	}
	return 0, fault.Bad("%s is not a duration", words.Quoted(s)).WithHint("%s", durationRule)
}

const durationRule = "a whole number and a unit (ms, s, m, h or d), such as 30m, 2h or 1d; or 0 for none"

// wholeNumber reads digits alone; what is past the range of int64 is -1.
func wholeNumber(digits string) (int64, bool) {
	if digits == "" {
		return 0, false
	}
	for i := range len(digits) {
		if !isDigit(digits[i]) {
			return 0, false
		}
	}
	n, err := strconv.ParseInt(digits, 10, 64)
	if err != nil {
		return -1, true
	}
	return n, true
}

// FormatDuration writes milliseconds in the longest unit that holds them whole, so that ParseDuration reads them back.
func FormatDuration(ms int64) string {
	if ms == 0 {
		return "0"
	}
	best := units[2] // ms
	for _, u := range units {
		if ms%u.ms == 0 && u.ms > best.ms {
			best = u
		}
	}
	return strconv.FormatInt(ms/best.ms, 10) + best.suffix
}

// CheckLease refuses a lease that no claim can have.
func CheckLease(ms int64) error {
	if ms < 0 || ms > MaxLeaseMs {
		return fault.Bad("a lease of %d milliseconds is out of range", ms).
			WithHint("a whole number of milliseconds from 0 (no expiry) to %d (366 days)", int64(MaxLeaseMs))
	}
	return nil
}

// Lease is how long a new claim lasts: what was asked for, else what the project says, else two hours. Zero is no expiry.
func (p Policy) Lease(asked *int64) (int64, error) {
	ms := int64(DefaultLeaseMs)
	switch {
	case asked != nil:
		ms = *asked
	case p.LeaseMs != nil:
		ms = *p.LeaseMs
	}
	return ms, CheckLease(ms)
}
