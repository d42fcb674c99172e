package words

import (
	"strconv"
	"time"
)

// Span is a duration in its largest unit, as a person would say it: 40s, 5m, 3h, 12d.
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
