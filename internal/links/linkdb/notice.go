package linkdb

import (
	"tasker/internal/db"
	"tasker/internal/links/merge"
	"tasker/internal/store"
	"tasker/internal/task"
)

// Notice returns the notice of a task with the given name, or nil.
func Notice(tx *store.Tx, id task.ID, name string) (*merge.Notice, error) {
	_, ref, err := tx.KeyOf(id)
	if err != nil {
		return nil, err
	}
	return db.First(tx.C, `SELECT event, why FROM notice WHERE task=$1 AND name=$2`, []any{ref, name},
		db.Read2(func(event int64, why string) merge.Notice {
			return merge.Notice{Task: id, Name: name, Event: event, Why: why}
		}))
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
	p, ref, err := tx.KeyOf(id)
	if err != nil {
		return err
	}
	if why == "" {
		return tx.C.Exec(db.Any, `DELETE FROM notice WHERE task=$1 AND name=$2`, ref, name)
	}
	event, err := tx.AppendAll(p.Rec.Slug, id, ev)
	if err != nil {
		return err
	}
	return tx.C.Exec(1, `INSERT INTO notice (task, name, project, event, why) VALUES ($1,$2,$3,$4,$5)
		ON CONFLICT (task, name) DO UPDATE SET event=excluded.event, why=excluded.why`, ref, name, p.ID, event, why)
}
