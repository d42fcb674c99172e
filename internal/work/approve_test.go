package work_test

import (
	"testing"

	"github.com/google/go-cmp/cmp"

	"tasker/internal/fault"
	"tasker/internal/task"
	"tasker/internal/testkit/coretest"
	"tasker/internal/views/reading"
	"tasker/internal/work"
)

func TestOnlyHumansApproveAndAnAgentsAttemptIsAnEvent(t *testing.T) {
	coretest.Each(t, func(k *coretest.Kit) {
		k.Tasks(`{"key": "a", "title": "A"}`)
		_, err := k.Work.Approve(coretest.Bot, work.ApproveIn{Task: "demo-1"})
		k.Refused(err, fault.Declined, "bot may not approve demo-1")
		event, payload := k.Last("demo-1")
		coretest.Equal(k, "kind", event.Kind, task.ApprovalRefused)
		coretest.Equal(k, "actor", event.Actor, "bot")
		coretest.Contains(k, []string{payload}, "only humans")
		_, err = k.Work.Approve(coretest.Bob, work.ApproveIn{Task: "demo-1", Role: "lead"})
		k.Refused(err, fault.Declined, `bob does not hold the role "lead"`)
		_, err = k.Work.Approve(coretest.Ann, work.ApproveIn{Task: "demo-1", Kind: "blessing"})
		k.Refused(err, fault.Invalid, `"blessing" is not a kind of approval`)
		got, err := k.Work.Approve(coretest.Ann, work.ApproveIn{Task: "demo-1", Role: "lead", Note: "fine", Kind: "verification"})
		k.Must(err)
		event, _ = k.Last("demo-1")
		want := task.Approval{
			ID:    event.ID,
			Task:  "demo-1",
			Kind:  "verification",
			Actor: "ann",
			Role:  "lead",
			Note:  "fine",
			At:    event.At,
			Roles: []string{"lead"},
		}
		if d := cmp.Diff(want, got.Approval); d != "" {
			k.Error(d)
		}
		coretest.EqualSlices(k, "events", k.Events("demo-1"), task.TaskCreated, task.ApprovalRefused, task.ApprovalGiven)
		coretest.Equal(k, "version", k.Task("demo-1").Version, 1)
	})
}

// TestAMissingVerificationIsAskedForByItsKind: the hint names the kind and who can give it, and an approval that meets no
// requirement is kept with a warning.
func TestAMissingVerificationIsAskedForByItsKind(t *testing.T) {
	coretest.Rule(t, func(k *coretest.Kit) {
		ann := task.Actor{Name: "ann", Human: true, Roles: []string{"lead"}}
		k.Policy.Humans = []task.Actor{ann, {Name: "bob", Human: true}}
		k.Policy.RequireApproval = []task.Requirement{{Kind: "verification", Role: "lead", Reason: "she looks"}}
		k.Tasks(`{"key": "a", "title": "A"}`)
		_, err := k.Work.Move(coretest.Bot, work.MoveIn{Task: "demo-1", To: "done"})
		coretest.Equal(k, "hint", k.Refused(err, fault.Declined).Hint, "have ann verify it (tasker approve demo-1 --kind verification)")
		_, err = k.Work.Move(coretest.Ann, work.MoveIn{Task: "demo-1", To: "done"})
		coretest.Equal(k, "hint", k.Refused(err, fault.Declined).Hint, "verify it (tasker approve demo-1 --kind verification)")

		got, err := k.Work.Approve(coretest.Ann, work.ApproveIn{Task: "demo-1"})
		k.Must(err)
		coretest.EqualSlices(k, "warnings", got.Warnings,
			"this approval is kept but meets nothing that demo-1 asks for; missing: verification by lead: she looks")
		got, err = k.Work.Approve(coretest.Ann, work.ApproveIn{Task: "demo-1", Kind: "verification"})
		k.Must(err)
		coretest.Equal(k, "warnings", len(got.Warnings), 0)
		got, err = k.Work.Approve(coretest.Bob, work.ApproveIn{Task: "demo-1"}) // nothing is missing any more
		k.Must(err)
		coretest.Equal(k, "warnings", len(got.Warnings), 0)
		k.Move(coretest.Bot, work.MoveIn{Task: "demo-1", To: "done"})
	})
}

func TestAnApprovalCountsForTheRolesOfItsGiver(t *testing.T) {
	coretest.Rule(t, func(k *coretest.Kit) {
		k.Policy.RequireApproval = []task.Requirement{{Role: "lead"}, {}}
		k.Policy.ReviewPolicy = map[string][]task.Requirement{"ship": {{Kind: "verification", Actor: "bob", Reason: "he runs it"}}}
		k.Apply(`{"project": "demo", "gates": {"ship": []}, "tasks": [{"key": "a", "title": "A", "gate": "ship"}]}`)
		_, err := k.Work.Approve(coretest.Ann, work.ApproveIn{Task: "demo-1"})
		k.Must(err)
		_, err = k.Work.Move(coretest.Bot, work.MoveIn{Task: "demo-1", To: "done"})
		e := k.Refused(err, fault.Declined)
		coretest.EqualSlices(k, "missing", e.Missing, "verification by bob: he runs it")
		_, err = k.Work.Approve(coretest.Bob, work.ApproveIn{Task: "demo-1", Kind: "verification"})
		k.Must(err)
		k.Done(coretest.Bot, "demo-1")
	})
}

func TestWhoMayApproveIsDecidedByWhatCountsInTheProject(t *testing.T) {
	coretest.Rule(t, func(k *coretest.Kit) {
		k.Tasks(`{"key": "a", "title": "A", "autonomy": "human_only"}`)
		k.ActorIn = func(p *task.Project, a task.Actor) task.Actor {
			a.Human = p.Slug == "demo" && a.Name == "bot"
			return a
		}
		_, err := k.Work.Approve(coretest.Bot, work.ApproveIn{Task: "demo-1"})
		k.Must(err)
		k.Claim(coretest.Bot, "demo-1")
		who, err := k.Reading.Whoami(coretest.Bot, reading.WhoamiIn{})
		k.Must(err)
		coretest.Equal(k, "kind", who.Kind, "human")
		_, err = k.Work.Approve(coretest.Ann, work.ApproveIn{Task: "demo-1"})
		k.Refused(err, fault.Declined, "ann may not approve")
	})
}

func TestAnApprovalIsOfTheVersionThatWasRead(t *testing.T) {
	coretest.Rule(t, func(k *coretest.Kit) {
		k.Tasks(`{"key": "a", "title": "A"}`)
		read, other := k.Task("demo-1").Version, k.Task("demo-1").Version+1
		_, err := k.Work.Approve(coretest.Ann, work.ApproveIn{Task: "demo-1", ExpectedVersion: &other})
		k.Refused(err, fault.Conflict, "demo-1 has version 1, not 2")
		coretest.EqualSlices(k, "events", k.Events("demo-1"), task.TaskCreated)
		_, err = k.Work.Approve(coretest.Ann, work.ApproveIn{Task: "demo-1", ExpectedVersion: &read})
		k.Must(err)
		coretest.EqualSlices(k, "events", k.Events("demo-1"), task.TaskCreated, task.ApprovalGiven)
	})
}
