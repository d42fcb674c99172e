package core

import (
	"context"
	"slices"

	"tasker/internal/fault"
	"tasker/internal/fault/hint"
	"tasker/internal/task"
)

// Unapplied reports whether a missing project is declared by the configuration and within the caller's reach: a plan
// creates it, and asking before that is not a mistake.
func (s *Env) Unapplied(ctx context.Context, project string) bool {
	if within := CallerOf(ctx).Scope.Projects; len(within) > 0 && !slices.Contains(within, project) {
		return false
	}
	_, file := s.Settings.FilePolicy(project)
	return file != ""
}

// UnappliedIn returns the project that err reports as missing if the configuration declares it, or "".
func (s *Env) UnappliedIn(ctx context.Context, err error) string {
	name := task.UnknownProjectIn(err)
	if name == "" || !s.Unapplied(ctx, name) {
		return ""
	}
	return name
}

// advise returns an error of an operation, which may be nil, with better advice if it is about a project that is
// declared but not applied yet: a list of the other projects would not help.
func (s *Env) advise(ctx context.Context, err error) error {
	if name := s.UnappliedIn(ctx, err); name != "" {
		return NotApplied(err, name)
	}
	return err
}

// NotApplied returns the error for a missing project that the configuration declares.
func NotApplied(err error, project string) error {
	return fault.Missing("%s: the configuration declares the project, and no plan was applied yet", fault.Of(err).Message).
		WithHint("the first plan or task makes it: %s, %s; an agent that nobody asked for a plan asks its person what to do",
			hint.ApplyFile(), hint.Add(project)).
		WithCause(err)
}
