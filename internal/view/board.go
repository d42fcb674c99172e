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
	Status task.Status  `json:"status"`
	Total  int          `json:"total"`
	Tasks  []*task.Task `json:"tasks"`
}

// Members writes the members of the board: the answer with the most records.
func (b BoardOut) Members(o *jsonout.Object) {
	o.Text("project", b.Project)
	jsonout.Records(o, "columns", b.Columns, func(c *Column) jsonout.Record { return c })
	o.Value("totals", b.Totals)
}

// Members writes the members of the column.
func (c *Column) Members(o *jsonout.Object) {
	o.Text("status", string(c.Status))
	o.Int("total", int64(c.Total))
	jsonout.Records(o, "tasks", c.Tasks, func(t **task.Task) jsonout.Record { return *t })
}

// closedCut is how many closed tasks a board shows at most.
const closedCut = 50

// Board gives the columns of a project.
func Board(s *core.Services, ctx context.Context, in ProjectIn) (BoardOut, error) {
	return within(ctx, s, in.Slug, in.Limit, func(sc scene) (BoardOut, error) {
		out := BoardOut{Project: sc.project.Slug, Totals: sc.project.Tasks}
		for _, status := range task.Statuses {
			tasks, err := sc.column(status)
			if err != nil {
				return out, err
			}
			out.Columns = append(out.Columns, Column{Status: status, Total: *out.Totals.Of(status), Tasks: tasks})
		}
		return out, nil
	})
}

func (s scene) column(status task.Status) ([]*task.Task, error) {
	switch status {
	case task.InProgress:
		return s.filled(task.LaneInProgress, s.limit)
	case task.InReview:
		return s.filled(task.LaneInReview, s.limit)
	case task.Open:
		return s.filled(task.LaneOpen, s.limit)
	default:
		tasks, err := s.tx.Closed(s.project.Slug, status, 0, min(s.limit, closedCut))
		if err != nil {
			return nil, err
		}
		return tasks, s.tx.Fill(tasks...)
	}
}
