package work_test

import (
	"context"
	"reflect"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/go-json-experiment/json"

	"tasker/internal/admin"
	"tasker/internal/core"
	"tasker/internal/fault"
	"tasker/internal/task"
	"tasker/internal/testkit/coretest"
	"tasker/internal/views/reading"
	"tasker/internal/work"
)

func id(out work.NextOut) task.ID {
	if out.Task == nil {
		return ""
	}
	return out.Task.ID
}

// A project stores the rows of a few orders. When another order is used, the rows of the oldest are removed, which no
// event records.
func TestNextGoesOnWhereItsOrderMadeRoomForOthers(t *testing.T) {
	coretest.Each(t, func(k *coretest.Kit) {
		k.Tasks(`{"key": "a", "title": "A"}, {"key": "b", "title": "B"}, {"key": "c", "title": "C"}`)
		coretest.Equal(k, "the first", id(k.Next(coretest.Bot, work.NextIn{})), "demo-1")
		mine := k.Policy
		for _, key := range []task.SelectKey{task.ByAge, task.ByDue, task.ByPriority, task.ByRank, task.BySeverity, task.BySprint} {
			k.Policy.Selection = []task.SelectKey{key}
			_, err := k.Work.Peek(coretest.Bot, work.PeekIn{Project: "demo"})
			k.Must(err)
		}
		k.Policy = mine
		coretest.Equal(k, "the second", id(k.Next(coretest.Bot, work.NextIn{})), "demo-2")
		coretest.Equal(k, "the third", id(k.Next(coretest.Bot, work.NextIn{})), "demo-3")
	})
}

func TestNextFindsWhatWasAddedBelowTheTaskThatWasGivenLast(t *testing.T) {
	coretest.Each(t, func(k *coretest.Kit) {
		k.Tasks(`{"key": "a", "title": "A"}, {"key": "b", "title": "B"}`)
		coretest.Equal(k, "the first", id(k.Next(coretest.Bot, work.NextIn{})), "demo-1")
		coretest.Equal(k, "the second", id(k.Next(coretest.Bot, work.NextIn{})), "demo-2") // and what lies behind it is read: nothing
		_, err := k.Create(coretest.Bot, `{"project": "demo", "key": "c", "title": "C", "parent": "b"}`)
		k.Must(err)
		coretest.Equal(k, "the third", id(k.Next(coretest.Bot, work.NextIn{})), "demo-3")
	})
}

func TestNextSelectsAndClaimsInTheOrderOfThePolicy(t *testing.T) {
	coretest.Each(t, func(k *coretest.Kit) {
		k.Tasks(`{"key": "late", "title": "A"}, {"key": "urgent", "title": "B", "priority": 0, "body": "do it"},
			{"key": "severe", "title": "C", "severity": 1}, {"key": "due", "title": "D", "due": "2026-01-01"}`)
		ready, err := k.Reading.Ready(coretest.Bot, reading.ReadyIn{Slug: "demo"})
		k.Must(err)
		var order []task.ID
		for _, t := range ready.Tasks {
			order = append(order, t.ID)
		}
		coretest.EqualSlices(k, "ready", order, "demo-3", "demo-4", "demo-2", "demo-1")
		coretest.Equal(k, "total", ready.Total, 4)
		coretest.EqualSlices(k, "selectedBy", ready.SelectedBy, task.DefaultSelection...)
		for _, want := range order {
			peek, err := k.Work.Peek(coretest.Bot, work.PeekIn{Project: "demo"})
			k.Must(err)
			coretest.Equal(k, "peek", id(peek), want)
			out := k.Next(coretest.Bot, work.NextIn{})
			coretest.Equal(k, "next", id(out), want)
			coretest.Equal(k, "claimed", out.Claimed.Task, want)
			coretest.Equal(k, "status", out.Task.Status, task.InProgress)
			coretest.Equal(k, "bundle", out.Bundle.Task.ID, want)
			if out.Idle != nil || out.Routing == nil || !out.Routing.MayHold || out.SelectionReason == "" {
				k.Errorf("%s is answered with %+v", want, out)
			}
		}
		_, payload := k.Last("demo-2")
		coretest.Contains(k, []string{payload}, `"by":"next"`)
		coretest.Contains(k, []string{payload}, `"status":{"from":"open","to":"in_progress"}`)
		out := k.Next(coretest.Bot, work.NextIn{})
		if out.Task != nil || out.Claimed != nil || out.Bundle != nil || out.Idle == nil {
			k.Errorf("after the last the answer is %+v", out)
		}
		coretest.Equal(k, "held by others", out.Idle.Held, 0)
		coretest.Equal(k, "yours", out.Idle.Yours, 4)
		coretest.Equal(k, "finished", out.Idle.Finished, false)
		if out.Idle.NextExpiry == 0 {
			k.Error("there is no next expiry")
		}
		k.Healthy()
	})
}

func TestPeekNeverClaimsAndRepeatsItself(t *testing.T) {
	coretest.Each(t, func(k *coretest.Kit) {
		k.Tasks(`{"key": "a", "title": "A", "touches": ["src/**"]}, {"key": "b", "title": "B"}`)
		k.Claim(coretest.Bee, "demo-1")
		answer := func() string {
			out, err := k.Work.Peek(coretest.Bot, work.PeekIn{Project: "demo"})
			k.Must(err)
			if out.Claimed != nil {
				k.Error("a read claimed a task")
			}
			text, err := json.Marshal(out)
			k.Must(err)
			return string(text)
		}
		first := answer()
		coretest.Equal(k, "second answer", answer(), first)
		coretest.Contains(k, []string{first}, `"id":"demo-2"`)
		coretest.EqualSlices(k, "events", k.Events("demo-2"), task.TaskCreated)
	})
}

func TestThePreferredActorBiasesAndNeverLocks(t *testing.T) {
	coretest.Each(t, func(k *coretest.Kit) {
		k.Tasks(`{"key": "a", "title": "A", "preferredActor": "bee"}, {"key": "b", "title": "B"}, {"key": "c", "title": "C", "preferredActor": "bot"},
			{"key": "d", "title": "D", "preferredActor": "bee", "priority": 0}`)
		for _, want := range []task.ID{"demo-4", "demo-3", "demo-2", "demo-1"} {
			coretest.Equal(k, "next", id(k.Next(coretest.Bot, work.NextIn{})), want)
		}
	})
}

func TestEverySelectionPolicyOrdersReadyAndNextAlike(t *testing.T) {
	coretest.Each(t, func(k *coretest.Kit) {
		k.Tasks(`{"key": "a", "title": "A", "priority": 3, "severity": 1}, {"key": "b", "title": "B", "priority": 0, "severity": 4}, {"key": "c", ` +
			`"title": "C", "priority": 1, "due": "2026-01-01"}`)
		for keys, want := range map[task.SelectKey]task.ID{task.ByPriority: "demo-2", task.BySeverity: "demo-1", task.ByDue: "demo-3", task.ByAge: "demo-1"} {
			k.Policy.Selection = []task.SelectKey{keys}
			ready, err := k.Reading.Ready(coretest.Bot, reading.ReadyIn{Slug: "demo"})
			k.Must(err)
			peek, err := k.Work.Peek(coretest.Bot, work.PeekIn{Project: "demo"})
			k.Must(err)
			coretest.Equal(k, "first by "+string(keys), ready.Tasks[0].ID, want)
			coretest.Equal(k, "peek by "+string(keys), id(peek), want)
			coretest.EqualSlices(k, "selectedBy", peek.SelectedBy, keys)
		}
		for _, c := range []struct {
			keys []task.SelectKey
			want task.ID
		}{{[]task.SelectKey{}, "demo-1"}, {[]task.SelectKey{task.ByPriority}, "demo-2"}, {[]task.SelectKey{}, "demo-1"}} {
			k.Policy.Selection = c.keys
			peek, err := k.Work.Peek(coretest.Bot, work.PeekIn{Project: "demo"})
			k.Must(err)
			coretest.Equal(k, "peek by "+task.SelectWords(c.keys), id(peek), c.want)
			coretest.EqualSlices(k, "selectedBy", peek.SelectedBy, c.keys...)
		}
		k.Healthy()
	})
}

func TestAnEpicIsNotHandedOutWhileItsPartsAreWorkedOnAndOneThatItsPartsWaitForIs(t *testing.T) {
	coretest.Each(t, func(k *coretest.Kit) {
		k.Tasks(`{"key": "epic", "title": "E"}, {"key": "part", "title": "P", "parent": "epic"}`)
		coretest.Equal(k, "next", id(k.Next(coretest.Bot, work.NextIn{})), "demo-2")
		coretest.Equal(k, "next while the part is held", id(k.Next(coretest.Bee, work.NextIn{})), "")
		out := k.Done(coretest.Bot, "demo-2")
		coretest.EqualSlices(k, "unblocked", out.Unblocked, "demo-1")
		coretest.Equal(k, "next after the part", id(k.Next(coretest.Bot, work.NextIn{})), "demo-1")
		k.Apply(`{"project": "demo", "tasks": [{"key": "first", "title": "F"}, {"key": "then", "title": "T", "parent": "first", "deps": ["first"]}]}`)
		coretest.Equal(k, "a task whose child waits for it", id(k.Next(coretest.Bot, work.NextIn{})), "demo-3")
		k.Healthy()
	})
}

// A task whose lease has lapsed is no longer held, even before the sweep.
func TestIdleCountsWhatTheCallerHoldsNow(t *testing.T) {
	coretest.Each(t, func(k *coretest.Kit) {
		k.Tasks(`{"key": "a", "title": "A"}, {"key": "b", "title": "B"}, {"key": "c", "title": "C"}`)
		for i, lease := range []int64{40, time.Hour.Milliseconds(), 0} {
			_, err := k.Work.Claim(coretest.Bot, work.ClaimIn{Task: []string{"demo-1", "demo-2", "demo-3"}[i], LeaseMs: &lease})
			k.Must(err)
		}
		k.Edit(coretest.Bob, "demo-1", `{"autonomy": "human_only"}`) // else it would be selected once it has lapsed
		k.Pass(60 * time.Millisecond)
		out, err := k.Work.Peek(coretest.Bot, work.PeekIn{Project: "demo"})
		k.Must(err)
		coretest.Equal(k, "yours", out.Idle.Yours, 2)
		coretest.Equal(k, "held by others", out.Idle.Held, 0)
	})
}

func TestSkippedNamesWhatStoodAheadAndWhy(t *testing.T) {
	coretest.Each(t, func(k *coretest.Kit) {
		k.Tasks(`{"key": "a", "title": "A", "priority": 0}, {"key": "b", "title": "B", "priority": 0, "autonomy": "human_only"},
			{"key": "c", "title": "C", "priority": 1}, {"key": "d", "title": "D", "priority": 3, "autonomy": "human_only"}`)
		c := k.Claim(coretest.Bee, "demo-1")
		out := k.Next(coretest.Bot, work.NextIn{})
		coretest.Equal(k, "next", id(out), "demo-3")
		if len(out.Skipped) != 2 || out.SkippedMore {
			k.Fatalf("skipped are %+v", out.Skipped)
		}
		coretest.Equal(k, "first", out.Skipped[0].Task, "demo-1")
		coretest.Contains(k, []string{out.Skipped[0].Reason}, "held by bee until "+c.ExpiresAt.String())
		coretest.Equal(k, "second", out.Skipped[1].Task, "demo-2")
		coretest.Contains(k, []string{out.Skipped[1].Reason}, "not for bot: it is human_only")
		coretest.EqualSlices(k, "in brief", briefs(out), "held by bee", "for people")
		out = k.Next(coretest.Bot, work.NextIn{})
		if out.Task != nil {
			k.Fatalf("an agent was given %s", out.Task.ID)
		}
		coretest.Equal(k, "skipped where nothing is left", len(out.Skipped), 4)
		coretest.Equal(k, "held by others", out.Idle.Held, 1)
		coretest.Equal(k, "yours", out.Idle.Yours, 1)
		coretest.Equal(k, "not for you, without tasks for people", out.Idle.NotForYou, 0)
		coretest.Equal(k, "waiting for a human", out.Idle.WaitingForHuman, 2)
		coretest.Equal(k, "a human's next", id(k.Next(coretest.Bob, work.NextIn{})), "demo-2")
	})
}

func TestSkippedIsCutAtTwentyAndSaysThatThereAreMore(t *testing.T) {
	coretest.Each(t, func(k *coretest.Kit) {
		var defs []string
		for range 21 {
			defs = append(defs, `{"key": "k`+string(rune('a'+len(defs)))+`", "title": "T", "autonomy": "human_only"}`)
		}
		k.Tasks(strings.Join(defs, ",") + `, {"key": "last", "title": "L"}`)
		out := k.Next(coretest.Bot, work.NextIn{})
		coretest.Equal(k, "next", id(out), "demo-22")
		coretest.Equal(k, "skipped", len(out.Skipped), 20)
		coretest.Equal(k, "more", out.SkippedMore, true)
	})
}

func TestATaskThatShouldComeLastComesOnlyWhereThereIsNoOther(t *testing.T) {
	coretest.Each(t, func(k *coretest.Kit) {
		k.Tasks(`{"key": "a", "title": "A", "touches": ["a"]}, {"key": "b", "title": "B", "touches": ["b"]}, {"key": "c", "title": "C", "touches": ["c"]}`)
		last := []string{"demo-1", "demo-2", "demo-99"}
		coretest.Equal(k, "the only other one", id(k.Next(coretest.Bot, work.NextIn{Last: last})), "demo-3")
		coretest.Equal(k, "the first of them", id(k.Next(coretest.Bot, work.NextIn{Last: last, Apart: true})), "demo-1")
		coretest.Equal(k, "the second of them", id(k.Next(coretest.Bot, work.NextIn{Last: last})), "demo-2")
		if _, err := k.Work.Next(coretest.Bot, work.NextIn{Project: "demo", Last: make([]string, 101)}); !fault.Is(err, fault.Invalid) {
			k.Errorf("101 of them: %v", err)
		}
	})
}

func TestIdleCountsWhatIsInTheWay(t *testing.T) {
	coretest.Each(t, func(k *coretest.Kit) {
		k.Tasks(`{"key": "a", "title": "A", "status": "in_review"}, {"key": "b", "title": "B", "deps": ["a"]}, {"key": "c", "title": "C", "deps": ["b"]}`)
		out := k.Next(coretest.Bot, work.NextIn{})
		if out.Idle == nil {
			k.Fatalf("got %+v", out)
		}
		if want := (work.Idle{WaitingForHuman: 1, Blocked: 2, Waits: []work.Wait{{Task: "demo-1", Title: "A", Kind: "in_review", Why: "in review", For: "a human"}}}); !reflect.DeepEqual(*out.Idle, want) {
			k.Errorf("idle is %+v, want %+v", *out.Idle, want)
		}
		k.Done(coretest.Ann, "demo-1")
		k.Move(coretest.Ann, work.MoveIn{Task: "demo-2", To: "cancelled"})
		k.Done(coretest.Ann, "demo-3")
		if end := *k.Next(coretest.Bot, work.NextIn{}).Idle; !reflect.DeepEqual(end, work.Idle{Finished: true}) {
			k.Errorf("idle at the end is %+v", end)
		}
	})
}

func TestIdleSaysHowToBeginInAnEmptyPlan(t *testing.T) {
	coretest.Rule(t, func(k *coretest.Kit) {
		k.Tasks(`{"key": "a", "title": "A"}`)
		_, err := k.Admin.ProjectCreate(coretest.Ann, admin.ProjectCreateIn{Slug: "empty"})
		k.Must(err)
		for _, c := range []struct {
			who  context.Context
			want string
		}{
			{coretest.Ann, "begin with a task: tasker add TITLE; or with a plan: tasker apply -f FILE"},
			{coretest.Bot, "if your person asked you to plan the work, apply a plan: tasker apply -f FILE; otherwise ask what to do"},
		} {
			idle := k.Next(c.who, work.NextIn{Project: "empty"}).Idle
			coretest.Equal(k, "advice", idle.Advice.String(), c.want)
			coretest.Equal(k, "finished", idle.Finished, true)
		}
		k.Done(coretest.Ann, "demo-1")
		if idle := k.Next(coretest.Bot, work.NextIn{Project: "demo"}).Idle; idle.Advice != nil {
			k.Errorf("of a plan in which everything is closed it says: %s", idle.Advice)
		}
	})
}

// Idle names the first that wait for somebody, and who can end that: questions first, then reviews, then tasks that the
// caller may not hold, and last those that it will not hold once they are ready. A task that somebody works on is not among
// them, and everything that is counted as waiting for a human or as not for the caller is, as far as there is room.
func TestIdleNamesWhatWaitsAndForWhom(t *testing.T) {
	coretest.Each(t, func(k *coretest.Kit) {
		k.Policy.Humans = []task.Actor{{Name: "ann", Human: true, Roles: []string{"lead"}}, {Name: "bob", Human: true}}
		k.Policy.RequireApproval = []task.Requirement{{Role: "lead"}, {Actor: "zoe"}}
		k.Tasks(`{"key": "a", "title": "A", "autonomy": "human_only"}, {"key": "b", "title": "B", "status": "in_review"},
			{"key": "c", "title": "C"}, {"key": "d", "title": "D"}, {"key": "e", "title": "E", "mayExecute": ["ops", "dba"]}, {"key": "f", "title": "F", "deps": ["d"]},
			{"key": "g", "title": "G", "deps": ["d"]}, {"key": "h", "title": "H", "deps": ["d"], "autonomy": "human_only"}`)
		k.Claim(coretest.Bee, "demo-4")
		ask(coretest.Bee, k, work.AskIn{Task: "demo-4", Text: "how?", Blocking: true})
		waits := func() (out []string) {
			k.Helper()
			idle, counted := k.Next(coretest.Bot, work.NextIn{}).Idle, 0
			for _, w := range idle.Waits {
				out = append(out, string(w.Task)+" "+w.Title+" "+string(w.Kind)+": "+w.Why+", "+w.For)
				if w.Kind != work.WaitsForTask {
					counted++
				}
			}
			coretest.Equal(k, "counted", counted, idle.WaitingForHuman+idle.NotForYou)
			return out
		}
		const people, others, later = "demo-1 A for_people: for people, ann or bob", "demo-5 E not_for_you: for ops or dba, ops or dba",
			"demo-8 H waiting: for people once it is ready, ann or bob"
		which := ask(coretest.Bot, k, work.AskIn{Task: "demo-3", Text: "which?", Blocking: true})
		first := "demo-3 C question: question " + itoa(which.ID) + ", ann or bob"
		coretest.EqualSlices(k, "waits", waits(), first, "demo-2 B in_review: in review, ann", people, others, later)
		when := ask(coretest.Bot, k, work.AskIn{Task: "demo-6", Text: "when?", Blocking: true, To: "zoe"})
		_, err := k.Work.Approve(coretest.Ann, work.ApproveIn{Task: "demo-2", Role: "lead"})
		k.Must(err)
		coretest.EqualSlices(k, "waits", waits(), first, "demo-6 F question: question "+itoa(when.ID)+", zoe",
			"demo-2 B in_review: in review, zoe", people, others, later)
		coretest.EqualSlices(k, "passed over", briefs(k.Next(coretest.Bot, work.NextIn{})),
			"for people", "asked ann or bob "+itoa(which.ID), "held by bee", "for ops or dba")
		k.Move(coretest.Ann, work.MoveIn{Task: "demo-2", To: "cancelled"})
		k.Move(coretest.Ann, work.MoveIn{Task: "demo-3", To: "cancelled"})
		k.Move(coretest.Ann, work.MoveIn{Task: "demo-6", To: "cancelled"})
		coretest.EqualSlices(k, "waits", waits(), people, others, later)
	})
}

func TestIdleNamesTwentyOfThoseThatWait(t *testing.T) {
	coretest.Rule(t, func(k *coretest.Kit) {
		var defs []string
		for i := range 25 {
			defs = append(defs, `{"key": "r`+itoa(int64(i))+`", "title": "R", "status": "in_review"}`)
		}
		k.Tasks(strings.Join(defs, ","))
		idle := k.Next(coretest.Bot, work.NextIn{}).Idle
		coretest.Equal(k, "counted", idle.WaitingForHuman, 25)
		coretest.Equal(k, "named", len(idle.Waits), 20)
	})
}

// Idle looks past the waiting tasks that are for anybody, and names each of the others once.
func TestIdleNamesThoseBehindManyOthers(t *testing.T) {
	coretest.Rule(t, func(k *coretest.Kit) {
		defs := []string{`{"key": "first", "title": "First"}`}
		for i := range 60 {
			autonomy := ""
			if i == 3 || i == 50 {
				autonomy = `, "autonomy": "human_only"`
			}
			defs = append(defs, `{"key": "w`+itoa(int64(i))+`", "title": "W", "deps": ["first"]`+autonomy+`}`)
		}
		k.Tasks(strings.Join(defs, ","))
		k.Claim(coretest.Bee, "demo-1")
		var named []task.ID
		for _, w := range k.Next(coretest.Bot, work.NextIn{}).Idle.Waits {
			named = append(named, w.Task)
		}
		coretest.EqualSlices(k, "named", named, "demo-5", "demo-52")
	})
}

// briefs returns why tasks were passed over, in a few words each.
func briefs(out work.NextOut) (all []string) {
	for _, s := range out.Skipped {
		all = append(all, s.Brief)
	}
	return all
}

func TestUnderSelectsOnlyBelowATask(t *testing.T) {
	coretest.Each(t, func(k *coretest.Kit) {
		k.Tasks(
			`{"key": "a", "title": "A", "priority": 0}, {"key": "e", "title": "E"}, {"key": "f", "title": "F", "parent": "e"}, {"key": "g", "title": "G", "parent": "f"},
			{"key": "h", "title": "H", "parent": "f", "status": "in_review"}`,
		)
		peek, err := k.Work.Peek(coretest.Bot, work.PeekIn{Project: "demo", Under: "e"})
		k.Must(err)
		coretest.Equal(k, "peek", id(peek), "demo-4")
		coretest.Equal(k, "next", id(k.Next(coretest.Bot, work.NextIn{Under: "demo-2"})), "demo-4")
		out := k.Next(coretest.Bee, work.NextIn{Under: "demo-2"})
		coretest.Equal(k, "next below when all is held", id(out), "")
		coretest.Equal(k, "held below", out.Idle.Held, 1)
		coretest.Equal(k, "waiting below", out.Idle.WaitingForHuman, 1)
		coretest.EqualSlices(k, "what waits below", out.Idle.Waits, work.Wait{Task: "demo-5", Title: "H", Kind: "in_review", Why: "in review", For: "a human"})
		coretest.Equal(k, "finished below", out.Idle.Finished, false)
		k.Done(coretest.Bot, "demo-4")
		k.Done(coretest.Ann, "demo-5")
		coretest.Equal(k, "next", id(k.Next(coretest.Bot, work.NextIn{Under: "demo-2"})), "demo-3")
		k.Done(coretest.Bot, "demo-3")
		out = k.Next(coretest.Bot, work.NextIn{Under: "demo-2"})
		coretest.Equal(k, "finished below at the end", out.Idle.Finished, true)
		_, err = k.Work.Next(coretest.Bot, work.NextIn{Under: "nothing"})
		k.Refused(err, fault.NotFound, `there is no task "nothing"`)
	})
}

func TestResumeAnswersFirstWhatTheCallerHoldsWhoseLeaseEndsSoonest(t *testing.T) {
	coretest.Each(t, func(k *coretest.Kit) {
		k.Tasks(`{"key": "a", "title": "A"}, {"key": "b", "title": "B"}, {"key": "c", "title": "C"}`)
		for i, lease := range []int64{0, 120_000} {
			_, err := k.Work.Claim(coretest.Bot, work.ClaimIn{Task: []string{"demo-1", "demo-2"}[i], LeaseMs: &lease})
			k.Must(err)
		}
		before := k.Task("demo-2").Claim
		k.Pass(5 * time.Millisecond)
		out := k.Next(coretest.Bot, work.NextIn{Resume: true})
		coretest.Equal(k, "resumed", id(out), "demo-2")
		coretest.Equal(k, "fence", out.Claimed.Fence, before.Fence)
		if out.Claimed.ExpiresAt <= before.ExpiresAt {
			k.Error("the claim was not renewed")
		}
		coretest.EqualSlices(k, "events", k.Events("demo-2"), task.TaskCreated, task.TaskClaimed, task.ClaimRenewed)
		coretest.Equal(k, "another's resume", id(k.Next(coretest.Bee, work.NextIn{Resume: true})), "demo-3")
		k.Done(coretest.Bot, "demo-2")
		coretest.Equal(k, "resumed without expiry", id(k.Next(coretest.Bot, work.NextIn{Resume: true})), "demo-1")
	})
}

func TestTwoInstancesOfOneNameNeverShareATask(t *testing.T) {
	coretest.Each(t, func(k *coretest.Kit) {
		k.Tasks(`{"key": "a", "title": "A"}, {"key": "b", "title": "B"}`)
		one, two := coretest.As(task.Actor{Name: "bot", Instance: "1"}), coretest.As(task.Actor{Name: "bot", Instance: "2"})
		coretest.Equal(k, "one's", id(k.Next(one, work.NextIn{})), "demo-1")
		coretest.Equal(k, "two's", id(k.Next(two, work.NextIn{Resume: true})), "demo-2")
		coretest.Equal(k, "holder", k.Task("demo-2").Claim.Actor, "bot/2")
		_, err := k.Work.Release(two, work.ReleaseIn{Task: "demo-1"})
		k.Refused(err, fault.Declined, "held by bot/1")
	})
}

func TestConcurrentCallersReceiveDifferentTasks(t *testing.T) {
	coretest.Each(t, func(k *coretest.Kit) {
		const callers, each = 8, 5
		var defs []string
		for i := range callers * each {
			defs = append(defs, `{"key": "k`+string(rune('a'+i/10))+string(rune('a'+i%10))+`", "title": "T"}`)
		}
		k.Tasks(strings.Join(defs, ","))
		var wg sync.WaitGroup
		got := make(chan task.ID, callers*each)
		for range callers {
			wg.Go(func() {
				for range each {
					out, err := k.Work.Next(coretest.Bot, work.NextIn{})
					if err != nil || out.Task == nil {
						k.Errorf("a caller was answered with %v, %v", out.Task, err)
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
		coretest.Equal(k, "tasks given", len(seen), callers*each)
		k.Healthy()
	})
}

func TestNextFindsTheProjectThatIsMeant(t *testing.T) {
	coretest.Each(t, func(k *coretest.Kit) {
		nobody := core.WithCaller(context.Background(), core.Caller{Actor: task.Actor{Name: "bot"}})
		_, err := k.Work.Next(nobody, work.NextIn{})
		k.Refused(err, fault.NotFound, "there is no project yet")
		k.Tasks(`{"key": "a", "title": "A"}`)
		coretest.Equal(k, "the only project's", id(k.Next(nobody, work.NextIn{})), "demo-1")
		k.Apply(`{"project": "other", "tasks": [{"key": "a", "title": "A"}]}`)
		_, err = k.Work.Next(nobody, work.NextIn{})
		e := k.Refused(err, fault.Invalid, "say which project")
		coretest.EqualSlices(k, "missing", e.Missing, "demo", "other")
		_, err = k.Work.Next(nobody, work.NextIn{Project: "third"})
		k.Refused(err, fault.NotFound, `there is no project "third"`)
		coretest.Equal(k, "the named project's", id(k.Next(nobody, work.NextIn{Project: "other"})), "other-1")
		_, err = k.Work.Next(coretest.Bot, work.NextIn{Project: "other", Under: "demo-1"})
		k.Refused(err, fault.Invalid, "demo-1 is not a task of other")
	})
}
