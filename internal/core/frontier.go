package core

import (
	"context"

	"tasker/internal/glob"
	"tasker/internal/store"
	"tasker/internal/task"
	"tasker/internal/task/query"
)

// Head returns up to n of the first tasks of a walk, as far as they fit on a page.
func Head(tx *store.Tx, q query.Frontier, n int) (out []*task.Task, err error) {
	q.Limit = n
	taken := query.Page{Records: n, Bytes: PageBytes}.Taken()
	err = tx.Walk(q, func(t *task.Task) bool {
		if taken.Add(query.TaskBytes(t)) {
			out = append(out, t)
			return !taken.Full()
		}
		return false
	})
	return out, err
}

// Selection returns the keys of selection under a policy.
func Selection(p task.Policy) []task.SelectKey {
	if p.Selection == nil {
		return task.DefaultSelection
	}
	return p.Selection
}

// MaxApart is how many tasks a selection that avoids overlaps with held tasks looks at.
const MaxApart = 1000

// How many steps comparing touches may take in one answer, and in a turn, which others wait for: see glob.Budget. They
// are fractions of a second; typical plans need a few thousand steps.
const (
	CompareSteps     = 1 << 22
	CompareTurnSteps = 1 << 20
)

// Touching is a set of held tasks with what they touch, to be compared with others.
type Touching struct {
	held   []*task.Task
	sets   []*glob.Set
	budget *glob.Budget
	more   bool // there are more held tasks, which were not looked at
}

// TouchingAny returns the held tasks of a project that declare what they touch.
func TouchingAny(tx *store.Tx, project string, budget *glob.Budget) (*Touching, error) {
	return touching(tx, project, []string{""}, "", budget)
}

// TouchingAs returns the held tasks that may touch the same paths as a task.
func TouchingAs(tx store.View, t *task.Task, budget *glob.Budget) (*Touching, error) {
	if len(t.Touches) == 0 {
		return &Touching{budget: budget}, nil
	}
	return touching(tx, t.Project, glob.Starts(t.Touches), t.ID, budget)
}

func touching(tx store.View, project string, starts []string, but task.ID, budget *glob.Budget) (*Touching, error) {
	held, more, err := tx.Touching(project, starts, but, MaxApart)
	if err != nil {
		return nil, err
	}
	out := &Touching{held: held, sets: make([]*glob.Set, len(held)), budget: budget, more: more}
	for i, h := range held {
		out.sets[i] = glob.New(h.Touches)
	}
	return out, nil
}

// Overlapped yields the held tasks whose touches overlap those of t, and why, until yield returns false. all is false
// if it could not compare every held task.
func (o *Touching) Overlapped(ctx context.Context, t *task.Task, yield func(h *task.Task, why string) bool) (all bool) {
	if len(t.Touches) == 0 {
		return true
	}
	set := glob.New(t.Touches)
	for i, h := range o.held {
		if h.ID == t.ID {
			continue
		}
		if why, ok := o.budget.Overlap(ctx, set, o.sets[i]); ok && !yield(h, why) {
			return true
		}
		if o.budget.Spent() {
			return false
		}
	}
	return !o.more
}

// First returns the first held task whose touches overlap those of t, and why, or nil. all is as for Overlapped.
func (o *Touching) First(ctx context.Context, t *task.Task) (h *task.Task, why string, all bool) {
	all = o.Overlapped(ctx, t, func(held *task.Task, because string) bool {
		h, why = held, because
		return false
	})
	return h, why, all
}
