package inbox_test

import (
	"context"
	"testing"
	"time"

	"tasker/internal/core"
	"tasker/internal/inbox"
	"tasker/internal/task"
	"tasker/internal/testkit/coretest"
	"tasker/internal/views/reading"
	"tasker/internal/work"
)

// stuckFor checks which tasks are stuck for a reader: in the list, and in the counts of both overviews.
func stuckFor(who context.Context, k *coretest.Kit, want ...task.ID) {
	k.Helper()
	list, err := k.Reading.List(who, reading.ListIn{Project: "demo", Mark: string(task.MarkStuck)})
	k.Must(err)
	coretest.EqualSlices(k, "stuck", task.IDsOf(list.Tasks), want...)
	one, err := k.Inbox.ProjectOverview(who, inbox.ProjectOverviewIn{Slug: "demo"})
	k.Must(err)
	all, err := k.Inbox.Overview(who, core.None{})
	k.Must(err)
	for _, n := range []int{list.Total, *one.Situation.Stuck, *all.Projects[0].Situation.Stuck} {
		coretest.Equal(k, "count of stuck tasks", n, len(want))
	}
}

func TestALapseIsStuckUntilItsReaderHasSeenIt(t *testing.T) {
	eachHouse(t, func(k *coretest.Kit) {
		apply(k, "demo", `{"key": "a", "title": "A"}`, `{"key": "b", "title": "B"}`, `{"key": "c", "title": "C"}`)
		stuckFor(coretest.Ann, k)
		for _, id := range []string{"demo-1", "demo-2"} {
			_, err := k.Work.Claim(coretest.Bot, work.ClaimIn{Task: id, LeaseMs: new(int64(1000))})
			k.Must(err)
		}
		k.Pass(1100 * time.Millisecond)
		stuckFor(coretest.Ann, k, "demo-1", "demo-2") // not swept yet
		_, err := k.Inbox.Ack(coretest.Ann, inbox.AckIn{Slug: "demo", Items: []string{"lease_expired:demo-1"}})
		k.Must(err)
		stuckFor(coretest.Ann, k, "demo-2")
		stuckFor(coretest.Bob, k, "demo-1", "demo-2")
		k.Claim(coretest.Bee, "demo-3") // sweeps
		newest, err := k.Reading.Newest(coretest.Ann, core.None{})
		k.Must(err)
		_, err = k.Inbox.Seen(coretest.Bob, inbox.SeenIn{Watermark: &newest})
		k.Must(err)
		stuckFor(coretest.Bob, k)
		stuckFor(coretest.Ann, k, "demo-2")
		k.Claim(coretest.Bee, "demo-2")
		stuckFor(coretest.Ann, k)
	})
}

func TestAHeldTaskWithAQuestionNeedsAnAnswer(t *testing.T) {
	eachHouse(t, func(k *coretest.Kit) {
		apply(k, "demo", `{"key": "a", "title": "A"}`, `{"key": "b", "title": "B"}`, `{"key": "c", "title": "C"}`)
		k.Claim(coretest.Bot, "demo-1")
		for _, id := range []string{"demo-1", "demo-2", "demo-3"} {
			_, err := k.Work.Ask(coretest.Bot, work.AskIn{Task: id, Text: "Which?", Blocking: id != "demo-3"})
			k.Must(err)
		}
		out, err := k.Inbox.ProjectOverview(coretest.Ann, inbox.ProjectOverviewIn{Slug: "demo"})
		k.Must(err)
		coretest.Equal(k, "need an answer", out.Situation.NeedsAnswer, 2)
		coretest.Equal(k, "asked", out.Situation.Asked, 1)
		list, err := k.Reading.List(coretest.Ann, reading.ListIn{Project: "demo", Mark: string(task.MarkNeedsAnswer)})
		k.Must(err)
		coretest.EqualSlices(k, "need an answer", task.IDsOf(list.Tasks), "demo-1", "demo-2")
		stuckFor(coretest.Ann, k, "demo-1", "demo-2")
		move(k.T, k.Set, "demo-2", "cancelled")
		stuckFor(coretest.Ann, k, "demo-1")
	})
}
