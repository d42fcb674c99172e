package cli

import (
	"fmt"
	"strings"
	"time"

	"tasker/internal/task"
)

// statusSpan is a status as a glyph and its word: never colour alone.
func statusSpan(s task.Status) span {
	switch s {
	case task.Open:
		return span{"○ open", plain}
	case task.InProgress:
		return span{"◐ in progress", blue}
	case task.InReview:
		return span{"◑ in review", yellow}
	case task.Done:
		return span{"● done", green}
	case task.Cancelled:
		return span{"✕ cancelled", faint}
	}
	return span{"? " + string(s), plain}
}

// ago says how long before now a moment was, or how long after.
func ago(at task.Time, now time.Time) string {
	switch d := now.Sub(at.Go()); {
	case at == 0:
		return "never"
	case d < -time.Second:
		return "in " + span1(-d)
	case d < time.Second:
		return "just now"
	default:
		return span1(d) + " ago"
	}
}

// span1 gives a duration in its largest unit, as a person would say it.
func span1(d time.Duration) string {
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

// until says how long a claim holds.
func until(at task.Time, now time.Time) string {
	if at == 0 {
		return "until released"
	}
	left := at.Go().Sub(now)
	if left <= 0 {
		return "lapsed"
	}
	return "for " + span1(left)
}

// count is "1 task", "3 tasks".
func count(n int, one, many string) string {
	if n == 1 {
		return "1 " + one
	}
	return fmt.Sprintf("%d %s", n, many)
}

// list joins words with commas.
func list[T ~string](all []T) string {
	words := make([]string, len(all))
	for i, a := range all {
		words[i] = string(a)
	}
	return strings.Join(words, ", ")
}
