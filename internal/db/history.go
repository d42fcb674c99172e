package db

import (
	"context"
	"errors"
	"fmt"

	"tasker/internal/fault"
	"tasker/internal/hint"
)

// history is how a process recognizes a database: by its number, by how often it was restored, and by the newest event
// that was seen in its log.
type history struct{ instance, generation, last, sum int64 }

func historyOf(h Head) history { return history{h.Instance, h.Generation, h.LastEvent, h.Sum} }

// newest returns the event by which a database is recognized; none before one was met.
func (was *history) newest() Point {
	if was == nil {
		return Point{}
	}
	return Point{was.last, was.sum}
}

// ErrRewound is in the error chain where the database lacks events that it had. It stays an outage, however long the log
// grows, until a person puts back what was there or accepts the loss.
var ErrRewound = errors.New("the log was rewound")

// Lost is a part of a log that somebody remembers and the database does not have any more. Zero: no part.
type Lost struct {
	From int64 // the first event; 0 if only the last one is known
	To   int64 // the last one; 0: nothing is lost
}

func (l Lost) String() string {
	switch {
	case l.From == 0:
		return fmt.Sprintf("event %d is gone, and perhaps others before it", l.To)
	case l.From == l.To:
		return fmt.Sprintf("event %d is gone", l.To)
	}
	return fmt.Sprintf("events %d to %d are gone", l.From, l.To)
}

// with returns what either of two remembers.
func (l Lost) with(other Lost) Lost {
	out := Lost{l.From, max(l.To, other.To)}
	if out.From == 0 || other.From != 0 && other.From < out.From {
		out.From = other.From
	}
	return out
}

// outage is the answer to whatever is asked of a database that lost a part of its log.
func (l Lost) outage() error {
	return fault.Unready("the log of the database was rewound: %s", l).
		WithHint("put back the database that was there, or let a person go on without them: %s", hint.Here("db accept")).WithCause(rewound{l})
}

// rewound is the cause of such an outage. It is an ErrRewound.
type rewound struct{ lost Lost }

func (r rewound) Error() string        { return ErrRewound.Error() + ": " + r.lost.String() }
func (r rewound) Is(target error) bool { return target == ErrRewound }

// Lost returns which events are gone if the log was rewound.
func (db *DB) Lost(ctx context.Context) (Lost, error) {
	err := db.Check(ctx, func(Head) {})
	if r, ok := errors.AsType[rewound](err); ok {
		return r.lost, nil
	}
	return Lost{}, err
}

// missing returns which events of a remembered log a database does not have. Whether the log has grown longer since does not
// matter: the remembered event itself is looked at.
func (was *history) missing(h Head) Lost {
	switch {
	case was == nil || h.Instance != was.instance || h.Generation > was.generation:
		return Lost{}
	case h.LastEvent < was.last:
		return Lost{From: h.LastEvent + 1, To: was.last}
	case h.Generation < was.generation, h.LastEvent == was.last && h.Sum != was.sum, h.LastEvent > was.last && h.Differs:
		return Lost{To: was.last}
	}
	return Lost{}
}

// follow compares the database as it was known before a snapshot or turn began with the state found there. A process keeps
// working with the one database that it met: if it is gone, replaced by another, or its log was rewound, that is an outage
// until a person acts. A database that was restored since is followed from there.
func (db *DB) follow(was *history, h Head) error {
	hint := "put back the database that was there, or stop this process and start it on the one that is there now"
	lost := h.Lost.with(was.missing(h))
	switch {
	case was != nil && h.Instance == 0:
		return fault.Unready("the database is gone: what is there now is empty").WithHint("%s", hint)
	case was != nil && h.Instance != was.instance:
		return fault.Unready("another database has replaced the one that was there").WithHint("%s", hint)
	case lost.To != 0:
		if lost != h.Lost {
			db.memory.untold.Store(true)
		}
		return lost.outage()
	case was != nil && h.Generation > was.generation:
		if db.feed.restart(h) {
			db.engine.Setup().Notice(fmt.Sprintf("the database was restored: it is followed from event %d of generation %d", h.LastEvent, h.Generation))
		}
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
