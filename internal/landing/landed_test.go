package landing_test

import (
	"slices"
	"strings"
	"testing"

	"tasker/internal/fault"
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
