package reading_test

import (
	"testing"

	"tasker/internal/fault"
	"tasker/internal/task"
	"tasker/internal/testkit/coretest"
	"tasker/internal/views/reading"
	"tasker/internal/work"
)

func TestWhoamiTellsTheIdentityAndWhatItHolds(t *testing.T) {
	coretest.Each(t, func(k *coretest.Kit) {
		me := coretest.As(task.Actor{Name: "bot", Instance: "2", Roles: []string{"dev"}})
		out, err := k.Reading.Whoami(me, reading.WhoamiIn{}) // the assumed project does not exist yet
		k.Must(err)
		coretest.Equal(k, "holding", len(out.Holding), 0)
		k.Tasks(`{"key": "a", "title": "A", "criteria": ["one", "two"]}, {"key": "b", "title": "B"}`)
		_, err = k.Work.Claim(me, work.ClaimIn{Task: "demo-1", LeaseMs: new(int64(60_000))})
		k.Must(err)
		_, err = k.Work.Claim(coretest.As(task.Actor{Name: "bot", Instance: "3"}), work.ClaimIn{Task: "demo-2"})
		k.Must(err)
		_, err = k.Work.Tick(me, work.TickIn{Task: "demo-1", Index: 2})
		k.Must(err)
		out, err = k.Reading.Whoami(me, reading.WhoamiIn{})
		k.Must(err)
		coretest.Equal(k, "who", out.Actor+" "+string(out.Instance)+" "+out.Kind+" "+out.How+" "+string(out.Project), "bot 2 agent test demo")
		coretest.EqualSlices(k, "roles", out.Roles, "dev")
		if len(out.Holding) != 1 {
			k.Fatalf("it holds %+v", out.Holding)
		}
		h := out.Holding[0]
		coretest.Equal(k, "task", h.Task, "demo-1")
		coretest.Equal(k, "fence", h.Fence, 1)
		coretest.Equal(k, "progress", h.Progress, task.Progress{Checked: 1, Total: 2})
		if h.LeftMs == nil || *h.LeftMs <= 0 || *h.LeftMs > 60_000 {
			k.Errorf("left are %v", h.LeftMs)
		}
		_, err = k.Reading.Whoami(me, reading.WhoamiIn{Project: "nothing"})
		k.Refused(err, fault.NotFound)
	})
}
