package reading

import (
	"slices"

	"tasker/internal/core"
	"tasker/internal/task"
	"tasker/internal/views/reading/roots"
)

// charted is the chart of a project at a version of its flow.
type charted struct {
	version int64
	chart   *roots.Chart
}

// causeOf returns what a task waits for in the end; nil if it does not wait.
func (s *Service) causeOf(sc core.Scene, t *task.Task) (*task.Cause, error) {
	found, err := s.causes(sc, t)
	if err != nil {
		return nil, err
	}
	return found[0], nil
}

// causes returns what each of some tasks waits for in the end; nil for one that does not wait.
func (s *Service) causes(sc core.Scene, tasks ...*task.Task) ([]*task.Cause, error) {
	out := make([]*task.Cause, len(tasks))
	var waiting []task.ID
	for _, t := range tasks {
		if t.State() == task.StateWaiting {
			waiting = append(waiting, t.ID)
		}
	}
	if len(waiting) == 0 {
		return out, nil
	}
	chart, err := s.caches.chart(sc, waiting)
	if err != nil {
		return nil, err
	}
	var ids []task.ID
	for _, id := range waiting {
		if r, found := chart.Root(id); found {
			ids = append(ids, r.Task)
		}
	}
	slices.SortFunc(ids, task.CompareIDs)
	found, err := sc.View.TasksByID(slices.Compact(ids))
	known := task.ByID(found)
	for i, t := range tasks {
		if t.State() != task.StateWaiting {
			continue
		}
		if r, ok := chart.Root(t.ID); ok && known[r.Task] != nil {
			out[i] = task.CauseOf(known[r.Task], r.Others)
		}
	}
	return out, err
}
