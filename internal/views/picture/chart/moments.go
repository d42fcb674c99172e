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
	var far string
	switch abs := d.Abs(); {
	case abs < 10*time.Second:
		return "now"
	case abs < time.Hour || abs >= 48*time.Hour:
		far = Lasted(abs.Milliseconds())
	default: // without the minutes
		far = strconv.Itoa(int(abs/time.Hour)) + " h"
	}
	if d > 0 {
		return "in " + far
	}
	return far + " ago"
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
