package core

import (
	"sync/atomic"

	"tasker/internal/fault"
)

// Room limits how many tasks are held at once by reads that need many of them in memory, so that all who ask at once take no more
// than the limit. A nil Room refuses nothing.
type Room struct {
	limit int64
	used  atomic.Int64
}

// NewRoom returns a room for so many tasks.
func NewRoom(tasks int) *Room { return &Room{limit: int64(tasks)} }

// Fits reports whether so many tasks would find room if nobody else took any.
func (r *Room) Fits(tasks int) bool { return r == nil || int64(tasks) <= r.limit }

// Take makes room for tasks until they are given back. It does not wait: who asks has a snapshot open that others may need.
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

// Give gives back the room for tasks.
func (r *Room) Give(tasks int) {
	if r != nil {
		r.used.Add(-int64(tasks))
	}
}
