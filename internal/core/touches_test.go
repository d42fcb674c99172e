package core_test

import (
	"context"
	"fmt"
	"strings"
	"testing"

	"tasker/internal/core/reading"
	"tasker/internal/core/work"
	"tasker/internal/task"
)

// hostile is tasks whose globs take long to compare: each pair is within the bound of one comparison, their sum is not.
func hostile(n int) string {
	var tasks []string
	for i := range n {
		glob := "*" + strings.Repeat("a*", 200) + strings.Repeat("/?", i)
		tasks = append(tasks, fmt.Sprintf(`{"key": "h%d", "title": "H", "touches": [%q]}`, i, glob))
	}
	return strings.Join(tasks, ", ")
}

func TestWorkSaysWhichTasksItDidNotCompare(t *testing.T) {
	each(t, func(k *kit) {
		k.tasks(hostile(40) + `, {"key": "plain", "title": "P"}`)
		out, err := k.s.Reading.Work(ann, reading.ProjectIn{Slug: "demo"})
		k.must(err)
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
	ctx, cancel := context.WithCancel(ann)
	cancel()
	each(t, func(k *kit) {
		k.tasks(hostile(3))
		if _, err := k.s.Reading.Work(ctx, reading.ProjectIn{Slug: "demo"}); err == nil {
			k.Error("it answers nobody")
		}
	})
}

func TestApartPassesOverWhatCouldNotBeCompared(t *testing.T) {
	each(t, func(k *kit) {
		k.tasks(hostile(45) + `, {"key": "plain", "title": "P"}`)
		for i := range 30 {
			k.claim(bee, fmt.Sprintf("demo-%d", i+1))
		}
		out := k.next(bot, work.NextIn{Apart: true})
		is(k, "next apart", id(out), "demo-46")
		out = k.next(bot, work.NextIn{})
		is(k, "next", id(out), "demo-31")
		says(k, out.Bundle.Warnings, "its touches were not compared with those of every held task")
	})
}

// TestApartPassesOverManyThatOverlap has more candidates than are asked for one by one.
func TestApartPassesOverManyThatOverlap(t *testing.T) {
	each(t, func(k *kit) {
		var tasks []string
		for i := range 40 {
			tasks = append(tasks, fmt.Sprintf(`{"key": "t%d", "title": "T", "touches": ["src/part%d.go"]}`, i, i%2))
		}
		k.tasks(strings.Join(tasks, ", ") + `, {"key": "free", "title": "F", "touches": ["docs/**"]}`)
		k.claim(bee, "demo-1")
		k.claim(bee, "demo-2")
		is(k, "next apart", id(k.next(bot, work.NextIn{Apart: true})), "demo-41")
		is(k, "next apart, nothing left", id(k.next(bot, work.NextIn{Apart: true})), "")
	})
}
