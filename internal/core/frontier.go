package core

import (
	"tasker/internal/glob"
	"tasker/internal/task"
	"tasker/internal/task/query"
)

// Head returns the first tasks of a walk, at most n of them.
func Head(tx *ReadTx, q query.Frontier, n int) (out []*task.Task, err error) {
	q.Limit = n
	err = tx.Frontier.Frontier(q, func(t *task.Task) bool {
		out = append(out, t)
		return len(out) < n
	})
	return out, err
}

// Selection is the order that counts under a policy.
func Selection(p task.Policy) []task.SelectKey {
	if len(p.Selection) == 0 {
		return task.DefaultSelection
	}
	return p.Selection
}

// MaxApart is how many tasks a selection that keeps apart looks at.
const MaxApart = 1000

// Touching returns the held tasks of a project that declare what they touch, a bounded number of them.
func Touching(tx *ReadTx, project string) ([]*task.Task, error) {
	return tx.Tasks.Touching(project, MaxApart)
}

// Overlapped returns the first of the held tasks whose touches overlap those of t, nil where none does.
func Overlapped(held []*task.Task, t *task.Task) *task.Task {
	for _, h := range held {
		if _, ok := glob.Overlap(t.Touches, h.Touches); ok && h.ID != t.ID {
			return h
		}
	}
	return nil
}
