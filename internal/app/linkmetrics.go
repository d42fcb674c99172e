package app

import (
	"tasker/internal/telemetry"
)

// measureLinks adds metrics about the links to other systems and the pending deliveries, as last read from the database. It
// returns the counters for this server's delivery attempts.
func measureLinks(set *telemetry.Metrics, now *stored) *telemetry.Counters {
	each := func(value func(s *stored, i int) (float64, bool)) func() []telemetry.Sample {
		return func() []telemetry.Sample {
			var out []telemetry.Sample
			for i := range now.fares[:min(len(now.fares), 2*projectsTold)] {
				if n, known := value(now, i); known {
					out = append(out, telemetry.Sample{Labels: []string{now.fares[i].Project, now.fares[i].System}, Value: n})
				}
			}
			return out
		}
	}
	labels := []string{"project", "system"}
	set.Gauges("tasker_sync_last_pull_timestamp_seconds", "When the last pull succeeded, in seconds since 1970.", labels,
		each(func(s *stored, i int) (float64, bool) {
			at := s.fares[i].Health.LastPull
			return float64(at) / 1e6, at != 0
		}))
	set.Gauges("tasker_sync_failed_pulls", "Pulls that failed since the last that succeeded.", labels, each(func(s *stored, i int) (float64, bool) {
		return float64(s.fares[i].Health.Failures), true
	}))
	set.Gauges("tasker_sync_pending_writes", "Writes that wait to be sent.", labels, each(func(s *stored, i int) (float64, bool) {
		return float64(s.fares[i].Pending), true
	}))
	set.Gauges("tasker_sync_failed_writes", "Writes that were refused for good.", labels, each(func(s *stored, i int) (float64, bool) {
		return float64(s.fares[i].Failed), true
	}))
	set.Gauges("tasker_sync_conflicts", "Fields that two systems disagree about.", labels, each(func(s *stored, i int) (float64, bool) {
		return float64(s.fares[i].Conflicts), true
	}))
	set.Gauges("tasker_deliveries_pending", "Inbox items that are yet to be delivered.", nil, func() []telemetry.Sample {
		if !now.read {
			return nil
		}
		return []telemetry.Sample{{Value: float64(now.pending)}}
	})
	set.Gauges("tasker_deliveries_oldest_pending_seconds", "For how long the oldest of them has waited.", nil, func() []telemetry.Sample {
		if !now.read {
			return nil
		}
		return []telemetry.Sample{{Value: now.oldest.Seconds()}}
	})
	told := set.Counters("tasker_deliveries_total", "Attempts of this server to deliver an inbox item: delivered, failed and repeated, or dead, "+
		"for it was given up.", "outcome")
	for _, outcome := range []string{"delivered", "failed", "dead"} {
		told.Of(outcome) // so that a rate can be computed from the start
	}
	return told
}
