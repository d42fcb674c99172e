package core

import (
	"errors"

	"tasker/internal/fault"
	"tasker/internal/hint"
	"tasker/internal/store"
	"tasker/internal/task"
	"tasker/internal/task/query"
)

// Pruned returns the refusal for a reader of events that the log no longer has: it begins after them.
func Pruned(start query.LogStart) *fault.Error {
	return fault.New(fault.Gone, "the log begins with event %d: everything before it was pruned into an archive", start.First).
		WithHint("begin there: %s; the operator of the database has the archive", hint.EventsFrom(start.First))
}

// ErrGap is in the error chain of a reader that has seen events which were lost since. A stream goes on after the gap.
var ErrGap = errors.New("events were lost")

// InGap returns the refusal for a reader that has seen events which were lost since.
func InGap(g query.Gap) *fault.Error {
	return fault.New(fault.Gone, "the events after %d were lost: the log goes on with event %d", g.Last, g.Next.ID).
		WithHint("forget what you know from events after %d, read anew what you follow, and go on there: %s", g.Last, hint.EventsFrom(g.Next.ID)).WithCause(ErrGap)
}

// LogHas refuses a position in the log before its beginning. Otherwise nothing after that event was pruned.
func LogHas(tx store.View, past int64) error {
	start, err := tx.LogStart()
	if err == nil && past < start.First-1 {
		err = Pruned(start).WithHint("name event %d or a later one; the operator of the database has the archive", start.First)
	}
	return err
}

// LogReaches refuses a time after which events were pruned.
func LogReaches(tx *store.Tx, since task.Time) error {
	start, err := tx.LogStart()
	if err == nil && since <= start.Until {
		err = Pruned(start).WithHint("name a time after %s; the operator of the database has the archive", start.Until)
	}
	return err
}
