package landing_test

import (
	"maps"
	"slices"
	"strings"
	"testing"

	"tasker/internal/fault"
	"tasker/internal/inbox"
	"tasker/internal/landing"
	"tasker/internal/store"
	"tasker/internal/task"
	"tasker/internal/task/query"
	"tasker/internal/testkit/coretest"
	"tasker/internal/work"
	"tasker/internal/workspace"
)

// landed is that of one run.
func landed(id task.ID) landing.LandedIn {
	code, took := 0, int64(12)
	return landing.LandedIn{
		Landing: workspace.Landing{Task: id, Where: workspace.Landed, Commit: "abc", Base: "main", Host: "here"},
		Branch:  "tasker/a", Runs: []landing.Run{{"make test", &code, &took}},
	}
}

// events returns the events of a task.
func events(k *coretest.Kit, id task.ID) (out []task.Event) {
	k.Must(k.Store.Read(k.Context(), func(tx *store.Tx) (err error) {
		out, err = tx.Events(query.Events{Task: id, Limit: 50})
		return err
	}))
	return out
}

func TestALandingClosesATaskInReviewInOneTurn(t *testing.T) {
	coretest.Each(t, func(k *coretest.Kit) {
		k.Tasks(`{"key": "a", "title": "A"}, {"key": "b", "title": "B", "criteria": ["it works"]}`)
		k.Move(coretest.Bot, work.MoveIn{Task: "demo-1", To: "in_review"})
		for range 2 { // the second time it is known
			_, err := k.Landing.Landed(coretest.Ann, landed("demo-1"))
			k.Must(err)
		}
		var all []task.Event
		for _, e := range events(k, "demo-1") {
			if e.Kind == task.TaskMoved || e.Kind == task.TaskLanded {
				all = append(all, e)
			}
		}
		slices.SortFunc(all, func(a, b task.Event) int { return int(a.ID - b.ID) })
		if len(all) != 3 || all[1].Kind != task.TaskMoved || all[2].Kind != task.TaskLanded || all[1].Batch != all[2].Batch {
			k.Fatalf("%+v", all)
		}
		for _, part := range []string{`"branch":"tasker/a"`, `"commit":"abc"`, `"runs":[{"command":"make test","exitCode":0,"durationMs":12}]`} {
			if !strings.Contains(string(all[2].Payload), part) {
				k.Errorf("%s is not in %s", part, all[2].Payload)
			}
		}
		if got := k.Task("demo-1"); got.Status != task.Done || got.ClosedBy != "ann" {
			k.Errorf("%s by %s", got.Status, got.ClosedBy)
		}

		// what may not be closed is not recorded as landed either
		k.Move(coretest.Bot, work.MoveIn{Task: "demo-2", To: "in_review"})
		_, err := k.Landing.Landed(coretest.Ann, landed("demo-2"))
		k.Refused(err, fault.Declined)
		if slices.Contains(k.Events("demo-2"), task.TaskLanded) || k.Task("demo-2").Status != task.InReview {
			k.Errorf("%v", k.Events("demo-2"))
		}
	})
}

func TestWhatFailsToLandIsOpenAgainAndPeopleKnow(t *testing.T) {
	coretest.Each(t, func(k *coretest.Kit) {
		k.Tasks(`{"key": "a", "title": "A"}, {"key": "b", "title": "B"}`)
		k.Done(coretest.Ann, "demo-1")
		k.Move(coretest.Bot, work.MoveIn{Task: "demo-2", To: "in_review"})
		waits := func(want ...string) {
			k.Helper()
			out, err := k.Inbox.Inbox(coretest.Ann, inbox.InboxIn{Slug: "demo"})
			k.Must(err)
			var got []string
			for _, it := range out.Items {
				got = append(got, it.ID+": "+it.Why)
			}
			coretest.EqualSlices(k, "the inbox", got, want...)
		}
		fail := func(in landing.FailedIn) error {
			in.Project, in.Base = "demo", "main"
			_, err := k.Landing.Failed(coretest.Ann, in)
			return err
		}
		k.Must(fail(landing.FailedIn{Task: "demo-1", Why: landing.Red, Command: "make test"}))
		k.Must(fail(landing.FailedIn{Task: "demo-2", Why: landing.Conflict, With: []task.ID{"demo-1"}, Files: []string{"a.go"}}))
		for id, why := range map[task.ID]string{"demo-1": `"why":"red"`, "demo-2": `"with":["demo-1"]`} {
			if got := k.Task(string(id)); got.Status != task.Open {
				k.Errorf("%s is %s", id, got.Status)
			}
			batch, said := map[int64]int{}, false
			for _, e := range events(k, id) {
				if e.Kind == task.NoteAdded || e.Kind == task.TaskMoved || e.Kind == task.LandFailed {
					batch[e.Batch]++
				}
				said = said || e.Kind == task.LandFailed && strings.Contains(string(e.Payload), why)
			}
			if !said || !slices.Contains(slices.Collect(maps.Values(batch)), 3) {
				k.Errorf("%s: %v", id, k.Events(string(id)))
			}
		}
		const red, conflict = "review:demo-1:landing: it did not land: on top of main this is red: $ make test",
			"review:demo-2:landing: it did not land: it conflicts with demo-1, in a.go"
		waits(red, conflict)
		k.Refused(fail(landing.FailedIn{Task: "demo-1", Why: landing.Red}), fault.Declined, "only what is done or in review can fail to land")

		// what the base is to blame for changes no task
		k.Done(coretest.Ann, "demo-2")
		k.Must(fail(landing.FailedIn{Why: landing.Push}))
		if got := k.Task("demo-2"); got.Status != task.Done {
			k.Errorf("demo-2 is %s", got.Status)
		}

		// landed, it is settled
		k.Done(coretest.Ann, "demo-1")
		_, err := k.Landing.Landed(coretest.Ann, landed("demo-1"))
		k.Must(err)
		k.Move(coretest.Ann, work.MoveIn{Task: "demo-1", To: "open"})
		waits()
	})
}

func TestAnAgentRecordsNoLandingWhereAHumanIsDeclared(t *testing.T) {
	coretest.Each(t, func(k *coretest.Kit) {
		k.Tasks(`{"key": "a", "title": "A"}`)
		k.Policy.DeclaresHuman = true
		k.Done(coretest.Ann, "demo-1")
		before := k.Events("demo-1")
		_, err := k.Landing.Landed(coretest.Bot, landed("demo-1"))
		k.Refused(err, fault.Declined, "may not land anything")
		for _, why := range []string{landing.Red, landing.Push} {
			_, err = k.Landing.Failed(coretest.Bot, landing.FailedIn{Project: "demo", Task: "demo-1", Why: why, Base: "main"})
			k.Refused(err, fault.Declined, "may not land anything")
		}
		coretest.EqualSlices(k, "events", k.Events("demo-1"), before...)
	})
}
