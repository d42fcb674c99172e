package store

import (
	"strconv"
	"strings"

	"tasker/internal/store/rows"
	"tasker/internal/store/tx"
	"tasker/internal/task"
	"tasker/internal/task/query"
)

// statesOf returns the states that a query asks for where it asks for some and for nothing that has another way into the
// table, nil for any other query.
func statesOf(q query.List) []task.State {
	states := q.States()
	if len(states) == len(task.States) || q.HeldBy != "" || q.Key != "" || q.Parent != "" || q.DependsOn != "" || q.DependencyOf != "" {
		return nil
	}
	return states
}

// inStates returns the statement that reads the tasks in some states past a number, by number. A walk along all tasks of the
// project would read as many as lie between two that are asked for; this one reads each state by its index, in order, and
// merges what it finds: n rows of each at most, and all that are held.
func inStates(p *tx.Project, states []task.State, now any, after int64, n int) (sql string, args []any) {
	args = []any{p.ID, p.Ref(after), now}
	limit := ""
	if n > 0 {
		limit = ` LIMIT ` + strconv.Itoa(n)
	}
	var each, open []string
	read := func(condition string) {
		each = append(each, `SELECT * FROM (SELECT `+rows.TaskColumns+` FROM task WHERE project=$1 AND `+condition+
			` AND id>$2 AND CAST($3 AS BIGINT)>0 ORDER BY id`+limit+`) s`+strconv.Itoa(len(each)))
	}
	for _, s := range states {
		switch s {
		case task.StateHeld:
			read(`holder IS NOT NULL AND NOT ` + rows.Lapsed(`$3`))
			continue
		case task.StateReady, task.StateWaiting, task.StateAsked:
			open = append(open, rows.InState(s, `$3`))
		case task.StateUnheld, task.StateInReview, task.StateDone, task.StateCancelled: // no lease moves them
		}
		read(`holder IS NULL AND ` + rows.StateStored + `=` + strconv.Itoa(int(s)))
	}
	if len(open) > 0 { // what is held by a lease that has lapsed
		read(rows.Lapsed(`$3`) + ` AND (` + strings.Join(open, ` OR `) + `)`)
	}
	if len(each) == 0 { // no task is in all that is asked for
		read(`1=0`)
	}
	return `SELECT ` + rows.TaskColumns + ` FROM (` + strings.Join(each, ` UNION ALL `) + `) u ORDER BY id` + limit, args
}
