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
