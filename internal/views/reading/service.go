// Package reading has the reads of tasks and projects: lists, boards, batches, bottlenecks, proof, explanations, search,
// the log. Each reads one snapshot, with limits, and returns everything that a client needs, so that no client has to
// combine two answers.
package reading

import (
	"context"

	"tasker/internal/asof"
	"tasker/internal/core"
	"tasker/internal/store"
	"tasker/internal/task"
)

// Service implements the operations of this package.
type Service struct {
	*core.Env
	caches *caches
}

// New returns the service over env.
func New(env *core.Env) *Service {
	return &Service{Env: env, caches: newCaches()}
}

// On returns the service with reads on an open snapshot, for reads that are composed of other reads.
func (s *Service) On(tx *store.Tx) *Service {
	return s.In(s.Env.On(tx))
}

// In returns the service in another environment, for one call.
func (s *Service) In(env *core.Env) *Service {
	in := *s
	in.Env = env
	return &in
}

// found returns the task that a request names, and its project.
func found(ctx context.Context, tx *store.Tx, name string) (*task.Task, *task.Project, error) {
	t, err := core.Find(ctx, tx, name)
	if err != nil {
		return nil, nil, err
	}
	p, err := tx.Project(t.Project)
	return t, p, err
}

// scene is a core.Scene with the methods that the reads of this package share.
type scene struct{ core.Scene }

// within runs a read of a project on one snapshot.
func within[T any](ctx context.Context, env *core.Env, slug string, limit *int, fn func(scene) (T, error)) (T, error) {
	return core.Within(ctx, env, slug, limit, func(sc core.Scene) (T, error) { return fn(scene{sc}) })
}

// withinAt is within as of an event, if at names one.
func withinAt[T any](ctx context.Context, env *core.Env, slug string, limit *int, at *int64, fn func(scene, *asof.Was) (T, error)) (T, error) {
	return core.Within(ctx, env, slug, limit, func(now core.Scene) (T, error) {
		return asof.Back(env, now, at, func(sc core.Scene, was *asof.Was) (T, error) { return fn(scene{sc}, was) })
	})
}
