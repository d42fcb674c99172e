package summary

import (
	"slices"

	"tasker/internal/task"
	"tasker/internal/views/reading"
)

// lines is the short form of a list of tasks: each in one row, together with the others of its group if they are grouped.
type lines struct {
	Project    string           `json:"project"`
	SelectedBy []task.SelectKey `json:"selectedBy,omitzero"` // if it is not the default
	Total      int              `json:"total"`
	TotalMore  bool             `json:"totalMore,omitzero"`
	Tasks      []line           `json:"tasks,omitzero"` // nil: they are in groups
	Groups     []lineGroup      `json:"groups,omitzero"`
	NextCursor task.Opt         `json:"nextCursor,omitzero"`
}

// line is a task in a list: what a reader needs to choose one of them.
type line struct {
	ID       task.ID  `json:"id"`
	Title    string   `json:"title"`
	State    string   `json:"state,omitzero"`
	Priority *int     `json:"priority,omitzero"` // if it is not the default
	Gate     task.Opt `json:"gate,omitzero"`
	Holder   string   `json:"holder,omitzero"`
}

type lineGroup struct {
	Name  string   `json:"name"`
	Title task.Opt `json:"title,omitzero"`
	Tasks []line   `json:"tasks"`
}

// stateForPeople is shown for a ready task that only humans may hold.
const stateForPeople = "for people"

// listOf returns a list with a row for each task.
func listOf(l reading.ListOut) *lines {
	out := &lines{Project: l.Project, Total: l.Total, TotalMore: l.TotalMore, NextCursor: l.NextCursor}
	rows := make([]line, len(l.Tasks))
	for i, t := range l.Tasks {
		rows[i] = lineOf(t)
		if i < len(l.States) {
			rows[i].State = l.States[i]
		}
		if slices.Contains(l.ForPeople, t.ID) {
			rows[i].State = stateForPeople
		}
	}
	if len(l.Groups) == 0 {
		out.Tasks = rows
		return out
	}
	for _, g := range l.Groups {
		n := min(g.Tasks, len(rows))
		out.Groups = append(out.Groups, lineGroup{Name: g.Name, Title: g.Title, Tasks: rows[:n]})
		rows = rows[n:]
	}
	return out
}

// readyOf returns the ready frontier with a row for each task.
func readyOf(r reading.ReadyOut) *lines {
	out := &lines{Project: r.Project, Total: r.Total, Tasks: make([]line, len(r.Tasks))}
	if !slices.Equal(r.SelectedBy, task.DefaultSelection) {
		out.SelectedBy = r.SelectedBy
	}
	for i, t := range r.Tasks {
		if out.Tasks[i] = lineOf(t); slices.Contains(r.ForPeople, t.ID) {
			out.Tasks[i].State = stateForPeople
		}
	}
	return out
}

func lineOf(t *task.Task) line {
	row := line{ID: t.ID, Title: t.Title, Gate: t.Gate}
	if t.Priority != task.DefaultPriority {
		row.Priority = &t.Priority
	}
	if t.Claim != nil {
		row.Holder = t.Claim.Actor
	}
	return row
}
