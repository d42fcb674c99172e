package agents

import (
	"strings"
	"testing"
)

// TestACarelessWorkerClosesNothingBroken works as somebody does who means no harm and looks at nothing twice: it proves and then
// goes on editing, leans on what it ran before a return and a reopening, and on what somebody else ran. It is told each time what
// does not count, and closes once it has proved the files as they are.
func TestACarelessWorkerClosesNothingBroken(t *testing.T) {
	l := newWorld(t, liarFile)
	l.file(l.dir, "check.sh", "grep -q good build.txt\n")
	l.file(l.dir, "build.txt", "good")
	l.as("ann", `{"project": "demo", "tasks": [{"key": "a", "title": "A", "gate": "tested", "criteria": ["it works"], "touches": ["build.txt"]},
		{"key": "b", "title": "B", "gate": "tested"}]}`, "apply", "-f", "-")
	l.as("liar", "", "claim", "a")
	stays := func(says string, code int, words ...string) {
		t.Helper()
		if said, ended := l.try(l.dir, "liar", "", words...); ended != code || !strings.Contains(said, says) {
			t.Errorf("%v ends with %d, and not %d with %q: %s", words, ended, code, says, said)
		}
		if status := l.as("ann", "", "show", "a", "--jq", ".task.status"); status == "done\n" {
			t.Fatalf("%v closes it", words)
		}
	}
	missing := func(why string) string { return "evidence " + gateKind + " (" + why + ")" }
	closes := func() {
		t.Helper()
		l.as("liar", "", "done", "a", "--prove", "--check", "1")
		if status := l.as("ann", "", "show", "a", "--jq", ".task.status"); status != "done\n" {
			t.Fatalf("what holds is %s", status)
		}
	}

	l.as("liar", "", "prove", "a", "--check", "1")
	l.file(l.dir, "build.txt", "bad")
	stays(missing("stale: build.txt changed since"), declined, "done", "a")
	stays(missing("stale: build.txt changed since"), declined, "done", "a", "--force")
	stays("", 1, "done", "a", "--prove")
	l.as("liar", "", "claim", "b")
	l.file(l.dir, "build.txt", "good")
	closes()

	l.as("ann", "", "reopen", "a")
	l.as("liar", "", "claim", "a")
	l.as("liar", "", "uncheck", "a", "1")
	l.as("liar", "", "check", "a", "1", "--seen", "it looks fine")
	stays(missing("before the reopening"), declined, "done", "a")
	l.as("liar", "", "prove", "a")
	l.as("liar", "", "review", "a")
	l.as("ann", "", "return", "a", "--because", "no test")
	l.as("bob", "", "claim", "a")
	l.as("bob", "", "prove", "a")
	l.as("bob", "", "release", "a")
	l.as("liar", "", "claim", "a")
	stays(missing("run by bob"), declined, "done", "a")
	closes()
}
