package machine

import (
	"context"
	"time"

	"tasker/internal/git/worktree"
)

// Changed returns what was changed in the work tree around dir since a moment, and whether there is a work tree.
func (m *Manager) Changed(ctx context.Context, dir string, since time.Time) (out worktree.Changes, there bool, err error) {
	repo := m.Repo
	if repo == nil || repo.Tree(dir) == "" { // dir is not in the repository of the configuration
		if repo, err = worktree.Find(ctx, dir); err != nil || repo == nil {
			return out, false, err
		}
	}
	tree := repo.Tree(dir)
	if tree == "" {
		return out, false, nil
	}
	out, err = repo.ChangedSince(ctx, tree, since)
	return out, err == nil, err
}
