package reading

import (
	"context"

	"tasker/internal/core"
	"tasker/internal/task"
)

// maxStuck is how many reasons are read of why tasks are stuck.
const maxStuck = 2000

// Stuck returns why tasks of a project are stuck for the caller: the worst reason of each.
func (s *Service) Stuck(ctx context.Context, in core.ProjectIn) (map[task.ID]task.Trouble, error) {
	return within(ctx, s.Env, in.Slug, nil, func(sc scene) (map[task.ID]task.Trouble, error) {
		return sc.Tx.Troubles(sc.Project.Slug, sc.Actor.Name, maxStuck)
	})
}
