// Package links has the operations of links to other systems: bind a task to an issue, decide who
// owns which field, merge what another system says, list and resolve disagreements, and record what
// is written there. Package syncer talks to the other systems and calls these operations with the
// answers.
package links

import (
	"context"

	"tasker/internal/core"
	"tasker/internal/store"
	"tasker/internal/task"
	"tasker/internal/task/merge"
)

// Service carries out the operations of this package.
type Service struct{ *core.Env }

// New returns a service in an environment.
func New(env *core.Env) *Service { return &Service{env} }

// In returns the service in another environment, for one call.
func (s *Service) In(env *core.Env) *Service { return &Service{env} }

// scene is the context of a write to a project's links.
type scene struct {
	tx     *store.Tx
	p      *task.Project
	actor  task.Actor
	policy task.Policy
	owners merge.Effective
}

func (s *Service) scene(ctx context.Context, tx *store.Tx, p *task.Project) (sc *scene, err error) {
	sc = &scene{tx: tx, p: p}
	if sc.actor, sc.policy, err = s.Rules(ctx, tx, p); err != nil {
		return nil, err
	}
	sc.owners, err = s.Owners(tx, p)
	return sc, err
}

// writing returns the scene of a project that may be written to.
func (s *Service) writing(ctx context.Context, tx *store.Tx, slug string) (*scene, error) {
	p, err := core.ProjectOf(ctx, tx, slug)
	if err != nil {
		return nil, err
	}
	if err := core.Writable(p); err != nil {
		return nil, err
	}
	return s.scene(ctx, tx, p)
}

// write runs fn in a turn on a project that may be written to.
func write[T any](ctx context.Context, s *Service, slug string, fn func(*store.Tx, *scene) (T, error)) (T, error) {
	return writeUnless(ctx, s, false, slug, fn)
}

// writeUnless is write, or a turn that is rolled back if dry.
func writeUnless[T any](ctx context.Context, s *Service, dry bool, slug string, fn func(*store.Tx, *scene) (T, error)) (T, error) {
	return core.WriteUnless(ctx, s.Env, dry, func(tx *store.Tx) (T, error) {
		sc, err := s.writing(ctx, tx, slug)
		if err != nil {
			var zero T
			return zero, err
		}
		return fn(tx, sc)
	})
}
