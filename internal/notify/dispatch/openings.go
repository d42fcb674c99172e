package dispatch

import (
	"context"
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

	mu    sync.Mutex
	begun map[string]bool // channels, by ID
}

// NewOpenings returns the opening of the given channels.
func NewOpenings(c *Channels) *Openings { return &Openings{channels: c, begun: map[string]bool{}} }

// Observe is the store's observer: see store.Observe.
func (o *Openings) Observe(ctx context.Context, write bool) store.Observed {
	if !write || core.CallerOf(ctx).Doing == notify.Doing { // it opens channels itself, and causes nothing
		return store.Observed{}
	}
	all := o.channels.Channels()
	if len(all) == 0 {
		return store.Observed{}
	}
	begin := o.unbegun(all)
	seen := store.Observed{Ended: func(_ store.Claims, err error) {
		if err == nil {
			o.have(begin)
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

// have notes which channels are open.
func (o *Openings) have(begun []delivery.Channel) {
	o.mu.Lock()
	defer o.mu.Unlock()
	for _, c := range begun {
		o.begun[c.ID()] = true
	}
}

// unbegun returns the channels that may be new.
func (o *Openings) unbegun(all []delivery.Channel) []delivery.Channel {
	o.mu.Lock()
	defer o.mu.Unlock()
	var out []delivery.Channel
	for _, c := range all {
		if !o.begun[c.ID()] {
			out = append(out, c)
		}
	}
	return out
}
