package core

import (
	"tasker/internal/glob"
	"tasker/internal/task"
	"tasker/internal/task/query"
)

// Head returns up to n of the first tasks of a walk.
func Head(tx *ReadTx, q query.Frontier, n int) (out []*task.Task, err error) {
	q.Limit = n
	err = tx.Frontier.Walk(q, func(t *task.Task) bool {
		out = append(out, t)
		return len(out) < n
	})
	return out, err
}

// Selection returns the keys of selection under a policy.
func Selection(p task.Policy) []task.SelectKey {
	if len(p.Selection) == 0 {
		return task.DefaultSelection
	}
	return p.Selection
}

// MaxApart is how many tasks a selection looks at that avoids overlaps with held tasks.
const MaxApart = 1000

// Touching returns a bounded number of held tasks of a project that declare what they touch.
func Touching(tx *ReadTx, project string) ([]*task.Task, error) {
	return tx.Tasks.Touching(project, MaxApart)
}

// Overlapped returns the first held task whose touches overlap those of t, or nil.
func Overlapped(held []*task.Task, t *task.Task) *task.Task {
	for _, h := range held {
		if _, ok := glob.Overlap(t.Touches, h.Touches); ok && h.ID != t.ID {
			return h
		}
	}
	return nil
}
