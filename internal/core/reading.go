package core

import (
	"context"

	"tasker/internal/task"
)

// What the packages of composed reads build on.

// Snapshot runs fn on one consistent snapshot. fn may run more than once.
func Snapshot[T any](ctx context.Context, s *Services, fn func(ReadTx) (T, error)) (T, error) {
	return read(ctx, s, fn)
}

type pinKey struct{}

// Pin makes reads under the context see a snapshot that is open already: what one read composes of others sees one
// state.
func Pin(ctx context.Context, tx ReadTx) context.Context {
	return context.WithValue(ctx, pinKey{}, tx)
}

// Turn runs fn in a turn, in the caller's name and under its idempotency key. fn may run more than once.
func Turn[T any](ctx context.Context, s *Services, fn func(WriteTx) (T, error)) (T, error) {
	return write(ctx, s, fn)
}

// ReaderIn is on whose behalf a project is read: the actor that is named, else the caller.
func (s *Services) ReaderIn(ctx context.Context, p *task.Project, named string) (task.Actor, error) {
	a := CallerOf(ctx).Actor
	if named != "" {
		name, instance, err := task.ParseActor(named)
		if err != nil {
			return a, err
		}
		a = task.Actor{Name: name, Instance: instance}
	}
	return s.Settings.ActorIn(p, a)
}

// Find gives the task that a request names: by id, or by key in the project that the request is about.
func Find(ctx context.Context, tx ReadTx, name string) (*task.Task, error) {
	return find(ctx, tx, name)
}

// Limit is how many records an answer may have: the usual number where none was asked for, never more than 1000.
func Limit(asked *int) (int, error) { return limitOf(asked, defaultLimit) }

// Rules is who the caller is in a project, and the policy that counts there.
func (s *Services) Rules(ctx context.Context, p *task.Project) (task.Actor, task.Policy, error) {
	return s.rules(ctx, p)
}

// Ancestors gives a task's ancestors from its parent up.
func Ancestors(tx ReadTx, t *task.Task) ([]*task.Task, error) { return ancestors(tx, t) }

// KindIn tells whether an actor (with its instance) is a human or an agent in a project.
func (s *Services) KindIn(p *task.Project, full string) (string, error) {
	name, instance, err := task.ParseActor(full)
	if err != nil {
		return "agent", nil //nolint:nilerr // a name from before the grammar was this strict
	}
	a, err := s.Settings.ActorIn(p, task.Actor{Name: name, Instance: instance})
	if a.Human {
		return "human", err
	}
	return "agent", err
}
