package work_test

import (
	"testing"

	"tasker/internal/fault"
	"tasker/internal/task"
	"tasker/internal/testkit/coretest"
	"tasker/internal/work"
)

func TestReleaseGivesTheTaskBackAndSaysWhoHeldIt(t *testing.T) {
	coretest.Each(t, func(k *coretest.Kit) {
		k.Tasks(`{"key": "a", "title": "A"}`)
		k.Claim(coretest.Bot, "demo-1")
		_, err := k.Work.Release(coretest.Bee, work.ReleaseIn{Task: "demo-1"})
		k.Refused(err, fault.Declined, "held by bot")
		out, err := k.Work.Release(coretest.Bot, work.ReleaseIn{Task: "demo-1", Note: new("too hard"), Failed: true})
		k.Must(err)
		coretest.Equal(k, "actor", out.Actor, "bot")
		b := k.Show("demo-1")
		coretest.Equal(k, "status", b.Task.Status, task.Open)
		coretest.Equal(k, "attempts", b.Task.Attempts, 1)
		coretest.Equal(k, "notes", len(b.Notes), 1)
		_, payload := k.Last("demo-1")
		for _, part := range []string{`"actor":"bot"`, `"failed":true`, `"status":{"from":"in_progress","to":"open"}`} {
			coretest.Contains(k, []string{payload}, part)
		}
		out, err = k.Work.Release(coretest.Bee, work.ReleaseIn{Task: "demo-1"})
		k.Must(err)
		coretest.Equal(k, "actor of nobody's claim", out.Actor, "")
		k.Claim(coretest.Bot, "demo-1")
		out, err = k.Work.Release(coretest.Ann, work.ReleaseIn{Task: "demo-1"})
		k.Must(err)
		coretest.Equal(k, "actor", out.Actor, "bot")
		k.Healthy()
	})
}
