package render

import (
	"strings"

	"tasker/internal/cli/frame"
	"tasker/internal/cli/term"
	"tasker/internal/task"
	"tasker/internal/text/words"
)

// Status returns a status as a glyph and its word, so that colour alone never carries it.
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

// How a task stands, by a glyph and a word, so that colour alone never carries it.
var (
	Ready   = term.Green.Of("▷ ready")
	Waiting = term.Plain.Of("○ waiting")
	Asked   = term.Yellow.Of("? asked")
	Held    = term.Blue.Of("◐ held")
	Unheld  = term.Yellow.Of("◌ unheld")
)

// Mark returns how a task stands: ready, waiting, held and so on.
func Mark(state string) term.Span {
	switch state {
	case task.States[task.StateReady]:
		return Ready
	case task.States[task.StateWaiting]:
		return Waiting
	case task.States[task.StateAsked]:
		return Asked
	case task.States[task.StateHeld]:
		return Held
	case task.States[task.StateUnheld]:
		return Unheld
	}
	return Status(task.Status(state)) // closed and in review, which are named alike
}

// StatusWord returns a status as people write it.
func StatusWord(s task.Status) string { return strings.ReplaceAll(string(s), "_", " ") }

// Ago says how long before now a moment was, or how long after, unless exact times were asked for; a moment that never was is
// "never".
func Ago(f *frame.Factory, at task.Time) string {
	switch {
	case at == 0:
		return "never"
	case f.Flags.Exact:
		return Exact(at)
	}
	return words.Ago(at.Go(), f.Now())
}

// Exact returns a moment to the second, in UTC.
func Exact(at task.Time) string { return at.Go().Format("2006-01-02 15:04:05Z") }

// Until says how long a claim holds, or until when.
func Until(f *frame.Factory, at task.Time) string {
	if at == 0 {
		return "until released"
	}
	left := at.Go().Sub(f.Now())
	switch {
	case left <= 0:
		return "lapsed"
	case f.Flags.Exact:
		return "until " + Exact(at)
	}
	return "for " + words.Span(left)
}
