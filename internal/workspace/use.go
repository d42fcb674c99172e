package workspace

import (
	"context"

	"tasker/internal/core/places"
	"tasker/internal/git/worktree"
	"tasker/internal/task"
	"tasker/internal/task/place"
)

// FindRepo finds the repository that the manager's directory is in.
func (m *Manager) FindRepo(ctx context.Context) (err error) {
	m.Repo, err = worktree.Find(ctx, m.Dir)
	return err
}

// ValuesOf returns the variables of a workspace, with the origin of each.
func (m *Manager) ValuesOf(ctx context.Context, v places.View) ([]place.Value, error) {
	provided, err := m.provide(ctx, v.Record)
	return Values(v, provided), err
}

// EnvironmentOf returns the whole environment of a command in a workspace.
func (m *Manager) EnvironmentOf(ctx context.Context, v places.View) ([]string, error) {
	provided, err := m.provide(ctx, v.Record)
	return m.Environment(v, provided), err
}

// MayUse declines the use of a workspace whose task another actor holds.
func (m *Manager) MayUse(ctx context.Context, v places.View) error {
	_, err := m.call(ctx, places.Made{Workspace: *v.Record, From: v.Record.State, Check: "run something in its workspace"})
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
