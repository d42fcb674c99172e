package task

import (
	"slices"

	"tasker/internal/fault"
	"tasker/internal/text/words"
)

// Mark names tasks that somebody should look at. Marks cut across states: a held task can need an answer.
type Mark string

// The marks.
const (
	MarkNeedsAnswer Mark = "needs_answer" // see Task.NeedsAnswer
	MarkStuck       Mark = "stuck"        // see Task.Trouble
)

// Marks are the names of the marks.
var Marks = []string{string(MarkNeedsAnswer), string(MarkStuck)}

// ParseMark refuses a text that is not the name of a mark.
func ParseMark(s string) (Mark, error) {
	if slices.Contains(Marks, s) {
		return Mark(s), nil
	}
	return "", fault.Bad("%s is not a mark", words.Quoted(s)).WithHint("one of %s", words.List(Marks))
}

// Trouble is why a task is stuck.
type Trouble string

// The troubles, worst first.
const (
	TroubleAnswer  Trouble = "needs_answer"
	TroubleLapsed  Trouble = "lapsed"
	TroubleStalled Trouble = "stalled"
	TroubleFailing Trouble = "failing"
	TroubleUnheld  Trouble = "unheld"
)

// Troubles are all of them, worst first.
var Troubles = []Trouble{TroubleAnswer, TroubleLapsed, TroubleStalled, TroubleFailing, TroubleUnheld}

// NeedsAnswer reports whether the task is not closed and has an open blocking question, held or not.
func (t *Task) NeedsAnswer() bool { return t.Questions > 0 && !t.Status.Closed() }

// Trouble returns why the task is stuck at a moment, the worst reason first, or "" if it is not. seen is the newest
// event that its reader says it was shown or has acknowledged about the lapse of this task: an older lapse no longer
// counts. A lapsed lease must have been read as swept: see At.
func (t *Task) Trouble(now Time, seen int64) Trouble {
	switch {
	case t.NeedsAnswer():
		return TroubleAnswer
	case t.Lapse == ThisEvent || t.Lapse > seen:
		return TroubleLapsed
	case t.Claim != nil && t.Claim.Stalled(now):
		return TroubleStalled
	case t.Failing != 0:
		return TroubleFailing
	case t.State() == StateUnheld:
		return TroubleUnheld
	}
	return ""
}

// Stalled reports whether half of the lease has passed without a write by the holder, which would have extended it.
func (c *Claim) Stalled(now Time) bool { return c.LeaseMs > 0 && now >= c.ExpiresAt.Add(-c.LeaseMs/2) }
