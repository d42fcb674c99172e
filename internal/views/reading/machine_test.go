package reading_test

import (
	"testing"
	"time"

	"tasker/internal/core"
	"tasker/internal/inbox"
	"tasker/internal/testkit/coretest"
	"tasker/internal/views/reading"
	"tasker/internal/work"
)

// A worker whose lease ran out holds nothing any more, and is listed until its reader has seen that. However few are
// listed, the ones in trouble are among them.
func TestWorkersInTroubleAreNeverLeftOut(t *testing.T) {
	coretest.Each(t, func(k *coretest.Kit) {
		k.Tasks(`{"key": "a", "title": "A"}, {"key": "b", "title": "B"}, {"key": "c", "title": "C"}, {"key": "d", "title": "D"}`)
		k.Claim(coretest.Bee, "demo-3")
		_, err := k.Work.Claim(coretest.Bot, work.ClaimIn{Task: "demo-1", LeaseMs: new(int64(1000))})
		k.Must(err)
		_, err = k.Work.Claim(coretest.Bot, work.ClaimIn{Task: "demo-2"})
		k.Must(err)
		_, err = k.Work.Ask(coretest.Bot, work.AskIn{Task: "demo-2", Text: "Which?", Blocking: true})
		k.Must(err)
		look := func(limit int, want ...string) (out reading.MachineOut) {
			k.Helper()
			out, err := k.Reading.Machine(coretest.Ann, reading.ProjectIn{Slug: "demo", Limit: &limit})
			k.Must(err)
			var got []string
			for _, a := range out.Actors {
				if a.State != reading.WorkerIdle {
					got = append(got, a.Actor+" "+a.State)
				}
			}
			coretest.EqualSlices(k, "workers", got, want...)
			return out
		}
		if out := look(1, "bot needs_answer"); out.Workers != 2 || out.Total != 3 {
			k.Errorf("%d workers hold %d tasks, want 2 and 3", out.Workers, out.Total)
		}
		k.Pass(1100 * time.Millisecond)
		out := look(50, "bot needs_answer", "bee working")
		if of := out.Actors[0]; len(of.Lapsed) != 1 || of.Lapsed[0].Task != "demo-1" || len(of.Holding) != 1 {
			k.Errorf("the lapse is not reported: %+v", of)
		}
		_, err = k.Work.Release(coretest.Bot, work.ReleaseIn{Task: "demo-2"})
		k.Must(err)
		look(50, "bot lapsed", "bee working")
		k.Claim(coretest.Bee, "demo-4") // sweeps
		look(50, "bot lapsed", "bee working")
		newest, err := k.Reading.Newest(coretest.Ann, core.None{})
		k.Must(err)
		_, err = k.Inbox.Seen(coretest.Ann, inbox.SeenIn{Watermark: &newest})
		k.Must(err)
		look(50, "bee working")
		_, err = k.Work.Move(coretest.Bee, work.MoveIn{Task: "demo-3", To: "done"})
		k.Must(err)
		if out := look(50, "bee working"); out.Actors[0].DoneLastDay != 1 {
			k.Errorf("bee has done %d", out.Actors[0].DoneLastDay)
		}
		if _, err = k.Work.Move(coretest.Ann, work.MoveIn{Task: "demo-3", To: "open"}); err == nil && look(50, "bee working").Actors[0].DoneLastDay != 0 {
			k.Errorf("what was reopened still counts as done")
		}
		k.Must(err)
	})
}
