package core

import (
	"sync/atomic"

	"tasker/internal/fault"
)

// Room limits how many tasks are in memory at once for reads that need many of them, across all concurrent requests. A
// nil Room refuses nothing.
type Room struct {
	limit int64
	used  atomic.Int64
}

// NewRoom returns a room for that many tasks.
func NewRoom(tasks int) *Room { return &Room{limit: int64(tasks)} }

// Fits reports whether that many tasks would fit if nobody else used the room.
func (r *Room) Fits(tasks int) bool { return r == nil || int64(tasks) <= r.limit }

// Take reserves room for tasks until Give. It does not wait: the caller has a snapshot open that others may need.
func (r *Room) Take(tasks int) error {
	if r == nil {
		return nil
	}
	n := int64(tasks)
	if r.used.Add(n) > r.limit {
		r.used.Add(-n)
		return fault.Unready("others look at projects as they were long ago, and there is no room for one more").WithHint("ask again in a moment")
	}
	return nil
}

// Give returns the room for tasks.
func (r *Room) Give(tasks int) {
	if r != nil {
		r.used.Add(-int64(tasks))
	}
}
