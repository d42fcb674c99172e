package inboxdb

import (
	"strconv"

	"tasker/internal/db"
	"tasker/internal/store"
	"tasker/internal/store/rows"
	"tasker/internal/task"
)

// Limits of what is read about a task that an item is about, in characters. The record of a run is short, and read whole.
const (
	aboutText  = 1200
	aboutRun   = 4096
	aboutItems = 3 // the newest evidence
)

// Handovers returns, for each of many tasks, the newest note by the actor that handed it over, or held it last: see
// task.Task.HandoverNote.
func Handovers(tx *store.Tx, slug string, ids []task.ID) (map[task.ID]task.Note, error) {
	return newestNotes(tx, slug, ids, ` AND n.actor IN (t.review_by, t.last_holder)`)
}

// LastNotes returns the newest note of each of many tasks.
func LastNotes(tx *store.Tx, slug string, ids []task.ID) (map[task.ID]task.Note, error) {
	return newestNotes(tx, slug, ids, ``)
}

// newestNotes reads the beginning of long texts.
func newestNotes(tx *store.Tx, slug string, ids []task.ID, which string) (map[task.ID]task.Note, error) {
	p, refs, err := tx.FindKeys(slug, ids)
	if err != nil || len(refs) == 0 {
		return nil, err
	}
	out := make(map[task.ID]task.Note, len(ids))
	return out, db.EachIn(tx.C, `SELECT id, task, actor, SUBSTR(text, 1, `+strconv.Itoa(aboutText)+`), at FROM note WHERE id IN
		(SELECT (SELECT MAX(n.id) FROM note n WHERE n.task=t.id`+which+`) FROM task t WHERE t.id IN KEYS)`, refs, func(row db.Row) error {
		n := task.Note{ID: row.Int(0), Task: p.TaskID(row.Int(1)), Actor: row.Text(2), Text: row.Text(3), At: task.Time(row.Int(4))}
		out[n.Task] = n
		return nil
	})
}

// Shown returns the newest evidence of many tasks, oldest first. It reads the beginning of long values that somebody typed.
func Shown(tx *store.Tx, slug string, ids []task.ID) (map[task.ID][]task.Evidence, error) {
	p, refs, err := tx.FindKeys(slug, ids)
	if err != nil || len(refs) == 0 {
		return nil, err
	}
	out := make(map[task.ID][]task.Evidence, len(ids))
	return out, db.EachIn(tx.C, `SELECT e.id, e.task, e.actor, e.kind,
		CASE WHEN LENGTH(e.value)<=`+strconv.Itoa(aboutRun)+` THEN e.value ELSE SUBSTR(e.value, 1, `+strconv.Itoa(aboutText)+`) END, e.at
		FROM evidence e WHERE e.task IN KEYS AND e.id>=COALESCE(
			(SELECT x.id FROM evidence x WHERE x.task=e.task ORDER BY x.id DESC LIMIT 1 OFFSET `+strconv.Itoa(aboutItems-1)+`), 0)
		ORDER BY e.id`, refs, func(row db.Row) error {
		e := task.Evidence{
			ID: row.Int(0), Task: p.TaskID(row.Int(1)), Actor: row.Text(2), Kind: row.Text(3), Value: row.Text(4), At: task.Time(row.Int(5)),
		}
		out[e.Task] = append(out[e.Task], e)
		return nil
	})
}

// Bound returns the bindings of many tasks, oldest first.
func Bound(tx *store.Tx, slug string, ids []task.ID) (map[task.ID][]task.Binding, error) {
	p, refs, err := tx.FindKeys(slug, ids)
	if err != nil || len(refs) == 0 {
		return nil, err
	}
	all, err := db.AllIn(tx.C, `SELECT `+rows.BindingColumns+` FROM binding WHERE task IN KEYS ORDER BY id`, refs, rows.Of(p.Rec.Slug, rows.ReadBinding))
	out := make(map[task.ID][]task.Binding, len(ids))
	for _, b := range all {
		out[b.Task] = append(out[b.Task], b)
	}
	return out, err
}
