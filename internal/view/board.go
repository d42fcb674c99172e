package view

import (
	"context"

	"tasker/internal/core"
	"tasker/internal/jsonout"
	"tasker/internal/task"
)

// BoardOut is a project by status.
type BoardOut struct {
	Project string      `json:"project"`
	Columns []Column    `json:"columns"`
	Totals  task.Counts `json:"totals"`
}

// Column is the head of one status: in the order of selection, or newest first where it is closed.
type Column struct {
	Status task.Status `json:"status"`
	Total  int         `json:"total"`
	Tasks  []task.Card `json:"tasks"`
}

// Members writes the members of the board: the answer with the most records.
func (b BoardOut) Members(o *jsonout.Object) {
	o.Text("project", b.Project)
	jsonout.Records(o, "columns", b.Columns, func(c *Column) jsonout.Record { return c })
	o.Record("totals", &b.Totals)
}

// Members writes the members of the column.
func (c *Column) Members(o *jsonout.Object) {
	o.Text("status", string(c.Status))
	o.Int("total", int64(c.Total))
	jsonout.Records(o, "tasks", c.Tasks, func(t *task.Card) jsonout.Record { return t })
}

// closedCut is how many closed tasks a board shows at most.
const closedCut = 50

// Board gives the columns of a project.
func Board(s *core.Services, ctx context.Context, in ProjectIn) (BoardOut, error) {
	return within(ctx, s, in.Slug, in.Limit, func(sc scene) (BoardOut, error) {
		out := BoardOut{Project: sc.project.Slug, Totals: sc.project.Tasks}
		cards, err := sc.tx.Cards(task.CardQuery{
			Project: sc.project.Slug, Policy: sc.policy, Actor: sc.actor, Most: sc.limit, MostClosed: closedCut,
		})
		if err != nil {
			return out, err
		}
		for i, status := range task.Statuses {
			out.Columns = append(out.Columns, Column{Status: status, Total: *out.Totals.Of(status), Tasks: cards[i]})
		}
		return out, nil
	})
}
