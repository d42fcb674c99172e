// Package inbox has what people look at and put away: the inbox of a project, the estate of all projects, the briefing
// since the reader's mark, and the overview. The reads derive everything from the state of the projects. Ack and Seen
// are the only writes, and store only what a reader has seen.
package inbox

import (
	"context"

	"tasker/internal/core"
	"tasker/internal/views/reading"
)

// Service carries out the operations of this package.
type Service struct {
	*core.Env
	reading *reading.Service
}

// New returns the service over env. reads provides the proof of an overview.
func New(env *core.Env, reads *reading.Service) *Service { return &Service{env, reads} }

// In returns the service in another environment, for one call.
func (s *Service) In(env *core.Env) *Service { return &Service{env, s.reading.In(env)} }

// scene is a core.Scene with what the reads of this package share.
type scene struct {
	core.Scene
	env *core.Env
}

// within runs a read of a project on one snapshot.
func within[T any](ctx context.Context, env *core.Env, slug string, limit *int, fn func(scene) (T, error)) (T, error) {
	return core.Within(ctx, env, slug, limit, func(sc core.Scene) (T, error) { return fn(scene{sc, env}) })
}
