package rows

import (
	"strings"

	"tasker/internal/task"
)

// InState returns the SQL condition on a row of the table task for what Task.State decides: that the task is in a
// state. now is the parameter with the present moment; a lease that has run out by then counts as swept.
func InState(s task.State, now string) string {
	lapsed := Lapsed(now)
	const waits, asked = `(open_deps>0 OR parts>0)`, `questions>0`
	open := `(status='open' OR ` + lapsed + `)`
	var parts []string
	switch s {
	case task.StateReady:
		parts = []string{open, `open_deps=0`, `parts=0`, `questions=0`}
	case task.StateWaiting:
		parts = []string{open, waits}
	case task.StateAsked:
		parts = []string{open, `open_deps=0`, `parts=0`, asked}
	case task.StateHeld:
		parts = []string{`holder IS NOT NULL`, `NOT ` + lapsed}
	case task.StateUnheld:
		parts = []string{`status='in_progress'`, `holder IS NULL`}
	default:
		parts = []string{`status='` + task.States[s] + `'`}
	}
	return `(` + strings.Join(parts, ` AND `) + `)`
}

// Lapsed returns the condition under which a task is held by a lease that has run out and is not swept yet.
func Lapsed(now string) string {
	return `(holder IS NOT NULL AND expires_at>0 AND expires_at<=` + now + `)`
}

// StateStored is the number of the state stored in a row of the table task: that of Task.State, except that a task with
// a lapsed lease is still held until it is swept. The index task_state covers it for tasks without a holder, so the
// expression must stay the same as there.
const StateStored = `(CASE status WHEN 'open' THEN CASE WHEN open_deps>0 OR parts>0 THEN 1 WHEN questions>0 THEN 2 ELSE 0 END
  WHEN 'in_progress' THEN CASE WHEN holder IS NULL THEN 4 ELSE 3 END WHEN 'in_review' THEN 5 WHEN 'done' THEN 6 ELSE 7 END)`
