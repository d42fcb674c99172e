package core

import (
	"context"
	"errors"
	"slices"

	"tasker/internal/fault"
	"tasker/internal/fault/hint"
	"tasker/internal/task/slug"
)

// Unapplied reports whether a project that is not there is declared by the configuration, and for the caller to reach: a
// plan makes it, and asking before that is no mistake.
func (s *Env) Unapplied(ctx context.Context, project string) bool {
	if within := CallerOf(ctx).Scope.Projects; len(within) > 0 && !slices.Contains(within, project) {
		return false
	}
	_, file := s.Settings.FilePolicy(project)
	return file != ""
}

// advise returns an error of an operation, which may be nil, with better advice where it is about a project that is
// declared and not applied yet: a list of the other projects would lead nowhere.
func (s *Env) advise(ctx context.Context, err error) error {
	var name slug.Unknown
	if err == nil || !errors.As(err, &name) || !s.Unapplied(ctx, string(name)) {
		return err
	}
	return NotApplied(err, string(name))
}

// NotApplied returns the error of a project that is not there, where the configuration declares it.
func NotApplied(err error, project string) error {
	return fault.Missing("%s: the configuration declares the project, and no plan was applied yet", fault.Of(err).Message).
		WithHint("whoever has the plan applies it (%s), and it is not an agent's to invent one; people begin without a plan by %s",
			hint.ApplyFile(), hint.Command("project create "+project)).
		WithCause(err)
}
