package machine

import (
	"context"
	"time"

	"tasker/internal/git/worktree"
)

// Changed returns the files of the work tree around dir that were changed since a moment, and whether there is a work
// tree.
func (m *Manager) Changed(ctx context.Context, dir string, since time.Time) (files []string, there bool, err error) {
	repo := m.Repo
	if repo == nil || repo.Tree(dir) == "" { // dir is not in the repository of the configuration
		if repo, err = worktree.Find(ctx, dir); err != nil || repo == nil {
			return nil, false, err
		}
	}
	tree := repo.Tree(dir)
	if tree == "" {
		return nil, false, nil
	}
	files, err = repo.ChangedSince(ctx, tree, since)
	return files, err == nil, err
}
