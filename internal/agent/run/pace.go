package run

import (
	"math"
	"slices"
	"time"

	"tasker/internal/task"
)

// How long a runner waits after what happened; each wait doubles the one before, up to the longest.
const (
	leastLimit    = 5 * time.Minute // after a usage limit that did not say when it ends
	longestLimit  = time.Hour
	afterLimit    = time.Minute        // at most this much after the end that a limit told, so that not all come at once
	farthestLimit = 8 * 24 * time.Hour // a told end later than this is not believed
	leastOutage   = 10 * time.Second
	longestOutage = 5 * time.Minute
	leastBackoff  = 5 * time.Second // a worker's, after a failed attempt
	longestBack   = 5 * time.Minute
)

// passOver is for how long a runner takes a task that it has failed only where there is no other, and mostPassed how many.
const (
	passOver   = 10 * time.Minute
	mostPassed = 100
)

// tripping is how many different tasks must fail alike, one after the other, to stop the runner.
const tripping = 3

// doubled returns the nth wait.
func doubled(least, longest time.Duration, n int) time.Duration {
	return time.Duration(min(float64(least)*math.Pow(2, float64(n-1)), float64(longest)))
}

// pace is what a runner knows of how its workers fared, and so when they may take a task. It decides and does nothing.
type pace struct {
	round   int // grows with every pause, so that what began before one is told apart
	until   time.Time
	why     string
	limits  int  // pauses for limits since the last success
	outages int  // pauses for outages since then
	probes  bool // there was a pause, and no success since: one worker at a time

	failed map[task.ID]time.Time // when this runner last failed a task
	like   string                // what the last failures have in common
	alike  []task.ID             // the tasks that failed so, without a success between them
}

// paused reports whether the workers take nothing at a time.
func (p *pace) paused(now time.Time) bool { return now.Before(p.until) }

// pause begins a pause, or extends the one that began after the command did. It reports whether one began.
func (p *pace) pause(round int, e Ended, now time.Time, jitter func(time.Duration) time.Duration) bool {
	begins := round == p.round
	if begins {
		p.round++
		p.probes, p.until, p.why = true, time.Time{}, e.line()
		switch e.class() {
		case Outage:
			p.outages++
		default:
			p.limits++
		}
	}
	end := now
	switch told := e.Until; {
	case e.class() == Outage:
		end = end.Add(doubled(leastOutage, longestOutage, max(p.outages, 1)))
	case told.After(now) && told.Before(now.Add(farthestLimit)):
		end = told.Add(jitter(afterLimit))
	default:
		end = end.Add(doubled(leastLimit, longestLimit, max(p.limits, 1)))
	}
	if begins || end.After(p.until) && e.class() == Limit {
		p.until = end
	}
	return begins
}

// succeeded notes a success. One that began before the last pause says nothing about what caused it.
func (p *pace) succeeded(round int) {
	p.like, p.alike = "", nil
	if round == p.round {
		p.limits, p.outages, p.probes = 0, 0, false
	}
}

// fail notes a failed attempt, and reports whether enough different tasks have now failed alike to stop the runner.
func (p *pace) fail(id task.ID, line string, now time.Time) bool {
	if p.failed == nil {
		p.failed = map[task.ID]time.Time{}
	}
	p.failed[id] = now
	like := alike(line)
	if like == "" || like != p.like {
		p.like, p.alike = like, nil
	}
	if like != "" && !slices.Contains(p.alike, id) {
		p.alike = append(p.alike, id)
	}
	return len(p.alike) >= tripping
}

// recent returns the tasks that the runner failed a short while ago, the latest first.
func (p *pace) recent(now time.Time) []task.ID {
	var out []task.ID
	for id, at := range p.failed {
		if now.Sub(at) >= passOver {
			delete(p.failed, id)
			continue
		}
		out = append(out, id)
	}
	slices.SortFunc(out, func(a, b task.ID) int { return p.failed[b].Compare(p.failed[a]) })
	return out[:min(len(out), mostPassed)]
}
