package core

import (
	"context"
	"io"

	"tasker/internal/task"
)

// Env is what operations run in: one store, the settings that count, and what else this process knows.
type Env struct {
	Store    Store
	Settings Settings
	Binary   string // the binary's semver
	Config   int    // the configuration format that it speaks
	// Random returns the bits of credentials.
	Random io.Reader
	// Guide reads tracked guidance; nil where there is no repository to read it from.
	Guide Guide
}

// Rules is who the caller is in a project, and the policy that counts there.
func (s *Env) Rules(ctx context.Context, p *task.Project) (task.Actor, task.Policy, error) {
	a, err := s.Settings.ActorIn(p, CallerOf(ctx).Actor)
	if err != nil {
		return a, task.Policy{}, err
	}
	pol, err := s.Settings.Policy(p)
	return a, pol, err
}

// ReaderIn is on whose behalf a project is read: the actor that is named, else the caller.
func (s *Env) ReaderIn(ctx context.Context, p *task.Project, named string) (task.Actor, error) {
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

// KindIn reports whether an actor (with its instance) is a human or an agent in a project.
func (s *Env) KindIn(p *task.Project, full string) (string, error) {
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
