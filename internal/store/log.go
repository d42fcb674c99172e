package store

import (
	"tasker/internal/task"
	"tasker/internal/task/query"
)

// Events returns events, oldest first: those past SinceID or Since, else the newest; with BeforeID, only those before
// it.
func (r LogReader) Events(q query.Events) ([]task.Event, error) {
	if out, ok, err := eventsAhead(r.Tx, q); ok || err != nil {
		return out, err
	}
	return r.Log().Events(q)
}

// Latest returns up to limit of the newest events of a kind in a project, past one, oldest first.
func (r LogReader) Latest(slug string, kind task.Kind, after int64, limit int) ([]task.Event, error) {
	return r.Log().Latest(slug, kind, after, limit)
}

// EventsByID returns events, by their ids.
func (r LogReader) EventsByID(ids []int64) (map[int64]task.Event, error) {
	return r.Log().EventsByID(ids)
}

// Record adds events to a project and a task; either may be empty.
func (w LogWriter) Record(slug string, id task.ID, ev ...task.Draft) error {
	return w.AppendEach(slug, id, ev...)
}

// Restored returns the event of the last restore, whatever the caller may see; nil where there is none.
func (r LogReader) Restored() (*task.Event, error) { return r.Log().Restored() }
