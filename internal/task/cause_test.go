package task_test

import (
	"testing"
	"time"

	"tasker/internal/task"
)

// TestACauseSaysWhoHasItAndWhatIsMissing covers every state that a cause can have: it never waits itself.
func TestACauseSaysWhoHasItAndWhatIsMissing(t *testing.T) {
	const minute = 60_000
	now := task.Time(1_800_000_000_000_000)
	held := func(quiet, lease int64) *task.Claim {
		c := &task.Claim{Actor: "claude/1", LeaseMs: lease}
		if lease > 0 {
			c.ExpiresAt = now.Add(lease - quiet)
		}
		return c
	}
	for _, c := range []struct {
		of   task.Task
		want string
	}{
		{task.Task{Status: task.InProgress, Claim: held(38*minute, 120*minute)}, "(claude/1, quiet 38m0s)"},
		{task.Task{Status: task.InProgress, Claim: held(minute/2, 120*minute)}, "(claude/1)"},
		{task.Task{Status: task.InProgress, Claim: held(38*minute, 0)}, "(claude/1)"},
		{task.Task{Status: task.InProgress, Claim: held(38*minute, 120*minute), Questions: 1}, "(claude/1, needs an answer)"},
		{task.Task{Status: task.InProgress}, "(in progress, nobody holds it)"},
		{task.Task{Status: task.Open}, "(ready)"},
		{task.Task{Status: task.Open, Questions: 2}, "(needs an answer)"},
		{task.Task{Status: task.InReview}, "(in review)"},
	} {
		c.of.ID, c.of.Title = "shop-59", "Delivery date"
		if got, want := task.CauseOf(&c.of, 0).Words(now, time.Duration.String), "shop-59 Delivery date "+c.want; got != want {
			t.Errorf("got %q, want %q", got, want)
		}
	}
	ready := task.Task{ID: "shop-59", Title: "Delivery date", Status: task.Open}
	for others, want := range map[int]string{1: " and 1 other", 4: " and 4 others"} {
		if got := task.CauseOf(&ready, others).Words(now, time.Duration.String); got != "shop-59 Delivery date (ready)"+want {
			t.Errorf("with %d others: %q", others, got)
		}
	}
}
