package work_test

import (
	"context"
	"strings"
	"testing"
	"time"

	"tasker/internal/core"
	"tasker/internal/fault"
	"tasker/internal/task"
	"tasker/internal/testkit/coretest"
	"tasker/internal/views/reading"
	"tasker/internal/work"
)

func TestAClaimMovesAnOpenTaskToInProgress(t *testing.T) {
	coretest.Each(t, func(k *coretest.Kit) {
		k.Tasks(`{"key": "a", "title": "A"}`)
		c := k.Claim(coretest.Bot, "demo-1")
		coretest.Equal(k, "actor", c.Actor, "bot")
		coretest.Equal(k, "fence", c.Fence, 1)
		coretest.Equal(k, "lease", c.LeaseMs, task.DefaultLeaseMs)
		coretest.Equal(k, "expiry", c.ExpiresAt, c.ClaimedAt.Add(task.DefaultLeaseMs))
		got := k.Task("demo-1")
		coretest.Equal(k, "status", got.Status, task.InProgress)
		coretest.Equal(k, "version", got.Version, 2)
		coretest.Equal(k, "claim's version", c.Version, 2)
		_, payload := k.Last("demo-1")
		coretest.Equal(k, "payload", payload, `{"expiresAt":"`+c.ExpiresAt.String()+`","fence":1,"leaseMs":7200000,"status":{"from":"open","to":"in_progress"}}`)
		k.Healthy()
	})
}

func TestATaskIsNamedByIdOrByKeyInTheCallersProject(t *testing.T) {
	coretest.Each(t, func(k *coretest.Kit) {
		k.Tasks(`{"key": "first", "title": "A"}`)
		coretest.Equal(k, "id", k.Task("first").ID, "demo-1")
		_, err := k.Reading.Show(coretest.Ann, reading.ShowIn{Task: "secnd"})
		k.Refused(err, fault.NotFound, `there is no task "secnd" in demo`)
		far := core.CallerOf(coretest.Ann)
		far.Via.Face = "http"
		_, err = k.Reading.Show(core.WithCaller(context.Background(), far), reading.ShowIn{Task: "first"})
		k.Refused(err, fault.NotFound, `there is no task "first"`)
		_, err = k.Reading.Show(coretest.Ann, reading.ShowIn{Task: "demo-9"})
		k.Refused(err, fault.NotFound, "there is no task demo-9")
		_, err = k.Reading.Show(coretest.Ann, reading.ShowIn{Task: "other-1"})
		k.Refused(err, fault.NotFound, "there is no task other-1")
	})
}

func TestOnlyTheHolderWithItsFenceClaimsAHeldTaskAgain(t *testing.T) {
	coretest.Each(t, func(k *coretest.Kit) {
		k.Tasks(`{"key": "a", "title": "A"}`)
		first := k.Claim(coretest.Bot, "demo-1")
		_, err := k.Work.Claim(coretest.Bee, work.ClaimIn{Task: "demo-1"})
		k.Refused(err, fault.Declined, "demo-1 is held by bot until "+first.ExpiresAt.String())
		_, err = k.Work.Claim(coretest.Bot, work.ClaimIn{Task: "demo-1"})
		k.Refused(err, fault.Declined, "held by bot")
		k.Pass(20 * time.Millisecond)
		second, err := k.Work.Claim(coretest.Bot, work.ClaimIn{Task: "demo-1", Fence: new(first.Fence)})
		k.Must(err)
		coretest.Equal(k, "fence", second.Fence, first.Fence)
		coretest.Equal(k, "lease", second.LeaseMs, first.LeaseMs)
		if second.ExpiresAt <= first.ExpiresAt || second.RenewedAt == 0 {
			k.Errorf("the renewal is %+v after %+v", second, first)
		}
		coretest.Equal(k, "version", k.Task("demo-1").Version, 2)
		coretest.EqualSlices(k, "events", k.Events("demo-1"), task.TaskCreated, task.TaskClaimed, task.ClaimRenewed)
		third, err := k.Work.Claim(coretest.Bot, work.ClaimIn{Task: "demo-1", Fence: new(first.Fence), LeaseMs: new(int64(0))})
		k.Must(err)
		coretest.Equal(k, "expiry without a lease", third.ExpiresAt, 0)
		k.Healthy()
	})
}

func TestClaimingWhatWaitsIsRefusedAndNamesWhatItWaitsFor(t *testing.T) {
	coretest.Rule(t, func(k *coretest.Kit) {
		k.Tasks(`{"key": "a", "title": "Lay the ground"}, {"key": "b", "title": "B", "deps": ["a"]},
			{"key": "c", "title": "C", "status": "done"}, {"key": "d", "title": "D", "status": "in_review"}`)
		_, err := k.Work.Claim(coretest.Bot, work.ClaimIn{Task: "demo-2"})
		k.Refused(err, fault.Declined, "demo-2 waits for 1 open task", "demo-1: Lay the ground (open)")
		_, err = k.Work.Claim(coretest.Bot, work.ClaimIn{Task: "demo-3"})
		k.Refused(err, fault.Declined, "demo-3 is done")
		_, err = k.Work.Claim(coretest.Bot, work.ClaimIn{Task: "demo-4"})
		k.Refused(err, fault.Declined, "demo-4 is in review")
		coretest.EqualSlices(k, "events", k.Events("demo-2"), task.TaskCreated)
	})
}

func TestAnInProgressTaskThatNobodyHoldsAndOneWithOpenChildrenCanBeClaimed(t *testing.T) {
	coretest.Each(t, func(k *coretest.Kit) {
		k.Tasks(`{"key": "a", "title": "A", "status": "in_progress"}, {"key": "b", "title": "B"}, {"key": "c", "title": "C", "parent": "b"}`)
		c := k.Claim(coretest.Bot, "demo-1")
		coretest.Equal(k, "version", c.Version, 1)
		k.Claim(coretest.Bot, "demo-2")
		k.Healthy()
	})
}

func TestALeaseIsBounded(t *testing.T) {
	coretest.Rule(t, func(k *coretest.Kit) {
		k.Tasks(`{"key": "a", "title": "A"}`)
		for _, ms := range []int64{-1, task.MaxLeaseMs + 1} {
			_, err := k.Work.Claim(coretest.Bot, work.ClaimIn{Task: "demo-1", LeaseMs: &ms})
			k.Refused(err, fault.Invalid, "out of range")
			_, err = k.Work.Next(coretest.Bot, work.NextIn{LeaseMs: &ms})
			k.Refused(err, fault.Invalid, "out of range")
		}
		k.Policy.LeaseMs = new(int64(90_000))
		coretest.Equal(k, "lease", k.Claim(coretest.Bot, "demo-1").LeaseMs, 90_000)
	})
}

func TestAClaimSweepsTheLapsedLeasesOfOthers(t *testing.T) {
	coretest.Each(t, func(k *coretest.Kit) {
		k.Tasks(`{"key": "a", "title": "A"}, {"key": "b", "title": "B"}`)
		_, err := k.Work.Claim(coretest.Bot, work.ClaimIn{Task: "demo-1", LeaseMs: new(int64(40))})
		k.Must(err)
		k.Pass(60 * time.Millisecond)
		k.Claim(coretest.Bee, "demo-2")
		coretest.EqualSlices(k, "events", k.Events("demo-1"), task.TaskCreated, task.TaskClaimed, task.ClaimExpired)
		k.Healthy()
	})
}

func TestALapsedLeaseCountsAsReleasedFromTheMomentItLapses(t *testing.T) {
	coretest.Each(t, func(k *coretest.Kit) {
		k.Tasks(`{"key": "a", "title": "A"}`)
		c, err := k.Work.Claim(coretest.Bot, work.ClaimIn{Task: "demo-1", LeaseMs: new(int64(40))})
		k.Must(err)
		k.Pass(60 * time.Millisecond)
		got := k.Task("demo-1")
		coretest.Equal(k, "status", got.Status, task.Open)
		coretest.Equal(k, "version", got.Version, 3)
		coretest.Equal(k, "updatedAt", got.UpdatedAt, c.ExpiresAt)
		coretest.Equal(k, "attempts", got.Attempts, 1)
		if got.Claim != nil {
			k.Errorf("it shows the claim %+v", got.Claim)
		}
		next := k.Claim(coretest.Bee, "demo-1")
		coretest.Equal(k, "fence", next.Fence, 2)
		coretest.Equal(k, "version", next.Version, 4)
		coretest.EqualSlices(k, "events", k.Events("demo-1"), task.TaskCreated, task.TaskClaimed, task.ClaimExpired, task.TaskClaimed)
		k.Healthy()
	})
}

func TestAStaleFenceWritesNothing(t *testing.T) {
	coretest.Each(t, func(k *coretest.Kit) {
		k.Tasks(`{"key": "a", "title": "A", "criteria": ["one"]}`)
		c, err := k.Work.Claim(coretest.Bot, work.ClaimIn{Task: "demo-1", LeaseMs: new(int64(40))})
		k.Must(err)
		k.Pass(60 * time.Millisecond)
		// A lapse without a successor leaves the fence valid.
		_, err = k.Work.Note(coretest.Bot, work.NoteIn{Task: "demo-1", Text: "late", Fence: new(c.Fence)})
		k.Must(err)
		k.Claim(coretest.Bee, "demo-1")
		before := k.Events("demo-1")
		fence := new(c.Fence)
		for name, write := range map[string]func() error{
			"note": func() error {
				_, err := k.Work.Note(coretest.Bot, work.NoteIn{Task: "demo-1", Text: "x", Fence: fence})
				return err
			},
			"evidence": func() error {
				_, err := k.Work.Evidence(coretest.Bot, work.EvidenceIn{Task: "demo-1", Items: []task.EvidenceItem{{Kind: "k", Value: "v"}}, Fence: fence})
				return err
			},
			"tick": func() error {
				_, err := k.Work.Tick(coretest.Bot, work.TickIn{Task: "demo-1", Index: 1, Fence: fence})
				return err
			},
			"move": func() error {
				_, err := k.Work.Move(coretest.Bot, work.MoveIn{Task: "demo-1", To: "done", Fence: fence})
				return err
			},
			"claim": func() error {
				_, err := k.Work.Claim(coretest.Bot, work.ClaimIn{Task: "demo-1", Fence: fence})
				return err
			},
			"release": func() error {
				_, err := k.Work.Release(coretest.Bot, work.ReleaseIn{Task: "demo-1", Fence: fence})
				return err
			},
		} {
			if err := write(); !fault.Is(err, fault.Conflict) {
				k.Errorf("%s with a stale fence: %v", name, err)
			}
		}
		coretest.EqualSlices(k, "events", k.Events("demo-1"), before...)
	})
}

func TestAFenceThatSomebodyElseEndedIsStale(t *testing.T) {
	coretest.Each(t, func(k *coretest.Kit) {
		k.Tasks(`{"key": "a", "title": "A"}`)
		c := k.Claim(coretest.Bot, "demo-1")
		_, err := k.Work.Release(coretest.Ann, work.ReleaseIn{Task: "demo-1"})
		k.Must(err)
		_, err = k.Work.Note(coretest.Bot, work.NoteIn{Task: "demo-1", Text: "x", Fence: new(c.Fence)})
		k.Refused(err, fault.Conflict, "ended by somebody else")
	})
}

func TestWritesOfTheHolderExtendItsLeaseWithoutAnEvent(t *testing.T) {
	coretest.Each(t, func(k *coretest.Kit) {
		k.Tasks(`{"key": "a", "title": "A", "criteria": ["one", "two"]}`)
		c, err := k.Work.Claim(coretest.Bot, work.ClaimIn{Task: "demo-1", LeaseMs: new(int64(60_000))})
		k.Must(err)
		end := c.ExpiresAt
		for name, write := range map[string]func() error{
			"note": func() error { _, err := k.Work.Note(coretest.Bot, work.NoteIn{Task: "demo-1", Text: "x"}); return err },
			"evidence": func() error {
				_, err := k.Work.Evidence(coretest.Bot, work.EvidenceIn{Task: "demo-1", Items: []task.EvidenceItem{{Kind: "k", Value: "v"}}})
				return err
			},
			"tick":      func() error { _, err := k.Work.Tick(coretest.Bot, work.TickIn{Task: "demo-1", Index: 1}); return err },
			"same tick": func() error { _, err := k.Work.Tick(coretest.Bot, work.TickIn{Task: "demo-1", Index: 1}); return err },
			"move": func() error {
				_, err := k.Work.Move(coretest.Bot, work.MoveIn{Task: "demo-1", To: "in_progress", Check: []int{2}})
				return err
			},
		} {
			k.Pass(5 * time.Millisecond)
			k.Must(write())
			got := k.Task("demo-1").Claim
			if got == nil || got.ExpiresAt <= end {
				k.Errorf("%s left the claim %+v, which ended at %s", name, got, end)
			}
			end = got.ExpiresAt
		}
		_, err = k.Work.Note(coretest.Bee, work.NoteIn{Task: "demo-1", Text: "x"})
		k.Must(err)
		coretest.Equal(k, "expiry after another's note", k.Task("demo-1").Claim.ExpiresAt, end)
		for _, kind := range k.Events("demo-1") {
			if kind == task.ClaimRenewed {
				k.Errorf("an extension made an event")
			}
		}
		k.Healthy()
	})
}

func TestRoutingKeepsATaskFromAnAgentWhateverItAsks(t *testing.T) {
	coretest.Rule(t, func(k *coretest.Kit) {
		k.Tasks(`{"key": "a", "title": "A", "autonomy": "human_only"}, {"key": "b", "title": "B", "mayExecute": ["lead"]}`)
		_, err := k.Work.Claim(coretest.Bot, work.ClaimIn{Task: "demo-1"})
		k.Refused(err, fault.Declined, "human_only")
		_, err = k.Work.Claim(coretest.Bot, work.ClaimIn{Task: "demo-2"})
		k.Refused(err, fault.Declined, "it takes one of lead")
		k.Claim(coretest.Bob, "demo-1")
		k.Claim(coretest.Ann, "demo-2")
	})
}

// TestWhoHoldsATaskIsToldHowToEndIt: a claim answers the call that closes the task, or that hands it over, and so does every
// read of it by its holder.
func TestWhoHoldsATaskIsToldHowToEndIt(t *testing.T) {
	coretest.Rule(t, func(k *coretest.Kit) {
		k.Policy.DeclaresHuman = true
		k.Tasks(`{"key": "a", "title": "A", "autonomy": "supervised", "criteria": ["it works"]}, {"key": "b", "title": "B"}`)
		const how = "tasker review demo-1 --check 1 --next; a human closes it"
		c, err := k.Work.Claim(coretest.Bot, work.ClaimIn{Task: "demo-1"})
		k.Must(err)
		coretest.Equal(k, "claim", c.How.String(), how)
		b, err := k.Reading.Show(coretest.Bot, reading.ShowIn{Task: "demo-1"})
		k.Must(err)
		coretest.Equal(k, "bundle", b.Closable.How.String(), how)
		if b, err = k.Reading.Show(coretest.Bee, reading.ShowIn{Task: "demo-1"}); err != nil || b.Closable.How != nil {
			k.Errorf("a stranger is told %v, %v", b.Closable.How, err)
		}
		if c, err = k.Work.Claim(coretest.Bot, work.ClaimIn{Task: "demo-1", Fence: &c.Fence}); err != nil || c.How != nil {
			k.Errorf("a renewal says %v, %v", c.How, err)
		}

		// Who follows done with the next task is refused with the call that does both.
		for next, want := range map[bool]string{false: "(tasker review demo-1)", true: "(tasker review demo-1 --next)"} {
			_, err = k.Work.Move(coretest.Bot, work.MoveIn{Task: "demo-1", To: "done", Check: []int{1}, Next: next})
			if e := fault.Of(err); e == nil || !strings.Contains(e.Hint, want) {
				k.Errorf("done with next %v: %v", next, err)
			}
		}
		out := k.Move(coretest.Bot, work.MoveIn{Task: "demo-1", To: "in_review", Next: true})
		coretest.Equal(k, "next", out.Next.Task.ID, "demo-2")
		k.Healthy()
	})
}
