package dispatch

import (
	"context"
	"slices"
	"sync"

	"tasker/internal/notify"
	"tasker/internal/store"
	"tasker/internal/task/delivery"
)

// Opening returns the store's observer that opens new channels within the first turn that may cause an item for them.
// If the process ends right after the turn, the item is pending and not lost.
func Opening(c *Channels) store.Observer {
	var begun sync.Map // channels, by ID
	return func(_ context.Context, write bool) store.Observed {
		if !write {
			return store.Observed{}
		}
		begin := slices.DeleteFunc(slices.Clone(c.Channels()), func(c delivery.Channel) bool {
			_, known := begun.Load(c.ID())
			return known
		})
		if len(begin) == 0 {
			return store.Observed{}
		}
		return store.Observed{
			First: func(tx *store.Tx) error { return notify.Begin(tx, begin) },
			Ended: func(_ store.Claims, err error) {
				for _, c := range begin {
					if err == nil {
						begun.Store(c.ID(), true)
					}
				}
			},
		}
	}
}
