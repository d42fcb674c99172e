package core_test

import (
	"context"
	"fmt"
	"slices"
	"strings"
	"testing"
	"time"

	"tasker/internal/bundle"
	"tasker/internal/core/reading"
	"tasker/internal/core/work"
	"tasker/internal/task"
	"tasker/internal/task/drift"
)

// omits finds what a bundle leaves out of a part.
func omits(b *bundle.Bundle, part string) *bundle.Omitted {
	for i := range b.Budget.Omitted {
		if b.Budget.Omitted[i].Part == part {
			return &b.Budget.Omitted[i]
		}
	}
	return nil
}

func (k *kit) note(ctx context.Context, id, text string) int64 {
	k.Helper()
	out, err := k.s.Work.Note(ctx, work.NoteIn{Task: id, Text: text})
	k.must(err)
	return out.ID
}

func TestABudgetComesFromTheRequestThenTheConfiguration(t *testing.T) {
	each(t, func(k *kit) {
		k.tasks(`{"key": "a", "title": "A"}`)
		for i := range 12 {
			k.note(bot, "demo-1", strings.Repeat(fmt.Sprintf("Step %d of it went well. ", i), 40))
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
			k.must(err)
			used, err := bundle.Count(text)
			k.must(err)
			is(k, "used", *b.Budget.Used, used)
			if used > *b.Budget.Limit {
				k.Errorf("%d tokens are used of %d", used, *b.Budget.Limit)
			}
			return *b.Budget.Limit
		}
		is(k, "limit of nobody", limit(k.show("demo-1")), 0)
		k.config = `{"version": 1, "project": "demo", "context": {"bundleBudget": 2000}}`
		is(k, "limit of the project", limit(k.show("demo-1")), 2000)
		k.config = `{"version": 1, "project": "demo", "context": {"bundleBudget": 2000}, "agentDefaults": {"budget": 3000}}`
		is(k, "limit of the agents", limit(k.show("demo-1")), 3000)
		b, err := k.s.Reading.Show(bot, reading.ShowIn{Task: "demo-1", Budget: ptr(1500)})
		k.must(err)
		is(k, "limit of the request", limit(b), 1500)
		gone := omits(b, "notes")
		if gone == nil || *gone.Items != 12-len(b.Notes) || *gone.Tokens < 100 || gone.Command != "tasker events --task demo-1 --kind note.added" {
			k.Errorf("of 12 notes, %d are there and %+v is left out", len(b.Notes), gone)
		}
		is(k, "the last note", b.Notes[len(b.Notes)-1].Text[:7], "Step 11")
		if omits(b, "recentEvents") == nil || len(b.RecentEvents) > 0 {
			k.Error("notes went before events")
		}
		next, err := k.s.Work.Peek(bot, work.PeekIn{Project: "demo"})
		k.must(err)
		is(k, "limit of next", limit(next.Bundle), 3000)
		next, err = k.s.Work.Next(bot, work.NextIn{Project: "demo"})
		k.must(err)
		is(k, "limit of a claim", limit(next.Bundle), 3000)
	})
}

func TestWhatTheNextHolderNeedsIsNeverCut(t *testing.T) {
	each(t, func(k *kit) {
		k.policy = task.Policy{Gates: map[string][]string{"ship": {"test"}}}
		k.tasks(`{"key": "a", "title": "A", "criteria": ["first", "second", "third"], "gate": "ship"}`)
		k.claim(bot, "demo-1")
		_, err := k.s.Work.Tick(bot, work.TickIn{Task: "demo-1", Index: 2})
		k.must(err)
		said := k.note(bot, "demo-1", "the parser is done, the printer is not")
		k.move(bot, work.MoveIn{Task: "demo-1", To: "in_review"})
		back := k.move(ann, work.MoveIn{Task: "demo-1", To: "open", Note: ptr("the error path has no test")})
		is(k, "status", back.Task.Status, task.Open)
		for range 60 { // more than are listed
			k.note(bee, "demo-1", "by the way")
		}
		next, err := k.s.Work.Next(bee, work.NextIn{Project: "demo"})
		k.must(err)
		says(k, next.Bundle.Warnings, "bot held it before (bot moved it to in_review at ")
		says(k, next.Bundle.Warnings, fmt.Sprintf("): ticked 2; unticked now 1 3; 1 notes, 0 items of evidence; its last note is %d", said))
		says(k, next.Bundle.Warnings, "ann sent it back from review at ")
		b, err := k.s.Reading.Show(bee, reading.ShowIn{Task: "demo-1", Budget: ptr(1)})
		k.must(err)
		var texts []string
		for _, n := range b.Notes {
			texts = append(texts, n.Text)
		}
		same(k, "notes", texts, "the parser is done, the printer is not", "the error path has no test", "by the way") // hers is the last
		is(k, "criteria", len(b.Criteria), 3)
		same(k, "missing evidence", b.Gate.Missing, "test")
		says(k, b.Warnings, "what is never cut from a bundle takes ")
	})
}

func TestALapsedOrReleasedClaimIsHandedOver(t *testing.T) {
	each(t, func(k *kit) {
		k.tasks(`{"key": "a", "title": "A", "criteria": ["one", "two"]}`)
		held, err := k.s.Work.Claim(bot, work.ClaimIn{Task: "demo-1", LeaseMs: ptr(int64(1))})
		k.must(err)
		k.pass(5 * time.Millisecond)
		says(k, k.show("demo-1").Warnings, "bot held it before (its lease lapsed") // not swept yet
		next, err := k.s.Work.Next(bee, work.NextIn{Project: "demo"})
		k.must(err)
		says(k, next.Bundle.Warnings, "bot held it before (its lease lapsed at "+held.ExpiresAt.String()+")")
		says(k, next.Bundle.Warnings, "ticked none; unticked now 1 2; 0 notes, 0 items of evidence; attempts that led nowhere: 1")
		_, err = k.s.Work.Evidence(bee, work.EvidenceIn{Task: "demo-1", Items: []task.EvidenceItem{{Kind: "test", Value: "x"}}})
		k.must(err)
		_, err = k.s.Work.Release(bee, work.ReleaseIn{Task: "demo-1", Failed: true, Note: ptr("no luck")})
		k.must(err)
		b := k.show("demo-1")
		says(k, b.Warnings, "bee held it before (bee gave it back as failed at ")
		says(k, b.Warnings, fmt.Sprintf("1 notes, 1 items of evidence; its last note is %d; attempts that led nowhere: 1", b.Notes[0].ID))
		k.claim(bot, "demo-1")
		k.move(bot, work.MoveIn{Task: "demo-1", To: "done", Force: true})
		quiet(k, k.show("demo-1").Warnings)
		k.tasks(`{"key": "b", "title": "B"}`)
		next, err = k.s.Work.Next(bot, work.NextIn{Project: "demo"})
		k.must(err)
		quiet(k, next.Bundle.Warnings) // nobody held it before
	})
}

func TestWhatIsPastTheBoundsOfABundleIsNamed(t *testing.T) {
	each(t, func(k *kit) {
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
		k.tasks(strings.Join(defs, ","))
		b := k.show("hub")
		is(k, "children", len(b.Children), 1000)
		is(k, "dependents", len(b.Dependents), 1000)
		for part, command := range map[string]string{"children": "tasker list --parent demo-1", "dependents": "tasker list --depends-on demo-1"} {
			if o := omits(b, part); o == nil || o.Items != nil || o.Tokens != nil || o.Command != command {
				k.Errorf("of %s %+v is left out", part, o)
			}
		}
		b = k.show("l1000")
		is(k, "ancestors", len(b.Ancestors), 1000)
		is(k, "the nearest", b.Ancestors[0].ID, task.ID(b.Task.Parent))
		if o := omits(b, "ancestors"); o == nil || o.Command != "tasker show demo-1" {
			k.Errorf("of the ancestors %+v is left out", o)
		}
		for part := range 3 {
			var items []task.EvidenceItem
			for i := range 400 {
				items = append(items, task.EvidenceItem{Kind: fmt.Sprintf("kind%d", (part*400+i)%1100), Value: "x"})
			}
			_, err := k.s.Work.Evidence(bot, work.EvidenceIn{Task: "d0", Items: items})
			k.must(err)
		}
		k.policy = task.Policy{Gates: map[string][]string{"ship": {"kind0", "kind1099", "other"}}}
		k.edit(ann, "d0", `{"gate": "ship"}`)
		b = k.show("d0")
		is(k, "evidence", len(b.Evidence), 1000)
		is(k, "the newest", b.Evidence[999].Kind, "kind99")
		is(k, "left out", *omits(b, "evidence").Items, 200)
		older, err := k.s.Reading.Events(bot, reading.EventsIn{Task: "d0", Kind: string(task.EvidenceAdded), SinceID: ptr(int64(0)), Limit: ptr(200)})
		k.must(err)
		is(k, "what is named fetches the rest", older[199].ID < b.Evidence[0].ID && omits(b, "evidence").Command == fmt.Sprintf("tasker events --task "+
			"%s --kind evidence.added --since-id 0", b.Task.ID), true)
		same(k, "missing", b.Gate.Missing, "other") // what is not listed counts
	})
}

func TestALapsedNeighbourIsShownAsItWillBeSwept(t *testing.T) {
	each(t, func(k *kit) {
		k.tasks(`{"key": "a", "title": "A"}, {"key": "b", "title": "B", "deps": ["a"], "parent": "a"}`)
		k.claim(bot, "a")
		b := k.show("b")
		is(k, "a held dependency", b.Deps[0].Status, task.InProgress)
		is(k, "a held parent", b.Ancestors[0].Status, task.InProgress)
		_, err := k.s.Work.Release(bot, work.ReleaseIn{Task: "a"})
		k.must(err)
		_, err = k.s.Work.Claim(bot, work.ClaimIn{Task: "a", LeaseMs: ptr(int64(1))})
		k.must(err)
		k.pass(5 * time.Millisecond)
		b = k.show("b")
		is(k, "after its lapse", b.Deps[0].Status, task.Open)
		is(k, "so the parent", b.Ancestors[0].Status, task.Open)
	})
}

// desk is guidance that a test lays out.
type desk struct {
	files []drift.Fingerprint
	more  bool
	due   bool
}

func (d *desk) Project() string { return "demo" }
func (d *desk) Due() bool       { return d.due }
func (d *desk) Read(track, ignore []string) ([]drift.Fingerprint, bool, error) {
	if !slices.Equal(track, []string{"docs/**"}) || !slices.Equal(ignore, []string{"docs/old"}) {
		return nil, false, fmt.Errorf("asked for %v without %v", track, ignore)
	}
	return d.files, d.more, nil
}

func fingerprint(path, hash string) drift.Fingerprint {
	return drift.Fingerprint{Path: path, Hash: hash}
}

const tracking = `{"version": 1, "project": "demo", "context": {"track": ["docs/**"], "ignore": ["docs/old"]%s}}`

func TestGuidanceIsFingerprintedAtTheClaimAndItsDriftTold(t *testing.T) {
	each(t, func(k *kit) {
		d := &desk{files: []drift.Fingerprint{fingerprint("docs/a", "1"), fingerprint("docs/b", "1")}, due: true}
		k.s.Guide = d
		k.config = fmt.Sprintf(tracking, "")
		k.tasks(`{"key": "a", "title": "A"}, {"key": "b", "title": "B"}`)
		drifted := func(id string) (n int) {
			for _, kind := range k.events(id) {
				if kind == task.GuidanceDrifted {
					n++
				}
			}
			return n
		}
		b := k.show("demo-1")
		same(k, "guidance before a claim", b.Guidance, bundle.Guidance{Path: "docs/a", Hash: "1"}, bundle.Guidance{Path: "docs/b", Hash: "1"})
		next, err := k.s.Work.Next(bot, work.NextIn{Project: "demo"})
		k.must(err)
		quiet(k, next.Bundle.Warnings)
		k.claim(bee, "demo-2")

		d.files = []drift.Fingerprint{fingerprint("docs/a", "2"), fingerprint("docs/c", "1")}
		b = k.show("demo-1")
		same(k, "guidance", b.Guidance, bundle.Guidance{Path: "docs/a", Hash: "2", Drift: "changed"},
			bundle.Guidance{Path: "docs/b", Drift: "removed"}, bundle.Guidance{Path: "docs/c", Hash: "1", Drift: "added"})
		says(k, b.Warnings, "the guidance changed since bot claimed it: docs/a changed, docs/b removed, docs/c added")
		is(k, "events after a read", drifted("demo-1"), 0)
		k.note(bot, "demo-1", "a write notices it")
		is(k, "events after a write", drifted("demo-1"), 1)
		is(k, "of every held task", drifted("demo-2"), 1)
		ev, payload := k.last("demo-2")
		is(k, "actor", ev.Actor, "tasker")
		is(
			k,
			"payload",
			payload,
			`{"fence":1,"files":[{"path":"docs/a","what":"changed"},{"path":"docs/b","what":"removed"},{"path":"docs/c","what":"added"}]}`,
		)
		k.note(bot, "demo-1", "once")
		is(k, "events of one change", drifted("demo-1"), 1)
		d.due = false
		d.files = []drift.Fingerprint{fingerprint("docs/a", "3")}
		k.note(bot, "demo-1", "too soon")
		is(k, "events before it is due", drifted("demo-1"), 1)
		d.due = true
		k.note(bot, "demo-1", "the next change")
		is(k, "events of two changes", drifted("demo-1"), 2)
		d.files = []drift.Fingerprint{fingerprint("docs/a", "1"), fingerprint("docs/b", "1")}
		k.note(bot, "demo-1", "as it was at the claim")
		is(k, "events of its undoing", drifted("demo-1"), 2)
		quiet(k, k.show("demo-1").Warnings)
		d.files = []drift.Fingerprint{fingerprint("docs/a", "3")}
		k.note(bot, "demo-1", "and once more")
		is(k, "events of the same change again", drifted("demo-1"), 3)

		_, err = k.s.Work.Release(bee, work.ReleaseIn{Task: "demo-2"})
		k.must(err)
		k.claim(bee, "demo-2") // takes the fingerprints anew
		for _, w := range k.show("demo-2").Warnings {
			if strings.Contains(w, "guidance") {
				k.Errorf("a fresh claim is warned: %s", w)
			}
		}
		moved := k.move(bot, work.MoveIn{Task: "demo-1", To: "open"})
		is(k, "status", moved.Task.Status, task.Open)
		if g := k.show("demo-1").Guidance; g[0].Drift != "" {
			k.Errorf("what nobody holds has drifted: %v", g)
		}
		k.healthy()
	})
}

func TestDriftIsNotToldWhereItIsNotWanted(t *testing.T) {
	each(t, func(k *kit) {
		d := &desk{files: []drift.Fingerprint{fingerprint("docs/a", "1")}, due: true, more: true}
		k.s.Guide = d
		k.config = fmt.Sprintf(tracking, `, "warnOnDrift": false`)
		k.tasks(`{"key": "a", "title": "A"}`)
		k.claim(bot, "demo-1")
		d.files = []drift.Fingerprint{fingerprint("docs/a", "2")}
		k.note(bot, "demo-1", "x")
		b := k.show("demo-1")
		quiet(k, b.Warnings)
		same(k, "guidance", b.Guidance, bundle.Guidance{Path: "docs/a", Hash: "2", Drift: "changed"})
		if o := omits(b, "guidance"); o == nil || o.Items != nil {
			k.Errorf("of the guidance %+v is left out", o)
		}
		if slices.Contains(k.events("demo-1"), task.GuidanceDrifted) {
			k.Error("an event tells of it all the same")
		}
		k.s.Guide = nil // through a server without the repository
		b = k.show("demo-1")
		is(k, "guidance", len(b.Guidance), 0)
		quiet(k, b.Warnings)
	})
}
