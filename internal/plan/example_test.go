package plan

import (
	"strings"
	"testing"

	"tasker/internal/task"
)

func TestExampleShowsWhatAPlanCanSay(t *testing.T) {
	doc := decoded(t, string(Example()))
	diff, err := Compare(doc, State{Now: 1}, ada)
	if err != nil {
		t.Fatalf("%v %q", err, missing(err))
	}
	if len(diff.Create) < 12 || len(diff.Warnings) > 0 {
		t.Errorf("%d tasks, warnings %q", len(diff.Create), diff.Warnings)
	}
	shown := map[string]bool{}
	ready := 0
	for _, c := range diff.Create {
		for name, has := range map[string]bool{
			"body": c.Task.Body != "", "parent": c.NewParent > 0, "deps": len(c.NewDeps) > 0, "severity": c.Task.Severity > 0, "due": c.Task.Due != "",
			"gate": c.Task.Gate != "", "human_only": c.Task.Autonomy == task.Opt(task.HumanOnly), "supervised": c.Task.Autonomy == task.Opt(task.Supervised),
			"preferredActor": c.Task.PreferredActor != "", "mayExecute": len(c.Task.MayExecute) > 0, "touches": len(c.Task.Touches) > 0,
			"criteria": len(c.Task.Criteria) > 0, "links": len(c.Task.Links) > 0, "done": c.Task.Status == task.Done, "evidence": len(c.Evidence) > 0,
		} {
			shown[name] = shown[name] || has
		}
		waits := false
		for _, d := range c.NewDeps {
			waits = waits || !diff.Create[d].Task.Status.Closed()
		}
		if !waits && c.Task.Status == task.Open && len(c.Task.MayExecute) == 0 {
			ready++
		}
	}
	for name, is := range shown {
		if !is {
			t.Errorf("the example has no %s", name)
		}
	}
	if ready < 2 {
		t.Errorf("%d tasks can be started by anyone: too few to try it with", ready)
	}
}

func TestTheExampleSaysTheSameAsYAML(t *testing.T) {
	doc, err := ReadYAML(ExampleYAML())
	if err == nil {
		err = doc.Check()
	}
	if err != nil {
		t.Fatalf("%v %q", err, missing(err))
	}
	got, err := doc.Marshal()
	if err != nil {
		t.Fatal(err)
	}
	want, err := decoded(t, string(Example())).Marshal()
	if err != nil {
		t.Fatal(err)
	}
	if string(got) != string(want) {
		t.Errorf("as YAML it says\n%s\nas JSON\n%s", got, want)
	}
	if first, _, _ := strings.Cut(string(ExampleYAML()), "\n"); first != "# yaml-language-server: $schema=./plan.schema.json" {
		t.Errorf("it begins with %q", first)
	}
}
