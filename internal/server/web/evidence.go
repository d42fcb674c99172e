package web

import (
	"tasker/internal/bundle"
	"tasker/internal/task"
	"tasker/internal/task/proven"
)

// proof is an item of evidence as a page shows it.
type proof struct {
	task.Evidence
	Run *proven.Run // nil: somebody typed it
}

// proofs reads items of evidence.
func proofs(items []task.Evidence) []proof {
	out := make([]proof, len(items))
	for i, e := range items {
		out[i].Evidence = e
		if r, ok := proven.Parse(e.Value); ok {
			out[i].Run = &r
		}
	}
	return out
}

// tick is a criterion with the evidence that its tick rests on.
type tick struct {
	task.Criterion
	On  *proof // nil if the tick names none, or it is not shown
	Run string // the command that ticks it, where it is one and still to be ticked
}

// ticks returns the criteria of a task with what their ticks rest on.
func ticks(b *bundle.Bundle, shown []proof) []tick {
	out := make([]tick, len(b.Criteria))
	for i, c := range b.Criteria {
		out[i] = tick{Criterion: c}
		if run, ok := c.Run(b.Task.ID); ok && !c.Checked && !b.Task.Status.Closed() && b.At == nil {
			out[i].Run = run.String()
		}
		for j := range shown {
			if c.Checked && c.By != 0 && shown[j].ID == int64(c.By) {
				out[i].On = &shown[j]
			}
		}
	}
	return out
}
