package picture

import (
	"context"

	"tasker/internal/core"
	"tasker/internal/task"
	"tasker/internal/views/picture/forecast"
)

// Critical returns the open tasks of a project that are on its critical path: a longest chain of what waits for what. It
// returns none for a project that is too large to work that out for every page. Others read the same map.
func (s *Service) Critical(ctx context.Context, in core.ProjectIn) (map[task.ID]bool, error) {
	return within(ctx, s.Env, in.Slug, nil, func(sc scene) (map[task.ID]bool, error) {
		if sc.Project.Tasks.Left() > forecast.MaxOpen {
			return nil, nil
		}
		f, err := s.flows.of(sc)
		if err != nil {
			return nil, err
		}
		return f.critical, nil
	})
}
