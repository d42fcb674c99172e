package store

import (
	"tasker/internal/task"
	"tasker/internal/task/query"
)

// Events returns events, oldest first: those after SinceID or Since, or else the newest. With BeforeID, it returns only
// earlier ones.
func (tx *Tx) Events(q query.Events) ([]task.Event, error) {
	return tx.Log().Events(q)
}

// LogStart returns where the log begins.
func (tx *Tx) LogStart() (query.LogStart, error) { return tx.Log().Start() }

// EventBefore returns the last event before a time, or 0.
func (tx *Tx) EventBefore(t task.Time) (int64, error) { return tx.Log().EventBefore(t) }

// Unneeded looks at up to limit stored events in a range. It returns how many of them no record needs, and where to
// continue, or 0 at the end.
func (tx *Tx) Unneeded(from, before int64, limit int) (n int, next int64, err error) {
	found, next, err := tx.Log().Unneeded(from, before, limit)
	return len(found), next, err
}

// Generation returns how often the database was restored, from 1.
func (tx *Tx) Generation() int64 { return tx.Head.Generation }

// History returns up to limit of a task's newest events that fit a page of some bytes, oldest first, and whether there
// may be earlier ones.
func (tx *Tx) History(id task.ID, limit, bytes int) ([]task.Event, bool, error) {
	if out, ok, err := eventsAhead(tx, id, limit); ok || err != nil {
		return out, len(out) == limit, err
	}
	return tx.Log().History(query.Events{Task: id, Limit: limit, Bytes: bytes})
}

// Latest calls each with up to limit of a project's newest events of a kind, after a given one, newest first.
func (tx *Tx) Latest(slug string, kind task.Kind, after int64, limit int, each func(task.Event)) error {
	return tx.Log().Latest(slug, kind, after, limit, each)
}

// EventsByID calls each with events, in any order.
func (tx *Tx) EventsByID(ids []int64, each func(task.Event)) error {
	return tx.Log().EventsByID(ids, each)
}

// Record adds events to a project and a task; either may be empty.
func (tx *Tx) Record(slug string, id task.ID, ev ...task.Draft) error {
	return tx.AppendEach(slug, id, ev...)
}

// LastRestore returns the event of the last restore, even if the caller may not see everything, or nil.
func (tx *Tx) LastRestore() (*task.Event, error) { return tx.Log().Restored() }

// Spoken looks for events of an actor in a project, under any of some names. It returns the last event of the write
// before the actor's newest one, or 0.
func (tx *Tx) Spoken(slug string, names []string) (int64, error) {
	return tx.Log().Spoken(slug, names)
}

// Wrote reports whether an actor has written in a project, under any instance of its name.
func (tx *Tx) Wrote(slug, name string) (bool, error) {
	return tx.Log().Wrote(slug, name, tx.LastEvent())
}

// WroteUntil reports whether an actor had written in a project when an event was the newest.
func (tx *Tx) WroteUntil(slug, name string, event int64) (bool, error) {
	return tx.Log().Wrote(slug, name, event)
}

// Concerned returns what concerns an actor in a project, apart from one task.
func (tx *Tx) Concerned(slug string, names []string, besides task.ID, limit int) (query.Concern, error) {
	if got, ok, err := concernAhead(tx, names, besides, limit); ok || err != nil {
		return got, err
	}
	var but int64
	if besides != "" {
		keys, err := tx.Keys([]task.ID{besides})
		if err != nil {
			return query.Concern{}, err
		}
		but = keys[0]
	}
	return tx.Log().Concerned(slug, names, but, limit)
}
