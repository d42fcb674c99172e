// Package forecast estimates when open work will be done, from how long work has taken so far.
//
// It is given spans, from the claim of a task to its close, and the open tasks with what each waits for. It simulates the
// rest of the project many times (Done): as many workers as were seen take ready tasks in order, and every task takes as
// long as a past one of its kind, chosen by a generator with a given seed. So the same question has the same answer.
// Backtest asks the same question at earlier moments and compares the answer with what happened.
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
	Gate  string
	Began task.Time // when somebody claimed it; zero if nobody has
	After []int32   // what it waits for, as indexes into the list of work
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

// Learn returns the pace of spans up to a moment, or nil if there are too few.
func Learn(spans []Span, now task.Time) *Pace {
	if len(spans) < Enough {
		return nil
	}
	p := &Pace{now: now, gates: map[string][]task.Time{}, kinds: map[kind][]task.Time{}}
	first, worked := now, task.Time(0)
	people := map[string]bool{}
	var ends []task.Time
	for _, s := range spans {
		took := max(s.To-s.From, 1)
		first, worked = min(first, s.From), worked+took
		p.all = append(p.all, took)
		p.gates[s.Gate] = append(p.gates[s.Gate], took)
		k := kind{s.Gate, s.Person}
		p.kinds[k] = append(p.kinds[k], took)
		people[s.Actor] = s.Person
		ends = append(ends, s.To)
	}
	// A worker that holds several tasks at once counts as several.
	at := float64(worked) / float64(max(now-first, 1))
	n := max(len(people), int(math.Ceil(at-0.01)))
	p.busy = min(max(at/float64(n), 0.001), 1)
	names := slices.Sorted(maps.Keys(people))
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

// Point is what a forecast would have said at an earlier moment about tasks that are closed now.
type Point struct {
	At     task.Time `json:"at"`
	Tasks  int       `json:"tasks"`
	Said   Range     `json:"said"`
	Closed task.Time `json:"closed"` // when the last of them was closed
}

// points is how many earlier moments Backtest tries.
const points = 8

// Backtest makes a forecast at earlier moments, for the tasks that were open then and are closed now, from what was known
// then. Work added later took part of the workers' time, as it will again, so this shows how wrong a forecast is.
func Backtest(spans []Span, seed uint64) []Point {
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
		pt := Point{At: at}
		var before []Span
		for _, k := range order[:known] {
			before = append(before, spans[k])
		}
		place := map[int32]int32{}
		var left []int32
		for _, k := range order[known:] {
			if s := &spans[k]; s.Created <= at && s.To > at {
				place[k] = int32(len(left))
				left = append(left, k)
				pt.Closed = max(pt.Closed, s.To)
			}
		}
		if pt.Tasks = len(left); pt.Tasks == 0 {
			continue
		}
		work := make([]Work, len(left))
		for j, k := range left {
			work[j].Gate = spans[k].Gate
			if spans[k].From <= at {
				work[j].Began = spans[k].From
			}
			for _, on := range spans[k].After {
				if w, ok := place[on]; ok {
					work[j].After = append(work[j].After, w)
				}
			}
		}
		pt.Said = Done(Learn(before, at), work, seed)
		out = append(out, pt)
	}
	return out
}
