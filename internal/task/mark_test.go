package task_test

import (
	"testing"

	"tasker/internal/task"
)

func TestWhatIsStuck(t *testing.T) {
	late := func(x *task.Task) { x.Claim.ExpiresAt = now.Add(hour) } // half of two hours is over
	for _, c := range []struct {
		name string
		of   *task.Task
		seen int64
		want task.Trouble
	}{
		{"nothing", open(), 0, ""},
		{"a question on a ready task", with(open(), func(x *task.Task) { x.Questions = 1 }), 0, task.TroubleAnswer},
		{"a question on a held task", with(held(claude), func(x *task.Task) { x.Questions = 1 }), 0, task.TroubleAnswer},
		{"a question on a closed task", with(open(), func(x *task.Task) { x.Questions, x.Status = 1, task.Cancelled }), 0, ""},
		{"half a lease without a write", with(held(claude), late), 0, task.TroubleStalled},
		{"less than half", with(held(claude), func(x *task.Task) { x.Claim.ExpiresAt = now.Add(hour + 1) }), 0, ""},
		{"no lease", with(held(claude), func(x *task.Task) { x.Claim.ExpiresAt, x.Claim.LeaseMs = 0, 0 }), 0, ""},
		{"a lapse", with(open(), func(x *task.Task) { x.Lapse = 8 }), 7, task.TroubleLapsed},
		{"a lapse that was seen", with(open(), func(x *task.Task) { x.Lapse = 8 }), 8, ""},
		{"a lapse that is not swept", held(claude).Expired(), 8, task.TroubleLapsed},
		{"failures", with(open(), func(x *task.Task) { x.Failing = 8 }), 9, task.TroubleFailing},
		{"in progress, and nobody holds it", with(open(), func(x *task.Task) { x.Status = task.InProgress }), 0, task.TroubleUnheld},
		{"a question before a lapse", with(open(), func(x *task.Task) { x.Questions, x.Lapse = 1, 8 }), 0, task.TroubleAnswer},
	} {
		if got := c.of.Trouble(now, c.seen); got != c.want {
			t.Errorf("%s: %q, want %q", c.name, got, c.want)
		}
	}
}
