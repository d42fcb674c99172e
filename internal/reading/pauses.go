package reading

import (
	"sync"

	"tasker/internal/task"
)

// pauses caches the usual pause of each worker for some minutes: it changes slowly, and without the cache every overview
// reads fifty events of each worker ("GET machine" of make bench, with fifty workers).
type pauses struct {
	mu     sync.Mutex
	cached map[pausing]pause
}

type pausing struct {
	projectFlow
	actor string
}

type pause struct {
	ms   int64
	asOf task.Time
}

// Limits of the cache.
const (
	pauseAge  = 5 * 60 * 1000 // ms
	maxPauses = 10_000
)

// of returns the usual pause between the writes of a worker in a project, in milliseconds; 0 if it is not known.
func (k *pauses) of(sc scene, actor string) (int64, error) {
	key, now := pausing{flowOf(sc).key(), actor}, sc.View.Now()
	k.mu.Lock()
	c, ok := k.cached[key]
	k.mu.Unlock()
	if ok && now >= c.asOf && now <= c.asOf.Add(pauseAge) {
		return c.ms, nil
	}
	at, err := sc.Tx.WroteAt(sc.Project.Slug, actor, pausesFrom+1)
	if err != nil {
		return 0, err
	}
	c = pause{usualPause(at), now}
	k.mu.Lock()
	defer k.mu.Unlock()
	if len(k.cached) >= maxPauses {
		clear(k.cached)
	}
	k.cached[key] = c
	return c.ms, nil
}
