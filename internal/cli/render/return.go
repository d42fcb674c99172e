package render

import (
	"tasker/internal/fault"
	"tasker/internal/remedy"
	"tasker/internal/task"
)

// Returnable refuses to send a task back that nobody has handed over: a move to open would take it from whoever works on it.
func Returnable(t *task.Task) error {
	if t.Status == task.InReview {
		return nil
	}
	return fault.Decline("%s is %s, and only what is in review can be sent back", t.ID, t.Status).
		WithHint("to open it all the same: %s", remedy.Reopen(t.ID))
}
