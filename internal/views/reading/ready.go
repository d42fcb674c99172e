package reading

import (
	"context"

	"tasker/internal/core"
	"tasker/internal/hint"
	"tasker/internal/store"
	"tasker/internal/task"
	"tasker/internal/task/query"
)

// ReadyIn asks for the ready frontier of a project.
type ReadyIn struct {
	Slug  string `path:"slug"`
	Limit *int   `query:"limit" about:"how many at most; unless given all of up to 1000, and of up to 4 MiB"`
}

// ReadyOut is the head of the frontier, in the caller's order.
//
//field:json answer
type ReadyOut struct {
	Project    string           `json:"project"`
	SelectedBy []task.SelectKey `json:"selectedBy"`
	Total      int              `json:"total"`
	Tasks      []*task.Task     `json:"tasks"`
	ForPeople  []task.ID        `json:"forPeople"` // those of them that only humans may hold
	// Advice says how to begin if the project has no task at all, and is null otherwise.
	Advice hint.Advice `json:"advice"`
}

// Ready returns the head of a project's ready frontier, in the caller's order of selection. If the tasks are large, it
// returns fewer than the limit.
func (s *Service) Ready(ctx context.Context, in ReadyIn) (ReadyOut, error) {
	limit, err := core.LimitOr(in.Limit, core.WholeLimit)
	if err != nil {
		return ReadyOut{}, err
	}
	return core.Read(ctx, s.Env, func(tx *store.Tx) (ReadyOut, error) {
		p, err := core.ProjectOf(ctx, tx, in.Slug)
		if err != nil {
			return ReadyOut{}, err
		}
		a, pol, err := s.Rules(ctx, tx, p)
		if err != nil {
			return ReadyOut{}, err
		}
		out := ReadyOut{Project: p.Slug, SelectedBy: pol.SelectedBy(), Total: p.Ready, Advice: p.Begin(a)}
		sc := core.Scene{Tx: tx, View: tx, Project: p, Actor: a, Policy: pol}
		out.Tasks, err = sc.Filled(query.LaneReady, limit)
		out.ForPeople = readyForPeople(pol, out.Tasks)
		return out, err
	})
}
