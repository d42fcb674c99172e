package forecast

import (
	"container/heap"
	"slices"

	"tasker/internal/task"
)

// Limits of a forecast.
const (
	maxSteps = 1_000_000 // tasks simulated in all runs together; minRuns takes precedence
	maxRuns  = 300
	minRuns  = 20
)

// dice is a splitmix64 generator.
type dice uint64

func (d *dice) below(n int) int {
	*d += 0x9e3779b97f4a7c15
	z := uint64(*d)
	z = (z ^ z>>30) * 0xbf58476d1ce4e5b9
	z = (z ^ z>>27) * 0x94d049bb133111eb
	return int((z ^ z>>31) >> 1 % uint64(n))
}

// runs returns how often n tasks are simulated within so many steps.
func runs(n, steps int) int { return min(max(steps/max(n, 1), minRuns), maxRuns) }

// rangeOf returns the range of the durations of runs.
func rangeOf(now task.Time, lasted []task.Time) Range {
	slices.Sort(lasted)
	n := len(lasted)
	return Range{Half: now + lasted[n/2], Nine: now + lasted[n*9/10]}
}

// Done returns when all of the work is done.
func Done(p *Pace, work []Work, seed uint64) Range { return done(p, work, seed, maxSteps) }

func done(p *Pace, work []Work, seed uint64, steps int) Range {
	if len(work) > MaxOpen {
		return Paced(p, len(work), seed)
	}
	g := newGame(p, work, dice(seed))
	lasted := make([]task.Time, runs(len(work), steps))
	for i := range lasted {
		lasted[i] = g.play()
	}
	return rangeOf(p.now, lasted)
}

// Paced returns when n tasks are closed if they are closed one after another at the pace of the last ones, regardless of
// dependencies.
func Paced(p *Pace, n int, seed uint64) Range {
	d := dice(seed)
	drawn := min(n, MaxOpen)
	lasted := make([]task.Time, min(runs(drawn, maxSteps), 100))
	for i := range lasted {
		for range drawn {
			lasted[i] += p.gaps[d.below(len(p.gaps))]
		}
		if drawn > 0 {
			lasted[i] = task.Time(float64(lasted[i]) / float64(drawn) * float64(n))
		}
	}
	return rangeOf(p.now, lasted)
}

// game simulates the rest of a project.
type game struct {
	p      *Pace
	work   []Work
	opens  [][]int32 // the tasks that wait for each task
	awaits []int32   // how many tasks each task waits for
	dice   dice

	left  []int32 // of awaits, in this run
	ready []int32 // in the order in which they became ready
	free  []bool  // one for each idle worker: whether it is a human
	going going
	now   task.Time
}

func newGame(p *Pace, work []Work, d dice) *game {
	g := &game{p: p, work: work, dice: d, opens: make([][]int32, len(work)), awaits: make([]int32, len(work))}
	for i, w := range work {
		for _, on := range w.After {
			g.opens[on] = append(g.opens[on], int32(i))
			g.awaits[i]++
		}
	}
	return g
}

// play simulates one run and returns how long it lasts.
func (g *game) play() task.Time {
	g.left = append(g.left[:0], g.awaits...)
	g.ready, g.free, g.going, g.now = g.ready[:0], append(g.free[:0], g.p.workers...), g.going[:0], 0
	begun := make([]bool, len(g.work))
	for i, w := range g.work {
		if w.Began != 0 {
			begun[i] = true
			g.goOn(int32(i))
		} else if g.left[i] == 0 {
			begun[i] = true
			g.ready = append(g.ready, int32(i))
		}
	}
	next, stuck := 0, 0
	for {
		for next < len(g.ready) && len(g.free) > 0 {
			g.take(g.ready[next])
			next++
		}
		if len(g.going) == 0 {
			// The remaining tasks wait for each other in a circle: somebody will break it somewhere.
			for stuck < len(begun) && begun[stuck] {
				stuck++
			}
			if stuck == len(begun) {
				return g.now
			}
			begun[stuck] = true
			g.ready = append(g.ready, int32(stuck))
			continue
		}
		over := heap.Pop(&g.going).(turn)
		g.now = over.at
		g.free = append(g.free, over.person)
		for _, i := range g.opens[over.task] {
			if g.left[i]--; g.left[i] == 0 && !begun[i] {
				begun[i] = true
				g.ready = append(g.ready, i)
			}
		}
	}
}

// worker returns an idle worker, or adds one.
func (g *game) worker() bool {
	if len(g.free) == 0 {
		return g.p.workers[g.dice.below(len(g.p.workers))]
	}
	i := g.dice.below(len(g.free))
	person := g.free[i]
	g.free[i] = g.free[len(g.free)-1]
	g.free = g.free[:len(g.free)-1]
	return person
}

// take gives a task to a worker. Workers do not work all the time.
func (g *game) take(i int32) {
	person := g.worker()
	some := g.p.took(g.work[i].Gate, person)
	took := float64(some[g.dice.below(len(some))]) / g.p.busy
	heap.Push(&g.going, turn{g.now + task.Time(took), i, person})
}

// goOn continues a task that somebody holds: it takes longer than it has taken so far.
func (g *game) goOn(i int32) {
	person := g.worker()
	some := g.p.took(g.work[i].Gate, person)
	so := max(g.p.now-g.work[i].Began, 0)
	took := so + so/4 + 1
	for range 8 {
		if drawn := some[g.dice.below(len(some))]; drawn > so {
			took = drawn
			break
		}
	}
	heap.Push(&g.going, turn{took - so, i, person})
}

// turn is a task that a worker holds until it is done.
type turn struct {
	at     task.Time
	task   int32
	person bool
}

// going is a heap of turns; the one that ends first is at the head.
type going []turn

func (h going) Len() int { return len(h) }
func (h going) Less(i, j int) bool {
	return h[i].at < h[j].at || h[i].at == h[j].at && h[i].task < h[j].task
}
func (h going) Swap(i, j int) { h[i], h[j] = h[j], h[i] }
func (h *going) Push(x any)   { *h = append(*h, x.(turn)) }
func (h *going) Pop() any {
	old := *h
	x := old[len(old)-1]
	*h = old[:len(old)-1]
	return x
}
