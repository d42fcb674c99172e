package core

import (
	"context"

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

// Within runs a read of a project on one snapshot. limit is the request's limit.
func Within[T any](ctx context.Context, s *Env, slug string, limit *int, fn func(Scene) (T, error)) (T, error) {
	n, err := Limit(limit)
	if err != nil {
		var zero T
		return zero, err
	}
	return Read(ctx, s, func(tx *store.Tx) (T, error) {
		var zero T
		p, err := tx.Project(slug)
		if err != nil {
			return zero, err
		}
		a, pol, err := s.Rules(ctx, tx, p)
		if err != nil {
			return zero, err
		}
		return fn(Scene{Tx: tx, View: tx, Project: p, Actor: a, Policy: pol, Limit: n})
	})
}

// laneBytes is how many bytes of tasks are read from a lane: more than a page, since most of a task is not shown.
const laneBytes = 4 * PageBytes

// Lane returns the first tasks of a lane in the caller's order; ready tasks have their bodies.
func (s Scene) Lane(lane query.Lane, limit int) ([]*task.Task, error) {
	out := make([]*task.Task, 0, min(limit, 50))
	if limit == 0 {
		return out, nil
	}
	q := query.Frontier{Project: s.Project.Slug, Policy: s.Policy, Actor: s.Actor, Lane: lane, Limit: limit}
	if lane == query.LaneReady {
		q.Form = query.Ready
	}
	taken := query.Page{Records: limit, Bytes: laneBytes}.Taken()
	err := s.View.Walk(q, func(t *task.Task) bool {
		if taken.Add(query.TaskBytes(t)) {
			out = append(out, t)
			return !taken.Full()
		}
		return false
	})
	return out, err
}

// Filled is Lane with bodies and dependencies, as far as they fit on a page.
func (s Scene) Filled(lane query.Lane, limit int) ([]*task.Task, error) {
	out, err := s.Lane(lane, limit)
	if err != nil {
		return nil, err
	}
	fit, err := s.View.FillWithin(PageBytes, out...)
	return out[:fit], err
}
