package linkdb

import (
	"tasker/internal/db"
	"tasker/internal/store"
	"tasker/internal/task"
)

// Notice returns the text of the notice of a task with the given name, or "" if there is none.
func Notice(tx *store.Tx, id task.ID, name string) (why string, err error) {
	_, ref, err := tx.KeyOf(id)
	if err != nil {
		return "", err
	}
	return db.Value[string](tx.C, `SELECT why FROM notice WHERE task=$1 AND name=$2`, ref, name)
}

// ClearNotices removes the notices with a name from every task of a project.
func ClearNotices(tx *store.Tx, project, name string) error {
	p, err := tx.Find(project)
	if err != nil {
		return err
	}
	return tx.C.Exec(db.Any, `DELETE FROM notice WHERE project=$1 AND name=$2`, p.ID, name)
}

// SaveNotice stores a notice with the event that causes it, which makes it new to people again; an
// empty why removes the notice.
func SaveNotice(tx *store.Tx, id task.ID, name, why string, ev ...task.Draft) error {
	return saveWhy(tx, id, why, ev, `DELETE FROM notice WHERE task=$1 AND name=$2`,
		`INSERT INTO notice (task, project, event, why, name) VALUES ($1,$2,$3,$4,$5)
		ON CONFLICT (task, name) DO UPDATE SET event=excluded.event, why=excluded.why`, name)
}

// Unclosed returns why the rules for done keep a task open that another system has closed, or "" if
// they do not.
func Unclosed(tx *store.Tx, id task.ID) (why string, err error) {
	_, ref, err := tx.KeyOf(id)
	if err != nil {
		return "", err
	}
	return db.Value[string](tx.C, `SELECT why FROM unclosed WHERE task=$1`, ref)
}

// SaveUnclosed stores why the rules for done keep a task open that another system has closed, with
// the event that says so. An empty why means that they no longer do.
func SaveUnclosed(tx *store.Tx, id task.ID, why string, ev ...task.Draft) error {
	return saveWhy(tx, id, why, ev, `DELETE FROM unclosed WHERE task=$1`,
		`INSERT INTO unclosed (task, project, event, why) VALUES ($1,$2,$3,$4)
		ON CONFLICT (task) DO UPDATE SET event=excluded.event, why=excluded.why`)
}

// saveWhy stores a text about a task with the event that causes it, or removes it if it is empty.
// The rest of its key comes after the task, and after the other values.
func saveWhy(tx *store.Tx, id task.ID, why string, ev []task.Draft, remove, store string, key ...any) error {
	p, ref, err := tx.KeyOf(id)
	if err != nil {
		return err
	}
	if why == "" {
		return tx.C.Exec(db.Any, remove, append([]any{ref}, key...)...)
	}
	event, err := tx.AppendAll(p.Rec.Slug, id, ev)
	if err != nil {
		return err
	}
	return tx.C.Exec(1, store, append([]any{ref, p.ID, event, why}, key...)...)
}
