package machine

import (
	"context"

	"tasker/internal/git/worktree"
	"tasker/internal/task"
	"tasker/internal/workspace"
	"tasker/internal/workspace/env/envtext"
)

// FindRepo finds the repository that the manager's directory is in.
func (m *Manager) FindRepo(ctx context.Context) (err error) {
	m.Repo, err = worktree.Find(ctx, m.Dir)
	return err
}

// ValuesOf returns the variables of a workspace, with the origin of each.
func (m *Manager) ValuesOf(ctx context.Context, v workspace.View) ([]envtext.Variable, error) {
	provided, err := m.provide(ctx, v.Record)
	return Values(v, provided), err
}

// Given returns the variables for a command in a workspace, and the values to mask in its output.
func (m *Manager) Given(ctx context.Context, v workspace.View) (env, secret []string, err error) {
	provided, err := m.provide(ctx, v.Record)
	return variables(v, provided), secrets(provided), err
}

// EnvironmentOf returns the whole environment of a command in a workspace.
func (m *Manager) EnvironmentOf(ctx context.Context, v workspace.View) ([]string, error) {
	provided, err := m.provide(ctx, v.Record)
	return m.Environment(v, provided), err
}

// MayUse refuses an act on the workspace of a task that the caller may not use.
func (m *Manager) MayUse(ctx context.Context, id task.ID, to workspace.Use) error {
	_, _, err := m.may(ctx, id, to)
	return err
}

// Claimed returns the fence of the claim that the caller now has on a task, or 0.
func (m *Manager) Claimed(ctx context.Context, id task.ID) (int64, error) {
	v, err := m.find(ctx, id)
	if err != nil || v == nil || v.Claim == nil {
		return 0, err
	}
	return v.Claim.Fence, nil
}
