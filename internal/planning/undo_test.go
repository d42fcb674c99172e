package planning_test

import (
	"context"
	"fmt"
	"testing"
	"time"

	"tasker/internal/fault"
	"tasker/internal/planning"
	"tasker/internal/task"
	"tasker/internal/testkit/coretest"
	"tasker/internal/work"
)

// undone undoes a batch and returns the answer.
func undone(k *coretest.Kit, ctx context.Context, in planning.UndoIn) planning.UndoOut { //nolint:revive // as in the kit
	k.Helper()
	out, err := k.Planning.Undo(ctx, in)
	k.Must(err)
	return out
}

// newest returns the batch of the newest event of a task.
func newest(k *coretest.Kit, id string) int64 {
	k.Helper()
	ev, _ := k.Last(id)
	return ev.Batch
}

func TestAnApplyIsUndoneAsAWhole(t *testing.T) {
	coretest.Each(t, func(k *coretest.Kit) {
		k.Tasks(`{"key": "a", "title": "A", "criteria": ["one"]}, {"key": "b", "title": "B"}`)
		k.Note(coretest.Ann, "demo-2", "seen")
		k.Apply(`{"project": "demo", "tasks": [{"key": "a", "title": "A2", "deps": ["c"], "criteria": ["two"]}, {"key": "b", "title": "B"},
			{"key": "c", "title": "C", "parent": "b", "deps": ["d"]}, {"key": "d", "title": "D"}]}`)
		before := len(k.Events(""))
		dry := undone(k, coretest.Ann, planning.UndoIn{Number: newest(k, "demo-1"), DryRun: true})
		coretest.Equal(k, "what would be undone", len(dry.Undone), 3)
		coretest.Equal(k, "events after a dry run", len(k.Events("")), before)
		coretest.Equal(k, "title after a dry run", k.Task("demo-1").Title, "A2")

		out := undone(k, coretest.Ann, planning.UndoIn{Number: newest(k, "demo-1")})
		coretest.Equal(k, "conflicts", len(out.Conflicts), 0)
		got := k.Task("demo-1")
		coretest.Equal(k, "the task", fmt.Sprintln(got.Title, got.Deps, got.Criteria[0].Text), "A [] one\n")
		_, payload := k.Last("demo-1")
		coretest.Contains(k, []string{payload}, `"undoes":`)
		for _, id := range []string{"demo-3", "demo-4"} {
			_, err := k.EditAs(coretest.Ann, id, `{"title": "X"}`)
			k.Refused(err, fault.NotFound, id)
		}
		coretest.Equal(k, "open children", k.Task("demo-2").OpenChildren, 0)
		k.Healthy()
		created, err := k.Create(coretest.Ann, `{"title": "E"}`)
		k.Must(err)
		coretest.Equal(k, "the next id", created.ID, "demo-5")
	})
}

func TestATaskThatSomebodyTouchedIsCancelled(t *testing.T) {
	coretest.Rule(t, func(k *coretest.Kit) {
		k.Tasks(`{"key": "a", "title": "A"}, {"key": "b", "title": "B"}, {"key": "c", "title": "C", "deps": ["b"]}`)
		batch := newest(k, "demo-1")
		k.Note(coretest.Bot, "demo-1", "touched")
		k.Edit(coretest.Bot, "demo-3", `{"title": "C2"}`)
		out := undone(k, coretest.Ann, planning.UndoIn{Number: batch})
		coretest.Equal(k, "undone", len(out.Undone), 3)
		for _, id := range []string{"demo-1", "demo-2", "demo-3"} { // the dependent of demo-2 was touched
			coretest.Equal(k, id, k.Task(id).Status, task.Cancelled)
		}
		coretest.Equal(k, "who built on it", fmt.Sprint(len(out.BuiltOn), out.BuiltOn[0].Actor), "2bot")
		k.Healthy()
	})
}

func TestALaterChangeIsAConflict(t *testing.T) {
	coretest.Rule(t, func(k *coretest.Kit) {
		k.Tasks(`{"key": "a", "title": "A"}, {"key": "b", "title": "B"}`)
		k.Apply(`{"project": "demo", "tasks": [{"key": "a", "title": "A2", "priority": 0}, {"key": "b", "title": "B2"}]}`)
		batch := newest(k, "demo-2")
		k.Edit(coretest.Bee, "demo-1", `{"title": "A3"}`)
		before := len(k.Events(""))
		out := undone(k, coretest.Ann, planning.UndoIn{Number: batch})
		coretest.Equal(k, "conflict", fmt.Sprint(len(out.Conflicts), out.Conflicts[0].Task, out.Conflicts[0].Field), "1demo-1title")
		coretest.Equal(k, "undone", len(out.Undone), 0)
		coretest.Equal(k, "events", len(k.Events("")), before)
		coretest.Equal(k, "title", k.Task("demo-2").Title, "B2")
		out = undone(k, coretest.Ann, planning.UndoIn{Number: batch, SkipConflicts: true})
		coretest.Equal(k, "undone", len(out.Undone), 2)
		coretest.Equal(k, "conflicts", fmt.Sprint(len(out.Conflicts), out.Conflicts[0].Field), "1title")
		coretest.Equal(k, "titles", k.Task("demo-1").Title+" "+k.Task("demo-2").Title, "A3 B")
		coretest.Equal(k, "the priority, which has no conflict", k.Task("demo-1").Priority, 2)
		k.Healthy()
	})
}

// TestEveryFieldThatHasNoConflictIsUndone: some fields of one event were changed again, the rules keep others as they
// are, and the rest is restored. Everything that stays is listed.
func TestEveryFieldThatHasNoConflictIsUndone(t *testing.T) {
	coretest.Rule(t, func(k *coretest.Kit) {
		k.Policy = task.Policy{DeclaresHuman: true}
		k.Tasks(`{"key": "a", "title": "A", "criteria": ["one"]}`)
		k.Edit(coretest.Bot, "demo-1", `{"title": "A2", "body": "text", "priority": 0, "addCriteria": ["two"], "mayExecute": ["lead"]}`)
		ev, _ := k.Last("demo-1")
		k.Edit(coretest.Ann, "demo-1", `{"title": "A3"}`)
		in := planning.UndoIn{Number: ev.ID, Event: true}
		fields := func(out planning.UndoOut) (list []string) {
			for _, c := range out.Conflicts {
				list = append(list, c.Field)
			}
			return list
		}
		coretest.EqualSlices(k, "conflicts", fields(undone(k, coretest.Bot, in)), "title", "criteria", "mayExecute")
		coretest.Equal(k, "priority", k.Task("demo-1").Priority, 0)
		in.SkipConflicts = true
		out := undone(k, coretest.Bot, in)
		coretest.EqualSlices(k, "conflicts", fields(out), "title", "criteria", "mayExecute")
		coretest.Equal(k, "undone", fmt.Sprint(len(out.Undone), len(out.Undone[0].Changes)), "1 2")
		got := k.Task("demo-1")
		coretest.Equal(k, "the task", fmt.Sprint(got.Title, got.Body, got.Priority, len(got.Criteria), got.MayExecute), "A32 2 [lead]")
		k.Healthy()

		k.Edit(coretest.Bot, "demo-1", `{"addCriteria": ["three"]}`) // none of it may be undone
		out = undone(k, coretest.Bot, planning.UndoIn{Number: newest(k, "demo-1"), SkipConflicts: true})
		coretest.Equal(k, "undone", len(out.Undone), 0)
		coretest.EqualSlices(k, "conflicts", fields(out), "criteria")
	})
}

func TestTicksAndMovesAreUndoneAndClaimsAreNot(t *testing.T) {
	coretest.Each(t, func(k *coretest.Kit) {
		k.Tasks(`{"key": "a", "title": "A", "criteria": ["one"]}, {"key": "b", "title": "B", "deps": ["a"]}`)
		k.Claim(coretest.Bot, "demo-1")
		note, commit := "done it", []task.EvidenceItem{{Kind: "commit", Value: "abc123"}}
		k.Move(coretest.Bot, work.MoveIn{Task: "demo-1", To: "done", Check: []int{1}, Note: &note, Evidence: commit})
		out := undone(k, coretest.Bot, planning.UndoIn{Number: newest(k, "demo-1")})
		got := k.Task("demo-1")
		coretest.Equal(k, "the task", fmt.Sprintln(got.Status, got.Criteria[0].Checked, got.Claim == nil), "open false true\n")
		coretest.Equal(k, "left", len(out.Left), 2) // the note and the evidence
		coretest.EqualSlices(k, "waiting again", out.Waiting, "demo-2")
		coretest.Equal(k, "commits", fmt.Sprint(out.Commits), "[{demo-1 abc123}]")
		k.Healthy()

		// A tick comes back with what it rested on.
		saw, looked := "12 ms", "looked at it"
		tick := func(in work.TickIn) task.Criterion {
			in.Task, in.Index = "demo-1", 1
			got, err := k.Work.Tick(coretest.Bot, in)
			k.Must(err)
			return got.Criteria[0]
		}
		by := k.Show("demo-1").Evidence[0].ID
		first, second, third := tick(work.TickIn{Seen: &saw}), tick(work.TickIn{Seen: &looked}), tick(work.TickIn{By: &by})
		tick(work.TickIn{Checked: new(false)})
		last := newest(k, "demo-1")
		for i, want := range []task.Criterion{third, second, first} {
			undone(k, coretest.Bot, planning.UndoIn{Number: last - int64(i)})
			coretest.Equal(k, "the tick", fmt.Sprintf("%+v", k.Task("demo-1").Criteria[0]), fmt.Sprintf("%+v", want))
		}
		undone(k, coretest.Bot, planning.UndoIn{Number: last - 3})
		coretest.Equal(k, "never ticked", k.Task("demo-1").Criteria[0], task.Criterion{Index: 1, Text: "one"})

		k.Claim(coretest.Bee, "demo-1") // a task that another actor holds is left alone
		k.Edit(coretest.Bee, "demo-1", `{"title": "A2"}`)
		out = undone(k, coretest.Ann, planning.UndoIn{Number: newest(k, "demo-1")})
		coretest.Equal(k, "conflict", fmt.Sprint(out.Conflicts[0].Field, out.Conflicts[0].Now), "claimbee")
	})
}

func TestAnActorIsRewound(t *testing.T) {
	coretest.Each(t, func(k *coretest.Kit) {
		k.Tasks(`{"key": "a", "title": "A", "criteria": ["one"]}, {"key": "b", "title": "B"}, {"key": "c", "title": "C"}`)
		k.Pass(5 * time.Millisecond)
		since := k.Now().String()
		bot := coretest.As(task.Actor{Name: "bot", Instance: "3", Declared: true})
		k.Claim(bot, "demo-1")
		k.Move(bot, work.MoveIn{Task: "demo-1", To: "done", Check: []int{1}})
		k.Claim(bot, "demo-2")
		k.Edit(bot, "demo-3", `{"title": "C1"}`)
		k.Edit(bot, "demo-3", `{"title": "C2"}`)
		k.Edit(coretest.Bee, "demo-3", `{"priority": 0}`)
		_, err := k.Create(bot, `{"title": "D"}`)
		k.Must(err)
		out := undone(k, coretest.Ann, planning.UndoIn{By: "bot", Since: since})
		coretest.Equal(k, "conflicts", len(out.Conflicts), 0)
		coretest.EqualSlices(k, "released", out.Released, "demo-2")
		coretest.Equal(k, "demo-1", fmt.Sprint(k.Task("demo-1").Status, k.Task("demo-1").Criteria[0].Checked), "openfalse")
		coretest.Equal(k, "demo-2", k.Task("demo-2").Status, task.Open)
		coretest.Equal(k, "demo-3", fmt.Sprint(k.Task("demo-3").Title, k.Task("demo-3").Priority), "C0")
		_, err = k.EditAs(coretest.Ann, "demo-4", `{"title": "X"}`)
		k.Refused(err, fault.NotFound, "demo-4")
		k.Healthy()
		_, err = k.Planning.Undo(coretest.Ann, planning.UndoIn{By: "nobody", Since: since})
		k.Refused(err, fault.NotFound, "nobody did nothing")
	})
}

func TestAnAgentMayNotUndoWhatAHumanDid(t *testing.T) {
	coretest.Rule(t, func(k *coretest.Kit) {
		k.Policy = task.Policy{DeclaresHuman: true}
		k.Tasks(`{"key": "a", "title": "A", "criteria": ["one"]}`)
		k.Edit(coretest.Ann, "demo-1", `{"title": "A2"}`)
		_, err := k.Planning.Undo(coretest.Bot, planning.UndoIn{Number: newest(k, "demo-1")})
		k.Refused(err, fault.Declined, "a change by ann")
		_, err = k.Planning.Undo(coretest.Bot, planning.UndoIn{By: "ann", Since: k.Now().Add(-60_000).String()})
		k.Refused(err, fault.Declined, "a change by ann")
		k.Edit(coretest.Bot, "demo-1", `{"addCriteria": ["two"]}`) // its own change, but undoing it would loosen the task
		out := undone(k, coretest.Bot, planning.UndoIn{Number: newest(k, "demo-1")})
		coretest.Equal(k, "conflicts", len(out.Conflicts), 1)
		coretest.Contains(k, []string{out.Conflicts[0].Why}, "loosens")
		k.Edit(coretest.Bot, "demo-1", `{"title": "A3"}`)
		undone(k, coretest.Bot, planning.UndoIn{Number: newest(k, "demo-1")})
		coretest.Equal(k, "title", k.Task("demo-1").Title, "A2")
	})
}

func TestAnUndoIsAChangeLikeAnyOther(t *testing.T) {
	coretest.Rule(t, func(k *coretest.Kit) {
		k.Tasks(`{"key": "a", "title": "A"}`)
		k.Edit(coretest.Bot, "demo-1", `{"title": "A2", "links": [{"kind": "url", "ref": "https://x.example"}],
			"mayExecute": ["lead"], "due": "2026-05-01", "severity": 1}`)
		undone(k, coretest.Bot, planning.UndoIn{Number: newest(k, "demo-1")})
		coretest.Equal(k, "title", fmt.Sprint(k.Task("demo-1").Title, len(k.Task("demo-1").Links)), "A0")
		undone(k, coretest.Bot, planning.UndoIn{Number: newest(k, "demo-1")})
		got := k.Task("demo-1")
		coretest.Equal(k, "the task", fmt.Sprint(got.Title, got.Links[0].Ref, got.MayExecute, got.Due, got.Severity), "A2https://x.example[lead]2026-05-011")
		_, err := k.Planning.Undo(coretest.Bot, planning.UndoIn{Number: 9999})
		k.Refused(err, fault.NotFound, "there is no event 9999")
		_, err = k.Planning.Undo(coretest.Bot, planning.UndoIn{})
		k.Refused(err, fault.Invalid, "undo needs a number")
	})
}

// TestADroppedDependencyIsRestored undoes an edit that dropped one, and has an agent next to a human undo an edit that added
// one: that would drop it, which the agent may not.
func TestADroppedDependencyIsRestored(t *testing.T) {
	coretest.Each(t, func(k *coretest.Kit) {
		k.Policy = task.Policy{DeclaresHuman: true}
		k.Tasks(`{"key": "a", "title": "A"}, {"key": "b", "title": "B", "deps": ["a"]}, {"key": "c", "title": "C"}`)
		k.Edit(coretest.Ann, "demo-2", `{"removeDeps": ["demo-1"]}`)
		coretest.Equal(k, "open dependencies", k.Task("demo-2").OpenDeps, 0)
		undone(k, coretest.Ann, planning.UndoIn{Number: newest(k, "demo-2")})
		coretest.Equal(k, "open dependencies after the undo", k.Task("demo-2").OpenDeps, 1)

		k.Edit(coretest.Bot, "demo-2", `{"addDeps": ["demo-3"]}`)
		_, err := k.EditAs(coretest.Bot, "demo-2", `{"removeDeps": ["demo-3"]}`)
		k.Refused(err, fault.Declined, "demo-3")
		out := undone(k, coretest.Bot, planning.UndoIn{Number: newest(k, "demo-2")})
		coretest.Equal(k, "conflicts", len(out.Conflicts), 1)
		coretest.Equal(k, "undone", len(out.Undone), 0)
		coretest.Equal(k, "open dependencies after the agent's undo", k.Task("demo-2").OpenDeps, 2)
		undone(k, coretest.Ann, planning.UndoIn{Number: newest(k, "demo-2")})
		coretest.Equal(k, "open dependencies after a human's undo", k.Task("demo-2").OpenDeps, 1)
		k.Healthy()
	})
}
