package app

import (
	"context"
	"fmt"
	"os"
	"runtime"
	"runtime/metrics"
	"time"

	"tasker/internal/core"
	"tasker/internal/db"
	"tasker/internal/fault"
	"tasker/internal/store"
	"tasker/internal/task"
	"tasker/internal/task/merge"
	"tasker/internal/telemetry"
	"tasker/internal/text/words"
)

// scrapeTime limits how long a scrape may read the database. What has not been read by then is left out.
const scrapeTime = 2 * time.Second

// commitMeter adds the metrics of commits, and returns what counts one: see db.Setup.
func commitMeter(set *telemetry.Metrics) func(writes int, waited, took time.Duration) {
	seconds := []float64{0.0005, 0.001, 0.0025, 0.005, 0.01, 0.025, 0.05, 0.1, 0.25, 1, 5, 30}
	shared := set.Histograms("tasker_commit_writes", "How many writes share a commit.", []float64{1, 2, 4, 8, 16, 32}).Of()
	waits := set.Histograms("tasker_turn_wait_seconds", "How long the first write of a commit waited for its turn.", seconds).Of()
	commits := set.Histograms("tasker_commit_duration_seconds", "How long commits took.", seconds).Of()
	return func(writes int, waited, took time.Duration) {
		shared.Observe(float64(writes))
		waits.Observe(waited.Seconds())
		commits.Observe(took.Seconds())
	}
}

// stored is what a scrape reads from the database: one snapshot of maintained counts, however many tasks there are.
type stored struct {
	read     bool
	projects []*task.Project
	newest   int64
	fares    []merge.Fare
	pending  int // deliveries
	oldest   time.Duration
}

// look reads what the caller may see.
func (x *Site) look(ctx context.Context) (s stored) {
	ctx, cancel := context.WithTimeout(ctx, scrapeTime)
	defer cancel()
	var err error
	if s.projects, err = x.app.Services.Reading.Projects(ctx, core.None{}); err != nil {
		return stored{}
	}
	if s.newest, err = x.app.Services.Reading.Newest(ctx, core.None{}); err != nil {
		return stored{}
	}
	links, err := x.app.Services.Links.Fares(ctx, core.None{})
	if err != nil {
		return stored{}
	}
	s.fares, s.pending, s.oldest, s.read = links.Fares, links.Pending, time.Duration(links.OldestMs)*time.Millisecond, true
	return s
}

// maxProjectSeries limits how many projects have series of their own; the others are counted together.
const maxProjectSeries = 100

// states returns a number for each state and project.
func (s stored) states(names []string, of func(*task.Project) []int) []telemetry.Sample {
	out := make([]telemetry.Sample, 0, len(names)*min(len(s.projects), maxProjectSeries+1))
	others := make([]int, len(names))
	for i, p := range s.projects {
		for j, n := range of(p) {
			if i < maxProjectSeries {
				out = append(out, telemetry.Sample{Labels: []string{p.Slug, names[j]}, Value: float64(n)})
			} else {
				others[j] += n
			}
		}
	}
	if len(s.projects) > maxProjectSeries {
		for j, n := range others {
			out = append(out, telemetry.Sample{Labels: []string{"", names[j]}, Value: float64(n)})
		}
	}
	return out
}

// measure adds the metrics of the server, its database and its process.
func (x *Site) measure(set *telemetry.Metrics) {
	var now stored
	set.Read(func(ctx context.Context) []telemetry.Family {
		now = x.look(ctx)
		return x.families(now)
	})
	x.app.store.Observe(countClaims(set.Counters("tasker_claims_total", "Claims that were made and released through this server.", "outcome")))
	x.swept = set.Counters("tasker_leases_lapsed_total", "Leases that lapsed and were swept by this server.").Of()
	set.Read(func(context.Context) []telemetry.Family { return now.linkFamilies() })
	x.attempts = set.Counters("tasker_deliveries_total", "Attempts by this server to deliver an inbox item: delivered, failed (and repeated), or dead "+
		"(given up).", "outcome")
	for _, outcome := range []string{"delivered", "failed", "dead"} {
		x.attempts.Of(outcome) // so that a rate can be computed from the start
	}
	started := time.Now()
	set.Read(func(context.Context) []telemetry.Family { return processFamilies(started) })
}

// families returns the metrics of the server and its database.
func (x *Site) families(now stored) []telemetry.Family {
	var ready, sizes []telemetry.Sample
	for _, name := range []string{db.OfDatabase, db.OfClock, db.OfCopy} {
		well := 1.0
		if x.watch.troubles(name) != nil {
			well = 0
		}
		ready = append(ready, telemetry.Sample{Labels: []string{name}, Value: well})
	}
	if bytes, known := x.app.store.DB().Sizes(); known {
		sizes = []telemetry.Sample{{Labels: []string{"database"}, Value: float64(bytes.File)}, {Labels: []string{"wal"}, Value: float64(bytes.Log)}}
	}
	return []telemetry.Family{
		{
			Name: "tasker_build_info", Help: "The build, as labels.", Labels: []string{"version", "go"},
			Samples: []telemetry.Sample{{Labels: []string{Version, runtime.Version()}, Value: 1}},
		},
		{Name: "tasker_ready", Help: "Whether a check passes, by check.", Labels: []string{"check"}, Samples: ready},
		{
			Name: "tasker_tasks", Help: "Tasks by project and status; a project without a name stands for all beyond the first hundred.",
			Labels: []string{"project", "status"},
			Samples: now.states([]string{"open", "in_progress", "in_review", "done", "cancelled"}, func(p *task.Project) []int {
				return []int{p.Tasks.Open, p.Tasks.InProgress, p.Tasks.InReview, p.Tasks.Done, p.Tasks.Cancelled}
			}),
		},
		{
			Name: "tasker_frontier_tasks", Help: "Tasks that can be claimed now, that a claim holds, and that wait for others, by project.",
			Labels:  []string{"project", "state"},
			Samples: now.states([]string{"ready", "held", "waiting"}, func(p *task.Project) []int { return []int{p.Ready, p.Held, p.Waiting} }),
		},
		{
			Name: "tasker_events_total", Help: "Events in the log of the database, from every process.", Kind: "counter",
			Samples: now.sample(float64(now.newest)),
		},
		{
			Name: "tasker_writes_waiting", Help: "Writes of this process that wait for their turn.",
			Samples: []telemetry.Sample{{Value: float64(x.app.store.DB().Waiting())}},
		},
		{Name: "tasker_database_bytes", Help: "Size of the database's files, if they are on this machine.", Labels: []string{"file"}, Samples: sizes},
	}
}

// linkFamilies returns the metrics of the links to other systems and of the pending deliveries.
func (s stored) linkFamilies() []telemetry.Family {
	labels := []string{"project", "system"}
	var pulled, failures, pending, failed, conflicts []telemetry.Sample
	for _, f := range s.fares[:min(len(s.fares), 2*maxProjectSeries)] {
		sample := func(n float64) telemetry.Sample {
			return telemetry.Sample{Labels: []string{f.Project, f.System}, Value: n}
		}
		if f.Health.LastPull != 0 {
			pulled = append(pulled, sample(float64(f.Health.LastPull)/1e6))
		}
		failures = append(failures, sample(float64(f.Health.Failures)))
		pending = append(pending, sample(float64(f.Pending)))
		failed = append(failed, sample(float64(f.Failed)))
		conflicts = append(conflicts, sample(float64(f.Conflicts)))
	}
	return []telemetry.Family{
		{Name: "tasker_sync_last_pull_timestamp_seconds", Help: "When the last pull succeeded, in seconds since 1970.", Labels: labels, Samples: pulled},
		{Name: "tasker_sync_failed_pulls", Help: "Pulls that failed since the last one that succeeded.", Labels: labels, Samples: failures},
		{Name: "tasker_sync_pending_writes", Help: "Writes that wait to be sent.", Labels: labels, Samples: pending},
		{Name: "tasker_sync_failed_writes", Help: "Writes that were refused for good.", Labels: labels, Samples: failed},
		{Name: "tasker_sync_conflicts", Help: "Fields that two systems disagree about.", Labels: labels, Samples: conflicts},
		{Name: "tasker_deliveries_pending", Help: "Inbox items that are yet to be delivered.", Samples: s.sample(float64(s.pending))},
		{
			Name: "tasker_deliveries_oldest_pending_seconds", Help: "For how long the oldest of them has waited.",
			Samples: s.sample(s.oldest.Seconds()),
		},
	}
}

// sample returns a value that was read from the database, and none if the database could not be read.
func (s stored) sample(value float64) []telemetry.Sample {
	if !s.read {
		return nil
	}
	return []telemetry.Sample{{Value: value}}
}

// processFamilies returns the metrics of the process.
func processFamilies(started time.Time) []telemetry.Family {
	memory := []metrics.Sample{{Name: "/memory/classes/total:bytes"}, {Name: "/memory/classes/heap/released:bytes"}}
	metrics.Read(memory)
	var resident []telemetry.Sample
	text, _ := os.ReadFile("/proc/self/statm")
	var size, pages int64
	if n, _ := fmt.Sscan(string(text), &size, &pages); n == 2 {
		resident = []telemetry.Sample{{Value: float64(pages * int64(os.Getpagesize()))}}
	}
	return []telemetry.Family{
		{
			Name: "process_start_time_seconds", Help: "When the process started, in seconds since 1970.",
			Samples: []telemetry.Sample{{Value: float64(started.UnixMilli()) / 1000}},
		},
		{Name: "go_goroutines", Help: "Number of goroutines.", Samples: []telemetry.Sample{{Value: float64(runtime.NumGoroutine())}}},
		{
			Name: "go_memory_bytes", Help: "Bytes that the Go runtime has obtained from the operating system.",
			Samples: []telemetry.Sample{{Value: float64(memory[0].Value.Uint64() - memory[1].Value.Uint64())}},
		},
		{Name: "process_resident_memory_bytes", Help: "Bytes of memory that the process uses, if the operating system reports it.", Samples: resident},
	}
}

// countClaims returns an observer that counts the claims that are made and given back, once they are committed.
func countClaims(total *telemetry.Counters) store.Observer {
	ended := func(n store.Claims, err error) {
		if err == nil {
			total.Of("made").Add(n.Made)
			total.Of("released").Add(n.Released)
		}
	}
	return func(_ context.Context, write bool) store.Observed {
		if !write {
			return store.Observed{}
		}
		return store.Observed{Ended: ended}
	}
}

// The spans of a request's database work: a turn from the request for it to its commit, or a snapshot, and within either
// the statements that an operation sends.
const (
	spanTurn       = "turn"
	spanSnapshot   = "snapshot"
	spanStatements = "statements"
)

// traced records the spans of a transaction if the request is traced.
func traced(ctx context.Context, write bool) store.Observed {
	span := telemetry.ChildSpan(ctx)
	if span == nil {
		return store.Observed{}
	}
	name := words.Either(write, spanTurn, spanSnapshot)
	return store.Observed{
		During: func(c db.Conn, run func() error) error {
			within, before := span.Child(), *c.Stats()
			err := run()
			endSpan(within, spanStatements, err,
				telemetry.CountAttribute("tasker.statements", c.Stats().Statements-before.Statements), telemetry.CountAttribute("tasker.rows", c.Stats().Rows-before.Rows))
			return err
		},
		Ended: func(_ store.Claims, err error) { endSpan(span, name, err) },
	}
}

func endSpan(s *telemetry.Span, name string, err error, about ...telemetry.Attribute) {
	s.End(name, fault.Is(err, fault.Internal) || fault.Is(err, fault.Unavailable), about...)
}
