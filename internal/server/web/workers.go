package web

import (
	"cmp"
	"time"

	"tasker/internal/core"
	"tasker/internal/op"
	"tasker/internal/task"
	"tasker/internal/views/picture/chart"
	"tasker/internal/views/reading"
)

// worker is an actor with what depends on it.
type worker struct {
	reading.Working
	Leases   []lease
	Critical bool // it holds a task on the critical path
	yours    bool // the reader is a human, who can answer its questions
}

// lease is a held task with what depends on it.
type lease struct {
	reading.Lease
	HoldsUp  int // open tasks that wait for it, directly or not
	Critical bool
}

// weighedOpen is how many open tasks a project may have for pages to say what each worker holds up.
const weighedOpen = 20_000

// workers returns the workers of a project, those in trouble first.
func (s *site) workers(a *asker, p *shown, in reading.ProjectIn) (out []worker, machine reading.MachineOut) {
	machine = ask(a, op.Machine, in)
	var behind map[task.ID]int
	var critical map[task.ID]bool
	if machine.Total > 0 && p.Project.Tasks.Left() <= weighedOpen {
		var held []task.ID
		for _, w := range machine.Actors {
			for _, l := range w.Holding {
				held = append(held, l.Task)
			}
		}
		behind = ask(a, op.Behind, reading.BehindIn{Slug: in.Slug, Tasks: held})
		critical = ask(a, op.Critical, core.ProjectIn{Slug: in.Slug})
	}
	for _, w := range machine.Actors {
		one := worker{Working: w, yours: core.CallerOf(a.r.Context()).Actor.Human}
		for _, l := range w.Holding {
			one.Leases = append(one.Leases, lease{l, behind[l.Task], critical[l.Task]})
			one.Critical = one.Critical || critical[l.Task]
		}
		out = append(out, one)
	}
	return out, machine
}

// Say describes the state of a worker.
func (w worker) Say() string {
	if w.State == reading.WorkerAsks && !w.yours {
		return "waits for an answer"
	}
	return cmp.Or(map[string]string{
		reading.WorkerAsks: "waits for your answer", reading.WorkerLapsed: "lease ran out", reading.WorkerStalled: "stalled", reading.WorkerQuiet: "quiet",
		reading.WorkerAtWork: "working",
	}[w.State], w.State)
}

// Trouble reports whether somebody should look at the worker.
func (w worker) Trouble() bool {
	return w.State != reading.WorkerAtWork && w.State != reading.WorkerIdle
}

// quiet says for how long somebody has not written; "" while that is nothing to speak of.
func (s *site) quiet(since task.Time) string {
	if since == 0 || s.Now().Sub(since.Go()) < time.Minute {
		return ""
	}
	return chart.Lasted(s.Now().Sub(since.Go()).Milliseconds())
}
