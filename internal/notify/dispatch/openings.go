package dispatch

import (
	"context"
	"slices"
	"sync"

	"tasker/internal/core"
	"tasker/internal/notify"
	"tasker/internal/notify/delivery"
	"tasker/internal/store"
)

// Openings opens new channels within the first turn that may cause an item for them. If the process ends right after
// the turn, the item is pending and not lost.
type Openings struct {
	Caused func() // called after a turn that may have caused items; nil: nobody delivers them now

	channels *Channels

	begun sync.Map // channels, by ID
}

// NewOpenings returns the opening of the given channels.
func NewOpenings(c *Channels) *Openings { return &Openings{channels: c} }

// Observe is the store's observer: see store.Observe.
func (o *Openings) Observe(ctx context.Context, write bool) store.Observed {
	if !write || core.CallerOf(ctx).Doing == notify.Doing { // it opens channels itself, and causes nothing
		return store.Observed{}
	}
	all := o.channels.Channels()
	if len(all) == 0 {
		return store.Observed{}
	}
	begin := slices.DeleteFunc(slices.Clone(all), func(c delivery.Channel) bool {
		_, begun := o.begun.Load(c.ID())
		return begun
	})
	seen := store.Observed{Ended: func(_ store.Claims, err error) {
		for _, c := range begin {
			if err == nil {
				o.begun.Store(c.ID(), true)
			}
		}
		if o.Caused != nil {
			o.Caused() // also after a refusal, which may have been recorded
		}
	}}
	if len(begin) > 0 {
		seen.First = func(tx *store.Tx) error { return notify.Begin(tx, begin) }
	}
	return seen
}
