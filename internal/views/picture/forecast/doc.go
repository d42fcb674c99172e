// Package forecast estimates when open work will be done, from how long work has taken so far.
//
// It is given spans, from the claim of a task to its close, and the open tasks with what each waits for. It simulates the
// rest of the project many times (Done): as many workers as were seen take ready tasks in order, and every task takes as
// long as a past one of its kind, chosen by a generator with a given seed. So the same question has the same answer.
// Backtest asks the same question at earlier moments, about all that was open then, and compares the answer with what
// happened.
//
// The number of steps of every function follows from the size of its input, and maxSteps bounds it.
package forecast

import (
	"cmp"
	"maps"
	"math"
	"slices"

	"tasker/internal/task"
)

// Enough is how many spans a forecast needs.
const Enough = 20

// Day is how much time these spans must cover, from the first claim to the last close. How many tasks were closed in one
// sitting says nothing about how many will be tomorrow.
const Day = task.Time(24 * 3600 * 1_000_000)

// MaxOpen is how many open tasks are simulated one by one. With more, only the pace of closing counts: see Paced.
const MaxOpen = 20_000

// Span is one closed task, from its claim to its close.
type Span struct {
	Gate     string
	Actor    string // who closed it
	Person   bool   // whether that is a human
	Created  task.Time
	From, To task.Time
	After    []int32 // what it waited for, as indexes into the list of spans
}

// Work is one open task.
type Work struct {
	Gate    string
	Created task.Time
	Began   task.Time // when somebody claimed it; zero if nobody has
	After   []int32   // what it waits for, as indexes into the list of work
}

// Range is when work is done in half, and in nine of ten, of the simulated futures.
type Range struct {
	Half task.Time `json:"half"`
	Nine task.Time `json:"nine"`
}

// Pace is how fast work was done up to a moment.
type Pace struct {
	now     task.Time
	workers []bool  // one for each worker that was seen: whether it is a human
	busy    float64 // the share of time in which they held a task
	all     []task.Time
	gates   map[string][]task.Time
	kinds   map[kind][]task.Time
	gaps    []task.Time // between one close and the next
}

type kind struct {
	gate   string
	person bool
}

// fewest is how many spans of a kind are needed to treat it as a kind of its own.
const fewest = 5

// Workers returns how many workers were seen.
func (p *Pace) Workers() int { return len(p.workers) }

// Busy returns the share of time, in percent, in which the workers held a task.
func (p *Pace) Busy() int { return int(p.busy*100 + 0.5) }

// Lasted returns how much time spans cover, from the first claim to the last close.
func Lasted(spans []Span) task.Time {
	if len(spans) == 0 {
		return 0
	}
	first, last := spans[0].From, spans[0].To
	for _, s := range spans {
		first, last = min(first, s.From), max(last, s.To)
	}
	return last - first
}

// Learn returns the pace of spans up to a moment, or nil if there are too few, or if all of them lie within a day.
func Learn(spans []Span, now task.Time) *Pace {
	if len(spans) < Enough || Lasted(spans) < Day {
		return nil
	}
	p := &Pace{now: now, gates: map[string][]task.Time{}, kinds: map[kind][]task.Time{}}
	first, worked := now, task.Time(0)
	people := map[string]bool{}
	by := map[string]task.Time{} // how long each of them held tasks
	var ends []task.Time
	for _, s := range spans {
		took := max(s.To-s.From, 1)
		first, worked = min(first, s.From), worked+took
		p.all = append(p.all, took)
		p.gates[s.Gate] = append(p.gates[s.Gate], took)
		k := kind{s.Gate, s.Person}
		p.kinds[k] = append(p.kinds[k], took)
		people[s.Actor] = s.Person
		by[s.Actor] += took
		ends = append(ends, s.To)
	}
	// A worker that holds several tasks at once counts as several.
	at := float64(worked) / float64(max(now-first, 1))
	n := max(equals(by), int(math.Ceil(at-0.01)))
	p.busy = min(max(at/float64(n), 0.001), 1)
	// Those who worked most come first: with fewer workers than names, the others are left out.
	names := slices.SortedFunc(maps.Keys(people), func(a, b string) int { return cmp.Or(cmp.Compare(by[b], by[a]), cmp.Compare(a, b)) })
	for i := range n {
		p.workers = append(p.workers, people[names[i%len(names)]])
	}
	slices.Sort(ends)
	for i := 1; i < len(ends); i++ {
		p.gaps = append(p.gaps, ends[i]-ends[i-1])
	}
	p.gaps = append(p.gaps, now-ends[len(ends)-1])
	return p
}

// equals returns how many workers with equal shares would spread the work as it was spread: three who each did a third
// count as three, one who did nearly all of it and four who closed something in passing as one. Otherwise a few quick
// closings by new names would make every worker look idle, and the forecast later.
func equals(by map[string]task.Time) int {
	sum, squares := 0.0, 0.0
	for _, worked := range by {
		sum += float64(worked)
		squares += float64(worked) * float64(worked)
	}
	return max(int(sum*sum/squares+0.5), 1)
}

// took returns the spans to draw a task's duration from: those with its gate and kind of worker if there are enough, else
// those with its gate, else all.
func (p *Pace) took(gate string, person bool) []task.Time {
	if some := p.kinds[kind{gate, person}]; len(some) >= fewest {
		return some
	}
	if some := p.gates[gate]; len(some) >= fewest {
		return some
	}
	return p.all
}

// Point is what a forecast would have said at an earlier moment about the tasks that were open then.
type Point struct {
	At     task.Time `json:"at"`
	Tasks  int       `json:"tasks"`
	Open   int       `json:"open"` // how many of them are open still
	Said   Range     `json:"said"`
	Closed task.Time `json:"closed"` // when the last of them was closed; null while one is open
	Met    *bool     `json:"met"`    // whether all were closed by the time that nine of ten futures gave; null while that can still happen
}

// Late returns how much later than half of the futures said everything was closed, at least: tasks that are still open may
// make it more. It has no answer while the half may still come true.
func (p Point) Late(now task.Time) (task.Time, bool) {
	if p.Open == 0 {
		return p.Closed - p.Said.Half, true
	}
	return now - p.Said.Half, now > p.Said.Half
}

// Verdict says in a word or two whether all were closed in time.
func (p Point) Verdict() string {
	switch {
	case p.Met == nil:
		return "not known yet"
	case *p.Met:
		return "yes"
	}
	return "no"
}

// points is how many earlier moments Backtest tries.
const points = 8

// Backtest makes a forecast at earlier moments, for all tasks that were open then, from what was known then: those of the
// spans that were closed later, and those that are open now. Work added later took part of the workers' time, as it will
// again, so this shows how wrong a forecast is.
func Backtest(spans []Span, open []Work, now task.Time, seed uint64) []Point {
	var order []int32
	for i := range spans {
		order = append(order, int32(i))
	}
	slices.SortStableFunc(order, func(a, b int32) int { return cmp.Compare(spans[a].To, spans[b].To) })
	var out []Point
	for i := range points {
		known := Enough + i*(len(spans)-Enough)/points
		if known >= len(spans) || len(spans) < Enough {
			break
		}
		at := spans[order[known-1]].To
		if len(out) > 0 && out[len(out)-1].At == at {
			continue
		}
		before := make([]Span, known)
		for j, k := range order[:known] {
			before[j] = spans[k]
		}
		pace := Learn(before, at)
		if pace == nil {
			continue
		}
		pt := Point{At: at}
		var work []Work
		work, pt.Closed, pt.Open = left(spans, order[known:], open, at)
		if pt.Tasks = len(work); pt.Tasks == 0 {
			continue
		}
		pt.Said = done(pace, work, seed, maxSteps/points)
		switch {
		case pt.Open == 0:
			pt.Met = new(pt.Closed <= pt.Said.Nine)
		case now > pt.Said.Nine:
			pt.Closed, pt.Met = 0, new(false)
		default:
			pt.Closed = 0
		}
		out = append(out, pt)
	}
	return out
}

// left returns the work that was open at a moment: of the spans that ended later, and of what is open now. It also returns
// when the last of the spans ended, and how much of the work is open now.
func left(spans []Span, later []int32, open []Work, at task.Time) (work []Work, closed task.Time, still int) {
	place := map[int32]int32{}
	for _, k := range later {
		if s := &spans[k]; s.Created <= at && s.To > at {
			place[k] = int32(len(work))
			work = append(work, Work{Gate: s.Gate, Began: since(s.From, at)})
			closed = max(closed, s.To)
		}
	}
	for k, j := range place {
		for _, on := range spans[k].After {
			if w, ok := place[on]; ok {
				work[j].After = append(work[j].After, w)
			}
		}
	}
	ours := len(work)
	were := map[int32]int32{}
	for k, o := range open {
		if o.Created <= at {
			were[int32(k)] = int32(len(work))
			work = append(work, Work{Gate: o.Gate, Began: since(o.Began, at)})
		}
	}
	for k, j := range were {
		for _, on := range open[k].After {
			if w, ok := were[on]; ok {
				work[j].After = append(work[j].After, w)
			}
		}
	}
	return work, closed, len(work) - ours
}

// since returns when work began, if it had begun by a moment.
func since(began, at task.Time) task.Time {
	if began > at {
		return 0
	}
	return began
}
