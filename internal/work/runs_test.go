package work_test

import (
	"strings"
	"testing"

	"tasker/internal/core"
	"tasker/internal/fault"
	"tasker/internal/task"
	"tasker/internal/task/proven"
	"tasker/internal/testkit/coretest"
	"tasker/internal/views/reading"
	"tasker/internal/work"
)

const made = "$ make test"

// madeTest is a run of the gate's line.
func madeTest(k *coretest.Kit) task.EvidenceItem {
	k.Helper()
	value, err := proven.Run{Line: "make test", Dir: ".", Output: strings.Repeat("0", 64)}.Value()
	k.Must(err)
	return task.EvidenceItem{Kind: made, Value: value}
}

// Nothing that another worker ran, or that was run before the task came back, closes a task for an agent next to declared
// humans. Every face says the same, because all ask one rule.
func TestWhichRunCountsForAnAgent(t *testing.T) {
	coretest.Each(t, func(k *coretest.Kit) {
		k.Policy.Gates = map[string][]string{"tested": {made}}
		k.Policy.DeclaresHuman, k.Policy.Humans = true, []task.Actor{{Name: "ann", Human: true}}
		k.Tasks(`{"key": "a", "title": "A", "gate": "tested"}, {"key": "b", "title": "B"}`)
		run := madeTest(k)
		prove := func(as string) {
			k.Helper()
			who := coretest.Bot
			switch as {
			case "bee":
				who = coretest.Bee
			case "ann":
				who = coretest.Ann
			}
			_, err := k.Work.Evidence(who, work.EvidenceIn{Task: "demo-1", Items: []task.EvidenceItem{run}})
			k.Must(err)
		}
		misses := func(what, why string) {
			k.Helper()
			want := "evidence " + made + why
			_, err := k.Work.Move(coretest.Bot, work.MoveIn{Task: "demo-1", To: "done"})
			coretest.Equal(k, what, k.Refused(err, fault.Declined).Missing[0], want)
			coretest.Equal(k, what+", dry", k.Move(coretest.Bot, work.MoveIn{Task: "demo-1", To: "done", DryRun: true}).Missing[0], want)
			shown, err := k.Reading.Show(coretest.Bot, reading.ShowIn{Task: "demo-1"})
			k.Must(err)
			coretest.Equal(k, what+", closable", shown.Closable.Missing[0], want)
			coretest.EqualSlices(k, what+", gate", shown.Gate.Missing, made)
			if why != "" {
				coretest.EqualSlices(k, what+", gate.why", shown.Gate.Why, task.Discounted{Kind: made, Why: strings.Trim(why, " ()")})
			}
			x, err := k.Reading.Explain(coretest.Bot, core.TaskIn{Task: "demo-1"})
			k.Must(err)
			said := ""
			for _, r := range x.Closable.Reasons {
				said += r.Why + "\n"
			}
			if x.Closable.Yes || !strings.Contains(said, want) {
				k.Errorf("%s: explain says %t, and\n%s", what, x.Closable.Yes, said)
			}
			shown, err = k.Reading.Show(coretest.Ann, reading.ShowIn{Task: "demo-1"})
			k.Must(err)
			coretest.Equal(k, what+", closable by a person", shown.Closable.Yes, why != "")
		}

		k.Claim(coretest.Bee, "demo-1")
		prove("bee")
		_, err := k.Work.Release(coretest.Bee, work.ReleaseIn{Task: "demo-1"})
		k.Must(err)
		misses("what another worker ran, of a task that nobody holds", " (run by bee)")
		prove("bot")
		misses("what was run without a claim", " (from before bot held it)")
		k.Claim(coretest.Bot, "demo-1")
		misses("what was run before the claim", " (from before bot held it)")
		prove("bee")
		misses("what another worker ran", " (run by bee)")
		prove("ann")
		out := k.Move(coretest.Bot, work.MoveIn{Task: "demo-1", To: "done", DryRun: true})
		coretest.Equal(k, "a person's run", *out.Closable, true)
		prove("bot")
		k.Move(coretest.Bot, work.MoveIn{Task: "demo-1", To: "in_review"})
		k.Move(coretest.Ann, work.MoveIn{Task: "demo-1", To: "open", Note: new("it crashes")})
		k.Claim(coretest.Bot, "demo-1")
		misses("what was run before the return", " (before the return)")
		prove("bot")
		_, err = k.Work.Release(coretest.Bot, work.ReleaseIn{Task: "demo-1"})
		k.Must(err)
		k.Claim(coretest.Bot, "demo-1")
		k.Done(coretest.Bot, "demo-1") // released, and claimed again: one holding
		k.Move(coretest.Ann, work.MoveIn{Task: "demo-1", To: "open"})
		k.Claim(coretest.Bot, "demo-1")
		misses("what was run before the reopening", " (before the reopening)")

		moved := k.Move(coretest.Ann, work.MoveIn{Task: "demo-1", To: "done"})
		coretest.Contains(k, moved.Warnings, "evidence "+made+" (before the reopening) would not count for an agent's close")
		k.Healthy()
	})
}

// Where no human is declared everybody's run counts, unless it is from before a return or a reopening.
func TestWhichRunCountsWhereNoHumanIsDeclared(t *testing.T) {
	coretest.Each(t, func(k *coretest.Kit) {
		k.Policy.Gates = map[string][]string{"tested": {made}}
		k.Tasks(`{"key": "a", "title": "A", "gate": "tested"}, {"key": "b", "title": "B"}`)
		run := madeTest(k)
		_, err := k.Work.Evidence(coretest.Bee, work.EvidenceIn{Task: "demo-1", Items: []task.EvidenceItem{run}})
		k.Must(err)
		k.Claim(coretest.Bot, "demo-1")
		k.Done(coretest.Bot, "demo-1")
		k.Move(coretest.Bee, work.MoveIn{Task: "demo-1", To: "open"})
		_, err = k.Work.Move(coretest.Bot, work.MoveIn{Task: "demo-1", To: "done"})
		coretest.EqualSlices(k, "missing", k.Refused(err, fault.Declined).Missing, "evidence "+made+" (before the reopening)")
		k.Move(coretest.Bot, work.MoveIn{Task: "demo-1", To: "done", Evidence: []task.EvidenceItem{run}})
	})
}
