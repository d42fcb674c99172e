package core_test

import (
	"context"
	"testing"
	"time"

	"tasker/internal/core"
	"tasker/internal/core/reading"
	"tasker/internal/core/work"
	"tasker/internal/fault"
	"tasker/internal/task"
)

func TestAClaimMovesAnOpenTaskToInProgress(t *testing.T) {
	each(t, func(k *kit) {
		k.tasks(`{"key": "a", "title": "A"}`)
		c := k.claim(bot, "demo-1")
		is(k, "actor", c.Actor, "bot")
		is(k, "fence", c.Fence, 1)
		is(k, "lease", c.LeaseMs, task.DefaultLeaseMs)
		is(k, "expiry", c.ExpiresAt, c.ClaimedAt.Add(task.DefaultLeaseMs))
		got := k.task("demo-1")
		is(k, "status", got.Status, task.InProgress)
		is(k, "version", got.Version, 2)
		is(k, "claim's version", c.Version, 2)
		_, payload := k.last("demo-1")
		is(k, "payload", payload, `{"expiresAt":"`+c.ExpiresAt.String()+`","fence":1,"leaseMs":7200000,"status":{"from":"open","to":"in_progress"}}`)
		k.healthy()
	})
}

func TestATaskIsNamedByIdOrByKeyInTheCallersProject(t *testing.T) {
	each(t, func(k *kit) {
		k.tasks(`{"key": "first", "title": "A"}`)
		is(k, "id", k.task("first").ID, "demo-1")
		_, err := k.s.Reading.Show(ann, reading.ShowIn{Task: "secnd"})
		k.refused(err, fault.NotFound, `there is no task "secnd" in demo`)
		far := core.CallerOf(ann)
		far.Via.Face = "http"
		_, err = k.s.Reading.Show(core.WithCaller(context.Background(), far), reading.ShowIn{Task: "first"})
		k.refused(err, fault.NotFound, `there is no task "first"`)
		_, err = k.s.Reading.Show(ann, reading.ShowIn{Task: "demo-9"})
		k.refused(err, fault.NotFound, "there is no task demo-9")
		_, err = k.s.Reading.Show(ann, reading.ShowIn{Task: "other-1"})
		k.refused(err, fault.NotFound, "there is no task other-1")
	})
}

func TestClaimingWhatIsHeldIsRefusedButForItsHolderWithTheFence(t *testing.T) {
	each(t, func(k *kit) {
		k.tasks(`{"key": "a", "title": "A"}`)
		first := k.claim(bot, "demo-1")
		_, err := k.s.Work.Claim(bee, work.ClaimIn{Task: "demo-1"})
		k.refused(err, fault.Declined, "demo-1 is held by bot until "+first.ExpiresAt.String())
		_, err = k.s.Work.Claim(bot, work.ClaimIn{Task: "demo-1"})
		k.refused(err, fault.Declined, "held by bot")
		k.pass(20 * time.Millisecond)
		second, err := k.s.Work.Claim(bot, work.ClaimIn{Task: "demo-1", Fence: ptr(first.Fence)})
		k.must(err)
		is(k, "fence", second.Fence, first.Fence)
		is(k, "lease", second.LeaseMs, first.LeaseMs)
		if second.ExpiresAt <= first.ExpiresAt || second.RenewedAt == 0 {
			k.Errorf("the renewal is %+v after %+v", second, first)
		}
		is(k, "version", k.task("demo-1").Version, 2)
		same(k, "events", k.events("demo-1"), task.TaskCreated, task.TaskClaimed, task.ClaimRenewed)
		third, err := k.s.Work.Claim(bot, work.ClaimIn{Task: "demo-1", Fence: ptr(first.Fence), LeaseMs: ptr(int64(0))})
		k.must(err)
		is(k, "expiry without a lease", third.ExpiresAt, 0)
		k.healthy()
	})
}

func TestClaimingWhatWaitsIsRefusedAndNamesWhatItWaitsFor(t *testing.T) {
	each(t, func(k *kit) {
		k.tasks(`{"key": "a", "title": "Lay the ground"}, {"key": "b", "title": "B", "deps": ["a"]},
			{"key": "c", "title": "C", "status": "done"}, {"key": "d", "title": "D", "status": "in_review"}`)
		_, err := k.s.Work.Claim(bot, work.ClaimIn{Task: "demo-2"})
		k.refused(err, fault.Declined, "demo-2 waits for 1 open task", "demo-1: Lay the ground (open)")
		_, err = k.s.Work.Claim(bot, work.ClaimIn{Task: "demo-3"})
		k.refused(err, fault.Declined, "demo-3 is done")
		_, err = k.s.Work.Claim(bot, work.ClaimIn{Task: "demo-4"})
		k.refused(err, fault.Declined, "demo-4 is in review")
		same(k, "events", k.events("demo-2"), task.TaskCreated)
	})
}

func TestAnInProgressTaskThatNobodyHoldsAndOneWithOpenChildrenCanBeClaimed(t *testing.T) {
	each(t, func(k *kit) {
		k.tasks(`{"key": "a", "title": "A", "status": "in_progress"}, {"key": "b", "title": "B"}, {"key": "c", "title": "C", "parent": "b"}`)
		c := k.claim(bot, "demo-1")
		is(k, "version", c.Version, 1)
		k.claim(bot, "demo-2")
		k.healthy()
	})
}

func TestALeaseIsBounded(t *testing.T) {
	each(t, func(k *kit) {
		k.tasks(`{"key": "a", "title": "A"}`)
		for _, ms := range []int64{-1, task.MaxLeaseMs + 1} {
			_, err := k.s.Work.Claim(bot, work.ClaimIn{Task: "demo-1", LeaseMs: &ms})
			k.refused(err, fault.Invalid, "out of range")
			_, err = k.s.Work.Next(bot, work.NextIn{LeaseMs: &ms})
			k.refused(err, fault.Invalid, "out of range")
		}
		k.policy.LeaseMs = ptr(int64(90_000))
		is(k, "lease", k.claim(bot, "demo-1").LeaseMs, 90_000)
	})
}

func TestALapsedLeaseCountsAsReleasedFromTheMomentItLapses(t *testing.T) {
	each(t, func(k *kit) {
		k.tasks(`{"key": "a", "title": "A"}`)
		c, err := k.s.Work.Claim(bot, work.ClaimIn{Task: "demo-1", LeaseMs: ptr(int64(40))})
		k.must(err)
		k.pass(60 * time.Millisecond)
		got := k.task("demo-1")
		is(k, "status", got.Status, task.Open)
		is(k, "version", got.Version, 3)
		is(k, "updatedAt", got.UpdatedAt, c.ExpiresAt)
		is(k, "attempts", got.Attempts, 1)
		if got.Claim != nil {
			k.Errorf("it shows the claim %+v", got.Claim)
		}
		next := k.claim(bee, "demo-1")
		is(k, "fence", next.Fence, 2)
		is(k, "version", next.Version, 4)
		same(k, "events", k.events("demo-1"), task.TaskCreated, task.TaskClaimed, task.ClaimExpired, task.TaskClaimed)
		k.healthy()
	})
}

func TestAStaleFenceWritesNothing(t *testing.T) {
	each(t, func(k *kit) {
		k.tasks(`{"key": "a", "title": "A", "criteria": ["one"]}`)
		c, err := k.s.Work.Claim(bot, work.ClaimIn{Task: "demo-1", LeaseMs: ptr(int64(40))})
		k.must(err)
		k.pass(60 * time.Millisecond)
		// A lapse alone, with no successor, leaves the fence good.
		_, err = k.s.Work.Note(bot, work.NoteIn{Task: "demo-1", Text: "late", Fence: ptr(c.Fence)})
		k.must(err)
		k.claim(bee, "demo-1")
		before := k.events("demo-1")
		fence := ptr(c.Fence)
		for name, write := range map[string]func() error{
			"note": func() error {
				_, err := k.s.Work.Note(bot, work.NoteIn{Task: "demo-1", Text: "x", Fence: fence})
				return err
			},
			"evidence": func() error {
				_, err := k.s.Work.Evidence(bot, work.EvidenceIn{Task: "demo-1", Items: []task.EvidenceItem{{Kind: "k", Value: "v"}}, Fence: fence})
				return err
			},
			"tick": func() error {
				_, err := k.s.Work.Tick(bot, work.TickIn{Task: "demo-1", Index: 1, Fence: fence})
				return err
			},
			"move": func() error {
				_, err := k.s.Work.Move(bot, work.MoveIn{Task: "demo-1", To: "done", Fence: fence})
				return err
			},
			"claim": func() error { _, err := k.s.Work.Claim(bot, work.ClaimIn{Task: "demo-1", Fence: fence}); return err },
			"release": func() error {
				_, err := k.s.Work.Release(bot, work.ReleaseIn{Task: "demo-1", Fence: fence})
				return err
			},
		} {
			if err := write(); !fault.Is(err, fault.Conflict) {
				k.Errorf("%s with a stale fence: %v", name, err)
			}
		}
		same(k, "events", k.events("demo-1"), before...)
	})
}

func TestAFenceThatSomebodyElseEndedIsStale(t *testing.T) {
	each(t, func(k *kit) {
		k.tasks(`{"key": "a", "title": "A"}`)
		c := k.claim(bot, "demo-1")
		_, err := k.s.Work.Release(ann, work.ReleaseIn{Task: "demo-1"})
		k.must(err)
		_, err = k.s.Work.Note(bot, work.NoteIn{Task: "demo-1", Text: "x", Fence: ptr(c.Fence)})
		k.refused(err, fault.Conflict, "ended by somebody else")
	})
}

func TestReleaseGivesTheTaskBackAndSaysWhoHeldIt(t *testing.T) {
	each(t, func(k *kit) {
		k.tasks(`{"key": "a", "title": "A"}`)
		k.claim(bot, "demo-1")
		_, err := k.s.Work.Release(bee, work.ReleaseIn{Task: "demo-1"})
		k.refused(err, fault.Declined, "held by bot")
		out, err := k.s.Work.Release(bot, work.ReleaseIn{Task: "demo-1", Note: ptr("too hard"), Failed: true})
		k.must(err)
		is(k, "actor", out.Actor, "bot")
		b := k.show("demo-1")
		is(k, "status", b.Task.Status, task.Open)
		is(k, "attempts", b.Task.Attempts, 1)
		is(k, "notes", len(b.Notes), 1)
		_, payload := k.last("demo-1")
		for _, part := range []string{`"actor":"bot"`, `"failed":true`, `"status":{"from":"in_progress","to":"open"}`} {
			says(k, []string{payload}, part)
		}
		out, err = k.s.Work.Release(bee, work.ReleaseIn{Task: "demo-1"})
		k.must(err)
		is(k, "actor of nobody's claim", out.Actor, "")
		k.claim(bot, "demo-1")
		out, err = k.s.Work.Release(ann, work.ReleaseIn{Task: "demo-1"})
		k.must(err)
		is(k, "actor", out.Actor, "bot")
		k.healthy()
	})
}

func TestWritesOfTheHolderExtendItsLeaseWithoutAnEvent(t *testing.T) {
	each(t, func(k *kit) {
		k.tasks(`{"key": "a", "title": "A", "criteria": ["one", "two"]}`)
		c, err := k.s.Work.Claim(bot, work.ClaimIn{Task: "demo-1", LeaseMs: ptr(int64(60_000))})
		k.must(err)
		end := c.ExpiresAt
		for name, write := range map[string]func() error{
			"note": func() error { _, err := k.s.Work.Note(bot, work.NoteIn{Task: "demo-1", Text: "x"}); return err },
			"evidence": func() error {
				_, err := k.s.Work.Evidence(bot, work.EvidenceIn{Task: "demo-1", Items: []task.EvidenceItem{{Kind: "k", Value: "v"}}})
				return err
			},
			"tick":      func() error { _, err := k.s.Work.Tick(bot, work.TickIn{Task: "demo-1", Index: 1}); return err },
			"same tick": func() error { _, err := k.s.Work.Tick(bot, work.TickIn{Task: "demo-1", Index: 1}); return err },
			"move": func() error {
				_, err := k.s.Work.Move(bot, work.MoveIn{Task: "demo-1", To: "in_progress", Check: []int{2}})
				return err
			},
		} {
			k.pass(5 * time.Millisecond)
			k.must(write())
			got := k.task("demo-1").Claim
			if got == nil || got.ExpiresAt <= end {
				k.Errorf("%s left the claim %+v, which ended at %s", name, got, end)
			}
			end = got.ExpiresAt
		}
		_, err = k.s.Work.Note(bee, work.NoteIn{Task: "demo-1", Text: "x"})
		k.must(err)
		is(k, "expiry after another's note", k.task("demo-1").Claim.ExpiresAt, end)
		for _, kind := range k.events("demo-1") {
			if kind == task.ClaimRenewed {
				k.Errorf("an extension made an event")
			}
		}
		k.healthy()
	})
}

func TestRoutingKeepsATaskFromAnAgentWhateverItAsks(t *testing.T) {
	each(t, func(k *kit) {
		k.tasks(`{"key": "a", "title": "A", "autonomy": "human_only"}, {"key": "b", "title": "B", "mayExecute": ["lead"]}`)
		_, err := k.s.Work.Claim(bot, work.ClaimIn{Task: "demo-1"})
		k.refused(err, fault.Declined, "human_only")
		_, err = k.s.Work.Claim(bot, work.ClaimIn{Task: "demo-2"})
		k.refused(err, fault.Declined, "it takes one of lead")
		k.claim(bob, "demo-1")
		k.claim(ann, "demo-2")
	})
}
