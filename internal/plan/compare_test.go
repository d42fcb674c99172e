package plan

import (
	"slices"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
	"github.com/google/go-cmp/cmp/cmpopts"
	"pgregory.net/rapid"

	"tasker/internal/fault"
	"tasker/internal/task"
)

func compared(t *testing.T, m *memory, src string, a task.Actor) *Diff {
	t.Helper()
	doc := decoded(t, src)
	diff, err := Compare(doc, m.state(doc), a)
	if err != nil {
		t.Fatalf("%v: %q", err, missing(err))
	}
	return diff
}

func refused(t *testing.T, m *memory, src string, a task.Actor, kind fault.Kind) *fault.Error {
	t.Helper()
	doc := decoded(t, src)
	_, err := Compare(doc, m.state(doc), a)
	if !fault.Is(err, kind) {
		t.Fatalf("got %v, want kind %d", err, kind)
	}
	return fault.Of(err)
}

const base = `{"project":"demo","gates":{"ship":["ci"]},"tasks":[
	{"key":"a","title":"A"},
	{"key":"b","title":"B","parent":"a","deps":["a"],"priority":1,"severity":2,"due":"2026-02-28","gate":"ship","autonomy":"supervised","preferredActor":"ada",
	 "mayExecute":["dev"],"touches":["x/**"],"criteria":["one","two"],"links":[{"kind":"doc","ref":"r"},{"kind":"url","ref":"u"}],"body":"text",
	 "evidence":[{"kind":"ci","value":"1"}]},
	{"key":"c","title":"C","deps":["b","a","b"]}]}`

func TestCompareCreatesTheProjectAndItsTasks(t *testing.T) {
	m := &memory{now: 5000}
	diff := compared(t, m, base, robot)
	if !diff.ProjectCreated || diff.ProjectAfter.Slug != "demo" || diff.ProjectAfter.CreatedAt != 5000 || len(diff.ProjectAfter.Gates["ship"]) != 1 {
		t.Errorf("project %+v", diff.ProjectAfter)
	}
	b := diff.Create[1]
	want := &task.Task{
		Project: "demo", Key: "b", Title: "B", Body: "text", HasBody: true, Status: task.Open, Priority: 1, Severity: 2, Due: "2026-02-28", Gate: "ship",
		Autonomy: "supervised", PreferredActor: "ada", MayExecute: []string{"dev"}, Touches: []string{"x/**"},
		Criteria: []task.Criterion{{Index: 1, Text: "one"}, {Index: 2, Text: "two"}}, Links: []task.Link{{Kind: "doc", Ref: "r"}, {Kind: "url", Ref: "u"}},
		InCircle: true, Version: 1, CreatedBy: "robot", CreatedAt: 5000, UpdatedAt: 5000,
	}
	if d := cmp.Diff(want, b.Task); d != "" {
		t.Error(d)
	}
	if b.Index != 1 || b.NewParent != 1 || !slices.Equal(b.NewDeps, []int{0}) || len(b.Evidence) != 1 {
		t.Errorf("b is %+v", b)
	}
	if c := diff.Create[2]; c.NewParent != 0 || !slices.Equal(c.NewDeps, []int{0, 1}) || c.Task.Priority != task.DefaultPriority {
		t.Errorf("want a dependency that is given twice to count once, got %+v", c)
	}
}

func TestCompareOfTheSameDocumentFindsNothing(t *testing.T) {
	m := applied(t, base)
	diff := compared(t, m, base, ada)
	if !diff.Empty() || len(diff.Unchanged) != 3 || diff.Unchanged[1] != (Ref{Key: "b", ID: "demo-2"}) {
		t.Errorf("got %+v", diff)
	}
}

func TestCompareLeavesAloneWhatTheDocumentLeavesOut(t *testing.T) {
	m := applied(t, base)
	diff := compared(t, m, `{"project":"demo","tasks":[{"key":"b","title":"B"}]}`, ada)
	if !diff.Empty() {
		t.Errorf("got %+v", diff)
	}
	if want := []Ref{{Key: "a", ID: "demo-1"}, {Key: "c", ID: "demo-3"}}; !slices.Equal(diff.Unmentioned, want) {
		t.Errorf("unmentioned %v", diff.Unmentioned)
	}
}

func TestCompareListsOnlyOpenTasksAsUnmentioned(t *testing.T) {
	m := applied(t, `{"project":"demo","tasks":[{"key":"a","title":"A","status":"done"},{"key":"b","title":"B","status":"cancelled"},{"key":"c",`+
		`"title":"C","status":"in_review"}]}`)
	diff := compared(t, m, `{"project":"demo","tasks":[{"key":"d","title":"D"}]}`, ada)
	if !slices.Equal(diff.Unmentioned, []Ref{{Key: "c", ID: "demo-3"}}) {
		t.Errorf("unmentioned %v", diff.Unmentioned)
	}
}

func TestCompareClearsWhatIsGivenEmpty(t *testing.T) {
	for _, empty := range []string{
		`"parent":null,"deps":null,"priority":null,"severity":null,"due":null,"gate":null,"autonomy":null,"preferredActor":null,"mayExecute":null,` +
			`"touches":null,"criteria":null,"links":null,"body":null,"evidence":null,"status":null`,
		`"parent":"","deps":[],"priority":2,"severity":null,"due":"","gate":"","autonomy":"","preferredActor":"","mayExecute":[],"touches":[],"criteria":[],` +
			`"links":[],"body":"","evidence":[],"status":""`,
	} {
		m := applied(t, base, `{"project":"demo","tasks":[{"key":"b","title":"B",`+empty+`}]}`)
		want := &task.Task{ID: "demo-2", Project: "demo", Key: "b", Title: "B", Status: task.Open, Priority: 2, Version: 2, ApprovalEpoch: 1,
			CreatedBy: "ada", CreatedAt: m.task("b").CreatedAt, UpdatedAt: m.now}
		if d := cmp.Diff(want, m.task("b"), cmpopts.EquateEmpty()); d != "" {
			t.Error(d)
		}
	}
}

func TestCompareNamesEachChangeFromAndTo(t *testing.T) {
	m := applied(t, base)
	diff := compared(t, m, `{"project":"demo","name":"Demo","gates":{"more":["x"]},"tasks":[
		{"key":"new","title":"N"},
		{"key":"b","title":"B2","parent":"new","deps":["new","demo-3"],"priority":0,"criteria":["two","three"]},
		{"key":"c","title":"C","deps":[]}]}`, ada)
	if len(diff.Update) != 2 || len(diff.Create) != 1 {
		t.Fatalf("got %+v", diff)
	}
	u := diff.Update[0]
	want := map[string]task.Delta{
		"title":    {From: "B", To: "B2"},
		"parent":   {From: task.Opt("demo-1"), To: task.Opt("new")},
		"deps":     {From: []task.ID{"demo-1"}, To: []string{"demo-3", "new"}},
		"priority": {From: 1, To: 0},
		"criteria": {From: []task.Criterion{{Index: 1, Text: "one"}, {Index: 2, Text: "two"}},
			To: []task.Criterion{{Index: 1, Text: "two"}, {Index: 2, Text: "three"}}},
	}
	if d := cmp.Diff(want, u.Changes); d != "" {
		t.Error(d)
	}
	if u.NewParent != 1 || !slices.Equal(u.NewDeps, []int{0}) || u.After.Parent != "" || !slices.Equal(u.After.Deps, []task.ID{"demo-3"}) {
		t.Errorf("b is %+v", u)
	}
	if u.Before.Version != 1 || u.After.Version != 2 || u.After.UpdatedAt != m.now || u.After.ApprovalEpoch != 1 {
		t.Errorf("b is %+v", u.After)
	}
	if c := diff.Update[1]; c.After.ApprovalEpoch != 0 || c.After.Version != 2 {
		t.Errorf("other deps made an approval stale: %+v", c.After)
	}
	wantProject := map[string]task.Delta{
		"name":  {From: task.Opt(""), To: task.Opt("Demo")},
		"gates": {From: map[string][]string{"ship": {"ci"}}, To: map[string][]string{"ship": {"ci"}, "more": {"x"}}},
	}
	if d := cmp.Diff(wantProject, diff.ProjectChanges); d != "" || diff.ProjectCreated {
		t.Error(d)
	}
}

func TestCompareKeepsTicksByText(t *testing.T) {
	m := applied(t, base)
	m.task("b").Criteria[1] = task.Criterion{Index: 2, Text: "two", Checked: true, CheckedBy: "ada", CheckedAt: 7}
	diff := compared(t, m, `{"project":"demo","tasks":[{"key":"b","title":"B","criteria":["zero","two"]}]}`, ada)
	want := []task.Criterion{{Index: 1, Text: "zero"}, {Index: 2, Text: "two", Checked: true, CheckedBy: "ada", CheckedAt: 7}}
	if d := cmp.Diff(want, diff.Update[0].After.Criteria); d != "" {
		t.Error(d)
	}
	if diff := compared(t, m, base, ada); !diff.Empty() {
		t.Errorf("a tick is taken for a difference: %+v", diff)
	}
}

func TestCompareTakesLinksAndDepsAsSets(t *testing.T) {
	m := applied(t, base)
	diff := compared(t, m, `{"project":"demo","tasks":[
		{"key":"b","title":"B","links":[{"kind":"url","ref":"u"},{"kind":"doc","ref":"r"},{"kind":"url","ref":"u"}]},
		{"key":"c","title":"C","deps":["demo-2","a"]}]}`, ada)
	if !diff.Empty() {
		t.Errorf("got %+v", diff.Update)
	}
	diff = compared(t, m, `{"project":"demo","tasks":[{"key":"b","title":"B","links":[{"kind":"url","ref":"v"},{"kind":"url","ref":"v"}]}]}`, ada)
	if got := diff.Update[0].After.Links; !slices.Equal(got, []task.Link{{Kind: "url", Ref: "v"}}) {
		t.Errorf("got %v", got)
	}
}

func TestCompareAddsEvidenceOncePerKindAndValue(t *testing.T) {
	m := applied(t, base)
	diff := compared(t, m, `{"project":"demo","tasks":[{"key":"b","title":"B","evidence":[
		{"kind":"ci","value":"1","note":"again"},{"kind":"ci","value":"2"},{"kind":"ci","value":"2"},{"kind":"review","value":"1"}]}]}`, ada)
	u := diff.Update[0]
	want := []task.EvidenceItem{{Kind: "ci", Value: "2"}, {Kind: "review", Value: "1"}}
	if !slices.Equal(u.Evidence, want) || u.After != u.Before || len(u.Changes) != 0 {
		t.Errorf("got %+v", u)
	}
	if d := cmp.Diff(map[string]task.Delta{"evidence": {From: []task.EvidenceItem{}, To: want}}, u.Answer()); d != "" {
		t.Error(d)
	}
}

func TestCompareTakesTheStatusOfANewTaskAsGiven(t *testing.T) {
	m := applied(t, `{"project":"demo","tasks":[{"key":"a","title":"A","status":"done"},{"key":"b","title":"B","status":"in_review"}]}`)
	a, b := m.task("a"), m.task("b")
	if a.Status != task.Done || !a.Recorded || a.ClosedAt != m.now || a.ClosedBy != "ada" || a.DocStatus != task.Done {
		t.Errorf("a is %+v", a)
	}
	if b.Status != task.InReview || b.Recorded || b.ClosedAt != 0 || b.ClosedBy != "" {
		t.Errorf("b is %+v", b)
	}
}

func TestCompareDecidesStatusThreeWays(t *testing.T) {
	for _, c := range []struct {
		name            string
		doc, is, given  task.Status
		moveTo, docThen task.Status
		noted           bool
	}{
		{"given as before, later moves stay", task.Open, task.Done, task.Open, "", task.Open, false},
		{"given again, and it is there already", task.Open, task.Done, task.Done, "", task.Done, true},
		{"given again, and different: a transition", task.Open, task.InReview, task.Done, task.Done, task.Done, false},
		{"given for the first time, and different", "", task.InReview, task.Open, task.Open, task.Open, false},
		{"given for the first time, and the same", "", task.Open, task.Open, "", task.Open, true},
		{"not given", task.Open, task.Done, "", "", task.Open, false},
	} {
		t.Run(c.name, func(t *testing.T) {
			m := applied(t, `{"project":"demo","tasks":[{"key":"a","title":"A"}]}`)
			m.task("a").DocStatus, m.task("a").Status = c.doc, c.is
			diff := compared(t, m, `{"project":"demo","tasks":[{"key":"a","title":"A","status":"`+string(c.given)+`"}]}`, ada)
			after, moveTo := m.task("a"), task.Status("")
			if len(diff.Noted) > 0 {
				after = diff.Noted[0].After
			}
			if len(diff.Update) > 0 {
				after, moveTo = diff.Update[0].After, diff.Update[0].MoveTo
			}
			if moveTo != c.moveTo || after.DocStatus != c.docThen || after.Status != c.is || after.Version != 1 || (len(diff.Noted) > 0) != c.noted {
				t.Errorf("moves to %q, doc status %q: %+v", moveTo, after.DocStatus, diff)
			}
			if (len(diff.Unchanged) == 1) != (c.moveTo == "") {
				t.Errorf("unchanged %v", diff.Unchanged)
			}
			if c.moveTo != "" {
				if d := cmp.Diff(map[string]task.Delta{"status": {From: c.is, To: c.moveTo}}, diff.Update[0].Answer()); d != "" {
					t.Error(d)
				}
			}
		})
	}
}

func hold(m *memory, key, actor string, expires task.Time) {
	t := m.task(key)
	t.Status, t.Fence = task.InProgress, 1
	t.Claim = &task.Claim{Task: t.ID, Actor: actor, Fence: 1, ExpiresAt: expires}
}

func TestCompareNeverEndsAnothersClaim(t *testing.T) {
	plan := `{"project":"demo","tasks":[{"key":"a","title":"A"},{"key":"b","title":"B","status":"done"}]}`
	m := applied(t, base)
	hold(m, "b", "bob/2", 0)
	e := refused(t, m, plan, ada, fault.Declined) // though she is human
	if want := "tasks[1].status: demo-2 is held by bob/2 until it is released"; len(e.Missing) != 1 || e.Missing[0] != want {
		t.Errorf("got %q", e.Missing)
	}
	if diff := compared(t, m, plan, task.Actor{Name: "bob", Instance: "2"}); diff.Update[0].MoveTo != task.Done {
		t.Errorf("the holder cannot move it: %+v", diff)
	}
	_ = refused(t, m, plan, task.Actor{Name: "bob", Instance: "1"}, fault.Declined)
	hold(m, "b", "bob/2", m.now)
	if diff := compared(t, m, plan, ada); diff.Update[0].MoveTo != task.Done {
		t.Errorf("a claim that has lapsed prevents the move: %+v", diff)
	}
}

func TestCompareListsHeldTasksThatItTouches(t *testing.T) {
	m := applied(t, base)
	hold(m, "b", "bob", 0)
	hold(m, "c", "bob", 0)
	diff := compared(t, m, `{"project":"demo","tasks":[{"key":"b","title":"B!"},{"key":"c","title":"C"}]}`, ada)
	if !slices.Equal(diff.Held, []Ref{{Key: "b", ID: "demo-2"}}) {
		t.Errorf("held %v", diff.Held)
	}
}

func TestCompareDeclinesWhatAnAgentMayNotLoosen(t *testing.T) {
	loose := `{"project":"demo","gates":{"ship":[]},"tasks":[{"key":"b","title":"B","criteria":["two"],"gate":"","autonomy":"autonomous","mayExecute":[]}]}`
	m := applied(t, base)
	m.policy.DeclaresHuman = true
	e := refused(t, m, loose, robot, fault.Declined)
	for _, want := range []string{"gate ship: ", "tasks[0]: demo-2: criterion 1: one", "tasks[0]: demo-2: gate: ", "tasks[0]: demo-2: mayExecute: ",
		"tasks[0]: demo-2: autonomy: "} {
		if !slices.ContainsFunc(e.Missing, func(s string) bool { return strings.HasPrefix(s, want) }) {
			t.Errorf("%q does not name %q", e.Missing, want)
		}
	}
	if len(e.Missing) != 5 {
		t.Errorf("got %q", e.Missing)
	}
	if diff := compared(t, m, loose, ada); len(diff.Update) != 1 {
		t.Errorf("a human cannot loosen: %+v", diff)
	}
	m.policy.DeclaresHuman = false
	if diff := compared(t, m, loose, robot); len(diff.Update) != 1 {
		t.Errorf("an agent cannot loosen where no human is declared: %+v", diff)
	}
	m.policy.DeclaresHuman = true
	_ = refused(t, m, strings.Replace(loose, `"title":"B"`, `"title":"B","deps":["ghost"]`, 1), robot, fault.Invalid) // faults come first
	tight := `{"project":"demo","gates":{"ship":["ci","review"]},"tasks":[{"key":"b","title":"B","criteria":["one","two","three"],` +
		`"autonomy":"human_only"},{"key":"a","title":"A","gate":"ship"}]}`
	if diff := compared(t, m, tight, robot); len(diff.Update) != 2 {
		t.Errorf("an agent cannot tighten: %+v", diff)
	}
}

func TestCompareForgetsGatesGivenAsNull(t *testing.T) {
	m := applied(t, base)
	diff := compared(t, m, `{"project":"demo","gates":null,"tasks":[{"key":"a","title":"A"}]}`, ada)
	if diff.ProjectAfter == nil || len(diff.ProjectAfter.Gates) != 0 {
		t.Errorf("got %+v", diff.ProjectAfter)
	}
	if diff := compared(t, m, `{"project":"demo","gates":{},"tasks":[{"key":"a","title":"A"}]}`, ada); diff.ProjectAfter != nil {
		t.Errorf("the project changed although there is nothing to merge: %+v", diff.ProjectAfter)
	}
}

func TestCompareHoldsADocumentThatGoBuiltToTheSame(t *testing.T) {
	_, err := Compare(&Document{Project: "No Slug"}, State{}, ada)
	if !fault.Is(err, fault.Invalid) || len(fault.Of(err).Missing) != 2 {
		t.Errorf("got %v %q", err, missing(err))
	}
}

func TestCompareLeavesTheStateAsItIs(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		m := memory{now: 1}
		if _, err := m.apply(drawDocument(t), ada); err != nil {
			t.Fatal(err)
		}
		var before []task.Task
		for _, x := range m.tasks {
			before = append(before, *x)
		}
		doc := drawDocument(t)
		if _, err := Compare(doc, m.state(doc), ada); err != nil && !fault.Is(err, fault.Invalid) {
			t.Fatal(err)
		}
		for i, x := range m.tasks {
			if d := cmp.Diff(before[i], *x); d != "" {
				t.Fatal(d)
			}
		}
	})
}

// A document that was just applied changes nothing when it is applied again, whatever was applied before.
func TestApplyingTwiceWritesNothingTheSecondTime(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		m := memory{now: 1}
		for range rapid.IntRange(1, 4).Draw(t, "plans") {
			doc := drawDocument(t)
			before := len(m.tasks)
			first, err := m.apply(doc, ada)
			if fault.Is(err, fault.Invalid) {
				continue // a cycle with what was there
			}
			if err != nil {
				t.Fatal(err)
			}
			if got := len(first.Create) + len(first.Update) + len(first.Unchanged); got != len(doc.Tasks) {
				t.Fatalf("%d tasks of %d", got, len(doc.Tasks))
			}
			if len(m.tasks) != before+len(first.Create) {
				t.Fatal("not every created task is stored")
			}
			second, err := Compare(doc, m.state(doc), ada)
			if err != nil {
				t.Fatalf("%v %q", err, missing(err))
			}
			if !second.Empty() || len(second.Unchanged) != len(doc.Tasks) {
				t.Fatalf("the second time: %+v", second)
			}
			for i := range doc.Tasks {
				holds(t, &m, &doc.Tasks[i])
			}
		}
	})
}

// holds checks that a task is what the document said last.
func holds(t *rapid.T, m *memory, d *TaskDef) {
	got := m.task(d.Key)
	if got.Title != d.Title.Value {
		t.Fatalf("title %q, given %q", got.Title, d.Title.Value)
	}
	if d.Priority.Set && got.Priority != d.Priority.Value || d.Gate.Set && got.Gate != d.Gate.Value || d.Body.Set && got.Body != d.Body.Value {
		t.Fatalf("%+v, given %+v", got, d)
	}
	if d.Criteria.Set && !sameTexts(got.Criteria, d.Criteria.Value) {
		t.Fatalf("%+v, given %q", got.Criteria, d.Criteria.Value)
	}
	if d.Deps.Set {
		want := []task.ID{}
		for _, ref := range d.Deps.Value {
			want = append(want, m.task(ref).ID)
		}
		if !sameSet(once(want), got.Deps) {
			t.Fatalf("deps %v, given %v", got.Deps, want)
		}
	}
	if d.Parent.Set && d.Parent.Value != "" && got.Parent != task.Opt(m.task(string(d.Parent.Value)).ID) {
		t.Fatalf("parent %q, given %q", got.Parent, d.Parent.Value)
	}
	if d.Status.Value != "" && got.DocStatus != d.Status.Value {
		t.Fatalf("doc status %q, given %q", got.DocStatus, d.Status.Value)
	}
}
