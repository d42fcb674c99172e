package rows

import (
	"strconv"
	"strings"

	"tasker/internal/task"
)

// InStates returns the statement that reads the tasks of a project in some states past one, given by its key, by number. A walk along all tasks of the
// project would read as many as lie between two that are asked for; this one reads each state by its index, in order, and
// merges what it finds: n rows of each at most, and all that are held.
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
		case task.StateUnheld, task.StateInReview, task.StateDone, task.StateCancelled: // no lease moves them
		}
		read(`holder IS NULL AND ` + StateStored + `=` + strconv.Itoa(int(s)))
	}
	if len(open) > 0 { // what is held by a lease that has lapsed
		read(Lapsed(`$3`) + ` AND (` + strings.Join(open, ` OR `) + `)`)
	}
	if len(each) == 0 { // no task is in all that is asked for
		read(`1=0`)
	}
	return `SELECT ` + TaskColumns + ` FROM (` + strings.Join(each, ` UNION ALL `) + `) u ORDER BY id` + limit, args
}
