package rows

import (
	"strconv"
	"strings"

	"tasker/internal/task"
)

// InStates returns the statement that reads a project's tasks in some states after a given key, by number. A walk along
// all tasks of the project would also read every task in between; this statement reads each state by its index, in
// order, and merges the results: at most n rows of each, and everything that is held.
func InStates(project int64, states []task.State, now any, after int64, n int) (sql string, args []any) {
	args = []any{project, after, now}
	limit := ""
	if n > 0 {
		limit = ` LIMIT ` + strconv.Itoa(n)
	}
	var each, open []string
	read := func(condition string) {
		each = append(each, `SELECT * FROM (SELECT `+TaskColumns+` FROM task WHERE project=$1 AND `+condition+
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
	return `SELECT ` + TaskColumns + ` FROM (` + strings.Join(each, ` UNION ALL `) + `) u ORDER BY id` + limit, args
}
