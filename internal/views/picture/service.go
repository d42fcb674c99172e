// Package picture has the reads that draw a project: its board, the network of its tasks, the graph around one of them,
// the tasks below one, and the timeline. Layouts are computed here, with limits, and cached by the version of the flow
// they show.
package picture

import (
	"context"

	"tasker/internal/asof"
	"tasker/internal/core"
)

// Service implements the operations of this package.
type Service struct {
	*core.Env
	flows     flows
	drawings  drawings
	forecasts forecasts
	networks  *shared[*NetworkOut]
	graphs    *shared[GraphOut]
}

// New returns the service over env.
func New(env *core.Env) *Service {
	gate := newGate()
	s := &Service{Env: env, networks: newShared[*NetworkOut](gate), graphs: newShared[GraphOut](gate)}
	s.flows.cached.Max, s.drawings.Max, s.forecasts.cached.Max = 16, 200, 64
	return s
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
