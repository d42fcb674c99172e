package reading_test

import (
	"context"
	"testing"

	"tasker/internal/task"
	"tasker/internal/testkit/coretest"
	"tasker/internal/views/reading"
)

func TestWorkSaysWhichTasksItDidNotCompare(t *testing.T) {
	coretest.Each(t, func(k *coretest.Kit) {
		k.Tasks(coretest.SlowGlobs(40) + `, {"key": "plain", "title": "P"}`)
		out, err := k.Reading.Work(coretest.Ann, reading.WorkIn{Slug: "demo"})
		k.Must(err)
		in := map[task.ID]bool{}
		for _, b := range out.Batches {
			for _, id := range b.Tasks {
				in[id] = true
			}
		}
		if len(out.NotCompared) == 0 || len(in)+len(out.NotCompared) != 41 || !in["demo-41"] {
			k.Errorf("%d tasks are in batches, %d are not compared", len(in), len(out.NotCompared))
		}
		for _, id := range out.NotCompared {
			if in[id] {
				k.Errorf("%s is in a batch, and not compared", id)
			}
		}
	})
}

func TestWorkStopsComparingWhenNobodyWaits(t *testing.T) {
	ctx, cancel := context.WithCancel(coretest.Ann)
	cancel()
	coretest.Each(t, func(k *coretest.Kit) {
		k.Tasks(coretest.SlowGlobs(3))
		if _, err := k.Reading.Work(ctx, reading.WorkIn{Slug: "demo"}); err == nil {
			k.Error("Work answers although its context has ended")
		}
	})
}
