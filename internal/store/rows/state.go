package rows

import (
	"strconv"
	"strings"

	"tasker/internal/task"
)

// InState returns the SQL condition on a row of the table task for what Task.State decides: that the task is in a
// state. now is the parameter with the present moment; a lease that has run out by then counts as swept.
func InState(s task.State, now string) string {
	over := Lapsed(now)
	const waits, asked = `(open_deps>0 OR parts>0)`, `questions>0`
	open := `(status='open' OR ` + over + `)`
	var parts []string
	switch s {
	case task.StateReady:
		parts = []string{open, `open_deps=0`, `parts=0`, `questions=0`}
	case task.StateWaiting:
		parts = []string{open, waits}
	case task.StateAsked:
		parts = []string{open, `open_deps=0`, `parts=0`, asked}
	case task.StateHeld:
		parts = []string{`holder IS NOT NULL`, `NOT ` + over}
	case task.StateUnheld:
		parts = []string{`status='in_progress'`, `holder IS NULL`}
	default:
		parts = []string{`status='` + task.States[s] + `'`}
	}
	return `(` + strings.Join(parts, ` AND `) + `)`
}

// Lapsed returns the condition under which a task is held by a lease that has run out and is not swept yet.
func Lapsed(now string) string { return lapsed(``, now) }

// lapsed is Lapsed for a table with an alias: of is the alias with a dot, or empty.
func lapsed(of, now string) string {
	return `(` + of + `holder IS NOT NULL AND ` + of + `expires_at>0 AND ` + of + `expires_at<=` + now + `)`
}

// Changed returns the SQL for when a task changed last. A lapsed lease counts as its newest change, as the sweep will
// write it. of is the alias of the table with a dot, or empty.
func Changed(of, now string) string {
	return `CASE WHEN ` + lapsed(of, now) + ` THEN ` + of + `expires_at ELSE ` + of + `updated_at END`
}

// StateStored is the number of the state stored in a row of the table task: that of Task.State, except that a task with
// a lapsed lease is still held until it is swept. The index task_state covers it for tasks without a holder, so the
// expression must stay the same as there.
const StateStored = `(CASE status WHEN 'open' THEN CASE WHEN open_deps>0 OR parts>0 THEN 1 WHEN questions>0 THEN 2 ELSE 0 END
  WHEN 'in_progress' THEN CASE WHEN holder IS NULL THEN 4 ELSE 3 END WHEN 'in_review' THEN 5 WHEN 'done' THEN 6 ELSE 7 END)`

// InStates returns the statement that reads columns of a project's tasks in some states after a given key, by number. A walk along
// all tasks of the project would also read every task in between; this statement reads each state by its index, in
// order, and merges the results: at most n rows of each, and everything that is held.
func InStates(columns string, project int64, states []task.State, now any, after int64, n int) (sql string, args []any) {
	args = []any{project, after, now}
	limit := ""
	if n > 0 {
		limit = ` LIMIT ` + strconv.Itoa(n)
	}
	var each, open []string
	read := func(condition string) {
		each = append(each, `SELECT * FROM (SELECT `+columns+` FROM task WHERE project=$1 AND `+condition+
			` AND id>$2 AND CAST($3 AS BIGINT)>0 ORDER BY id`+limit+`) s`+strconv.Itoa(len(each)))
	}
	for _, s := range states {
		switch s {
		case task.StateHeld:
			read(`holder IS NOT NULL AND NOT ` + Lapsed(`$3`))
			continue
		case task.StateReady, task.StateWaiting, task.StateAsked:
			open = append(open, InState(s, `$3`))
		case task.StateUnheld, task.StateInReview, task.StateDone, task.StateCancelled: // a lease does not affect these
		}
		read(`holder IS NULL AND ` + StateStored + `=` + strconv.Itoa(int(s)))
	}
	if len(open) > 0 { // held by a lapsed lease
		read(Lapsed(`$3`) + ` AND (` + strings.Join(open, ` OR `) + `)`)
	}
	if len(each) == 0 { // no task can match
		read(`1=0`)
	}
	return `SELECT ` + columns + ` FROM (` + strings.Join(each, ` UNION ALL `) + `) u ORDER BY id` + limit, args
}
