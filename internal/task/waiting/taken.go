package waiting

import (
	"tasker/internal/fault"
	"tasker/internal/hint"
	"tasker/internal/task"
)

// Taken says that somebody deals with an inbox item for a while, so that nobody else starts on it too.
type Taken struct {
	By    string // the whole name; empty: nobody
	Until task.Time
	Stamp int64 // of the occurrence that was taken
}

// How long an item is taken for.
const (
	defaultTakenMs = 30 * 60 * 1000
	maxTakenMs     = 7 * 24 * 60 * 60 * 1000
)

// Holds reports whether an occurrence of the item is taken at a moment. What happens again later is taken by nobody.
func (t Taken) Holds(of Waiting, now task.Time) bool {
	return t.By != "" && of.Stamp <= t.Stamp && now < t.Until
}

// TakeBy decides whether an actor may take an item, or take it for longer, and returns what is stored then. Whatever it asks
// for, anyone may take it that nobody else has taken.
func (t Taken) TakeBy(a task.Actor, ref ItemRef, of Waiting, lastsMs *int64, now task.Time) (Taken, error) {
	ms := int64(defaultTakenMs)
	if lastsMs != nil {
		if ms = *lastsMs; ms < 1 || ms > maxTakenMs {
			return t, fault.Bad("nobody takes an item for %d milliseconds", ms).WithMissing("forMs").
				WithHint("a whole number of milliseconds from 1 to %d (7 days)", int64(maxTakenMs))
		}
	}
	if t.Holds(of, now) && t.By != a.Full() {
		return t, t.takenBy(ref)
	}
	return Taken{By: a.Full(), Until: now.Add(ms), Stamp: of.Stamp}, nil
}

// GiveBy decides whether an actor may give an item back before its time, so that others may take it: who took it may, and a
// person.
func (t Taken) GiveBy(a task.Actor, ref ItemRef, of Waiting, now task.Time) error {
	if t.Holds(of, now) && t.By != a.Full() && !a.Person() {
		return t.takenBy(ref)
	}
	return nil
}

func (t Taken) takenBy(ref ItemRef) error {
	return fault.Decline("%s is taken by %s until %s", ref.ID(), t.By, t.Until).WithHint("see what else waits: %s", hint.Inbox())
}
