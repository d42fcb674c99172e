package plan

import (
	"errors"
	"fmt"
	"slices"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
	"pgregory.net/rapid"

	"tasker/internal/fault"
	"tasker/internal/task"
)

func defined(t *testing.T, src string) *TaskDef {
	t.Helper()
	_, def, err := DecodeTask([]byte(src))
	if err != nil {
		t.Fatalf("%v %q", err, missing(err))
	}
	return def
}

func edited(t *testing.T, src string) *Edit {
	t.Helper()
	e, err := DecodeEdit([]byte(src))
	if err != nil {
		t.Fatalf("%v %q", err, missing(err))
	}
	return e
}

func TestNewMakesTheTaskThatApplyWouldMake(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		m := memory{now: 1}
		if _, err := m.apply(drawDocument(t), ada); err != nil {
			t.Fatal(err)
		}
		d := drawDocument(t).Tasks[0]
		d.Key = "fresh"
		byNew, errNew := d.New(m.scene(robot))
		doc := &Document{Project: "demo", Tasks: []TaskDef{d}}
		byApply, errApply := Compare(doc, m.state(doc), robot)
		if (errNew == nil) != (errApply == nil) {
			t.Fatalf("new: %v, apply: %v", errNew, errApply)
		}
		if errNew != nil {
			return
		}
		circles, err := Rewire(nil, byNew.Task, m.wires().ties())
		if err != nil || fmt.Sprint(circles.Marks) != fmt.Sprint(byApply.Circles) {
			t.Fatalf("%v are marked by new, %v by apply, %v", circles.Marks, byApply.Circles, err)
		}
		byNew.Task.InCircle = circles.New
		if diff := cmp.Diff(byApply.Create[0], *byNew); diff != "" {
			t.Fatal(diff)
		}
	})
}

func TestNewNeedsNoKeyAndNamesEveryFault(t *testing.T) {
	m := applied(t, base)
	c, err := defined(t, `{"title":"T","deps":["c","demo-1","c"],"parent":"b","evidence":[{"kind":"ci","value":"1"},{"kind":"ci","value":"1"}]}`).
		New(m.scene(robot))
	if err != nil {
		t.Fatal(err)
	}
	if c.Task.Key != "" || c.Task.ID != "" || c.Task.Parent != "demo-2" || !slices.Equal(c.Task.Deps, []task.ID{"demo-1", "demo-3"}) || len(c.Evidence) != 1 {
		t.Errorf("got %+v", c)
	}
	_, err = defined(t, `{"key":"demo-9","title":"T","parent":"demo-9","deps":["ghost"]}`).New(m.scene(robot))
	want := []string{
		`parent: "demo-9" is the task itself`,
		`deps[0]: "ghost" is neither a key nor an id of demo`,
	}
	if d := cmp.Diff(want, missing(err)); d != "" || !fault.Is(err, fault.Invalid) {
		t.Error(d)
	}
	if _, err := (&TaskDef{}).New(m.scene(robot)); !fault.Is(err, fault.Invalid) {
		t.Errorf("without a title: %v", err)
	}
}

func TestEditChangesWhatIsGiven(t *testing.T) {
	m := applied(t, base)
	before := m.task("b")
	before.Criteria[1].Checked = true
	_, _, err := edited(t, `{"title":"B2","body":"","addDeps":["c"],"removeDeps":["a","demo-3x"],`+
		`"addCriteria":["three","two"],"removeCriteria":["one"]}`).Apply(before, m.scene(ada))
	if !fault.Is(err, fault.Invalid) || !slices.Equal(missing(err), []string{`removeDeps[1]: "demo-3x" is neither a key nor an id of demo`}) {
		t.Fatalf("got %v %q", err, missing(err))
	}
	after, changes, err := edited(t, `{"title":"B2","body":"","addDeps":["c"],"removeDeps":["a"],`+
		`"addCriteria":["three","two"],"removeCriteria":["one"]}`).Apply(before, m.scene(ada))
	if err != nil {
		t.Fatal(err)
	}
	want := map[string]task.Delta{
		"title": {From: "B", To: "B2"},
		"body":  {From: task.Opt("text"), To: task.Opt("")},
		"deps":  {From: []task.ID{"demo-1"}, To: []task.ID{"demo-3"}},
		"criteria": {From: before.Criteria, To: []task.Criterion{
			{Index: 1, Text: "two", Checked: true}, {Index: 2, Text: "three"},
		}},
	}
	if d := cmp.Diff(want, changes); d != "" {
		t.Error(d)
	}
	if after.Version != before.Version+1 || after.UpdatedAt != m.now || after.ApprovalEpoch != 1 || after.HasBody || before.Title != "B" {
		t.Errorf("got %+v", after)
	}
}

func TestEditThatChangesNothingGivesTheTaskItself(t *testing.T) {
	m := applied(t, base)
	before := m.task("b")
	after, changes, err := edited(t, `{"title":"B","deps":["demo-1","a"],"addDeps":["a"],"removeDeps":["c"],"addCriteria":["one"],"parent":"a"}`).
		Apply(before, m.scene(ada))
	if err != nil || after != before || len(changes) != 0 {
		t.Errorf("got %+v %v %v", after, changes, err)
	}
}

func TestEditNamesEveryFault(t *testing.T) {
	m := applied(t, base)
	_, _, err := edited(t, `{"parent":"b","deps":["demo-2"],"addDeps":["ghost"],"removeCriteria":["tow","one"]}`).Apply(m.task("b"), m.scene(ada))
	want := []string{
		`removeCriteria[0]: no criterion reads "tow"; did you mean "two"?`,
		`parent: "b" is the task itself`,
		`deps[0]: "demo-2" is the task itself`,
		`addDeps[0]: "ghost" is neither a key nor an id of demo`,
	}
	if d := cmp.Diff(want, missing(err)); d != "" || !fault.Is(err, fault.Invalid) {
		t.Error(d)
	}
}

func TestEditDeclinesWhatAnAgentMayNotLoosen(t *testing.T) {
	m := applied(t, base)
	m.policy.DeclaresHuman = true
	edit := edited(t, `{"removeCriteria":["one"],"gate":null}`)
	_, _, err := edit.Apply(m.task("b"), m.scene(robot))
	if got := missing(err); !fault.Is(err, fault.Declined) || len(got) != 2 || got[0] != "criterion 1: one" || !strings.HasPrefix(got[1], "gate: ") {
		t.Errorf("got %v %q", err, got)
	}
	if _, _, err := edit.Apply(m.task("b"), m.scene(ada)); err != nil {
		t.Errorf("a human is refused: %v", err)
	}
}

func TestEditBoundsWhatItAddsUpTo(t *testing.T) {
	m := applied(t, base)
	e := &Edit{}
	for i := range task.MaxListed - 1 {
		e.AddCriteria = append(e.AddCriteria, fmt.Sprint("x", i))
	}
	_, _, err := e.Apply(m.task("b"), m.scene(ada))
	if !fault.Is(err, fault.Invalid) || missing(err)[0] != "addCriteria: would make 1001 criteria, and 1000 is the most" {
		t.Errorf("got %v", err)
	}
	large := func(n int) (out []string) {
		for i := range n {
			out = append(out, fmt.Sprintf("%d%s", i, strings.Repeat("x", task.MaxItem-2)))
		}
		return out
	}
	_, _, err = (&Edit{AddCriteria: large(70)}).Apply(m.task("b"), m.scene(ada))
	if !fault.Is(err, fault.Invalid) || missing(err)[0] != "addCriteria: must take at most 256 KiB in all, and takes 274" {
		t.Errorf("got %v", err)
	}
	b := m.task("b")
	for i, text := range large(60) {
		b.Criteria = append(b.Criteria, task.Criterion{Index: i + 1, Text: "b" + text[1:]})
	}
	_, _, err = (&Edit{AddCriteria: large(10)}).Apply(b, m.scene(ada))
	if !fault.Is(err, fault.Invalid) || !strings.HasPrefix(missing(err)[0], "addCriteria: would make criteria of 274 KiB in all, and 256 is the most") {
		t.Errorf("got %v %q", err, missing(err))
	}
}

func TestErrorsOfFindPass(t *testing.T) {
	m := applied(t, base)
	scene, lost := m.scene(ada), errors.New("lost")
	scene.Find = func(string) (task.ID, error) { return "", lost }
	if _, err := defined(t, `{"title":"T","deps":["a"]}`).New(scene); !errors.Is(err, lost) {
		t.Errorf("new: %v", err)
	}
	if _, _, err := edited(t, `{"parent":"a"}`).Apply(m.task("b"), scene); !errors.Is(err, lost) {
		t.Errorf("edit: %v", err)
	}
}
