package rows

import (
	"strings"

	"tasker/internal/task"
)

// InState returns the condition on a row of the table task under which the task is in a state: what Task.State decides,
// in SQL. now is the parameter that holds the present moment, from which on a lapsed lease counts as swept.
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

// StateStored is the number of the state that a row of the table task says: that of Task.State but for a lease that has
// lapsed, whose task says held until it is swept. The index task_state has it for the tasks without a holder, so this is
// written as it is there.
const StateStored = `(CASE status WHEN 'open' THEN CASE WHEN open_deps>0 OR parts>0 THEN 1 WHEN questions>0 THEN 2 ELSE 0 END
  WHEN 'in_progress' THEN CASE WHEN holder IS NULL THEN 4 ELSE 3 END WHEN 'in_review' THEN 5 WHEN 'done' THEN 6 ELSE 7 END)`
