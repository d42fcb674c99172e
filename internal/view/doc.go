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

// scene is what every read of a project begins with.
type scene struct {
	tx      core.ReadTx
	project *task.Project
	actor   task.Actor
	policy  task.Policy
	limit   int
}

// within runs a read of a project on one snapshot.
func within[T any](ctx context.Context, s *core.Services, slug string, limit *int, fn func(scene) (T, error)) (T, error) {
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
		return fn(scene{tx: tx, project: p, actor: a, policy: pol, limit: n})
	})
}

// lane gives the first tasks of a lane in the caller's order, bodies of ready ones included.
func (s scene) lane(lane task.Lane, limit int) ([]*task.Task, error) {
	out := make([]*task.Task, 0, min(limit, 50))
	if limit == 0 {
		return out, nil
	}
	q := task.FrontierQuery{Project: s.project.Slug, Policy: s.policy, Actor: s.actor, Lane: lane, Most: limit}
	if lane == task.LaneReady {
		q.Form = task.Ready
	}
	err := s.tx.Frontier(q, func(t *task.Task) bool {
		out = append(out, t)
		return len(out) < limit
	})
	return out, err
}

// filled is lane with bodies and dependencies.
func (s scene) filled(lane task.Lane, limit int) ([]*task.Task, error) {
	out, err := s.lane(lane, limit)
	if err != nil {
		return nil, err
	}
	return out, s.tx.Fill(out...)
}

func brief(t *task.Task) core.Brief { return core.Brief{ID: t.ID, Title: t.Title, Status: t.Status} }
