package store

import (
	"tasker/internal/store/rows"
	"tasker/internal/task"
)

// SaveRow writes the groups of columns that have changed. event is the event of the change, or 0.
func (tx *Tx) SaveRow(p *Project, id int64, before, after *task.Task, event int64) error {
	if event != 0 {
		after.LastEvent = event
	}
	if err := tx.saveEvents(id, before, after); err != nil {
		return err
	}
	if !rows.SameTaskDefinition(before, after) {
		args, err := rows.TaskDefinitionArgs(id, after)
		if err != nil {
			return err
		}
		tx.Exec(1, rows.UpdateTaskDefinition, args...)
	}
	err := tx.C.Exec(1, rows.UpdateTaskState, rows.TaskStateArgs(id, before, after)...)
	tx.Daily(p, before, after)
	if err != nil || before.Status == after.Status {
		return err
	}
	tx.Touch(p)
	*p.Rec.Tasks.Of(before.Status)--
	*p.Rec.Tasks.Of(after.Status)++
	return nil
}

// saveEvents stores since which events a task waits for people, if they have changed.
func (tx *Tx) saveEvents(id int64, before, after *task.Task) error {
	for _, event := range []*int64{&after.AwaitingSince, &after.Lapse, &after.UnsupervisedClose, &after.UnheldSince, &after.Failing, &after.Returned} {
		if *event == task.ThisEvent {
			*event = after.LastEvent
		}
	}
	if rows.SameTaskWaits(before, after) {
		return nil
	}
	return tx.C.Exec(1, rows.UpdateTaskWaits, rows.TaskWaitsArgs(id, after)...)
}

// NoteUnblocked notes a task that became ready because another one changed.
func (tx *Tx) NoteUnblocked(was, now *task.Task) {
	if now.Ready() && !was.Ready() {
		tx.unblocked = append(tx.unblocked, now.ID)
	}
}

// One returns 1 for true and 0 for false.
func One(yes bool) int {
	if yes {
		return 1
	}
	return 0
}
