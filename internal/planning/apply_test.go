package planning_test

import (
	"fmt"
	"strconv"
	"strings"
	"sync"
	"testing"

	"github.com/go-json-experiment/json"

	"tasker/internal/admin"
	"tasker/internal/core"
	"tasker/internal/fault"
	"tasker/internal/plan"
	"tasker/internal/planning"
	"tasker/internal/task"
	"tasker/internal/testkit/coretest"
	"tasker/internal/views/reading"
	"tasker/internal/work"
)

func refsOf(refs []planning.Ref) (out []string) {
	for _, r := range refs {
		out = append(out, r.Key+"="+string(r.ID))
	}
	return out
}

func TestApplyCreatesTheProjectAndItsTasksInDocumentOrder(t *testing.T) {
	coretest.Each(t, func(k *coretest.Kit) {
		out := k.Apply(`{"project": "demo", "name": "Demo", "vision": "Ship", "gates": {"ship": ["test"]}, "tasks": [
			{"key": "b", "title": "B", "deps": ["a", "a"], "parent": "c"}, {"key": "a", "title": "A", "body": "text", "priority": 0, "severity": 2,
			 "due": "2026-05-01", "gate": "ship", "autonomy": "supervised", "preferredActor": "bot", "mayExecute": ["dev"], "touches": ["x/**"],
			 "criteria": ["one"], "links": [{"kind": "url", "ref": "https://example.com", "note": "n"}], "evidence": [{"kind": "test", "value": "ok"}]},
			{"key": "c", "title": "C", "status": "done"}]}`)
		coretest.Equal(k, "project created", out.ProjectCreated, true)
		coretest.EqualSlices(k, "created", refsOf(out.Created), "b=demo-1", "a=demo-2", "c=demo-3")
		p, err := k.Reading.Project(coretest.Ann, core.ProjectIn{Slug: "demo"})
		k.Must(err)
		coretest.Equal(k, "name", p.Name, "Demo")
		coretest.Equal(k, "vision", p.Vision, "Ship")
		coretest.Equal(k, "counts", p.Tasks, task.Counts{Open: 2, Done: 1})
		coretest.EqualSlices(k, "gate", p.Gates["ship"], "test")
		b := k.Task("demo-1")
		coretest.EqualSlices(k, "deps", b.Deps, "demo-2")
		coretest.Equal(k, "parent", b.Parent, "demo-3")
		coretest.Equal(k, "open deps", b.OpenDeps, 1)
		coretest.Equal(k, "priority left out", b.Priority, task.DefaultPriority)
		coretest.Equal(k, "created by", b.CreatedBy, "ann")
		a := k.Show("demo-2")
		coretest.Equal(k, "evidence", a.Evidence[0].Value, "ok")
		coretest.Equal(k, "criterion", a.Criteria[0], task.Criterion{Index: 1, Text: "one"})
		coretest.Equal(k, "link", a.Links[0], task.Link{Kind: "url", Ref: "https://example.com", Note: "n"})
		coretest.Equal(k, "severity", a.Task.Severity, 2)
		c := k.Task("demo-3")
		if c.ClosedAt == 0 || c.Version != 1 {
			k.Errorf("a task created done is %+v", c)
		}
		coretest.EqualSlices(k, "events", k.Events(""), task.ProjectCreated, task.TaskCreated, task.TaskCreated, task.EvidenceAdded, task.TaskCreated,
			task.PlanApplied)
		all, err := k.Reading.Events(coretest.Ann, reading.EventsIn{})
		k.Must(err)
		coretest.Contains(k, []string{string(all[1].Payload)}, `"deps":["demo-2"]`)
		coretest.Contains(k, []string{string(all[1].Payload)}, `"parent":"demo-3"`)
		coretest.Contains(k, []string{string(all[2].Payload)}, `"body":"text"`)
		for _, e := range all {
			coretest.Equal(k, "batch", e.Batch, all[0].ID)
		}
		k.Healthy()
	})
}

const planned = `{"project": "demo", "name": "Demo", "gates": {"ship": ["test"]}, "tasks": [
	{"key": "a", "title": "A", "criteria": ["one", "two"], "status": "open", "evidence": [{"kind": "test", "value": "ok"}]},
	{"key": "b", "title": "B", "deps": ["a"], "links": [{"kind": "doc", "ref": "x"}, {"kind": "doc", "ref": "y"}]}]}`

func TestApplyingTheSameTwiceWritesNothing(t *testing.T) {
	coretest.Each(t, func(k *coretest.Kit) {
		k.Apply(planned)
		before := k.Events("")
		versions := []int64{k.Task("demo-1").Version, k.Task("demo-2").Version}
		out := k.Apply(planned)
		coretest.EqualSlices(k, "unchanged", refsOf(out.Unchanged), "a=demo-1", "b=demo-2")
		coretest.Equal(k, "project created", out.ProjectCreated, false)
		coretest.Equal(k, "created and updated", len(out.Created)+len(out.Updated), 0)
		coretest.EqualSlices(k, "events", k.Events(""), before...)
		coretest.EqualSlices(k, "versions", []int64{k.Task("demo-1").Version, k.Task("demo-2").Version}, versions...)
		coretest.EqualSlices(k, "events with the links turned round", k.Events(""), before...)
		k.Apply(
			strings.Replace(
				planned,
				`{"kind": "doc", "ref": "x"}, {"kind": "doc", "ref": "y"}`,
				`{"kind": "doc", "ref": "y"}, {"kind": "doc", "ref": "x"}`,
				1,
			),
		)
		coretest.EqualSlices(k, "events", k.Events(""), before...)
	})
}

func TestWhatADocumentLeavesOutStaysAndEmptyClears(t *testing.T) {
	coretest.Each(t, func(k *coretest.Kit) {
		k.Tasks(`{"key": "a", "title": "A", "body": "text", "priority": 0, "touches": ["x"], "due": "2026-05-01", "criteria": ["one", "two"]}, {"key": ` +
			`"b", "title": "B"}`)
		_, err := k.Work.Tick(coretest.Bot, work.TickIn{Task: "demo-1", Index: 2})
		k.Must(err)
		out := k.Tasks(`{"key": "a", "title": "A2", "criteria": ["zero", "two"]}`)
		coretest.EqualSlices(k, "unmentioned", refsOf(out.Unmentioned), "b=demo-2")
		a := k.Task("demo-1")
		coretest.Equal(k, "body", a.Body, "text")
		coretest.Equal(k, "priority", a.Priority, 0)
		coretest.Equal(k, "title", a.Title, "A2")
		coretest.Equal(k, "version", a.Version, 3)
		coretest.Equal(k, "the tick that stays with its text", a.Criteria[1].Checked, true)
		coretest.Equal(k, "the new criterion", a.Criteria[0].Checked, false)
		coretest.Equal(k, "change of the title", out.Updated[0].Changes["title"], task.Delta{From: "A", To: "A2"})
		event, payload := k.Last("demo-1")
		coretest.Equal(k, "kind", event.Kind, task.TaskUpdated)
		coretest.Contains(k, []string{payload}, `"title":{"from":"A","to":"A2"}`)
		k.Tasks(`{"key": "a", "title": "A2", "body": null, "touches": [], "due": "", "priority": null}`)
		a = k.Task("demo-1")
		coretest.Equal(k, "body", a.Body, "")
		coretest.Equal(k, "due", a.Due, "")
		coretest.Equal(k, "touches", len(a.Touches), 0)
		coretest.Equal(k, "priority", a.Priority, task.DefaultPriority)
		k.Healthy()
	})
}

func TestADryRunAnswersTheSameAndWritesNothing(t *testing.T) {
	coretest.Each(t, func(k *coretest.Kit) {
		doc, err := plan.Decode([]byte(planned))
		k.Must(err)
		out, err := k.Planning.Apply(coretest.Ann, planning.ApplyIn{Doc: doc, DryRun: true})
		k.Must(err)
		coretest.Equal(k, "dry run", out.DryRun, true)
		coretest.Equal(k, "project created", out.ProjectCreated, true)
		coretest.EqualSlices(k, "created", refsOf(out.Created), "a=", "b=")
		all, err := k.Reading.Projects(coretest.Ann, core.None{})
		k.Must(err)
		coretest.Equal(k, "projects", len(all), 0)
		k.Apply(planned)
		k.Policy.RequireApproval = []task.Requirement{{}}
		doc, err = plan.Decode([]byte(strings.Replace(planned, `"status": "open"`, `"status": "done"`, 1)))
		k.Must(err)
		_, err = k.Planning.Apply(coretest.Ann, planning.ApplyIn{Doc: doc, DryRun: true})
		k.Refused(err, fault.Declined, "demo-1 cannot complete", "tasks[0].status: demo-1 cannot", "\ncriterion 1: one", "\napproval by any human")
	})
}

func TestARefusedPlanLeavesNoTrace(t *testing.T) {
	coretest.Each(t, func(k *coretest.Kit) {
		k.Apply(planned)
		before := k.Events("")
		for doc, words := range map[string]string{
			`{"project": "demo", "tasks": [{"key": "c", "title": "C"}, {"key": "d", "title": "D", "deps": ["nothing"]}]}`:          "tasks[1].deps[0]",
			`{"project": "demo", "tasks": [{"key": "c", "title": "C", "deps": ["d"]}, {"key": "d", "title": "D", "deps": ["c"]}]}`: "cycle",
			`{"project": "demo", "tasks": [{"key": "a", "title": "A", "deps": ["b"]}]}`:                                            "cycle",
			`{"project": "demo", "tasks": [{"key": "c", "title": "C"}, {"key": "c", "title": "C"}]}`:                               "tasks[1].key",
			`{"project": "Demo", "tasks": [{"key": "c", "title": "C"}]}`:                                                           "project",
			`{"project": "demo", "tasks": [{"key": "c", "title": "C"}, ` +
				`{"key": "a", "title": "A", "status": "done"}, {"key": "b", "title": "B", "status": "done"}]}`: "tasks[1].status: demo-1 cannot complete",
		} {
			_, err := k.ApplyAs(coretest.Ann, doc)
			if err == nil {
				k.Errorf("%s passed", doc)
				continue
			}
			e := fault.Of(err)
			coretest.Contains(k, append(e.Missing, e.Message), words)
		}
		coretest.EqualSlices(k, "events", k.Events(""), before...)
		coretest.Equal(k, "c", len(k.Show("demo-1").Dependents), 1)
		_, err := k.Reading.Show(coretest.Ann, reading.ShowIn{Task: "c"})
		k.Refused(err, fault.NotFound)
		k.Healthy()
	})
}

func TestStatusInADocumentIsThreeWay(t *testing.T) {
	coretest.Rule(t, func(k *coretest.Kit) {
		doc := func(status string) string {
			return `{"project": "demo", "tasks": [{"key": "a", "title": "A", "status": "` + status + `"}]}`
		}
		k.Apply(doc("open"))
		k.Done(coretest.Bot, "demo-1")
		out := k.Apply(doc("open")) // the status it gave before: the later move stays
		coretest.Equal(k, "unchanged", len(out.Unchanged), 1)
		coretest.Equal(k, "status", k.Task("demo-1").Status, task.Done)
		out = k.Apply(doc("in_review")) // a new status, and a different one: a move
		coretest.Equal(k, "change", out.Updated[0].Changes["status"], task.Delta{From: task.Done, To: task.InReview})
		coretest.Equal(k, "status", k.Task("demo-1").Status, task.InReview)
		event, _ := k.Last("demo-1")
		coretest.Equal(k, "kind", event.Kind, task.TaskMoved)
		k.Move(coretest.Bot, work.MoveIn{Task: "demo-1", To: "cancelled"})
		version := k.Task("demo-1").Version
		out = k.Apply(doc("cancelled")) // a new status, which the task already has
		coretest.Equal(k, "unchanged", len(out.Unchanged), 1)
		coretest.Equal(k, "version", k.Task("demo-1").Version, version)
		k.Move(coretest.Bot, work.MoveIn{Task: "demo-1", To: "open"})
		k.Apply(doc("cancelled"))
		coretest.Equal(k, "status", k.Task("demo-1").Status, task.Open)
		k.Healthy()
	})
}

func TestADocumentNeverEndsAnothersLiveClaim(t *testing.T) {
	coretest.Rule(t, func(k *coretest.Kit) {
		k.Tasks(`{"key": "a", "title": "A"}`)
		k.Claim(coretest.Bot, "demo-1")
		_, err := k.ApplyAs(coretest.Ann, `{"project": "demo", "tasks": [{"key": "a", "title": "A", "status": "cancelled"}]}`)
		k.Refused(err, fault.Declined, "held by bot", "tasks[0].status")
		out := k.Tasks(`{"key": "a", "title": "A better title"}`)
		coretest.EqualSlices(k, "held", refsOf(out.Held), "a=demo-1")
		if k.Task("demo-1").Claim == nil {
			k.Error("an edit by document ended the claim")
		}
		_, err = k.ApplyAs(coretest.Bot, `{"project": "demo", "tasks": [{"key": "a", "title": "A", "status": "cancelled"}]}`)
		k.Must(err)
		k.Healthy()
	})
}

func TestADocumentMayPointAStoredTaskAtNewOnes(t *testing.T) {
	coretest.Each(t, func(k *coretest.Kit) {
		k.Tasks(`{"key": "a", "title": "A"}, {"key": "b", "title": "B"}`)
		out := k.Tasks(`{"key": "b", "title": "B", "deps": ["c", "a"], "parent": "p"}, {"key": "c", "title": "C"}, {"key": "p", "title": "P"}`)
		coretest.EqualSlices(k, "created", refsOf(out.Created), "c=demo-3", "p=demo-4")
		b := k.Task("demo-2")
		coretest.EqualSlices(k, "deps", b.Deps, "demo-1", "demo-3")
		coretest.Equal(k, "parent", b.Parent, "demo-4")
		coretest.Equal(k, "open deps", b.OpenDeps, 2)
		text, err := json.Marshal(out.Updated[0].Changes, json.Deterministic(true))
		k.Must(err)
		coretest.Equal(k, "changes", string(text), `{"deps":{"from":[],"to":["demo-1","demo-3"]},"parent":{"from":null,"to":"demo-4"}}`)
		k.Healthy()
	})
}

func TestEvidenceInADocumentIsAddedOncePerKindAndValue(t *testing.T) {
	coretest.Each(t, func(k *coretest.Kit) {
		k.Tasks(`{"key": "a", "title": "A", "evidence": [{"kind": "test", "value": "ok"}, {"kind": "test", "value": "ok", "note": "again"}]}`)
		out := k.Tasks(`{"key": "a", "title": "A", "evidence": [{"kind": "test", "value": "ok"}, {"kind": "log", "value": "ok"}]}`)
		coretest.Equal(k, "updated", len(out.Updated), 1)
		b := k.Show("demo-1")
		coretest.Equal(k, "evidence", len(b.Evidence), 2)
		coretest.Equal(k, "version", b.Task.Version, 1)
	})
}

func TestADocumentMovesUnderTheGatesThatItBrings(t *testing.T) {
	coretest.Rule(t, func(k *coretest.Kit) {
		k.Tasks(`{"key": "a", "title": "A", "gate": "ship"}`)
		doc := `{"project": "demo", "gates": {"ship": ["test"]}, "tasks": [{"key": "a", "title": "A", "status": "done"%}]}`
		_, err := k.ApplyAs(coretest.Ann, strings.Replace(doc, "%", "", 1))
		k.Refused(err, fault.Declined, "\nevidence test")
		_, err = k.ApplyAs(coretest.Ann, strings.Replace(doc, "%", `, "evidence": [{"kind": "test", "value": "ok"}]`, 1))
		k.Must(err)
		coretest.Equal(k, "status", k.Task("demo-1").Status, task.Done)
	})
}

func TestAnAgentMayNotLoosenByDocumentOrEditWhereAHumanIsDeclared(t *testing.T) {
	coretest.Rule(t, func(k *coretest.Kit) {
		k.Policy.DeclaresHuman = true
		k.Apply(`{"project": "demo", "gates": {"ship": ["test", "review"]}, "tasks": [
			{"key": "a", "title": "A", "gate": "ship", "autonomy": "supervised", "mayExecute": ["dev"], "criteria": ["one", "two"]}]}`)
		_, err := k.ApplyAs(coretest.Bot, `{"project": "demo", "gates": {"ship": ["test"]}, "tasks": [
			{"key": "a", "title": "A", "gate": null, "autonomy": "autonomous", "mayExecute": [], "criteria": ["one"]}]}`)
		k.Refused(err, fault.Declined, "gate ship: it would no longer ask for evidence review", "criterion 2: two", "gate: from ship", "mayExecute",
			"autonomy: from supervised")
		_, err = k.EditAs(coretest.Bot, "demo-1", `{"removeCriteria": ["two"]}`)
		k.Refused(err, fault.Declined, "criterion 2: two")
		_, err = k.ApplyAs(coretest.Bot, `{"project": "demo", "gates": {"ship": ["test", "review", "scan"]}, "tasks": [
			{"key": "a", "title": "A", "autonomy": "human_only", "criteria": ["one", "two", "three"]}]}`)
		k.Must(err)
		k.Edit(coretest.Bob, "demo-1", `{"removeCriteria": ["two"]}`)
	})
}

func TestAnIdIsNeverReusedAndNumbersCountUp(t *testing.T) {
	coretest.Each(t, func(k *coretest.Kit) {
		k.Tasks(`{"key": "a", "title": "A"}`)
		_, err := k.ApplyAs(coretest.Ann, `{"project": "demo", "tasks": [{"key": "b", "title": "B"}, {"key": "c", "title": "C", "deps": ["x"]}]}`)
		k.Refused(err, fault.Invalid)
		coretest.EqualSlices(k, "created", refsOf(k.Tasks(`{"key": "b", "title": "B"}`).Created), "b=demo-2")
	})
}

func TestConcurrentAppliesAreAllStored(t *testing.T) {
	coretest.Each(t, func(k *coretest.Kit) {
		var wg sync.WaitGroup
		for i := range 6 {
			wg.Go(func() {
				doc := `{"project": "demo", "tasks": [{"key": "t` + strconv.Itoa(i) + `", "title": "T"}, {"key": "shared", "title": "S"}]}`
				if _, err := k.ApplyAs(coretest.Ann, doc); err != nil {
					k.Errorf("an apply was refused: %v", err)
				}
			})
		}
		wg.Wait()
		p, err := k.Reading.Project(coretest.Ann, core.ProjectIn{Slug: "demo"})
		k.Must(err)
		coretest.Equal(k, "tasks", p.Tasks.Open, 7)
		k.Healthy()
	})
}

func TestAnArchivedProjectTakesNoWrites(t *testing.T) {
	coretest.Each(t, func(k *coretest.Kit) {
		k.Tasks(`{"key": "a", "title": "A", "criteria": ["one"]}`)
		_, err := k.Admin.ProjectArchive(coretest.Ann, admin.ProjectArchiveIn{Slug: "demo"})
		k.Must(err)
		before := k.Events("")
		for name, write := range map[string]func() error{
			"apply":  func() error { _, err := k.ApplyAs(coretest.Ann, planned); return err },
			"create": func() error { _, err := k.Create(coretest.Ann, `{"title": "T"}`); return err },
			"edit":   func() error { _, err := k.EditAs(coretest.Ann, "demo-1", `{"title": "T"}`); return err },
			"move":   func() error { _, err := k.Work.Move(coretest.Ann, work.MoveIn{Task: "demo-1", To: "done"}); return err },
			"next":   func() error { _, err := k.Work.Next(coretest.Ann, work.NextIn{}); return err },
			"claim":  func() error { _, err := k.Work.Claim(coretest.Ann, work.ClaimIn{Task: "demo-1"}); return err },
			"note":   func() error { _, err := k.Work.Note(coretest.Ann, work.NoteIn{Task: "demo-1", Text: "x"}); return err },
			"tick":   func() error { _, err := k.Work.Tick(coretest.Ann, work.TickIn{Task: "demo-1", Index: 1}); return err },
			"set": func() error {
				_, err := k.Admin.ProjectSet(coretest.Ann, admin.ProjectSetIn{Slug: "demo", Key: "agentDefaults.lease", Value: new("1h")})
				return err
			},
		} {
			if e := fault.Of(write()); e == nil || e.Kind != fault.Declined || !strings.Contains(e.Message, "archived") {
				k.Errorf("%s in an archived project: %v", name, e)
			}
		}
		coretest.EqualSlices(k, "events", k.Events(""), before...)
		_, err = k.Admin.ProjectArchive(coretest.Ann, admin.ProjectArchiveIn{Slug: "demo", Restore: true})
		k.Must(err)
		k.Claim(coretest.Bot, "demo-1")
	})
}

func TestAnAppliedPlanIsReplayedThoughItWouldChangeNothingNow(t *testing.T) {
	coretest.Each(t, func(k *coretest.Kit) {
		ctx := coretest.WithKey(coretest.Ann, "/apply", "1", "x")
		first, err := k.ApplyAs(ctx, planned)
		k.Must(err)
		again, err := k.ApplyAs(ctx, planned)
		k.Must(err)
		coretest.EqualSlices(k, "created", refsOf(again.Created), refsOf(first.Created)...)
		coretest.Equal(k, "project created", again.ProjectCreated, true)
		doc, err := plan.Decode([]byte(planned))
		k.Must(err)
		_, err = k.Planning.Apply(coretest.WithKey(coretest.Ann, "/apply", "1", "y"), planning.ApplyIn{Doc: doc})
		k.Refused(err, fault.Declined, "was used for another request")
		// A request that changed nothing is stored too.
		ctx = coretest.WithKey(coretest.Ann, "/apply", "2", "x")
		_, err = k.ApplyAs(ctx, planned)
		k.Must(err)
		k.Edit(coretest.Ann, "demo-1", `{"title": "Z"}`)
		again, err = k.ApplyAs(ctx, planned)
		k.Must(err)
		coretest.Equal(k, "unchanged", len(again.Unchanged), 2)
		coretest.Equal(k, "title", k.Task("demo-1").Title, "Z")
	})
}

func TestTheFirstThousandUnmentionedTasksAreNamedAndAllAreCounted(t *testing.T) {
	coretest.Each(t, func(k *coretest.Kit) {
		var all strings.Builder
		for i := range 1002 {
			if i > 0 {
				all.WriteString(",")
			}
			all.WriteString(`{"key": "k` + strconv.Itoa(i+1) + `", "title": "T"}`)
		}
		k.Tasks(all.String())
		out := k.Tasks(`{"key": "k1", "title": "T"}`)
		coretest.Equal(k, "unmentioned, in all", out.UnmentionedTotal, 1001)
		coretest.Equal(k, "named", len(out.Unmentioned), 1000)
		coretest.EqualSlices(k, "the first and the last", refsOf([]planning.Ref{out.Unmentioned[0], out.Unmentioned[999]}), "k2=demo-2", "k1001=demo-1001")
	})
}

// The tasks that a dry run showed are cancelled, even if others have written since.
func TestOnlyWhatWasShownIsPruned(t *testing.T) {
	coretest.Each(t, func(k *coretest.Kit) {
		k.Tasks(`{"key": "a", "title": "A"}, {"key": "b", "title": "B"}`)
		doc, err := plan.Decode([]byte(`{"project": "demo", "tasks": [{"key": "a", "title": "A"}]}`))
		k.Must(err)
		shown, err := k.Planning.Apply(coretest.Ann, planning.ApplyIn{Doc: doc, Prune: true, DryRun: true})
		k.Must(err)
		coretest.Equal(k, "shown", shown.Pruned[0].ID, "demo-2")
		k.Tasks(`{"key": "c", "title": "C"}`) // it appears in the meantime
		pinned := planning.ApplyIn{Doc: doc, Prune: true, Pin: string(shown.Pin)}
		_, err = k.Planning.Apply(coretest.Ann, pinned)
		e := k.Refused(err, fault.Declined, "this would cancel 2 tasks, not the set that was shown")
		coretest.Contains(k, e.Missing, "demo-3")
		coretest.Equal(k, "nothing is cancelled", k.Task("b").Status+k.Task("c").Status, "openopen")
		k.Claim(coretest.Bot, "demo-3") // a held task is not cancelled, so the set is the same again
		out, err := k.Planning.Apply(coretest.Ann, pinned)
		k.Must(err)
		coretest.Equal(k, "cancelled", fmt.Sprint(len(out.Pruned), k.Task("b").Status, k.Task("c").Status), "1cancelledin_progress")
		_, err = k.Planning.Apply(coretest.Ann, planning.ApplyIn{Doc: doc, Pin: "none"})
		k.Refused(err, fault.Invalid, "a pin is for pruning")
		out, err = k.Planning.Apply(coretest.Ann, planning.ApplyIn{Doc: doc, Prune: true, DryRun: true})
		k.Must(err)
		coretest.Equal(k, "the pin of nothing", out.Pin, "none")
	})
}
