package work_test

import (
	"slices"
	"strings"
	"testing"

	"tasker/internal/fault"
	"tasker/internal/task"
	"tasker/internal/task/proven"
	"tasker/internal/testkit/coretest"
	"tasker/internal/views/reading"
	"tasker/internal/work"
)

// The record says of every agent's close next to a declared human that rests on runs whether somebody said which files it saw,
// by whichever door it came. People, closes that rest on no run, and projects without humans are told nothing.
func TestACloseWithoutATreeSaysSo(t *testing.T) {
	coretest.Each(t, func(k *coretest.Kit) {
		k.Policy.Gates = map[string][]string{"tested": {made}}
		k.Policy.DeclaresHuman, k.Policy.Humans = true, []task.Actor{{Name: "ann", Human: true}}
		k.Tasks(`{"key": "a", "title": "A", "gate": "tested"}, {"key": "b", "title": "B"}`)
		value, err := proven.Run{Line: "make test", Dir: ".", Tree: "old", Output: strings.Repeat("0", 64)}.Value()
		k.Must(err)
		run := task.EvidenceItem{Kind: made, Value: value}
		again := func() {
			k.Helper()
			k.Move(coretest.Ann, work.MoveIn{Task: "demo-1", To: "open"})
			k.Claim(coretest.Bot, "demo-1")
			_, err := k.Work.Evidence(coretest.Bot, work.EvidenceIn{Task: "demo-1", Items: []task.EvidenceItem{run}})
			k.Must(err)
		}
		says := func(what string, unknown bool) {
			k.Helper()
			e, payload := k.Last("demo-1")
			coretest.Equal(k, what+", the event", e.Kind == task.TaskMoved && strings.Contains(payload, `"tree":"unknown"`), unknown)
			p, err := k.Reading.ProofOf(coretest.Bot, reading.ProofIn{Slug: "demo"})
			k.Must(err)
			i := slices.IndexFunc(p.Closed, func(c reading.Proof) bool { return c.Task == "demo-1" })
			coretest.Equal(k, what+", its proof", p.Closed[i].Tree == task.TreeUnknown, unknown)
		}
		k.Claim(coretest.Bot, "demo-1")
		out := k.Move(coretest.Bot, work.MoveIn{Task: "demo-1", To: "done", DryRun: true, Evidence: []task.EvidenceItem{run}})
		coretest.Equal(k, "a dry run", out.Tree, task.TreeUnknown)
		out = k.Move(coretest.Bot, work.MoveIn{Task: "demo-1", To: "done", Evidence: []task.EvidenceItem{run}})
		coretest.Equal(k, "a run that comes along", out.Tree, task.TreeUnknown)
		coretest.Contains(k, out.Warnings, task.UnknownWords)
		says("a run that comes along", true)

		again()
		_, err = k.ApplyAs(coretest.Bot, `{"project": "demo", "tasks": [{"key": "a", "title": "A", "status": "done"}]}`)
		k.Must(err)
		says("a document", true)

		again()
		_, err = k.Work.Move(coretest.Bot, work.MoveIn{Task: "demo-1", To: "done", Tree: "new"})
		coretest.EqualSlices(k, "a tree without what differs", k.Refused(err, fault.Declined).Missing, "evidence "+made+" (stale: its files changed since)")
		out = k.Move(coretest.Bot, work.MoveIn{Task: "demo-1", To: "done", Tree: "new", Differs: []proven.Differing{{Tree: "old", Files: []string{}}}})
		coretest.Equal(k, "a tree in which nothing of its own differs", out.Tree, "")
		says("a tree in which nothing of its own differs", false)

		again()
		out = k.Move(coretest.Ann, work.MoveIn{Task: "demo-1", To: "done"})
		coretest.Equal(k, "a person's close", out.Tree, "")
		says("a person's close", false)

		k.Claim(coretest.Bot, "demo-2")
		coretest.Equal(k, "a close that rests on no run", k.Done(coretest.Bot, "demo-2").Tree, "")

		again()
		k.Policy.DeclaresHuman, k.Policy.Humans = false, nil
		coretest.Equal(k, "where no human is declared", k.Done(coretest.Bot, "demo-1").Tree, "")
		k.Healthy()
	})
}
