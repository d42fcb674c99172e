package db

import (
	"encoding/binary"
	"errors"
	"fmt"
	"hash/fnv"

	"tasker/internal/fault"
)

// history is what a process knows a database by.
type history struct{ instance, generation, last, sum int64 }

func historyOf(h Head) history { return history{h.Instance, h.Generation, h.LastEvent, h.Sum} }

// follow compares what a database was, before a snapshot or a turn of it began, with what it is in there. A process works
// on with the one database that it met: one that is gone, that another stands in for, or whose log was rewound is an
// outage until a person acts. One that was restored since is followed from there.
func (db *DB) follow(was *history, h Head) error {
	if was == nil {
		db.met(h)
		return nil
	}
	hint := "put the database back that was there, or stop this process and start it on the one that is there now"
	switch {
	case h.Instance == 0:
		return fault.Unready("the database is gone: what is there now is empty").WithHint("%s", hint)
	case h.Instance != was.instance:
		return fault.Unready("another database stands in the place of the one that was there").WithHint("%s", hint)
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

// met remembers a state of the database that is newer than what is remembered.
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

// lost makes an outage of what cannot be opened any more: before it was met, that would be a fault of who named it.
func (was *history) lost(err error) error {
	if was == nil {
		return err
	}
	if f, ok := errors.AsType[*fault.Error](err); ok && f.Kind == fault.Invalid {
		return fault.Unready("%s", f.Message).WithHint("%s", f.Hint).WithCause(err)
	}
	return Outage(err)
}

// Outage makes an outage of what an engine declines in the middle of a snapshot or turn: the database was there, and could be
// read or written, so it is no fault of who asked.
func Outage(err error) error {
	if f, ok := errors.AsType[*fault.Error](err); ok && f.Kind == fault.Declined {
		return fault.Unready("%s", f.Message).WithHint("%s", f.Hint).WithCause(err)
	}
	return err
}

// chained is the checksum of a log that goes on with an event.
func chained(sum, event, at int64) int64 {
	var b [24]byte
	for i, n := range []int64{sum, event, at} {
		binary.LittleEndian.PutUint64(b[8*i:], uint64(n))
	}
	h := fnv.New64a()
	_, _ = h.Write(b[:])
	return int64(h.Sum64() >> 1)
}
