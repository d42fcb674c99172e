package work_test

import (
	"context"
	"fmt"
	"slices"
	"strings"
	"testing"

	"tasker/internal/testkit/coretest"
	"tasker/internal/views/reading"
	"tasker/internal/work"
)

func TestApartPassesOverWhatOverlapsAHeldTask(t *testing.T) {
	coretest.Each(t, func(k *coretest.Kit) {
		k.Tasks(`{"key": "a", "title": "A", "touches": ["src/store/**"]}, {"key": "b", "title": "B", "touches": ["src/**/*.go"]},
			{"key": "c", "title": "C", "touches": ["docs/**"]}, {"key": "d", "title": "D"}`)
		k.Claim(coretest.Bee, "demo-1")
		out := k.Next(coretest.Bot, work.NextIn{Apart: true})
		coretest.Equal(k, "next apart", id(out), "demo-3")
		if len(out.Skipped) != 2 {
			k.Fatalf("skipped are %+v", out.Skipped)
		}
		coretest.Equal(k, "skipped for overlapping", out.Skipped[1].Task, "demo-2")
		coretest.Contains(k, []string{out.Skipped[1].Reason}, "its touches overlap those of demo-1, held by bee")
		coretest.Equal(k, "next apart, undeclared", id(k.Next(coretest.Bot, work.NextIn{Apart: true})), "demo-4")
		coretest.Equal(k, "next apart, nothing left", id(k.Next(coretest.Bot, work.NextIn{Apart: true})), "")
		out = k.Next(coretest.Bot, work.NextIn{})
		coretest.Equal(k, "next", id(out), "demo-2")
		coretest.Contains(k, out.Bundle.Warnings, "its touches overlap those of demo-1, held by bee")
	})
}

// TestOverlapsAreWarnedOfWhereSomebodyElseWorks: neither the reader's own task nor one that is finished first is in the way.
func TestOverlapsAreWarnedOfWhereSomebodyElseWorks(t *testing.T) {
	coretest.Each(t, func(k *coretest.Kit) {
		k.Tasks(`{"key": "a", "title": "A", "touches": ["src/**"]}, {"key": "b", "title": "B", "touches": ["src/**"], "deps": ["a"]},
			{"key": "c", "title": "C", "touches": ["src/**"]}`)
		k.Claim(coretest.Bot, "demo-1")
		warned := func(who context.Context, id string) bool {
			b, err := k.Reading.Show(who, reading.ShowIn{Task: id})
			k.Must(err)
			return slices.ContainsFunc(b.Warnings, func(w string) bool { return strings.Contains(w, "overlap") })
		}
		for _, c := range []struct {
			who  context.Context
			id   string
			want bool
		}{
			{coretest.Bot, "demo-2", false}, {coretest.Bee, "demo-2", false},
			{coretest.Bot, "demo-3", false}, {coretest.Bee, "demo-3", true},
		} {
			coretest.Equal(k, "a warning about "+c.id, warned(c.who, c.id), c.want)
		}
	})
}

func TestApartPassesOverWhatCouldNotBeCompared(t *testing.T) {
	coretest.Rule(t, func(k *coretest.Kit) {
		k.Tasks(coretest.SlowGlobs(45) + `, {"key": "plain", "title": "P"}`)
		for i := range 30 {
			k.Claim(coretest.Bee, fmt.Sprintf("demo-%d", i+1))
		}
		out := k.Next(coretest.Bot, work.NextIn{Apart: true})
		coretest.Equal(k, "next apart", id(out), "demo-46")
		out = k.Next(coretest.Bot, work.NextIn{})
		coretest.Equal(k, "next", id(out), "demo-31")
		coretest.Contains(k, out.Bundle.Warnings, "its touches were not compared with those of every held task")
	})
}

// TestApartPassesOverManyThatOverlap has more candidates than are looked up one by one.
func TestApartPassesOverManyThatOverlap(t *testing.T) {
	coretest.Each(t, func(k *coretest.Kit) {
		var tasks []string
		for i := range 40 {
			tasks = append(tasks, fmt.Sprintf(`{"key": "t%d", "title": "T", "touches": ["src/part%d.go"]}`, i, i%2))
		}
		k.Tasks(strings.Join(tasks, ", ") + `, {"key": "free", "title": "F", "touches": ["docs/**"]}`)
		k.Claim(coretest.Bee, "demo-1")
		k.Claim(coretest.Bee, "demo-2")
		coretest.Equal(k, "next apart", id(k.Next(coretest.Bot, work.NextIn{Apart: true})), "demo-41")
		coretest.Equal(k, "next apart, nothing left", id(k.Next(coretest.Bot, work.NextIn{Apart: true})), "")
	})
}
