package fault_test

import (
	"testing"

	"tasker/internal/fault"
)

func TestAHintSaysItsCallsInAnyLanguage(t *testing.T) {
	call := fault.Call{Op: "show", Command: "show demo-1"}
	e := fault.Bad("no").WithHint("at %d%% look (%s), then %q: %s", 5, call, "a%b", call)
	if want := `at 5% look (tasker show demo-1), then "a%b": tasker show demo-1`; e.Hint != want {
		t.Errorf("%s, want %s", e.Hint, want)
	}
	other := func(c fault.Call) string { return "<" + c.Op + ">" }
	if want := `at 5% look (<show>), then "a%b": <show>`; e.HintIn(other) != want {
		t.Errorf("%s, want %s", e.HintIn(other), want)
	}
	more := e.AndHint(fault.Text{{Text: "and more"}})
	if want := `at 5% look (<show>), then "a%b": <show>; and more`; more.HintIn(other) != want || e.HintIn(other) == want {
		t.Errorf("%s, want %s", more.HintIn(other), want)
	}
	if said := fault.Decline("no").WithHint("%s", "100%").HintIn(other); said != "100%" {
		t.Error(said)
	}
	if said := fault.Decline("no").WithHintOf(more, "; end").HintIn(other); said != more.HintIn(other)+"; end" {
		t.Error(said)
	}
}

func TestAHintIsWordedForItsReader(t *testing.T) {
	call := fault.Call{Op: "answer", Command: "answer 7 TEXT"}
	text := fault.Parts("look, or %s%s", fault.ByHuman("demo", fault.Have("answer it"), "answer it (%s)", call), fault.ByHuman("demo", "", "; force it"))
	if got := text.In(fault.Call.String); got != "look, or answer it (tasker answer 7 TEXT); force it" {
		t.Error(got)
	}
	for reader, want := range map[fault.Reader]string{
		{Humans: "ann"}:                     "look, or answer it (tasker answer 7 TEXT); force it",
		{Agent: true, Humans: "ann or bob"}: "look, or have ann or bob answer it",
	} {
		e := fault.Decline("no").WithParts(text)
		if project, ok := e.HumansOf(); !ok || project != "demo" {
			t.Errorf("it is about the humans of %q", project)
		}
		e.For(reader)
		if _, ok := e.HumansOf(); ok || e.Hint != want {
			t.Errorf("%+v reads %q, want %q", reader, e.Hint, want)
		}
	}
}
