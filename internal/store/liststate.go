package store

import (
	"tasker/internal/task"
	"tasker/internal/task/query"
)

// statesOf returns the states that a query asks for where it asks for some and for nothing that has another way into the
// table, nil for any other query.
func statesOf(q query.List) []task.State {
	states := q.States()
	if len(states) == len(task.States) || q.HeldBy != "" || q.Key != "" || q.Parent != "" || q.DependsOn != "" || q.DependencyOf != "" ||
		q.Overdue || q.Priority != nil || q.Gate != "" {
		return nil
	}
	return states
}
