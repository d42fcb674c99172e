package core

import (
	"context"

	"tasker/internal/task"
)

// Projects gives every project.
func (s *Services) Projects(ctx context.Context, _ None) ([]*task.Project, error) {
	return read(ctx, s, func(tx ReadTx) ([]*task.Project, error) { return tx.Projects() })
}

// Project gives one project: the caller's own, or the only one, where none is named.
func (s *Services) Project(ctx context.Context, in ProjectIn) (*task.Project, error) {
	return read(ctx, s, func(tx ReadTx) (*task.Project, error) { return projectOf(ctx, tx, in.Slug) })
}
