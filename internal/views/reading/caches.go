package reading

import (
	"context"

	"tasker/internal/core"
	"tasker/internal/core/cache"
	"tasker/internal/fault"
	"tasker/internal/task"
	"tasker/internal/task/query"
	"tasker/internal/views/reading/pressure"
	"tasker/internal/views/reading/roots"
)

// caches holds what reads have counted, so that other reads can use it for a while.
type caches struct {
	// pressures has the last count of each project, and counts one at a time: a request for a count in progress waits for
	// it. A count takes some 200 ms at 100,000 tasks, an answer from the cache 0.7 ms (both rows "GET bottlenecks" of make
	// bench).
	pressures cache.Shared[core.ProjectKey, struct{}, *pressure.Count]
	// pauses has the usual pause of each worker for some minutes: it changes slowly, and without the cache every overview
	// reads fifty events of each worker ("GET machine" of make bench, with fifty workers).
	pauses cache.Cache[ofWorker, aged[int64]]
	// paces has how many tasks each worker has done in the last day, until a task of the project is closed or reopened and
	// for a minute at most. Counting them again for every reader was half of a project's first page ("the first page of the
	// project" of make bench).
	paces cache.Cache[core.ProjectKey, aged[map[string]int]]
	// tallies has the count of closed work in each project until something is written, and for a minute at most, because
	// work grows older than the days that are counted. Counting reads every task that was closed in these days: with 30,000
	// of them, 30 ms for each reader of a page that several people have open ("GET proof" of make bench).
	tallies cache.Cache[ofDays, aged[query.Proven]]
	// charts has the chains of each project until its flow changes: every page of a waiting task needs them.
	charts cache.Cache[core.ProjectKey, charted]
}

type ofWorker struct {
	core.ProjectKey
	actor string
}

type ofDays struct {
	core.ProjectKey
	days int
}

// aged is a value with the moment and the version that it was counted at.
type aged[T any] struct {
	value   T
	version int64
	at      task.Time
}

// serves reports whether a value of a version is recent enough.
func (a aged[T]) serves(version int64, now task.Time, maxAgeMs int64) bool {
	return a.version == version && now >= a.at && now <= a.at.Add(maxAgeMs)
}

// How long values are served, in milliseconds.
const (
	pauseAge = 5 * 60 * 1000
	paceAge  = 60 * 1000
	tallyAge = 60 * 1000
)

func newCaches() *caches {
	c := &caches{}
	c.pressures.Max, c.pauses.Max, c.paces.Max, c.tallies.Max, c.charts.Max = 16, 10_000, 1000, 1000, 16
	c.pressures.Gate, c.pressures.Gone = make(chan struct{}, 1), uncounted
	return c
}

// uncounted is the error of a request that ended before its bottlenecks were counted.
func uncounted(ctx context.Context) error {
	return fault.Unready("the request ended before its bottlenecks were counted").WithHint("ask again").WithCause(ctx.Err())
}

// usualPause returns the usual pause between the writes of a worker in a project, in milliseconds; 0 if it is not known.
func (c *caches) usualPause(sc scene, actor string) (int64, error) {
	now := sc.View.Now()
	p, err := c.pauses.Of(ofWorker{sc.Key(), actor}, func(p aged[int64]) bool { return p.serves(0, now, pauseAge) }, func() (aged[int64], error) {
		at, err := sc.Tx.WroteAt(sc.Project.Slug, actor, pausesFrom+1)
		return aged[int64]{value: UsualPause(at), at: now}, err
	})
	return p.value, err
}

// doneBy returns how many tasks each of some workers of a project has done in the last day.
func (c *caches) doneBy(sc scene, actors []string) (map[string]int, error) {
	version, now := sc.Project.FlowVersion, sc.View.Now()
	fresh := func(p aged[map[string]int]) bool {
		for _, a := range actors {
			if _, counted := p.value[a]; !counted {
				return false
			}
		}
		return p.serves(version, now, paceAge)
	}
	p, err := c.paces.Of(sc.Key(), fresh, func() (aged[map[string]int], error) {
		done, err := sc.Tx.DoneBy(sc.Project.Slug, actors, now.Add(-dayMs))
		if err != nil {
			return aged[map[string]int]{}, err
		}
		for _, a := range actors {
			done[a] += 0 // asked for
		}
		return aged[map[string]int]{done, version, now}, nil
	})
	return p.value, err
}

// chart returns what some waiting tasks of a project wait for in the end.
func (c *caches) chart(sc core.Scene, waiting []task.ID) (*roots.Chart, error) {
	version := sc.Project.FlowVersion
	if version < 0 || sc.Project.Tasks.Left() > roots.MaxOpen { // an earlier moment, or too much to keep
		return roots.In(sc.View, sc.Project, waiting)
	}
	got, err := c.charts.Of(sc.Key(), func(x charted) bool { return x.version == version }, func() (charted, error) {
		chart, err := roots.In(sc.View, sc.Project, waiting)
		return charted{version, chart}, err
	})
	return got.chart, err
}

// tally counts the work of a project that was closed in the last days.
func (c *caches) tally(sc scene, days int) (query.Proven, error) {
	event, now := sc.Tx.LastEvent(), sc.View.Now()
	n, err := c.tallies.Of(ofDays{sc.Key(), days}, func(n aged[query.Proven]) bool { return n.serves(event, now, tallyAge) }, func() (aged[query.Proven], error) {
		n, err := sc.Tx.Proven(sc.Project.Slug, daysBefore(now, days))
		return aged[query.Proven]{n, event, now}, err
	})
	return n.value, err
}
