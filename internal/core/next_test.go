package core_test

import (
	"context"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/go-json-experiment/json"

	"tasker/internal/core"
	"tasker/internal/core/reading"
	"tasker/internal/core/work"
	"tasker/internal/fault"
	"tasker/internal/task"
)

func (k *kit) next(ctx context.Context, in work.NextIn) work.NextOut {
	k.Helper()
	out, err := k.s.Work.Next(ctx, in)
	k.must(err)
	return out
}

func id(out work.NextOut) task.ID {
	if out.Task == nil {
		return ""
	}
	return out.Task.ID
}

// A project keeps the rows of a few orders: those of the oldest go when another is asked for, which no event tells.
func TestNextGoesOnWhereItsOrderMadeRoomForOthers(t *testing.T) {
	each(t, func(k *kit) {
		k.tasks(`{"key": "a", "title": "A"}, {"key": "b", "title": "B"}, {"key": "c", "title": "C"}`)
		is(k, "the first", id(k.next(bot, work.NextIn{})), "demo-1")
		mine := k.policy
		for _, key := range []task.SelectKey{task.ByAge, task.ByDue, task.ByPriority, task.ByRank, task.BySeverity, task.BySprint} {
			k.policy.Selection = []task.SelectKey{key}
			_, err := k.s.Work.Peek(bot, work.PeekIn{Project: "demo"})
			k.must(err)
		}
		k.policy = mine
		is(k, "the second", id(k.next(bot, work.NextIn{})), "demo-2")
		is(k, "the third", id(k.next(bot, work.NextIn{})), "demo-3")
	})
}

func TestNextFindsWhatWasAddedBelowTheTaskThatWasGivenLast(t *testing.T) {
	each(t, func(k *kit) {
		k.tasks(`{"key": "a", "title": "A"}, {"key": "b", "title": "B"}`)
		is(k, "the first", id(k.next(bot, work.NextIn{})), "demo-1")
		is(k, "the second", id(k.next(bot, work.NextIn{})), "demo-2") // and what lies behind it is read: nothing
		_, err := k.create(bot, `{"project": "demo", "key": "c", "title": "C", "parent": "b"}`)
		k.must(err)
		is(k, "the third", id(k.next(bot, work.NextIn{})), "demo-3")
	})
}

func TestNextSelectsAndClaimsInTheOrderOfThePolicy(t *testing.T) {
	each(t, func(k *kit) {
		k.tasks(`{"key": "late", "title": "A"}, {"key": "urgent", "title": "B", "priority": 0, "body": "do it"},
			{"key": "severe", "title": "C", "severity": 1}, {"key": "due", "title": "D", "due": "2026-01-01"}`)
		ready, err := k.s.Reading.Ready(bot, reading.ReadyIn{Slug: "demo"})
		k.must(err)
		var order []task.ID
		for _, t := range ready.Tasks {
			order = append(order, t.ID)
		}
		same(k, "ready", order, "demo-3", "demo-4", "demo-2", "demo-1")
		is(k, "total", ready.Total, 4)
		same(k, "selectedBy", ready.SelectedBy, task.DefaultSelection...)
		for _, want := range order {
			peek, err := k.s.Work.Peek(bot, work.PeekIn{Project: "demo"})
			k.must(err)
			is(k, "peek", id(peek), want)
			out := k.next(bot, work.NextIn{})
			is(k, "next", id(out), want)
			is(k, "claimed", out.Claimed.Task, want)
			is(k, "status", out.Task.Status, task.InProgress)
			is(k, "bundle", out.Bundle.Task.ID, want)
			if out.Idle != nil || out.Routing == nil || !out.Routing.MayHold || out.SelectionReason == "" {
				k.Errorf("%s is answered with %+v", want, out)
			}
		}
		_, payload := k.last("demo-2")
		says(k, []string{payload}, `"by":"next"`)
		says(k, []string{payload}, `"status":{"from":"open","to":"in_progress"}`)
		out := k.next(bot, work.NextIn{})
		if out.Task != nil || out.Claimed != nil || out.Bundle != nil || out.Idle == nil {
			k.Errorf("after the last it answers %+v", out)
		}
		is(k, "held by others", out.Idle.Held, 0)
		is(k, "yours", out.Idle.Yours, 4)
		is(k, "finished", out.Idle.Finished, false)
		if out.Idle.NextExpiry == 0 {
			k.Error("there is no next expiry")
		}
		k.healthy()
	})
}

func TestPeekNeverClaimsAndRepeatsItself(t *testing.T) {
	each(t, func(k *kit) {
		k.tasks(`{"key": "a", "title": "A", "touches": ["src/**"]}, {"key": "b", "title": "B"}`)
		k.claim(bee, "demo-1")
		answer := func() string {
			out, err := k.s.Work.Peek(bot, work.PeekIn{Project: "demo"})
			k.must(err)
			if out.Claimed != nil {
				k.Error("it claimed")
			}
			text, err := json.Marshal(out)
			k.must(err)
			return string(text)
		}
		first := answer()
		is(k, "second answer", answer(), first)
		says(k, []string{first}, `"id":"demo-2"`)
		same(k, "events", k.events("demo-2"), task.TaskCreated)
	})
}

func TestThePreferredActorBiasesAndNeverLocks(t *testing.T) {
	each(t, func(k *kit) {
		k.tasks(`{"key": "a", "title": "A", "preferredActor": "bee"}, {"key": "b", "title": "B"}, {"key": "c", "title": "C", "preferredActor": "bot"},
			{"key": "d", "title": "D", "preferredActor": "bee", "priority": 0}`)
		for _, want := range []task.ID{"demo-4", "demo-3", "demo-2", "demo-1"} {
			is(k, "next", id(k.next(bot, work.NextIn{})), want)
		}
	})
}

func TestEverySelectionPolicyOrdersReadyAndNextAlike(t *testing.T) {
	each(t, func(k *kit) {
		k.tasks(`{"key": "a", "title": "A", "priority": 3, "severity": 1}, {"key": "b", "title": "B", "priority": 0, "severity": 4}, {"key": "c", ` +
			`"title": "C", "priority": 1, "due": "2026-01-01"}`)
		for keys, want := range map[task.SelectKey]task.ID{task.ByPriority: "demo-2", task.BySeverity: "demo-1", task.ByDue: "demo-3", task.ByAge: "demo-1"} {
			k.policy.Selection = []task.SelectKey{keys}
			ready, err := k.s.Reading.Ready(bot, reading.ReadyIn{Slug: "demo"})
			k.must(err)
			peek, err := k.s.Work.Peek(bot, work.PeekIn{Project: "demo"})
			k.must(err)
			is(k, "first by "+string(keys), ready.Tasks[0].ID, want)
			is(k, "peek by "+string(keys), id(peek), want)
			same(k, "selectedBy", peek.SelectedBy, keys)
		}
		k.healthy()
	})
}

func TestAnEpicIsNotHandedOutWhileItsPartsAreWorkedOnAndOneThatItsPartsWaitForIs(t *testing.T) {
	each(t, func(k *kit) {
		k.tasks(`{"key": "epic", "title": "E"}, {"key": "part", "title": "P", "parent": "epic"}`)
		is(k, "next", id(k.next(bot, work.NextIn{})), "demo-2")
		is(k, "next while the part is held", id(k.next(bee, work.NextIn{})), "")
		out := k.done(bot, "demo-2")
		same(k, "unblocked", out.Unblocked, "demo-1")
		is(k, "next after the part", id(k.next(bot, work.NextIn{})), "demo-1")
		k.apply(`{"project": "demo", "tasks": [{"key": "first", "title": "F"}, {"key": "then", "title": "T", "parent": "first", "deps": ["first"]}]}`)
		is(k, "a task whose child waits for it", id(k.next(bot, work.NextIn{})), "demo-3")
		k.healthy()
	})
}

func TestSkippedNamesWhatStoodAheadAndWhy(t *testing.T) {
	each(t, func(k *kit) {
		k.tasks(`{"key": "a", "title": "A", "priority": 0}, {"key": "b", "title": "B", "priority": 0, "autonomy": "human_only"},
			{"key": "c", "title": "C", "priority": 1}, {"key": "d", "title": "D", "priority": 3, "autonomy": "human_only"}`)
		c := k.claim(bee, "demo-1")
		out := k.next(bot, work.NextIn{})
		is(k, "next", id(out), "demo-3")
		if len(out.Skipped) != 2 || out.SkippedMore {
			k.Fatalf("skipped are %+v", out.Skipped)
		}
		is(k, "first", out.Skipped[0].Task, "demo-1")
		says(k, []string{out.Skipped[0].Reason}, "held by bee until "+c.ExpiresAt.String())
		is(k, "second", out.Skipped[1].Task, "demo-2")
		says(k, []string{out.Skipped[1].Reason}, "not for bot: it is human_only")
		out = k.next(bot, work.NextIn{})
		if out.Task != nil {
			k.Fatalf("an agent was given %s", out.Task.ID)
		}
		is(k, "skipped where nothing is left", len(out.Skipped), 4)
		is(k, "held by others", out.Idle.Held, 1)
		is(k, "yours", out.Idle.Yours, 1)
		is(k, "not for you beside what is for people", out.Idle.NotForYou, 0)
		is(k, "waiting for a human", out.Idle.WaitingForHuman, 2)
		is(k, "a human's next", id(k.next(bob, work.NextIn{})), "demo-2")
	})
}

func TestSkippedIsCutAtTwentyAndSaysThatThereAreMore(t *testing.T) {
	each(t, func(k *kit) {
		var defs []string
		for range 21 {
			defs = append(defs, `{"key": "k`+string(rune('a'+len(defs)))+`", "title": "T", "autonomy": "human_only"}`)
		}
		k.tasks(strings.Join(defs, ",") + `, {"key": "last", "title": "L"}`)
		out := k.next(bot, work.NextIn{})
		is(k, "next", id(out), "demo-22")
		is(k, "skipped", len(out.Skipped), 20)
		is(k, "more", out.SkippedMore, true)
	})
}

func TestIdleCountsWhatIsInTheWay(t *testing.T) {
	each(t, func(k *kit) {
		k.tasks(`{"key": "a", "title": "A", "status": "in_review"}, {"key": "b", "title": "B", "deps": ["a"]}, {"key": "c", "title": "C", "deps": ["b"]}`)
		out := k.next(bot, work.NextIn{})
		if out.Idle == nil {
			k.Fatalf("it answers %+v", out)
		}
		is(k, "idle", *out.Idle, work.Idle{WaitingForHuman: 1, Blocked: 2})
		k.done(ann, "demo-1")
		k.move(ann, work.MoveIn{Task: "demo-2", To: "cancelled"})
		k.done(ann, "demo-3")
		is(k, "idle at the end", *k.next(bot, work.NextIn{}).Idle, work.Idle{Finished: true})
	})
}

func TestUnderSelectsBelowATaskAlone(t *testing.T) {
	each(t, func(k *kit) {
		k.tasks(
			`{"key": "a", "title": "A", "priority": 0}, {"key": "e", "title": "E"}, {"key": "f", "title": "F", "parent": "e"}, {"key": "g", "title": "G", "parent": "f"},
			{"key": "h", "title": "H", "parent": "f", "status": "in_review"}`,
		)
		peek, err := k.s.Work.Peek(bot, work.PeekIn{Project: "demo", Under: "e"})
		k.must(err)
		is(k, "peek", id(peek), "demo-4")
		is(k, "next", id(k.next(bot, work.NextIn{Under: "demo-2"})), "demo-4")
		out := k.next(bee, work.NextIn{Under: "demo-2"})
		is(k, "next below when all is held", id(out), "")
		is(k, "held below", out.Idle.Held, 1)
		is(k, "waiting below", out.Idle.WaitingForHuman, 1)
		is(k, "finished below", out.Idle.Finished, false)
		k.done(bot, "demo-4")
		k.done(ann, "demo-5")
		is(k, "next", id(k.next(bot, work.NextIn{Under: "demo-2"})), "demo-3")
		k.done(bot, "demo-3")
		out = k.next(bot, work.NextIn{Under: "demo-2"})
		is(k, "finished below at the end", out.Idle.Finished, true)
		_, err = k.s.Work.Next(bot, work.NextIn{Under: "nothing"})
		k.refused(err, fault.NotFound, `there is no task "nothing"`)
	})
}

func TestApartPassesOverWhatOverlapsAHeldTask(t *testing.T) {
	each(t, func(k *kit) {
		k.tasks(`{"key": "a", "title": "A", "touches": ["src/store/**"]}, {"key": "b", "title": "B", "touches": ["src/**/*.go"]},
			{"key": "c", "title": "C", "touches": ["docs/**"]}, {"key": "d", "title": "D"}`)
		k.claim(bee, "demo-1")
		out := k.next(bot, work.NextIn{Apart: true})
		is(k, "next apart", id(out), "demo-3")
		if len(out.Skipped) != 2 {
			k.Fatalf("skipped are %+v", out.Skipped)
		}
		is(k, "skipped for overlapping", out.Skipped[1].Task, "demo-2")
		says(k, []string{out.Skipped[1].Reason}, "its touches overlap those of demo-1, held by bee")
		is(k, "next apart, undeclared", id(k.next(bot, work.NextIn{Apart: true})), "demo-4")
		is(k, "next apart, nothing left", id(k.next(bot, work.NextIn{Apart: true})), "")
		out = k.next(bot, work.NextIn{})
		is(k, "next", id(out), "demo-2")
		says(k, out.Bundle.Warnings, "its touches overlap those of demo-1, held by bee")
	})
}

func TestResumeAnswersFirstWhatTheCallerHoldsWhoseLeaseEndsSoonest(t *testing.T) {
	each(t, func(k *kit) {
		k.tasks(`{"key": "a", "title": "A"}, {"key": "b", "title": "B"}, {"key": "c", "title": "C"}`)
		for i, lease := range []int64{0, 120_000} {
			_, err := k.s.Work.Claim(bot, work.ClaimIn{Task: []string{"demo-1", "demo-2"}[i], LeaseMs: &lease})
			k.must(err)
		}
		before := k.task("demo-2").Claim
		k.pass(5 * time.Millisecond)
		out := k.next(bot, work.NextIn{Resume: true})
		is(k, "resumed", id(out), "demo-2")
		is(k, "fence", out.Claimed.Fence, before.Fence)
		if out.Claimed.ExpiresAt <= before.ExpiresAt {
			k.Error("it was not renewed")
		}
		same(k, "events", k.events("demo-2"), task.TaskCreated, task.TaskClaimed, task.ClaimRenewed)
		is(k, "another's resume", id(k.next(bee, work.NextIn{Resume: true})), "demo-3")
		k.done(bot, "demo-2")
		is(k, "resumed without expiry", id(k.next(bot, work.NextIn{Resume: true})), "demo-1")
	})
}

func TestTwoInstancesOfOneNameNeverShareATask(t *testing.T) {
	each(t, func(k *kit) {
		k.tasks(`{"key": "a", "title": "A"}, {"key": "b", "title": "B"}`)
		one, two := as(task.Actor{Name: "bot", Instance: "1"}), as(task.Actor{Name: "bot", Instance: "2"})
		is(k, "one's", id(k.next(one, work.NextIn{})), "demo-1")
		is(k, "two's", id(k.next(two, work.NextIn{Resume: true})), "demo-2")
		is(k, "holder", k.task("demo-2").Claim.Actor, "bot/2")
		_, err := k.s.Work.Release(two, work.ReleaseIn{Task: "demo-1"})
		k.refused(err, fault.Declined, "held by bot/1")
	})
}

func TestConcurrentCallersReceiveDifferentTasks(t *testing.T) {
	each(t, func(k *kit) {
		const callers, each = 8, 5
		var defs []string
		for i := range callers * each {
			defs = append(defs, `{"key": "k`+string(rune('a'+i/10))+string(rune('a'+i%10))+`", "title": "T"}`)
		}
		k.tasks(strings.Join(defs, ","))
		var wg sync.WaitGroup
		got := make(chan task.ID, callers*each)
		for range callers {
			wg.Go(func() {
				for range each {
					out, err := k.s.Work.Next(bot, work.NextIn{})
					if err != nil || out.Task == nil {
						k.Errorf("a caller was answered %v, %v", out.Task, err)
						return
					}
					got <- out.Task.ID
				}
			})
		}
		wg.Wait()
		close(got)
		seen := map[task.ID]bool{}
		for id := range got {
			if seen[id] {
				k.Errorf("%s was given twice", id)
			}
			seen[id] = true
		}
		is(k, "tasks given", len(seen), callers*each)
		k.healthy()
	})
}

func TestNextFindsTheProjectThatIsMeant(t *testing.T) {
	each(t, func(k *kit) {
		nobody := core.WithCaller(context.Background(), core.Caller{Actor: task.Actor{Name: "bot"}})
		_, err := k.s.Work.Next(nobody, work.NextIn{})
		k.refused(err, fault.NotFound, "there is no project yet")
		k.tasks(`{"key": "a", "title": "A"}`)
		is(k, "the only project's", id(k.next(nobody, work.NextIn{})), "demo-1")
		k.apply(`{"project": "other", "tasks": [{"key": "a", "title": "A"}]}`)
		_, err = k.s.Work.Next(nobody, work.NextIn{})
		e := k.refused(err, fault.Invalid, "say which project")
		same(k, "missing", e.Missing, "demo", "other")
		_, err = k.s.Work.Next(nobody, work.NextIn{Project: "third"})
		k.refused(err, fault.NotFound, `there is no project "third"`)
		is(k, "the named project's", id(k.next(nobody, work.NextIn{Project: "other"})), "other-1")
		_, err = k.s.Work.Next(bot, work.NextIn{Project: "other", Under: "demo-1"})
		k.refused(err, fault.Invalid, "demo-1 is not a task of other")
	})
}
