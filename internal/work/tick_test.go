package work_test

import (
	"context"
	"strings"
	"testing"

	"tasker/internal/fault"
	"tasker/internal/task"
	"tasker/internal/task/proven"
	"tasker/internal/testkit/coretest"
	"tasker/internal/work"
)

func TestTicksAreAllOrNothingAndOneChangeOfTheRecord(t *testing.T) {
	coretest.Each(t, func(k *coretest.Kit) {
		k.Tasks(`{"key": "a", "title": "A", "criteria": ["one", "two", "three"], "body": "text"}`)
		_, err := k.Work.Tick(coretest.Bot, work.TickIn{Task: "demo-1", Indexes: []int{1, 4}})
		k.Refused(err, fault.Invalid, "demo-1 has no criterion 4")
		_, err = k.Work.Tick(coretest.Bot, work.TickIn{Task: "demo-1"})
		k.Refused(err, fault.Invalid, "no criterion is named")
		_, err = k.Work.Tick(coretest.Bot, work.TickIn{Task: "demo-1", Index: -1})
		k.Refused(err, fault.Invalid, "demo-1 has no criterion -1")
		got, err := k.Work.Tick(coretest.Bot, work.TickIn{Task: "demo-1", Index: 1, Indexes: []int{3, 1}})
		k.Must(err)
		coretest.Equal(k, "version", got.Version, 2)
		coretest.Equal(k, "body", got.Body, "text")
		for i, checked := range []bool{true, false, true} {
			coretest.Equal(k, got.Criteria[i].Text, got.Criteria[i].Checked, checked)
		}
		coretest.Equal(k, "checked by", got.Criteria[0].CheckedBy, "bot")
		coretest.Equal(k, "checked at", got.Criteria[0].CheckedAt, got.UpdatedAt)
		coretest.EqualSlices(k, "events", k.Events("demo-1"), task.TaskCreated, task.CriterionChecked, task.CriterionChecked)
		_, payload := k.Last("demo-1")
		coretest.Equal(k, "payload", payload, `{"checked":{"from":false,"to":true},"index":3,"text":"three"}`)
		got, err = k.Work.Tick(coretest.Bee, work.TickIn{Task: "demo-1", Index: 1})
		k.Must(err)
		coretest.Equal(k, "version after a tick that was there", got.Version, 2)
		coretest.Equal(k, "checked by", got.Criteria[0].CheckedBy, "bot")
		got, err = k.Work.Tick(coretest.Bee, work.TickIn{Task: "demo-1", Index: 1, Checked: new(false)})
		k.Must(err)
		coretest.Equal(k, "version", got.Version, 3)
		coretest.Equal(k, "checked by nobody", got.Criteria[0].CheckedBy, "")
		_, payload = k.Last("demo-1")
		coretest.Contains(k, []string{payload}, `"checkedBy":{"from":"bot","to":null}`)
	})
}

func TestATickMayCarryTheTextItMeans(t *testing.T) {
	coretest.Rule(t, func(k *coretest.Kit) {
		k.Tasks(`{"key": "a", "title": "A", "criteria": ["one", "two"]}`)
		_, err := k.Work.Tick(coretest.Bot, work.TickIn{Task: "demo-1", Index: 1, Text: new("two")})
		k.Refused(err, fault.Conflict, `criterion 1 of demo-1 is "one", not "two"`)
		_, err = k.Work.Tick(coretest.Bot, work.TickIn{Task: "demo-1", Index: 2, Text: new("two")})
		k.Must(err)
		_, err = k.Work.Tick(coretest.Bot, work.TickIn{Task: "demo-1", Indexes: []int{1, 2}, Text: new("two")})
		k.Refused(err, fault.Invalid, "text goes with one criterion")
	})
}

func TestAnAgentDoesNotTickWhatAnotherHolds(t *testing.T) {
	coretest.Rule(t, func(k *coretest.Kit) {
		k.Tasks(`{"key": "a", "title": "A", "criteria": ["one"]}`)
		k.Claim(coretest.Bot, "demo-1")
		_, err := k.Work.Tick(coretest.Bee, work.TickIn{Task: "demo-1", Index: 1})
		k.Refused(err, fault.Declined, "held by bot")
		_, err = k.Work.Tick(coretest.Bob, work.TickIn{Task: "demo-1", Index: 1})
		k.Must(err)
	})
}

// TestARunThatFailedShowsNothing records what prove --again finds: it ticks nothing, and answers no return.
func TestARunThatFailedShowsNothing(t *testing.T) {
	run := func(exitCode int) task.EvidenceItem {
		value, err := proven.Run{Line: "make test", ExitCode: exitCode, Output: strings.Repeat("0", 64)}.Value()
		if err != nil {
			t.Fatal(err)
		}
		if exitCode != 0 {
			return task.EvidenceItem{Kind: proven.KindFails, Value: value}
		}
		return task.EvidenceItem{Kind: "test", Value: value}
	}
	coretest.Rule(t, func(k *coretest.Kit) {
		k.Policy.DeclaresHuman = true
		k.Tasks(`{"key": "a", "title": "A", "criteria": ["one"]}`)
		k.Claim(coretest.Bot, "demo-1")
		k.Move(coretest.Bot, work.MoveIn{Task: "demo-1", To: "in_review"})
		k.Move(coretest.Bob, work.MoveIn{Task: "demo-1", To: "open"})
		failed, err := k.Work.Evidence(coretest.Bot, work.EvidenceIn{Task: "demo-1", Items: []task.EvidenceItem{run(2)}})
		k.Must(err)
		_, err = k.Work.Tick(coretest.Bot, work.TickIn{Task: "demo-1", Index: 1, By: &failed.IDs[0]})
		k.Refused(err, fault.Declined, "is a run that failed, and shows nothing")
		_, err = k.Work.Evidence(coretest.Bot, work.EvidenceIn{Task: "demo-1", Items: []task.EvidenceItem{run(2)}, Check: []int{1}})
		k.Refused(err, fault.Declined, "is a run that failed, and shows nothing")
		_, err = k.Work.Move(coretest.Bot, work.MoveIn{Task: "demo-1", To: "done", Force: true, Evidence: []task.EvidenceItem{run(2)}})
		k.Refused(err, fault.Declined, "its return from review")
		_, err = k.Work.Evidence(coretest.Bot, work.EvidenceIn{Task: "demo-1", Items: []task.EvidenceItem{run(0)}, Check: []int{1}})
		k.Must(err)
		k.Done(coretest.Bot, "demo-1")
	})
}

// TestOnlyARunTicksACommandForAnAgent tries every way to tick a criterion that is a command: by an agent next to declared
// humans, by a human, and by an agent where nobody is declared.
func TestOnlyARunTicksACommandForAnAgent(t *testing.T) {
	const is = " of demo-1 is a command: a run of it that ended well ticks it, and nothing else that an agent gives"
	item := func(k *coretest.Kit, kind string, r proven.Run) task.EvidenceItem {
		r.Output = strings.Repeat("0", 64)
		value, err := r.Value()
		k.Must(err)
		return task.EvidenceItem{Kind: kind, Value: value}
	}
	ticked := func(k *coretest.Kit, ctx context.Context, in work.TickIn) string {
		k.Helper()
		in.Task, in.Index = "demo-1", 1
		after, err := k.Work.Tick(ctx, in)
		k.Must(err)
		return string(after.Criteria[0].Rests)
	}
	coretest.Rule(t, func(k *coretest.Kit) {
		k.Policy.DeclaresHuman = true
		k.Tasks(`{"key": "a", "title": "A", "criteria": ["$ go test ./a # it parses", "it is told"]}`)
		k.Claim(coretest.Bot, "demo-1")
		record := func(items ...task.EvidenceItem) *int64 {
			k.Helper()
			out, err := k.Work.Evidence(coretest.Bot, work.EvidenceIn{Task: "demo-1", Items: items})
			k.Must(err)
			return &out.IDs[0]
		}
		other, elsewhere := item(k, "test", proven.Run{Line: "true"}), item(k, "test", proven.Run{Line: "go test ./a", Dir: "sub"})
		said := task.EvidenceItem{Kind: "log", Value: "it parses"}
		for _, in := range []work.TickIn{{}, {Seen: new("it parses")}, {By: record(said)}, {By: record(other)}, {By: record(elsewhere)}} {
			in.Task, in.Index = "demo-1", 1
			_, err := k.Work.Tick(coretest.Bot, in)
			k.Refused(err, fault.Declined, is)
		}
		for _, shown := range []task.EvidenceItem{said, other, elsewhere} {
			_, err := k.Work.Evidence(coretest.Bot, work.EvidenceIn{Task: "demo-1", Items: []task.EvidenceItem{shown}, Check: []int{1}})
			k.Refused(err, fault.Declined, is)
		}
		_, err := k.Work.Move(coretest.Bot, work.MoveIn{Task: "demo-1", To: "done", Check: []int{1, 2}, Note: new("done")})
		refused := k.Refused(err, fault.Declined, "1 unchecked criteria", "criterion 1: $ go test ./a # it parses")
		coretest.EqualSlices(k, "kept", refused.Recorded, "criterion 2", "note")
		_, err = k.Work.Move(coretest.Bot, work.MoveIn{Task: "demo-1", To: "in_review", Check: []int{1}})
		k.Refused(err, fault.Declined, is)
		coretest.Equal(k, "unticked", k.Task("demo-1").Criteria[0].Checked, false)

		coretest.Equal(k, "a human by hand", ticked(k, coretest.Bob, work.TickIn{}), task.RestsOnNothing)
		coretest.Equal(k, "a human by another run", ticked(k, coretest.Bob, work.TickIn{By: record(other)}), task.RestsOnSaid)
		ticked(k, coretest.Bob, work.TickIn{Checked: new(false)})
		out, err := k.Work.Evidence(coretest.Bob, work.EvidenceIn{Task: "demo-1", Items: []task.EvidenceItem{other}, Check: []int{1}})
		k.Must(err)
		coretest.Contains(k, out.Warnings, "the criterion asks for `go test ./a`: nothing was ticked")
		_, err = k.Work.Evidence(coretest.Bot, work.EvidenceIn{
			Task: "demo-1", Items: []task.EvidenceItem{item(k, "$ go test ./a", proven.Run{Command: []string{"go", "test", "./a"}, Dir: "."})}, Check: []int{1},
		})
		k.Must(err)
		coretest.Equal(k, "rests", string(k.Task("demo-1").Criteria[0].Rests), task.RestsOnRun)
		k.Done(coretest.Bot, "demo-1")
		k.Healthy()
	})
	coretest.Rule(t, func(k *coretest.Kit) {
		k.Tasks(`{"key": "a", "title": "A", "criteria": ["$ go test ./a"]}`)
		coretest.Equal(k, "where nobody is declared", ticked(k, coretest.Bot, work.TickIn{Seen: new("it parses")}), task.RestsOnSeen)
	})
}
