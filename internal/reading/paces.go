package reading

import (
	"sync"

	"tasker/internal/task"
)

// paces caches how many tasks each worker has done in the last day, until a task of the project is closed or reopened and
// for a minute at most. Counting them anew for every reader was half of a project's first page ("the first page of the
// project" of make bench).
type paces struct {
	mu     sync.Mutex
	cached map[projectFlow]pace
}

type pace struct {
	version int64
	asOf    task.Time
	done    map[string]int // of each worker that was asked for
}

// Limits of the cache.
const (
	paceAge  = 60 * 1000 // ms
	maxPaces = 1000
)

// of returns how many tasks each of some workers of a project has done in the last day.
func (k *paces) of(sc scene, actors []string) (map[string]int, error) {
	f := flowOf(sc)
	k.mu.Lock()
	c, ok := k.cached[f.key()]
	k.mu.Unlock()
	if ok && c.version == f.version && f.now >= c.asOf && f.now <= c.asOf.Add(paceAge) && c.has(actors) {
		return c.done, nil
	}
	done, err := sc.Tx.DoneBy(sc.Project.Slug, actors, f.now.Add(-dayMs))
	if err != nil {
		return nil, err
	}
	for _, a := range actors {
		done[a] += 0 // asked for
	}
	k.mu.Lock()
	defer k.mu.Unlock()
	if len(k.cached) >= maxPaces {
		clear(k.cached)
	}
	k.cached[f.key()] = pace{f.version, f.now, done}
	return done, nil
}

// has reports whether all of some workers were counted.
func (p pace) has(actors []string) bool {
	for _, a := range actors {
		if _, ok := p.done[a]; !ok {
			return false
		}
	}
	return true
}
