package db

import (
	"errors"
	"fmt"

	"tasker/internal/fault"
)

// history is how a process recognizes a database.
type history struct{ instance, generation, last, sum int64 }

func historyOf(h Head) history { return history{h.Instance, h.Generation, h.LastEvent, h.Sum} }

// follow compares the database as it was known before a snapshot or turn began with the state found there. A process keeps
// working with the one database that it met: if it is gone, replaced by another, or its log was rewound, that is an outage
// until a person acts. A database that was restored since is followed from there.
func (db *DB) follow(was *history, h Head) error {
	if was == nil {
		db.met(h)
		return nil
	}
	hint := "put back the database that was there, or stop this process and start it on the one that is there now"
	switch {
	case h.Instance == 0:
		return fault.Unready("the database is gone: what is there now is empty").WithHint("%s", hint)
	case h.Instance != was.instance:
		return fault.Unready("another database has replaced the one that was there").WithHint("%s", hint)
	case h.Generation > was.generation:
		if db.feed.restart(h) {
			db.engine.Setup().Notice(fmt.Sprintf("the database was restored: it is followed from event %d of generation %d", h.LastEvent, h.Generation))
		}
	case h.Generation < was.generation, h.LastEvent < was.last, h.LastEvent == was.last && h.Sum != was.sum:
		return fault.Unready("the log of the database was rewound: event %d was there, and the newest is event %d", was.last, h.LastEvent).
			WithHint("%s", hint)
	}
	db.met(h)
	return nil
}

// met remembers a state of the database that is newer than the remembered one.
func (db *DB) met(h Head) {
	if h.Instance == 0 {
		return
	}
	now := historyOf(h)
	for {
		was := db.seen.Load()
		if was != nil && (now.generation < was.generation || now.generation == was.generation && now.last <= was.last) {
			return
		}
		if db.seen.CompareAndSwap(was, &now) {
			return
		}
	}
}

// lost turns the error of a database that can no longer be opened into an outage: before it was met, the error is the fault
// of the person who named it.
func (was *history) lost(err error) error {
	if was == nil {
		return err
	}
	if f, ok := errors.AsType[*fault.Error](err); ok && f.Kind == fault.Invalid {
		return fault.Unready("%s", f.Message).WithHint("%s", f.Hint).WithCause(err)
	}
	return Outage(err)
}

// Outage turns an engine's refusal in the middle of a snapshot or turn into an outage: the database was there and usable,
// so the caller is not at fault.
func Outage(err error) error {
	if f, ok := errors.AsType[*fault.Error](err); ok && f.Kind == fault.Declined {
		return fault.Unready("%s", f.Message).WithHint("%s", f.Hint).WithCause(err)
	}
	return err
}
