package work_test

import (
	"strings"
	"testing"

	"tasker/internal/fault"
	"tasker/internal/task"
	"tasker/internal/testkit/coretest"
	"tasker/internal/views/reading"
	"tasker/internal/work"
)

// A dry run says what the move would say, and leaves no trace.
func TestADryRunDecidesAsTheMoveDoesAndRecordsNothing(t *testing.T) {
	coretest.Each(t, func(k *coretest.Kit) {
		k.Policy.Gates = map[string][]string{"ship": {"tests"}}
		k.Policy.RequireApproval = []task.Requirement{{Role: "lead"}}
		k.Tasks(`{"key": "a", "title": "A", "gate": "ship", "criteria": ["one", "two", "three"], "deps": []}, {"key": "b", "title": "B", "parent": "a"}`)
		k.Claim(coretest.Bot, "demo-1")
		_, err := k.Work.Tick(coretest.Bot, work.TickIn{Task: "demo-1", Index: 1, Seen: new("looked")})
		k.Must(err)
		before, events := k.Task("demo-1"), len(k.Events(""))
		in := work.MoveIn{Task: "demo-1", To: "done", Check: []int{2}, Evidence: []task.EvidenceItem{{Kind: "tests", Value: "ok"}}, Note: new("done"), DryRun: true}
		out := k.Move(coretest.Bot, in)
		coretest.Equal(k, "closable", *out.Closable, false)
		coretest.EqualSlices(k, "missing", out.Missing, "criterion 3: three", "approval by lead")
		coretest.EqualSlices(k, "rests", out.Rests, work.Rest{Index: 1, Rests: "seen"}, work.Rest{Index: 2, Rests: "nothing"}, work.Rest{Index: 3})
		coretest.Equal(k, "warnings", strings.Join(out.Warnings, "; "),
			"criterion 2 rests on nothing that was run; evidence tests rests on nothing that was run; 1 child is still open below demo-1: demo-2")
		now := k.Task("demo-1")
		coretest.Equal(k, "events", len(k.Events("")), events)
		coretest.Equal(k, "the record", now.Version, before.Version)
		coretest.Equal(k, "the lease", now.Claim.ExpiresAt, before.Claim.ExpiresAt)
		coretest.Equal(k, "evidence", now.Evidences+now.Notes, 0)

		shown, err := k.Reading.Show(coretest.Bot, reading.ShowIn{Task: "demo-1"})
		k.Must(err)
		coretest.EqualSlices(k, "missing in the bundle", shown.Closable.Missing, "criterion 2: two", "criterion 3: three", "evidence tests", "approval by lead")
		coretest.Equal(k, "closable in the bundle", shown.Closable.Yes, false)

		// The move itself says the same.
		in.DryRun = false
		_, err = k.Work.Move(coretest.Bot, in)
		coretest.EqualSlices(k, "missing for the move", k.Refused(err, fault.Declined).Missing, out.Missing...)
		_, err = k.Work.Approve(coretest.Ann, work.ApproveIn{Task: "demo-1"})
		k.Must(err)
		out = k.Move(coretest.Bot, work.MoveIn{Task: "demo-1", To: "done", Force: true, DryRun: true})
		coretest.Equal(k, "closable by force", *out.Closable, true)
		coretest.Contains(k, out.Warnings, "it passes over what is missing, which is logged: criterion 3: three")
		out = k.Move(coretest.Bot, work.MoveIn{Task: "demo-1", To: "done", Check: []int{3}, DryRun: true})
		coretest.Equal(k, "closable", *out.Closable, true)
		coretest.Equal(k, "nothing missing", len(out.Missing), 0)

		// Somebody else's claim is what is missing; a conflict stays one.
		out = k.Move(coretest.Bee, work.MoveIn{Task: "demo-1", To: "done", DryRun: true})
		coretest.Equal(k, "closable by another", *out.Closable, false)
		if len(out.Missing) != 1 || !strings.Contains(out.Missing[0], "demo-1 is held by bot until") {
			k.Errorf("missing for another: %q", out.Missing)
		}
		_, err = k.Work.Move(coretest.Bot, work.MoveIn{Task: "demo-1", To: "done", ExpectedVersion: new(int64(99)), DryRun: true})
		k.Refused(err, fault.Conflict)
		_, err = k.Work.Move(coretest.Bot, work.MoveIn{Task: "demo-1", To: "done", Next: true, DryRun: true})
		k.Refused(err, fault.Invalid, "a dry run changes nothing")

		moved := k.Move(coretest.Bot, work.MoveIn{Task: "demo-1", To: "done", Check: []int{3}})
		coretest.EqualSlices(k, "the close repeats it", moved.Rests,
			work.Rest{Index: 1, Rests: "seen"}, work.Rest{Index: 2, Rests: "nothing"}, work.Rest{Index: 3, Rests: "nothing"})
		if moved.Closable != nil || moved.DryRun {
			k.Errorf("the move says it was a dry run: %+v", moved)
		}
		k.Healthy()
	})
}
