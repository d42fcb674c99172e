package words

import (
	"strconv"
	"strings"
	"time"
)

// Span returns a duration in its largest unit, as a person would say it: 40s, 5m, 3h, 12d.
func Span(d time.Duration) string {
	const day = 24 * time.Hour
	switch {
	case d < time.Minute:
		return strconv.Itoa(int(d/time.Second)) + "s"
	case d < 6*time.Hour:
		minutes := int((d + time.Minute/2) / time.Minute)
		hours := minutes / 60
		switch {
		case hours == 0:
			return strconv.Itoa(minutes) + "m"
		case minutes%60 == 0:
			return strconv.Itoa(hours) + "h"
		}
		return strconv.Itoa(hours) + "h " + strconv.Itoa(minutes%60) + "m"
	case d < 2*day:
		return strconv.Itoa(int((d+time.Hour/2)/time.Hour)) + "h"
	default:
		return strconv.Itoa(int((d+day/2)/day)) + "d"
	}
}

// Ago says how long before now a moment was, or how long after.
func Ago(at, now time.Time) string {
	switch d := now.Sub(at); {
	case d < -time.Second:
		return "in " + Span(-d)
	case d < time.Second:
		return "just now"
	default:
		return Span(d) + " ago"
	}
}

// moment matches a time in our sentences, in UTC with milliseconds, together with the preceding word that a relative
// time replaces.
var moment = Pattern(`\b(?:(at|until) )?(\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d\.\d{3}Z)\b`)

// Relative returns a sentence with its exact times made relative to now: "held until T" becomes "held for 2h".
func Relative(text string, now time.Time) string {
	if !strings.Contains(text, "Z") { // most have no time in them
		return text
	}
	return moment().ReplaceAllStringFunc(text, func(found string) string {
		part := moment().FindStringSubmatch(found)
		at, err := time.Parse(time.RFC3339Nano, part[2])
		switch {
		case err != nil:
			return found
		case part[1] == "until" && at.After(now):
			return "for " + Span(at.Sub(now))
		case part[1] == "until":
			return "until " + Ago(at, now)
		}
		return Ago(at, now)
	})
}
