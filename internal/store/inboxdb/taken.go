package inboxdb

import (
	"tasker/internal/db"
	"tasker/internal/store"
	"tasker/internal/task"
	"tasker/internal/task/waiting"
)

// Taken returns who took which inbox items of tasks of a project, whether or not that still holds.
func Taken(tx *store.Tx, slug string, ids []task.ID) (map[waiting.ItemRef]waiting.Taken, error) {
	p, err := tx.Find(slug)
	if err != nil {
		return nil, err
	}
	lo, hi := p.Span()
	some, err := db.Some(tx.C, `SELECT 1 FROM taken WHERE task>$1 AND task<=$2 LIMIT 1`, lo, hi)
	if err != nil || !some {
		return nil, err
	}
	refs, err := tx.Keys(ids)
	if err != nil {
		return nil, err
	}
	out := map[waiting.ItemRef]waiting.Taken{}
	return out, db.EachIn(tx.C, `SELECT task, item, stamp, actor, until_at FROM taken WHERE task IN KEYS`, refs, db.Scan5(func(ref int64, item string, stamp int64, by string, until int64) error {
		out[waiting.ItemRef{Task: p.TaskID(ref), Item: item}] = waiting.Taken{Stamp: stamp, By: by, Until: task.Time(until)}
		return nil
	}))
}

// SaveTaken stores who took an item until when; for nobody, that it was given back. It has no event, because who looks at
// what is no record of a project.
func SaveTaken(tx *store.Tx, ref waiting.ItemRef, t waiting.Taken) error {
	p, key, err := tx.KeyOf(ref.Task)
	if err != nil {
		return err
	}
	lo, hi := p.Span()
	if t.By == "" {
		tx.Exec(db.Any, `DELETE FROM taken WHERE task=$1 AND item=$2`, key, ref.Item)
		return nil
	}
	// Those whose time is over go along: otherwise nobody would remove them.
	tx.Exec(db.Any, `DELETE FROM taken WHERE task>$1 AND task<=$2 AND until_at<=$3`, lo, hi, int64(tx.Now()))
	tx.Exec(1, `INSERT INTO taken (task, item, stamp, actor, until_at) VALUES ($1,$2,$3,$4,$5)
		ON CONFLICT (task, item) DO UPDATE SET stamp=excluded.stamp, actor=excluded.actor, until_at=excluded.until_at`,
		key, ref.Item, t.Stamp, t.By, int64(t.Until))
	return nil
}
