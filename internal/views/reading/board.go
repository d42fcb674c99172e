package reading

import (
	"context"
	"slices"

	"tasker/internal/asof"
	"tasker/internal/core"
	"tasker/internal/task"
	"tasker/internal/task/query"
)

// BoardOut is a project by status.
//
//field:json answer
type BoardOut struct {
	Project string      `json:"project"`
	Columns []Column    `json:"columns"`
	Totals  task.Counts `json:"totals"`
	// ForPeople are the ready tasks among the cards that only humans may hold.
	ForPeople []task.ID `json:"forPeople"`
	At        *asof.Was `json:"at"` // the requested moment; null: now
}

// BoardIn asks for a board, as it is now or as it was after an event.
type BoardIn struct {
	Slug  string `path:"slug"`
	Limit *int   `query:"limit" about:"how many of each column at most; unless given all of up to 1000"`
	At    *int64 `query:"at" about:"as it was after this event"`
}

// Column holds the first tasks of one status: in the order of selection, or newest first for closed tasks.
//
//field:json
type Column struct {
	Status task.Status `json:"status"`
	Total  int         `json:"total"`
	Tasks  []task.Card `json:"tasks"`
}

// Board returns the columns of a project.
func (s *Service) Board(ctx context.Context, in BoardIn) (BoardOut, error) {
	return withinAt(ctx, s.Env, in.Slug, core.Whole(in.Limit), in.At, func(sc scene, was *asof.Was) (BoardOut, error) {
		out := BoardOut{Project: sc.Project.Slug, Totals: sc.Project.Tasks, At: was}
		cards, err := sc.View.Cards(query.Cards{
			Project: sc.Project.Slug, Policy: sc.Policy, Actor: sc.Actor, Limit: sc.Limit,
		})
		if err != nil {
			return out, err
		}
		for _, c := range cards[slices.Index(task.Statuses, task.Open)] {
			if c.State() == task.StateReady && sc.Policy.ForPeople(c.Autonomy) {
				out.ForPeople = append(out.ForPeople, c.ID)
			}
		}
		for i, status := range task.Statuses {
			out.Columns = append(out.Columns, Column{Status: status, Total: *out.Totals.Of(status), Tasks: cards[i]})
		}
		return out, nil
	})
}

// ProjectIn names a project, and limits how many records an answer lists.
type ProjectIn struct {
	Slug  string `path:"slug"`
	Limit *int   `query:"limit"`
}
