package core

import (
	"context"

	"tasker/internal/glob"
	"tasker/internal/store"
	"tasker/internal/task"
	"tasker/internal/task/query"
)

// Scene is what a read of a project starts with: one snapshot, the project, the caller, and the policy. A read that
// accepts an earlier moment uses only View.
type Scene struct {
	Tx      *store.Tx  // nil in a scene of an earlier moment
	View    store.View // the same, or the project as it was
	Project *task.Project
	Actor   task.Actor
	Policy  task.Policy
	Limit   int // of records in a list
}

// ProjectKey identifies a project for a cache: one that is deleted and recreated counts its versions from one again, and
// after a restore of the database they repeat as well.
type ProjectKey struct {
	Slug       string
	Created    task.Time
	Generation int64 // of the database
}

// Key returns the key of the scene's project.
func (s Scene) Key() ProjectKey {
	return ProjectKey{s.Project.Slug, s.Project.CreatedAt, s.View.Generation()}
}

// Within runs a read of a project on one snapshot. limit is the request's limit.
func Within[T any](ctx context.Context, s *Env, slug string, limit *int, fn func(Scene) (T, error)) (out T, err error) {
	n, err := Limit(limit)
	if err != nil {
		return out, err
	}
	return Read(ctx, s, func(tx *store.Tx) (out T, err error) {
		p, err := tx.Project(slug)
		if err != nil {
			return out, err
		}
		a, pol, err := s.Rules(ctx, tx, p)
		if err != nil {
			return out, err
		}
		return fn(Scene{Tx: tx, View: tx, Project: p, Actor: a, Policy: pol, Limit: n})
	})
}

// Lane returns the first tasks of a lane in the caller's order; ready tasks have their bodies.
func (s Scene) Lane(lane query.Lane, limit int) ([]*task.Task, error) {
	if limit == 0 {
		return []*task.Task{}, nil
	}
	q := query.Frontier{Project: s.Project.Slug, Policy: s.Policy, Actor: s.Actor, Lane: lane, Limit: limit}
	if lane == query.LaneReady {
		q.Form = query.Ready
	}
	return first(s.View, q, WholeBytes)
}

// Filled is Lane with bodies and dependencies, as far as they fit into one answer.
func (s Scene) Filled(lane query.Lane, limit int) ([]*task.Task, error) {
	out, err := s.Lane(lane, limit)
	if err != nil {
		return nil, err
	}
	fit, err := s.View.FillWithin(WholeBytes, out...)
	return out[:fit], err
}

// Head returns up to n of the first tasks of a walk, as far as they fit on a page.
func Head(tx *store.Tx, q query.Frontier, n int) ([]*task.Task, error) {
	q.Limit = n
	return first(tx, q, PageBytes)
}

// first returns the first tasks of a walk, as far as they fit into its limit and that many bytes.
func first(view store.View, q query.Frontier, bytes int) ([]*task.Task, error) {
	out := make([]*task.Task, 0, min(q.Limit, 50))
	taken := query.Page{Records: q.Limit, Bytes: bytes}.Taken()
	err := view.Walk(q, func(t *task.Task) bool {
		if !taken.Add(query.TaskBytes(t)) {
			return false
		}
		out = append(out, t)
		return !taken.Full()
	})
	return out, err
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
