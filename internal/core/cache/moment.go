package cache

import "tasker/internal/task"

// Moment is the state that a value shows: the newest event of a generation of the database. Leases lapse and tasks become
// overdue without an event, so the time counts too.
type Moment struct {
	Generation int64
	Event      int64
	Now        task.Time
	Until      task.Time // when the next lease ends; zero: no lease does
}

// momentAge is how long a value is served although tasks may have become overdue, in microseconds.
const momentAge = 2_000_000

// Serves reports whether a value of moment m answers a request at another moment.
func (m Moment) Serves(at Moment) bool {
	if m.Generation != at.Generation || m.Event < at.Event {
		return false
	}
	return at.Now <= m.Now || m.Event == at.Event && at.Now < m.Now+momentAge && (m.Until == 0 || at.Now < m.Until)
}
