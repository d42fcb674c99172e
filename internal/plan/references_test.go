package plan

import (
	"slices"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
	"pgregory.net/rapid"

	"tasker/internal/fault"
	"tasker/internal/task"
	"tasker/internal/task/query"
)

func TestCompareListsEveryFaultAcrossTasks(t *testing.T) {
	m := applied(t, base)
	e := refused(t, m, `{"project":"demo","tasks":[
		{"key":"a","title":"A","deps":["nobody","self-ish","bb"]},
		{"key":"new","title":"N","parent":"new","deps":["demo-4","demo-33"]},
		{"key":"new","title":"N again","deps":["nowhere"]},
		{"key":"x","title":"X","deps":["y"]},
		{"key":"y","title":"Y","deps":["x"],"parent":"z"},
		{"key":"z","title":"Z","parent":"y"}]}`, ada, fault.Invalid)
	want := []string{
		`tasks[2].key: "new" is the key of tasks[1] already`,
		`tasks[0].deps[0]: "nobody" is neither a key nor an id here`,
		`tasks[0].deps[1]: "self-ish" is neither a key nor an id here`,
		`tasks[0].deps[2]: "bb" is neither a key nor an id here; did you mean b?`,
		`tasks[1].parent: "new" is the task itself`,
		`tasks[1].deps[0]: "demo-4" is neither a key nor an id here; did you mean demo-1?`,
		`tasks[1].deps[1]: "demo-33" is neither a key nor an id here; did you mean demo-3?`,
		`tasks[2].deps[0]: "nowhere" is neither a key nor an id here`,
		`a cycle through deps: x -> y -> x wait for each other`,
		`a cycle through parents: y -> z -> y are each other's parents`,
	}
	if d := cmp.Diff(want, e.Missing); d != "" {
		t.Error(d)
	}
	if e.Message != "the plan is not valid: 10 faults" {
		t.Errorf("message %q", e.Message)
	}
}

func TestCompareFindsCyclesThroughWhatIsStored(t *testing.T) {
	m := applied(t, base) // c waits for b, b for a and is part of it
	e := refused(t, m, `{"project":"demo","tasks":[{"key":"a","title":"A","deps":["n"],"parent":"n"},`+
		`{"key":"n","title":"N","deps":["c"],"parent":"b"}]}`, ada, fault.Invalid)
	want := []string{
		`a cycle through deps: a -> n -> c -> a wait for each other`,
		`a cycle through parents: a -> n -> b -> a are each other's parents`,
	}
	if d := cmp.Diff(want, e.Missing); d != "" {
		t.Error(d)
	}
	// The same document is sound where it takes the stored edges away.
	compared(t, m, `{"project":"demo","tasks":[{"key":"a","title":"A","deps":["n"]},{"key":"n","title":"N","deps":["c"]},{"key":"b","title":"B",`+
		`"deps":[]},{"key":"c","title":"C","deps":["b"]}]}`, ada)
}

func TestCompareCutsALongCycle(t *testing.T) {
	var tasks []string
	for i := range 100 {
		tasks = append(tasks, `{"key":"k`+two(i)+`","title":"K","deps":["k`+two((i+1)%100)+`"]}`)
	}
	e := refused(t, &memory{}, `{"project":"demo","tasks":[`+strings.Join(tasks, ",")+`]}`, ada, fault.Invalid)
	if len(e.Missing) != 1 || !strings.HasPrefix(e.Missing[0], "a cycle through deps: k00 -> k01 -> ") ||
		!strings.HasSuffix(e.Missing[0], " -> k17 -> … -> k99 -> k00 wait for each other") {
		t.Errorf("got %q", e.Missing)
	}
}

func TestCompareResolvesKeysOfTheDocumentFirstThenKeysThenIDs(t *testing.T) {
	// The third task's key is the id that it has; the others are found by key or id.
	m := applied(t, `{"project":"demo","tasks":[{"key":"a","title":"A"},{"key":"b","title":"B"}]}`)
	m.tasks = append(m.tasks, &task.Task{ID: "demo-3", Project: "demo", Key: "demo-3", Title: "C", Status: task.Open, Priority: 2, Version: 1})
	diff := compared(t, m, `{"project":"demo","tasks":[{"key":"demo-3","title":"C"},{"key":"b","title":"B","deps":["demo-3","demo-1"],"parent":"a"},`+
		`{"key":"d","title":"D","deps":["b"]}]}`, ada)
	if u := diff.Update[0]; !slices.Equal(u.After.Deps, []task.ID{"demo-1", "demo-3"}) || u.After.Parent != "demo-1" {
		t.Errorf("b is %+v", u.After)
	}
	if c := diff.Create[0]; !slices.Equal(c.Task.Deps, []task.ID{"demo-2"}) {
		t.Errorf("d is %+v", c.Task)
	}
}

func TestCompareWarnsOfCirclesOfMoreThanTwo(t *testing.T) {
	const document = `{"project":"demo","tasks":[{"key":"a","title":"A"},{"key":"b","title":"B","parent":"a"},{"key":"c","title":"C",` +
		`"parent":"b","deps":["a"]},{"key":"d","title":"D","deps":["a"]},{"key":"e","title":"E","parent":"d","deps":["d"]}]}`
	want := []string{"b is no part of a: b → c → a is a circle", "c is no part of b: c → a → b is a circle"}
	diff := compared(t, &memory{}, document, ada)
	if !slices.Equal(diff.Warnings, want) {
		t.Errorf("got %q", diff.Warnings)
	}
	m := applied(t, document)
	if diff := compared(t, m, `{"project":"demo","tasks":[{"key":"d","title":"D"}]}`, ada); len(diff.Warnings) > 0 || len(diff.Circles) > 0 {
		t.Errorf("of tasks that the document leaves out: %q, %v", diff.Warnings, diff.Circles)
	}
	if diff := compared(t, m, `{"project":"demo","tasks":[{"key":"b","title":"B"}]}`, ada); !slices.Equal(diff.Warnings, want) {
		t.Errorf("of stored relations: %q", diff.Warnings)
	}
	diff = compared(t, m, `{"project":"demo","tasks":[{"key":"c","title":"C","deps":[]}]}`, ada)
	if marks := []query.CircleMark{{Child: "demo-2"}, {Child: "demo-3"}}; len(diff.Warnings) > 0 || !slices.Equal(diff.Circles, marks) {
		t.Errorf("without the dependency: %q, %v", diff.Warnings, diff.Circles)
	}
}

func TestTheMarksOfApplyAgreeWithReachability(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		m := &memory{now: 1}
		for range rapid.IntRange(1, 4).Draw(t, "documents") {
			if _, err := m.apply(drawDocument(t), ada); err != nil && !fault.Is(err, fault.Invalid) {
				t.Fatal(err)
			}
			w := m.wires()
			for _, one := range m.tasks {
				if want := one.Parent != "" && w.leads(one.ID, task.ID(one.Parent), true, true); one.InCircle != want {
					t.Fatalf("%s stands in a circle with %s: %v, marked %v", one.ID, one.Parent, want, one.InCircle)
				}
			}
		}
	})
}

func TestCompareWarnsOfAGateThatIsDefinedNowhere(t *testing.T) {
	m := &memory{policy: task.Policy{Gates: map[string][]string{"configured": nil}}}
	plan := `{"project":"demo","gates":{"own":[]},"tasks":[{"key":"a","title":"A","gate":"configured"},{"key":"b","title":"B","gate":"own"},{"key":"c",` +
		`"title":"C","gate":"ghost"},{"key":"d","title":"D","gate":"ghost"}]}`
	want := []string{"gate ghost is defined nowhere; until it is, c, d cannot be done"}
	if diff := compared(t, m, plan, ada); !slices.Equal(diff.Warnings, want) {
		t.Errorf("got %q", diff.Warnings)
	}
	if _, err := m.apply(decoded(t, plan), ada); err != nil {
		t.Fatal(err)
	}
	diff := compared(t, m, `{"project":"demo","tasks":[{"key":"b","title":"B"},{"key":"d","title":"D"}]}`, ada)
	if !slices.Equal(diff.Warnings, []string{"gate ghost is defined nowhere; until it is, d cannot be done"}) {
		t.Errorf("got %q", diff.Warnings)
	}
}

func TestFaultsOfADocumentInItselfAndAgainstWhatIsStoredAreListedTogether(t *testing.T) {
	doc, err := Read([]byte(`{"project": "demo", "colour": 1, "tasks": [{"key": "a", "title": "A", "priority": 9, "deps": ["nothing"]}, {"key": "a", ` +
		`"title": ""}]}`))
	if err != nil {
		t.Fatal(err)
	}
	_, err = Compare(doc, State{Now: 1}, ada)
	if !fault.Is(err, fault.Invalid) {
		t.Fatalf("it was answered with %v", err)
	}
	all := strings.Join(missing(err), "\n")
	for _, want := range []string{"colour", "tasks[0].priority", "tasks[1].title", "tasks[0].deps[0]", "tasks[1].key"} {
		if !strings.Contains(all, want) {
			t.Errorf("%s is not named in:\n%s", want, all)
		}
	}
	again, err := doc.Marshal()
	if err != nil {
		t.Fatal(err)
	}
	if _, err := Decode(again); !fault.Is(err, fault.Invalid) {
		t.Errorf("sent on, it was read with %v", err)
	}
}
