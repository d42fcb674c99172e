package store

import (
	"tasker/internal/db"
	"tasker/internal/fault"
	"tasker/internal/search"
	"tasker/internal/store/rows"
	"tasker/internal/task"
)

// OfTask lists the tables that hold what belongs to a single task, by the column task.
var OfTask = []string{
	"note", "evidence_output", "evidence", "approval", "question", "decision", "agreed", "conflict", "outbound", "unclosed", "notice", "binding", "guidance",
	"workspace", "port", "landing", "changed", "changed_path", "agent_session", "runner", "seen", "taken", "dep", "task_body",
}

// RemoveTask removes a task with everything stored about it except its events; its number is not used again. The task
// must no longer have a parent, dependencies, children or dependents.
func (tx *Tx) RemoveTask(t *task.Task, ev ...task.Draft) error {
	p, id, err := tx.KeyOf(t.ID)
	if err != nil {
		return err
	}
	if t, err = tx.Task(t.ID); err != nil {
		return err
	}
	leans, err := db.Some(tx.C, `SELECT task FROM dep WHERE on_task=$1 UNION ALL SELECT id FROM task WHERE parent=$1 LIMIT 1`, id)
	if err != nil {
		return err
	}
	if leans || t.Parent != "" {
		return fault.Decline("%s cannot be removed: other tasks are tied to it", t.ID)
	}
	if err := tx.unindex(id); err != nil {
		return err
	}
	gone := *t
	gone.Status, gone.Claim, gone.ClosedAt, gone.Questions = task.Cancelled, nil, 0, 0
	if err := tx.Relocate(p, t, &gone); err != nil {
		return err
	}
	tx.Daily(p, t, &gone)
	tx.Touch(p)
	*p.Rec.Tasks.Of(t.Status)--
	p.Rec.GraphVersion++
	p.Rec.FlowVersion++
	for _, table := range OfTask {
		tx.Exec(db.Any, `DELETE FROM `+table+` WHERE task=$1`, id)
	}
	tx.Exec(1, `DELETE FROM task WHERE id=$1`, id)
	delete(tx.Fresh, id)
	return tx.Record(p.Rec.Slug, t.ID, ev...)
}

// unindex removes a task and its annotations from the text index.
func (tx *Tx) unindex(id int64) error {
	for _, kind := range []search.Kind{search.Title, search.Body} {
		tx.UnindexText(Indexed{Kind: kind, Task: id, ID: rows.Number(id)})
	}
	for _, of := range annotations {
		records, err := db.Values[int64](tx.C, `SELECT id FROM `+of.table+` WHERE task=$1`, id)
		if err != nil {
			return err
		}
		for _, n := range records {
			tx.UnindexText(Indexed{Kind: of.kind, Task: id, ID: n})
		}
	}
	return nil
}
