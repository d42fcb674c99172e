package reading

import (
	"context"

	"tasker/internal/core"
	"tasker/internal/task"
)

// Projects returns every project.
func (s *Service) Projects(ctx context.Context, _ core.None) ([]*task.Project, error) {
	return core.Read(ctx, s.Env, func(tx *core.ReadTx) ([]*task.Project, error) { return tx.Projects.All() })
}

// Project returns the named project, else the caller's own, else the only one.
func (s *Service) Project(ctx context.Context, in core.ProjectIn) (*task.Project, error) {
	return core.Read(ctx, s.Env, func(tx *core.ReadTx) (*task.Project, error) { return core.ProjectOf(ctx, tx, in.Slug) })
}
