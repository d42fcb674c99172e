package chart

import (
	"fmt"
	"strconv"
	"strings"
	"time"
)

// Word returns the display text of a status or a state.
func Word(status any) string {
	switch text := fmt.Sprint(status); text {
	case "held":
		return "in progress"
	case "unheld":
		return "held by nobody"
	case "asked":
		return "needs answer"
	default:
		return strings.ReplaceAll(text, "_", " ")
	}
}

// Relative returns how far away a moment is, in the largest unit that is precise enough.
func Relative(d time.Duration) string {
	ahead := d > 0
	if d < 0 {
		d = -d
	}
	var n int
	var unit string
	switch {
	case d < 10*time.Second:
		return "now"
	case d < time.Minute:
		n, unit = int(d/time.Second), "s"
	case d < time.Hour:
		n, unit = int(d/time.Minute), "min"
	case d < 48*time.Hour:
		n, unit = int(d/time.Hour), "h"
	default:
		n, unit = int(d/(24*time.Hour)), "d"
	}
	if ahead {
		return fmt.Sprintf("in %d %s", n, unit)
	}
	return fmt.Sprintf("%d %s ago", n, unit)
}

// Lasted returns how long something took, in the same units as Relative.
func Lasted(ms int64) string {
	d := time.Duration(ms) * time.Millisecond
	switch hours := int(d / time.Hour); {
	case d < time.Minute:
		return strconv.Itoa(int(d/time.Second)) + " s"
	case d < time.Hour:
		return strconv.Itoa(int(d/time.Minute)) + " min"
	case d < 48*time.Hour:
		return strconv.Itoa(hours) + " h " + strconv.Itoa(int(d/time.Minute)%60) + " min"
	default:
		return strconv.Itoa(hours/24) + " d"
	}
}
