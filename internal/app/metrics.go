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
	"tasker/internal/links/merge"
	"tasker/internal/store"
	"tasker/internal/task"
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

// projectsTold limits how many projects have series of their own; the others are counted together.
const projectsTold = 100

// states returns a number for each state and project.
func (s stored) states(names []string, of func(*task.Project) []int) []telemetry.Sample {
	out := make([]telemetry.Sample, 0, len(names)*min(len(s.projects), projectsTold+1))
	others := make([]int, len(names))
	for i, p := range s.projects {
		for j, n := range of(p) {
			if i < projectsTold {
				out = append(out, telemetry.Sample{Labels: []string{p.Slug, names[j]}, Value: float64(n)})
			} else {
				others[j] += n
			}
		}
	}
	if len(s.projects) > projectsTold {
		for j, n := range others {
			out = append(out, telemetry.Sample{Labels: []string{"", names[j]}, Value: float64(n)})
		}
	}
	return out
}

// measure adds the metrics of the server, its database and its process.
func (x *Site) measure(set *telemetry.Metrics) {
	var now stored
	set.Before(func(ctx context.Context) { now = x.look(ctx) })
	set.Gauges("tasker_build_info", "The build, as labels.", []string{"version", "go"}, func() []telemetry.Sample {
		return []telemetry.Sample{{Labels: []string{Version, runtime.Version()}, Value: 1}}
	})
	set.Gauges("tasker_ready", "Whether a check passes, by check.", []string{"check"}, func() []telemetry.Sample {
		var out []telemetry.Sample
		for _, name := range []string{db.OfDatabase, db.OfClock, db.OfCopy} {
			well := 1.0
			if x.watch.troubles(name) != nil {
				well = 0
			}
			out = append(out, telemetry.Sample{Labels: []string{name}, Value: well})
		}
		return out
	})
	set.Gauges("tasker_tasks", "Tasks by project and status; a project without a name is all beyond the first hundred.", []string{"project", "status"},
		func() []telemetry.Sample {
			return now.states([]string{"open", "in_progress", "in_review", "done", "cancelled"}, func(p *task.Project) []int {
				return []int{p.Tasks.Open, p.Tasks.InProgress, p.Tasks.InReview, p.Tasks.Done, p.Tasks.Cancelled}
			})
		})
	set.Gauges("tasker_frontier_tasks", "Tasks that can be claimed now, that a claim holds, and that wait for others, by project.", []string{"project", "state"},
		func() []telemetry.Sample {
			return now.states([]string{"ready", "held", "waiting"}, func(p *task.Project) []int { return []int{p.Ready, p.Held, p.Waiting} })
		})
	set.Counts("tasker_events_total", "Events in the log of the database, from every process.", func() (float64, bool) { return float64(now.newest), now.read })
	set.Gauge("tasker_writes_waiting", "Writes of this process that wait for their turn.", func() float64 { return float64(x.app.store.DB().Waiting()) })
	set.Gauges("tasker_database_bytes", "Size of the database's files, if they are on this machine.", []string{"file"}, func() []telemetry.Sample {
		sizes, known := x.app.store.DB().Sizes()
		if !known {
			return nil
		}
		return []telemetry.Sample{{Labels: []string{"database"}, Value: float64(sizes.File)}, {Labels: []string{"wal"}, Value: float64(sizes.Log)}}
	})
	x.app.store.Observe(countClaims(set.Counters("tasker_claims_total", "Claims that were made and released through this server.", "outcome")))
	x.swept = set.Counters("tasker_leases_lapsed_total", "Leases that lapsed and were swept by this server.").Of()
	x.attempts = measureLinks(set, &now)
	measureProcess(set, time.Now())
}

// measureProcess adds the metrics of the process.
func measureProcess(set *telemetry.Metrics, started time.Time) {
	set.Gauge("process_start_time_seconds", "When the process started, in seconds since 1970.", func() float64 { return float64(started.UnixMilli()) / 1000 })
	set.Gauge("go_goroutines", "Number of goroutines.", func() float64 { return float64(runtime.NumGoroutine()) })
	set.Gauge("go_memory_bytes", "Bytes that the Go runtime has from the operating system.", func() float64 {
		all := []metrics.Sample{{Name: "/memory/classes/total:bytes"}, {Name: "/memory/classes/heap/released:bytes"}}
		metrics.Read(all)
		return float64(all[0].Value.Uint64() - all[1].Value.Uint64())
	})
	set.Gauges("process_resident_memory_bytes", "Bytes of memory that the process uses, if the operating system reports it.", nil, func() []telemetry.Sample {
		text, _ := os.ReadFile("/proc/self/statm")
		var size, pages int64
		if n, _ := fmt.Sscan(string(text), &size, &pages); n < 2 {
			return nil
		}
		return []telemetry.Sample{{Value: float64(pages * int64(os.Getpagesize()))}}
	})
}

// measureLinks adds metrics about the links to other systems and the pending deliveries, as last read from the database. It
// returns the counters for this server's delivery attempts.
func measureLinks(set *telemetry.Metrics, now *stored) *telemetry.Counters {
	each := func(name, about string, value func(merge.Fare) (n float64, known bool)) {
		set.Gauges(name, about, []string{"project", "system"}, func() (out []telemetry.Sample) {
			for _, f := range now.fares[:min(len(now.fares), 2*projectsTold)] {
				if n, known := value(f); known {
					out = append(out, telemetry.Sample{Labels: []string{f.Project, f.System}, Value: n})
				}
			}
			return out
		})
	}
	each("tasker_sync_last_pull_timestamp_seconds", "When the last pull succeeded, in seconds since 1970.",
		func(f merge.Fare) (float64, bool) { return float64(f.Health.LastPull) / 1e6, f.Health.LastPull != 0 })
	each("tasker_sync_failed_pulls", "Pulls that failed since the last that succeeded.",
		func(f merge.Fare) (float64, bool) { return float64(f.Health.Failures), true })
	each("tasker_sync_pending_writes", "Writes that wait to be sent.", func(f merge.Fare) (float64, bool) { return float64(f.Pending), true })
	each("tasker_sync_failed_writes", "Writes that were refused for good.", func(f merge.Fare) (float64, bool) { return float64(f.Failed), true })
	each("tasker_sync_conflicts", "Fields that two systems disagree about.", func(f merge.Fare) (float64, bool) { return float64(f.Conflicts), true })
	deliveries := func(name, about string, value func() float64) {
		set.Gauges(name, about, nil, func() []telemetry.Sample {
			if !now.read {
				return nil
			}
			return []telemetry.Sample{{Value: value()}}
		})
	}
	deliveries("tasker_deliveries_pending", "Inbox items that are yet to be delivered.", func() float64 { return float64(now.pending) })
	deliveries("tasker_deliveries_oldest_pending_seconds", "For how long the oldest of them has waited.", func() float64 { return now.oldest.Seconds() })
	told := set.Counters("tasker_deliveries_total", "Attempts of this server to deliver an inbox item: delivered, failed and repeated, or dead, "+
		"for it was given up.", "outcome")
	for _, outcome := range []string{"delivered", "failed", "dead"} {
		told.Of(outcome) // so that a rate can be computed from the start
	}
	return told
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
