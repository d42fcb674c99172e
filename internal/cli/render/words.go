package render

import (
	"fmt"
	"time"

	"tasker/internal/cli/term"
	"tasker/internal/task"
)

// Status is a status as a glyph and its word: never colour alone.
func Status(s task.Status) term.Span {
	switch s {
	case task.Open:
		return term.Plain.Of("○ open")
	case task.InProgress:
		return term.Blue.Of("◐ in progress")
	case task.InReview:
		return term.Yellow.Of("◑ in review")
	case task.Done:
		return term.Green.Of("● done")
	case task.Cancelled:
		return term.Faint.Of("✕ cancelled")
	}
	return term.Plain.Of("? " + string(s))
}

// Ago says how long before now a moment was, or how long after.
func Ago(at task.Time, now time.Time) string {
	switch d := now.Sub(at.Go()); {
	case at == 0:
		return "never"
	case d < -time.Second:
		return "in " + Duration(-d)
	case d < time.Second:
		return "just now"
	default:
		return Duration(d) + " ago"
	}
}

// Duration gives a duration in its largest unit, as a person would say it.
func Duration(d time.Duration) string {
	switch {
	case d < time.Minute:
		return fmt.Sprintf("%ds", int(d/time.Second))
	case d < 90*time.Minute:
		return fmt.Sprintf("%dm", int((d+30*time.Second)/time.Minute))
	case d < 48*time.Hour:
		return fmt.Sprintf("%dh", int((d+30*time.Minute)/time.Hour))
	default:
		return fmt.Sprintf("%dd", int((d+12*time.Hour)/(24*time.Hour)))
	}
}

// Until says how long a claim holds.
func Until(at task.Time, now time.Time) string {
	if at == 0 {
		return "until released"
	}
	left := at.Go().Sub(now)
	if left <= 0 {
		return "lapsed"
	}
	return "for " + Duration(left)
}
