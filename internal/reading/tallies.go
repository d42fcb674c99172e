package reading

import (
	"sync"

	"tasker/internal/task"
	"tasker/internal/task/query"
)

// tallies caches the count of closed work in each project until something is written, and for a minute at most, because
// work grows older than the days that are counted. Counting reads every task that was closed in these days: with 30,000 of
// them, 30 ms for each reader of a page that several people have open ("GET proof" of make bench).
type tallies struct {
	mu     sync.Mutex
	cached map[tallying]tallied
}

type tallying struct {
	projectFlow
	days int
}

type tallied struct {
	event int64 // the newest one when it was counted
	asOf  task.Time
	query.Proven
}

// Limits of the cache.
const (
	tallyAge   = 60 * 1000 // ms
	maxTallies = 1000
)

// of counts the work of a project that was closed in the last days.
func (k *tallies) of(sc scene, days int) (query.Proven, error) {
	key, event, now := tallying{flowOf(sc).key(), days}, sc.Tx.LastEvent(), sc.View.Now()
	k.mu.Lock()
	c, ok := k.cached[key]
	k.mu.Unlock()
	if ok && c.event == event && now >= c.asOf && now <= c.asOf.Add(tallyAge) {
		return c.Proven, nil
	}
	n, err := sc.Tx.Proven(sc.Project.Slug, daysBefore(now, days))
	if err != nil {
		return n, err
	}
	k.mu.Lock()
	defer k.mu.Unlock()
	if len(k.cached) >= maxTallies {
		clear(k.cached)
	}
	k.cached[key] = tallied{event, now, n}
	return n, nil
}

// daysBefore returns the moment some days before now.
func daysBefore(now task.Time, days int) task.Time { return now.Add(-int64(days) * dayMs) }
