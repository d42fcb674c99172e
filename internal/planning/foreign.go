package planning

import (
	"fmt"

	"tasker/internal/core"
	"tasker/internal/plan"
	"tasker/internal/store"
	"tasker/internal/task"
	"tasker/internal/task/merge"
)

// foreign returns the fields that the tracker owns, for the tasks that are bound to an issue.
func (s *Service) foreign(tx *store.Tx, p *task.Project, tasks []*task.Task) (map[task.ID]map[string]bool, error) {
	var out map[task.ID]map[string]bool
	var fields map[string]bool
	for _, t := range tasks {
		b, err := core.IssueOf(tx, t)
		if err != nil {
			return nil, err
		}
		if b == nil {
			continue
		}
		if out == nil {
			owners, err := s.Owners(tx, p)
			if err != nil {
				return nil, err
			}
			out, fields = map[task.ID]map[string]bool{}, owners.Foreign()
		}
		out[t.ID] = fields
	}
	return out, nil
}

// maxLeft limits how many tasks a warning names whose fields a document leaves alone.
const maxLeft = 10

// warnOfLeft warns about fields that a document leaves alone because the tracker owns them.
func warnOfLeft(tx *store.Tx, d *plan.Diff) error {
	for i, l := range d.Left {
		if i == maxLeft {
			d.Warnings = append(d.Warnings, fmt.Sprintf("and %d more tasks have fields that belong to the tracker and stayed as they are", len(d.Left)-i))
			break
		}
		t, err := tx.Task(l.ID)
		if err != nil {
			return err
		}
		b, err := core.IssueOf(tx, t)
		if err != nil {
			return err
		}
		if b != nil {
			d.Warnings = append(d.Warnings, merge.LeftForeign(l.ID, b.Ref, l.Fields))
		}
	}
	return nil
}

// editedForeign warns about an edit that changed fields that the tracker owns.
func (s *Service) editedForeign(tx *store.Tx, p *task.Project, t *task.Task, changes map[string]task.Delta) ([]string, error) {
	ref, foreign, err := s.ForeignOf(tx, p, t)
	if err != nil || len(foreign) == 0 {
		return nil, err
	}
	fields := merge.Among(foreign, func(f string) bool { _, changed := changes[f]; return changed })
	if len(fields) == 0 {
		return nil, nil
	}
	return []string{merge.EditedForeign(ref, fields)}, nil
}
