package core

import (
	"sync/atomic"

	"tasker/internal/fault"
)

// Room limits how many tasks are held at once by reads that need a whole project in memory, so that many who ask at once
// take no more than one who does. A nil Room refuses nothing.
type Room struct {
	limit int64
	used  atomic.Int64
}

// NewRoom returns a room for so many tasks.
func NewRoom(tasks int) *Room { return &Room{limit: int64(tasks)} }

// Take makes room for tasks until leave is called. It does not wait: who asks has a snapshot open that others may need.
func (r *Room) Take(tasks int) (leave func(), err error) {
	if r == nil {
		return func() {}, nil
	}
	n := int64(tasks)
	if r.used.Add(n) > r.limit {
		r.used.Add(-n)
		return nil, fault.Unready("others look at large projects as they were, and there is no room for one more").WithHint("ask again in a moment")
	}
	return func() { r.used.Add(-n) }, nil
}
