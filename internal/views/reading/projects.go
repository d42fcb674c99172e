package reading

import (
	"context"

	"tasker/internal/core"
	"tasker/internal/policy"
	"tasker/internal/store"
	"tasker/internal/task"
)

// Projects returns every project.
func (s *Service) Projects(ctx context.Context, _ core.None) ([]*task.Project, error) {
	return core.Read(ctx, s.Env, func(tx *store.Tx) ([]*task.Project, error) { return tx.Projects() })
}

// ProjectOut is a project's record, whose gates are those of the database, and the gates that are in force.
type ProjectOut struct {
	task.Project
	GatesInForce []policy.GateInForce `json:"gatesInForce"`
}

// Project returns the named project, or else the caller's own, or else the only one.
func (s *Service) Project(ctx context.Context, in core.ProjectIn) (*ProjectOut, error) {
	return core.Read(ctx, s.Env, func(tx *store.Tx) (*ProjectOut, error) {
		p, err := core.ProjectOf(ctx, tx, in.Slug)
		if err != nil {
			return nil, err
		}
		gates, err := policy.Gates(s.Env, tx, p)
		return &ProjectOut{Project: *p, GatesInForce: gates}, err
	})
}
