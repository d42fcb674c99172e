// Package view composes what people and agents read of a project: boards, batches, bottlenecks, graphs. Each read
// is one snapshot, bounded, and answers everything a client needs, so that nobody has to combine two.
package view

import (
	"context"

	"tasker/internal/core"
	"tasker/internal/task"
)

// ProjectIn names a project, and how many records an answer may list.
type ProjectIn struct {
	Slug  string `path:"slug"`
	Limit *int   `query:"limit"`
}

// Scene is what a read of a project begins with: one snapshot, the project, who asks, and the policy that counts.
type Scene struct {
	Tx      core.ReadTx
	Project *task.Project
	Actor   task.Actor
	Policy  task.Policy
	Limit   int // of records in a list
}

// Within runs a read of a project on one snapshot. limit is what the request asks for.
func Within[T any](ctx context.Context, s *core.Services, slug string, limit *int, fn func(Scene) (T, error)) (T, error) {
	n, err := core.Limit(limit)
	if err != nil {
		var zero T
		return zero, err
	}
	return core.Snapshot(ctx, s, func(tx core.ReadTx) (T, error) {
		var zero T
		p, err := tx.Project(slug)
		if err != nil {
			return zero, err
		}
		a, pol, err := s.Rules(ctx, p)
		if err != nil {
			return zero, err
		}
		return fn(Scene{Tx: tx, Project: p, Actor: a, Policy: pol, Limit: n})
	})
}

// Lane returns the first tasks of a lane in the caller's order, bodies of ready ones included.
func (s Scene) Lane(lane task.Lane, limit int) ([]*task.Task, error) {
	out := make([]*task.Task, 0, min(limit, 50))
	if limit == 0 {
		return out, nil
	}
	q := task.FrontierQuery{Project: s.Project.Slug, Policy: s.Policy, Actor: s.Actor, Lane: lane, Most: limit}
	if lane == task.LaneReady {
		q.Form = task.Ready
	}
	err := s.Tx.Frontier(q, func(t *task.Task) bool {
		out = append(out, t)
		return len(out) < limit
	})
	return out, err
}

// Filled is Lane with bodies and dependencies.
func (s Scene) Filled(lane task.Lane, limit int) ([]*task.Task, error) {
	out, err := s.Lane(lane, limit)
	if err != nil {
		return nil, err
	}
	return out, s.Tx.Fill(out...)
}

// scene is a Scene with the parts that the reads of this package share.
type scene struct{ Scene }

// within runs a read of a project on one snapshot.
func within[T any](ctx context.Context, s *core.Services, slug string, limit *int, fn func(scene) (T, error)) (T, error) {
	return Within(ctx, s, slug, limit, func(sc Scene) (T, error) { return fn(scene{sc}) })
}

func brief(t *task.Task) core.Brief { return core.Brief{ID: t.ID, Title: t.Title, Status: t.Status} }
