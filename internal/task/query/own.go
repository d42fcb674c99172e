package query

import (
	"slices"
	"strings"

	"tasker/internal/task"
)

// Own returns a function that reports whether a task, as it counts at a moment, meets the query's conditions on its own
// fields. Conditions on other tasks (Under, DependsOn, DependencyOf) and on marks are the caller's.
func (q List) Own(now task.Time) func(*task.Task) bool {
	states, text := q.States(), strings.ToLower(q.Text)
	has := func(in string) bool { return strings.Contains(strings.ToLower(in), text) }
	return func(t *task.Task) bool {
		end, due := t.Deadline()
		switch {
		case !slices.Contains(states, t.State()), q.Key != "" && t.Key != q.Key, q.Gate != "" && string(t.Gate) != q.Gate,
			q.Priority != nil && t.Priority != *q.Priority, q.Parent != "" && task.ID(t.Parent) != q.Parent,
			q.Overdue && (!due || end >= now),
			q.HeldBy != "" && (t.Claim == nil || t.Claim.Actor != q.HeldBy && !strings.HasPrefix(t.Claim.Actor, q.HeldBy+"/")),
			q.Text != "" && !has(t.Title) && !has(t.Key) && !has(string(t.ID)):
			return false
		}
		return true
	}
}
