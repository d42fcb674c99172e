package core

import (
	"context"
	"io"

	"tasker/internal/links/merge"
	"tasker/internal/notify/delivery"
	"tasker/internal/store"
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
	Guide Guide
	// Notifier notifies people of inbox items; nil if nobody is notified.
	Notifier Notifier
	// Rewound limits how many tasks are rewound at once.
	Rewound *Room

	on  *store.Tx // what reads use; nil if each read takes its own snapshot
	ear *ear      // where the news of a call go; nil if nobody listens
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
