package bundle_test

import (
	"fmt"
	"strings"
	"testing"

	"tasker/internal/bundle"
	"tasker/internal/bundle/tokens"
	"tasker/internal/task"
	"tasker/internal/testkit/coretest"
	"tasker/internal/testkit/o200k"
	"tasker/internal/views/reading"
	"tasker/internal/work"
)

// omits returns what a bundle leaves out of a part, or nil.
func omits(b *bundle.Bundle, part string) *bundle.Omitted {
	for i := range b.Budget.Omitted {
		if b.Budget.Omitted[i].Part == part {
			return &b.Budget.Omitted[i]
		}
	}
	return nil
}

func TestABudgetComesFromTheRequestThenTheConfiguration(t *testing.T) {
	coretest.Rule(t, func(k *coretest.Kit) {
		k.Tasks(`{"key": "a", "title": "A"}`)
		for i := range 12 {
			k.Note(coretest.Bot, "demo-1", strings.Repeat(fmt.Sprintf("Step %d of it went well. ", i), 40))
		}
		limit := func(b *bundle.Bundle) int {
			k.Helper()
			if b.Budget.Limit == nil {
				if b.Budget.Used != nil || len(b.Notes) != 12 || len(b.Budget.Omitted) > 0 {
					k.Errorf("without a limit the budget is %+v, with %d notes", b.Budget, len(b.Notes))
				}
				return 0
			}
			text, err := b.Text()
			k.Must(err)
			exact, used := o200k.Count(text), *b.Budget.Used
			if used != tokens.AtMost(text) || exact > used || used > *b.Budget.Limit {
				k.Errorf("%d tokens are said to be used of %d, and it takes %d", used, *b.Budget.Limit, exact)
			}
			return *b.Budget.Limit
		}
		coretest.Equal(k, "limit of nobody", limit(k.Show("demo-1")), 0)
		k.ConfigFile = `{"version": 1, "project": "demo", "context": {"bundleBudget": 2000}}`
		coretest.Equal(k, "limit of the project", limit(k.Show("demo-1")), 2000)
		k.ConfigFile = `{"version": 1, "project": "demo", "context": {"bundleBudget": 2000}, "agentDefaults": {"budget": 3000}}`
		coretest.Equal(k, "limit of the agents", limit(k.Show("demo-1")), 3000)
		b, err := k.Reading.Show(coretest.Bot, reading.ShowIn{Task: "demo-1", Budget: new(1500)})
		k.Must(err)
		coretest.Equal(k, "limit of the request", limit(b), 1500)
		gone := omits(b, "notes")
		if gone == nil || *gone.Items != 12-len(b.Notes) || *gone.Tokens < 100 || gone.Command.String() != "tasker events --task demo-1 --kind note.added" {
			k.Errorf("of 12 notes, %d are there and %+v is left out", len(b.Notes), gone)
		}
		coretest.Equal(k, "the last note", b.Notes[len(b.Notes)-1].Text[:7], "Step 11")
		if omits(b, "recentEvents") == nil || len(b.RecentEvents) > 0 {
			k.Error("notes were cut before events")
		}
		next, err := k.Work.Peek(coretest.Bot, work.PeekIn{Project: "demo"})
		k.Must(err)
		coretest.Equal(k, "limit of next", limit(next.Bundle), 3000)
		next, err = k.Work.Next(coretest.Bot, work.NextIn{Project: "demo"})
		k.Must(err)
		coretest.Equal(k, "limit of a claim", limit(next.Bundle), 3000)
	})
}

func TestWhatTheNextHolderNeedsIsNeverCut(t *testing.T) {
	coretest.Rule(t, func(k *coretest.Kit) {
		k.Policy = task.Policy{Gates: map[string][]string{"ship": {"test"}}}
		k.Tasks(`{"key": "a", "title": "A", "criteria": ["first", "second", "third"], "gate": "ship"}`)
		k.Claim(coretest.Bot, "demo-1")
		_, err := k.Work.Tick(coretest.Bot, work.TickIn{Task: "demo-1", Index: 2})
		k.Must(err)
		k.Note(coretest.Bot, "demo-1", "the parser is done, the printer is not")
		k.Move(coretest.Bot, work.MoveIn{Task: "demo-1", To: "in_review"})
		back := k.Move(coretest.Ann, work.MoveIn{Task: "demo-1", To: "open", Note: new("the error path has no test")})
		coretest.Equal(k, "status", back.Task.Status, task.Open)
		for range 60 { // more than are listed
			k.Note(coretest.Bee, "demo-1", "by the way")
		}
		next, err := k.Work.Next(coretest.Bee, work.NextIn{Project: "demo"})
		k.Must(err)
		coretest.Contains(k, next.Bundle.Warnings, "Last try: bot moved it to in review at ")
		coretest.Contains(k, next.Bundle.Warnings, "; 1 of 3 criteria; it left a note")
		coretest.Contains(k, next.Bundle.Warnings, "ann sent it back from review at ")
		b, err := k.Reading.Show(coretest.Bee, reading.ShowIn{Task: "demo-1", Budget: new(1)})
		k.Must(err)
		var texts []string
		for _, n := range b.Notes {
			texts = append(texts, n.Text)
		}
		coretest.EqualSlices(k, "notes", texts, "the parser is done, the printer is not", "the error path has no test", "by the way") // hers is the last
		coretest.Equal(k, "criteria", len(b.Criteria), 3)
		coretest.EqualSlices(k, "missing evidence", b.Gate.Missing, "test")
		coretest.Contains(k, b.Warnings, "the required parts of a bundle alone take ")
	})
}

func TestABundleNamesWhatIsPastItsBounds(t *testing.T) {
	coretest.Each(t, func(k *coretest.Kit) {
		defs := []string{`{"key": "hub", "title": "Hub"}`}
		for i := range 1010 {
			defs = append(
				defs,
				fmt.Sprintf(`{"key": "d%d", "title": "D", "deps": ["hub"]}`, i),
				fmt.Sprintf(`{"key": "c%d", "title": "C", "parent": "hub"}`, i),
			)
		}
		up := "hub"
		for i := range 1001 {
			defs = append(defs, fmt.Sprintf(`{"key": "l%d", "title": "L", "parent": %q}`, i, up))
			up = fmt.Sprintf("l%d", i)
		}
		k.Tasks(strings.Join(defs, ","))
		b := k.Show("hub")
		coretest.Equal(k, "children", len(b.Children), 1000)
		coretest.Equal(k, "dependents", len(b.Dependents), 1000)
		for part, command := range map[string]string{"children": "tasker list --parent demo-1", "dependents": "tasker list --depends-on demo-1"} {
			if o := omits(b, part); o == nil || o.Items != nil || o.Tokens != nil || o.Command.String() != command {
				k.Errorf("of %s %+v is left out", part, o)
			}
		}
		b = k.Show("l1000")
		coretest.Equal(k, "ancestors", len(b.Ancestors), 1000)
		coretest.Equal(k, "the nearest", b.Ancestors[0].ID, task.ID(b.Task.Parent))
		if o := omits(b, "ancestors"); o == nil || o.Command.String() != "tasker show demo-1" {
			k.Errorf("of the ancestors %+v is left out", o)
		}
		for part := range 3 {
			var items []task.EvidenceItem
			for i := range 400 {
				items = append(items, task.EvidenceItem{Kind: fmt.Sprintf("kind%d", (part*400+i)%1100), Value: "x"})
			}
			_, err := k.Work.Evidence(coretest.Bot, work.EvidenceIn{Task: "d0", Items: items})
			k.Must(err)
		}
		k.Policy = task.Policy{Gates: map[string][]string{"ship": {"kind0", "kind1099", "other"}}}
		k.Edit(coretest.Ann, "d0", `{"gate": "ship"}`)
		b = k.Show("d0")
		coretest.Equal(k, "evidence", len(b.Evidence), 1000)
		coretest.Equal(k, "the newest", b.Evidence[999].Kind, "kind99")
		coretest.Equal(k, "left out", *omits(b, "evidence").Items, 200)
		older, err := k.Reading.Events(coretest.Bot, reading.EventsIn{Task: "d0", Kind: string(task.EvidenceAdded), SinceID: new(int64(0)), Limit: new(200)})
		k.Must(err)
		rest := fmt.Sprintf("tasker events --task %s --kind evidence.added --since-id 0", b.Task.ID)
		coretest.Equal(k, "what is named fetches the rest", older[199].ID < b.Evidence[0].ID && omits(b, "evidence").Command.String() == rest, true)
		coretest.EqualSlices(k, "missing", b.Gate.Missing, "other") // kinds that are not listed count too
	})
}
