package tx

import (
	"tasker/internal/store/rows"
	"tasker/internal/task"
)

// SaveRow writes the groups of columns that have changed. event is the event of the change, or 0.
func (w *Member) SaveRow(p *Project, id int64, before, after *task.Task, event int64) error {
	if event != 0 {
		after.LastEvent = event
	}
	if err := w.saveEvents(id, before, after); err != nil {
		return err
	}
	if !rows.SameTaskDefinition(before, after) {
		args, err := rows.TaskDefinitionArgs(id, after)
		if err != nil {
			return err
		}
		if err := w.C.Exec(1, rows.UpdateTaskDefinition, args...); err != nil {
			return err
		}
	}
	err := w.C.Exec(1, rows.UpdateTaskState, rows.TaskStateArgs(id, before, after)...)
	w.Daily(p, before, after)
	if err != nil || before.Status == after.Status {
		return err
	}
	w.Touch(p)
	*p.Rec.Tasks.Of(before.Status)--
	*p.Rec.Tasks.Of(after.Status)++
	return nil
}

// saveEvents writes the events since which a task waits for people, if they have changed.
func (w *Member) saveEvents(id int64, before, after *task.Task) error {
	for _, event := range []*int64{&after.AwaitingSince, &after.Lapse, &after.UnsupervisedClose, &after.UnheldSince, &after.Failing} {
		if *event == task.ThisEvent {
			*event = after.LastEvent
		}
	}
	if rows.SameTaskWaits(before, after) {
		return nil
	}
	return w.C.Exec(1, rows.UpdateTaskWaits, rows.TaskWaitsArgs(id, after)...)
}

// NoteUnblocked remembers a task that became ready by the change of another.
func (w *Member) NoteUnblocked(was, now *task.Task) {
	if now.Ready() && !was.Ready() {
		w.Unblocked = append(w.Unblocked, now.ID)
	}
}

// One returns 1 for true and 0 for false.
func One(yes bool) int {
	if yes {
		return 1
	}
	return 0
}
