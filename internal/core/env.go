package core

import (
	"context"
	"io"
	"sync/atomic"

	"tasker/internal/fault"
	"tasker/internal/store"
	"tasker/internal/task/delivery"
	"tasker/internal/task/merge"
)

// Env is what operations run in: the store, the settings, and facts about this process.
type Env struct {
	Store    *store.Store
	Settings Settings
	Binary   string // the binary's semver
	Schema   int    // of the databases that it creates
	Config   int    // the configuration format that it supports
	HostURL  string // the site of the code host; empty: GitHub
	// TrackerURL is the site of the tracker from the environment; may be empty.
	TrackerURL string
	// Names is how the systems that tasks are bound to name their records.
	Names merge.Names
	// Random is the source of credentials.
	Random io.Reader
	// Guide reads tracked guidance; nil without a repository.
	Guide *Guide
	// Notifier notifies people of inbox items; nil if nobody is notified.
	Notifier Notifier
	// Rewound limits how many tasks are rewound at once.
	Rewound *Room

	on  *store.Tx // what reads use; nil if each read takes its own snapshot
	ear *ear      // where the news of a call goes; nil if nobody listens
}

// On returns the environment with reads on an open snapshot, so that a read composed of others sees one state. It is
// valid until the snapshot ends.
func (s *Env) On(tx *store.Tx) *Env {
	on := *s
	on.on = tx
	return &on
}

// Notifier sends inbox items to the channels that the configuration of this process declares.
type Notifier interface {
	// Channels returns each channel once, as the configuration currently declares them.
	Channels() []delivery.Channel
	// Send makes one attempt. It ends with ctx, and does not wait for anything that does not.
	Send(ctx context.Context, c delivery.Channel, m delivery.Message) delivery.Outcome
}

// What operations take and return. Fields tagged `path` come from the route's path, `query` from its query, the rest
// from the body; a type with DecodeBody reads its body itself.

// None is the input of an operation that takes nothing.
type None struct{}

// ProjectIn names a project.
type ProjectIn struct {
	Slug string `path:"slug"`
}

// TaskIn names a task: by id, or by key in the caller's project.
type TaskIn struct {
	Task string `path:"id"`
}

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
		return fault.Unready("too many others are reading projects as they were long ago").WithHint("try again in a moment")
	}
	return nil
}

// Give returns the room for tasks.
func (r *Room) Give(tasks int) {
	if r != nil {
		r.used.Add(-int64(tasks))
	}
}
