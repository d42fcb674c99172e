package core

import (
	"tasker/internal/fault"
	"tasker/internal/remedy"
	"tasker/internal/task"
	"tasker/internal/task/query"
)

// Pruned returns the refusal of who asks for events that the log no longer has: it begins after them.
func Pruned(start query.LogStart) error {
	return fault.New(fault.Gone, "the log begins with event %d: everything before it was pruned into an archive", start.First).
		WithHint("begin there: %s; whoever runs the place has the archive", remedy.EventsFrom(start.First))
}

// LogHas refuses a place in the log that lies before its beginning. Nothing of what is past the event was pruned.
func LogHas(tx *ReadTx, past int64) error {
	start, err := tx.Log.Start()
	if err == nil && past < start.First-1 {
		err = Pruned(start)
	}
	return err
}

// LogReaches refuses a time from which on events were pruned.
func LogReaches(tx *ReadTx, since task.Time) error {
	start, err := tx.Log.Start()
	if err == nil && since <= start.Until {
		err = Pruned(start)
	}
	return err
}
