package reading

import (
	"cmp"
	"slices"

	"tasker/internal/task"
	"tasker/internal/text/words"
)

// This file decides how a worker is doing, and which of several comes first. It needs no database.

// The states of a worker, worst first.
const (
	WorkerAsks    = "needs_answer" // a blocking question is open on what it holds
	WorkerLapsed  = "lapsed"       // a lease of it ran out, and the reader has not seen that
	WorkerStalled = "stalled"      // half of a lease has passed without a write
	WorkerQuiet   = "quiet"        // it has not written for longer than it usually does
	WorkerAtWork  = "working"
	WorkerIdle    = "idle"
)

// WorkerStates lists them.
var WorkerStates = []string{WorkerAsks, WorkerLapsed, WorkerStalled, WorkerQuiet, WorkerAtWork, WorkerIdle}

// quietFor is how many times its usual pause a worker is silent before it counts as quiet.
const quietFor = 2

// Judge sets the state of a worker, and since when it has not written.
func (w *Working) Judge(now task.Time) {
	asks, stalled := false, false
	for _, l := range w.Holding {
		asks, stalled = asks || l.NeedsAnswer, stalled || l.Stalled
		w.QuietSince = max(w.QuietSince, l.WroteAt)
	}
	switch {
	case asks:
		w.State = WorkerAsks
	case len(w.Lapsed) > 0:
		w.State = WorkerLapsed
	case stalled:
		w.State = WorkerStalled
	case len(w.Holding) == 0:
		w.State = WorkerIdle
	case w.silence(now) >= quietFor:
		w.State = WorkerQuiet
	default:
		w.State = WorkerAtWork
	}
}

// silence returns for how long a worker has not written, as a multiple of its usual pause; 0 if that is not known.
func (w *Working) silence(now task.Time) float64 {
	if w.UsualMs == 0 || w.QuietSince == 0 {
		return 0
	}
	return float64(now-w.QuietSince) / float64(w.UsualMs*1000)
}

// ByTrouble sorts workers: the worst state first, the quiet ones by how unusual that is, and the others by name.
func ByTrouble(workers []Working, now task.Time) {
	slices.SortFunc(workers, func(a, b Working) int {
		c := cmp.Compare(slices.Index(WorkerStates, a.State), slices.Index(WorkerStates, b.State))
		if c == 0 && a.State == WorkerQuiet {
			c = cmp.Compare(b.silence(now), a.silence(now))
		}
		return cmp.Or(c, words.Natural(a.Actor, b.Actor))
	})
}

// Limits of the usual pause of a worker.
const (
	pausesFrom  = 50   // the newest events of the worker that count
	pausesLeast = 5    // with fewer pauses than this, nothing is known
	pauseMs     = 1000 // what lies closer together is one write
)

// UsualPause returns the median of the pauses between moments, which are sorted newest first, in milliseconds; 0 if there
// are too few.
func UsualPause(at []task.Time) int64 {
	var pauses []int64
	for i := 1; i < len(at); i++ {
		if ms := int64(at[i-1]-at[i]) / 1000; ms >= pauseMs {
			pauses = append(pauses, ms)
		}
	}
	if len(pauses) < pausesLeast {
		return 0
	}
	slices.Sort(pauses)
	return pauses[len(pauses)/2]
}
