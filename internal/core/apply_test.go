package core_test

import (
	"strconv"
	"strings"
	"sync"
	"testing"

	"github.com/go-json-experiment/json"

	"tasker/internal/core"
	"tasker/internal/core/admin"
	"tasker/internal/core/planning"
	"tasker/internal/core/reading"
	"tasker/internal/core/work"
	"tasker/internal/fault"
	"tasker/internal/plan"
	"tasker/internal/task"
)

func refsOf(refs []planning.Ref) (out []string) {
	for _, r := range refs {
		out = append(out, r.Key+"="+string(r.ID))
	}
	return out
}

func TestApplyCreatesTheProjectAndItsTasksInDocumentOrder(t *testing.T) {
	each(t, func(k *kit) {
		out := k.apply(`{"project": "demo", "name": "Demo", "vision": "Ship", "gates": {"ship": ["test"]}, "tasks": [
			{"key": "b", "title": "B", "deps": ["a", "a"], "parent": "c"}, {"key": "a", "title": "A", "body": "text", "priority": 0, "severity": 2,
			 "due": "2026-05-01", "gate": "ship", "autonomy": "supervised", "preferredActor": "bot", "mayExecute": ["dev"], "touches": ["x/**"],
			 "criteria": ["one"], "links": [{"kind": "url", "ref": "https://example.com", "note": "n"}], "evidence": [{"kind": "test", "value": "ok"}]},
			{"key": "c", "title": "C", "status": "done"}]}`)
		is(k, "project created", out.ProjectCreated, true)
		same(k, "created", refsOf(out.Created), "b=demo-1", "a=demo-2", "c=demo-3")
		p, err := k.s.Reading.Project(ann, core.ProjectIn{Slug: "demo"})
		k.must(err)
		is(k, "name", p.Name, "Demo")
		is(k, "vision", p.Vision, "Ship")
		is(k, "counts", p.Tasks, task.Counts{Open: 2, Done: 1})
		same(k, "gate", p.Gates["ship"], "test")
		b := k.task("demo-1")
		same(k, "deps", b.Deps, "demo-2")
		is(k, "parent", b.Parent, "demo-3")
		is(k, "open deps", b.OpenDeps, 1)
		is(k, "priority left out", b.Priority, task.DefaultPriority)
		is(k, "created by", b.CreatedBy, "ann")
		a := k.show("demo-2")
		is(k, "evidence", a.Evidence[0].Value, "ok")
		is(k, "criterion", a.Criteria[0], task.Criterion{Index: 1, Text: "one"})
		is(k, "link", a.Links[0], task.Link{Kind: "url", Ref: "https://example.com", Note: "n"})
		is(k, "severity", a.Task.Severity, 2)
		c := k.task("demo-3")
		if c.ClosedAt == 0 || c.Version != 1 {
			k.Errorf("a task created done is %+v", c)
		}
		same(k, "events", k.events(""), task.ProjectCreated, task.TaskCreated, task.TaskCreated, task.EvidenceAdded, task.TaskCreated, task.PlanApplied)
		all, err := k.s.Reading.Events(ann, reading.EventsIn{})
		k.must(err)
		says(k, []string{string(all[1].Payload)}, `"deps":["demo-2"]`)
		says(k, []string{string(all[1].Payload)}, `"parent":"demo-3"`)
		says(k, []string{string(all[2].Payload)}, `"body":"text"`)
		for _, e := range all {
			is(k, "batch", e.Batch, all[0].ID)
		}
		k.healthy()
	})
}

const planned = `{"project": "demo", "name": "Demo", "gates": {"ship": ["test"]}, "tasks": [
	{"key": "a", "title": "A", "criteria": ["one", "two"], "status": "open", "evidence": [{"kind": "test", "value": "ok"}]},
	{"key": "b", "title": "B", "deps": ["a"], "links": [{"kind": "doc", "ref": "x"}, {"kind": "doc", "ref": "y"}]}]}`

func TestApplyingTheSameTwiceWritesNothing(t *testing.T) {
	each(t, func(k *kit) {
		k.apply(planned)
		before := k.events("")
		versions := []int64{k.task("demo-1").Version, k.task("demo-2").Version}
		out := k.apply(planned)
		same(k, "unchanged", refsOf(out.Unchanged), "a=demo-1", "b=demo-2")
		is(k, "project created", out.ProjectCreated, false)
		is(k, "created and updated", len(out.Created)+len(out.Updated), 0)
		same(k, "events", k.events(""), before...)
		same(k, "versions", []int64{k.task("demo-1").Version, k.task("demo-2").Version}, versions...)
		same(k, "events with the links turned round", k.events(""), before...)
		k.apply(
			strings.Replace(
				planned,
				`{"kind": "doc", "ref": "x"}, {"kind": "doc", "ref": "y"}`,
				`{"kind": "doc", "ref": "y"}, {"kind": "doc", "ref": "x"}`,
				1,
			),
		)
		same(k, "events", k.events(""), before...)
	})
}

func TestWhatADocumentLeavesOutStaysAndEmptyClears(t *testing.T) {
	each(t, func(k *kit) {
		k.tasks(`{"key": "a", "title": "A", "body": "text", "priority": 0, "touches": ["x"], "due": "2026-05-01", "criteria": ["one", "two"]}, {"key": ` +
			`"b", "title": "B"}`)
		_, err := k.s.Work.Tick(bot, work.TickIn{Task: "demo-1", Index: 2})
		k.must(err)
		out := k.tasks(`{"key": "a", "title": "A2", "criteria": ["zero", "two"]}`)
		same(k, "unmentioned", refsOf(out.Unmentioned), "b=demo-2")
		a := k.task("demo-1")
		is(k, "body", a.Body, "text")
		is(k, "priority", a.Priority, 0)
		is(k, "title", a.Title, "A2")
		is(k, "version", a.Version, 3)
		is(k, "the tick that stays with its text", a.Criteria[1].Checked, true)
		is(k, "the new criterion", a.Criteria[0].Checked, false)
		is(k, "change of the title", out.Updated[0].Changes["title"], task.Delta{From: "A", To: "A2"})
		event, payload := k.last("demo-1")
		is(k, "kind", event.Kind, task.TaskUpdated)
		says(k, []string{payload}, `"title":{"from":"A","to":"A2"}`)
		k.tasks(`{"key": "a", "title": "A2", "body": null, "touches": [], "due": "", "priority": null}`)
		a = k.task("demo-1")
		is(k, "body", a.Body, "")
		is(k, "due", a.Due, "")
		is(k, "touches", len(a.Touches), 0)
		is(k, "priority", a.Priority, task.DefaultPriority)
		k.healthy()
	})
}

func TestADryRunAnswersTheSameAndWritesNothing(t *testing.T) {
	each(t, func(k *kit) {
		doc, err := plan.Decode([]byte(planned))
		k.must(err)
		out, err := k.s.Planning.Apply(ann, planning.ApplyIn{Doc: doc, DryRun: true})
		k.must(err)
		is(k, "dry run", out.DryRun, true)
		is(k, "project created", out.ProjectCreated, true)
		same(k, "created", refsOf(out.Created), "a=", "b=")
		all, err := k.s.Reading.Projects(ann, core.None{})
		k.must(err)
		is(k, "projects", len(all), 0)
		k.apply(planned)
		k.policy.RequireApproval = []task.Requirement{{}}
		doc, err = plan.Decode([]byte(strings.Replace(planned, `"status": "open"`, `"status": "done"`, 1)))
		k.must(err)
		_, err = k.s.Planning.Apply(ann, planning.ApplyIn{Doc: doc, DryRun: true})
		k.refused(err, fault.Declined, "demo-1 cannot complete", "tasks[0].status: demo-1 cannot", "\ncriterion 1: one", "\napproval by any human")
	})
}

func TestARefusedPlanLeavesNoTrace(t *testing.T) {
	each(t, func(k *kit) {
		k.apply(planned)
		before := k.events("")
		for doc, words := range map[string]string{
			`{"project": "demo", "tasks": [{"key": "c", "title": "C"}, {"key": "d", "title": "D", "deps": ["nothing"]}]}`:          "tasks[1].deps[0]",
			`{"project": "demo", "tasks": [{"key": "c", "title": "C", "deps": ["d"]}, {"key": "d", "title": "D", "deps": ["c"]}]}`: "cycle",
			`{"project": "demo", "tasks": [{"key": "a", "title": "A", "deps": ["b"]}]}`:                                            "cycle",
			`{"project": "demo", "tasks": [{"key": "c", "title": "C"}, {"key": "c", "title": "C"}]}`:                               "tasks[1].key",
			`{"project": "Demo", "tasks": [{"key": "c", "title": "C"}]}`:                                                           "project",
			`{"project": "demo", "tasks": [{"key": "c", "title": "C"}, ` +
				`{"key": "a", "title": "A", "status": "done"}, {"key": "b", "title": "B", "status": "done"}]}`: "tasks[1].status: demo-1 cannot complete",
		} {
			_, err := k.applyAs(ann, doc)
			if err == nil {
				k.Errorf("%s passed", doc)
				continue
			}
			e := fault.Of(err)
			says(k, append(e.Missing, e.Message), words)
		}
		same(k, "events", k.events(""), before...)
		is(k, "c", len(k.show("demo-1").Dependents), 1)
		_, err := k.s.Reading.Show(ann, reading.ShowIn{Task: "c"})
		k.refused(err, fault.NotFound)
		k.healthy()
	})
}

func TestStatusInADocumentIsThreeWay(t *testing.T) {
	each(t, func(k *kit) {
		doc := func(status string) string {
			return `{"project": "demo", "tasks": [{"key": "a", "title": "A", "status": "` + status + `"}]}`
		}
		k.apply(doc("open"))
		k.done(bot, "demo-1")
		out := k.apply(doc("open")) // what it gave before: the later move stays
		is(k, "unchanged", len(out.Unchanged), 1)
		is(k, "status", k.task("demo-1").Status, task.Done)
		out = k.apply(doc("in_review")) // new, and different: a move
		is(k, "change", out.Updated[0].Changes["status"], task.Delta{From: task.Done, To: task.InReview})
		is(k, "status", k.task("demo-1").Status, task.InReview)
		event, _ := k.last("demo-1")
		is(k, "kind", event.Kind, task.TaskMoved)
		k.move(bot, work.MoveIn{Task: "demo-1", To: "cancelled"})
		version := k.task("demo-1").Version
		out = k.apply(doc("cancelled")) // new, and what it is already
		is(k, "unchanged", len(out.Unchanged), 1)
		is(k, "version", k.task("demo-1").Version, version)
		k.move(bot, work.MoveIn{Task: "demo-1", To: "open"})
		k.apply(doc("cancelled"))
		is(k, "status", k.task("demo-1").Status, task.Open)
		k.healthy()
	})
}

func TestADocumentNeverEndsAnothersLiveClaim(t *testing.T) {
	each(t, func(k *kit) {
		k.tasks(`{"key": "a", "title": "A"}`)
		k.claim(bot, "demo-1")
		_, err := k.applyAs(ann, `{"project": "demo", "tasks": [{"key": "a", "title": "A", "status": "cancelled"}]}`)
		k.refused(err, fault.Declined, "held by bot", "tasks[0].status")
		out := k.tasks(`{"key": "a", "title": "A better title"}`)
		same(k, "held", refsOf(out.Held), "a=demo-1")
		if k.task("demo-1").Claim == nil {
			k.Error("an edit by document ended the claim")
		}
		_, err = k.applyAs(bot, `{"project": "demo", "tasks": [{"key": "a", "title": "A", "status": "cancelled"}]}`)
		k.must(err)
		k.healthy()
	})
}

func TestADocumentMayChangeWhatItCreatesBeside(t *testing.T) {
	each(t, func(k *kit) {
		k.tasks(`{"key": "a", "title": "A"}, {"key": "b", "title": "B"}`)
		out := k.tasks(`{"key": "b", "title": "B", "deps": ["c", "a"], "parent": "p"}, {"key": "c", "title": "C"}, {"key": "p", "title": "P"}`)
		same(k, "created", refsOf(out.Created), "c=demo-3", "p=demo-4")
		b := k.task("demo-2")
		same(k, "deps", b.Deps, "demo-1", "demo-3")
		is(k, "parent", b.Parent, "demo-4")
		is(k, "open deps", b.OpenDeps, 2)
		text, err := json.Marshal(out.Updated[0].Changes, json.Deterministic(true))
		k.must(err)
		is(k, "changes", string(text), `{"deps":{"from":[],"to":["demo-1","demo-3"]},"parent":{"from":null,"to":"demo-4"}}`)
		k.healthy()
	})
}

func TestEvidenceInADocumentIsAddedOncePerKindAndValue(t *testing.T) {
	each(t, func(k *kit) {
		k.tasks(`{"key": "a", "title": "A", "evidence": [{"kind": "test", "value": "ok"}, {"kind": "test", "value": "ok", "note": "again"}]}`)
		out := k.tasks(`{"key": "a", "title": "A", "evidence": [{"kind": "test", "value": "ok"}, {"kind": "log", "value": "ok"}]}`)
		is(k, "updated", len(out.Updated), 1)
		b := k.show("demo-1")
		is(k, "evidence", len(b.Evidence), 2)
		is(k, "version", b.Task.Version, 1)
	})
}

func TestADocumentMovesUnderTheGatesThatItBrings(t *testing.T) {
	each(t, func(k *kit) {
		k.tasks(`{"key": "a", "title": "A", "gate": "ship"}`)
		doc := `{"project": "demo", "gates": {"ship": ["test"]}, "tasks": [{"key": "a", "title": "A", "status": "done"%}]}`
		_, err := k.applyAs(ann, strings.Replace(doc, "%", "", 1))
		k.refused(err, fault.Declined, "\nevidence test")
		_, err = k.applyAs(ann, strings.Replace(doc, "%", `, "evidence": [{"kind": "test", "value": "ok"}]`, 1))
		k.must(err)
		is(k, "status", k.task("demo-1").Status, task.Done)
	})
}

func TestAnAgentMayNotLoosenByDocumentOrEditWhereAHumanIsDeclared(t *testing.T) {
	each(t, func(k *kit) {
		k.policy.DeclaresHuman = true
		k.apply(`{"project": "demo", "gates": {"ship": ["test", "review"]}, "tasks": [
			{"key": "a", "title": "A", "gate": "ship", "autonomy": "supervised", "mayExecute": ["dev"], "criteria": ["one", "two"]}]}`)
		_, err := k.applyAs(bot, `{"project": "demo", "gates": {"ship": ["test"]}, "tasks": [
			{"key": "a", "title": "A", "gate": null, "autonomy": "autonomous", "mayExecute": [], "criteria": ["one"]}]}`)
		k.refused(err, fault.Declined, "gate ship: it would no longer ask for evidence review", "criterion 2: two", "gate: from ship", "mayExecute",
			"autonomy: from supervised")
		_, err = k.editAs(bot, "demo-1", `{"removeCriteria": ["two"]}`)
		k.refused(err, fault.Declined, "criterion 2: two")
		_, err = k.applyAs(bot, `{"project": "demo", "gates": {"ship": ["test", "review", "scan"]}, "tasks": [
			{"key": "a", "title": "A", "autonomy": "human_only", "criteria": ["one", "two", "three"]}]}`)
		k.must(err)
		k.edit(bob, "demo-1", `{"removeCriteria": ["two"]}`)
	})
}

func TestAnIdIsNeverReusedAndNumbersCountUp(t *testing.T) {
	each(t, func(k *kit) {
		k.tasks(`{"key": "a", "title": "A"}`)
		_, err := k.applyAs(ann, `{"project": "demo", "tasks": [{"key": "b", "title": "B"}, {"key": "c", "title": "C", "deps": ["x"]}]}`)
		k.refused(err, fault.Invalid)
		same(k, "created", refsOf(k.tasks(`{"key": "b", "title": "B"}`).Created), "b=demo-2")
	})
}

func TestPlansAppliedAtOnceAllCount(t *testing.T) {
	each(t, func(k *kit) {
		var wg sync.WaitGroup
		for i := range 6 {
			wg.Go(func() {
				if _, err := k.applyAs(ann, `{"project": "demo", "tasks": [{"key": "t`+strconv.Itoa(i)+`", "title": "T"}, {"key": "shared", "title": "S"}]}`); err != nil {
					k.Errorf("an apply was refused: %v", err)
				}
			})
		}
		wg.Wait()
		p, err := k.s.Reading.Project(ann, core.ProjectIn{Slug: "demo"})
		k.must(err)
		is(k, "tasks", p.Tasks.Open, 7)
		k.healthy()
	})
}

func TestAnArchivedProjectTakesNoWrites(t *testing.T) {
	each(t, func(k *kit) {
		k.tasks(`{"key": "a", "title": "A", "criteria": ["one"]}`)
		_, err := k.s.Admin.ProjectArchive(ann, admin.ProjectArchiveIn{Slug: "demo"})
		k.must(err)
		before := k.events("")
		for name, write := range map[string]func() error{
			"apply":  func() error { _, err := k.applyAs(ann, planned); return err },
			"create": func() error { _, err := k.create(ann, `{"title": "T"}`); return err },
			"edit":   func() error { _, err := k.editAs(ann, "demo-1", `{"title": "T"}`); return err },
			"move":   func() error { _, err := k.s.Work.Move(ann, work.MoveIn{Task: "demo-1", To: "done"}); return err },
			"next":   func() error { _, err := k.s.Work.Next(ann, work.NextIn{}); return err },
			"claim":  func() error { _, err := k.s.Work.Claim(ann, work.ClaimIn{Task: "demo-1"}); return err },
			"note":   func() error { _, err := k.s.Work.Note(ann, work.NoteIn{Task: "demo-1", Text: "x"}); return err },
			"tick":   func() error { _, err := k.s.Work.Tick(ann, work.TickIn{Task: "demo-1", Index: 1}); return err },
			"set": func() error {
				_, err := k.s.Admin.ProjectSet(ann, admin.ProjectSetIn{Slug: "demo", Key: "agentDefaults.lease", Value: ptr("1h")})
				return err
			},
		} {
			if e := fault.Of(write()); e == nil || e.Kind != fault.Declined || !strings.Contains(e.Message, "archived") {
				k.Errorf("%s in an archived project: %v", name, e)
			}
		}
		same(k, "events", k.events(""), before...)
		_, err = k.s.Admin.ProjectArchive(ann, admin.ProjectArchiveIn{Slug: "demo", Restore: true})
		k.must(err)
		k.claim(bot, "demo-1")
	})
}
