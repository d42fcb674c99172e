package task_test

import (
	"slices"
	"strings"
	"testing"

	"tasker/internal/task"
	"tasker/internal/task/proven"
)

// watched returns the run of a command that printed a text, as it is recorded for criteria.
func watched(command, printed string, criteria ...string) proven.Run {
	list := make([]task.Criterion, len(criteria))
	for i, text := range criteria {
		list[i] = task.Criterion{Index: i + 1, Text: text}
	}
	r := run(command)
	w := proven.NewWatch(list)
	for part := range strings.SplitAfterSeq(printed, "s") { // in parts that end anywhere
		_, _ = w.Write([]byte(part))
	}
	w.Tell(&r)
	return r
}

func TestATestThatARunDoesNotNameIsInDoubt(t *testing.T) {
	const goes = "ok  \tx/ledger\t0.002s\n"
	for _, c := range []struct{ name, command, printed, criterion, doubt string }{
		{"no test is named", "make test", goes, "the ledger takes the file", ""},
		{"words that are no names", "make test", goes, "Testing is done, Tests pass, test_ too, MyTestX, mytest_x", ""},
		{"it is not in the output", "make test", goes, "the ledger takes it (TestAgainstLedger passes)",
			"neither its output nor its command names TestAgainstLedger: `go test -v -run TestAgainstLedger ./...` would leave no doubt"},
		{"the output names it", "make test", "=== RUN   TestAgainstLedger\n--- PASS: TestAgainstLedger (0.00s)\n" + goes, "TestAgainstLedger passes", ""},
		{"the command names it", "go test -run TestAgainstLedger ./...", goes, "TestAgainstLedger passes", ""},
		{"both name another", "go test -run TestAgainst ./...", "--- PASS: TestAgainstLedgers (0.00s)\n" + goes, "TestAgainstLedger passes", "names TestAgainstLedger"},
		{"it was skipped", "go test -v -run TestAgainstLedger ./...", "--- PASS: TestB (0.00s)\n--- SKIP: TestAgainstLedger (0.00s)\n" + goes, "TestAgainstLedger passes",
			"its output says that TestAgainstLedger was skipped: `go test"},
		{"a part of it was skipped", "go test -v", "    --- SKIP: TestAgainstLedger/live (0.00s)\n--- PASS: TestAgainstLedger (0.00s)\n" + goes, "TestAgainstLedger passes", ""},
		{"skipped, as JSON", "go test -json", `{"Time":"t","Action":"skip","Package":"p","Test":"TestA"}` + "\n", "TestA passes", "TestA was skipped"},
		{"in colour", "make test", "\x1b[32mTestA\x1b[0m passes\n", "TestA passes", ""},
		{"the last word, without a line's end", "make test", "passes: TestA", "TestA passes", ""},
		{"in a line that goes on for ever", "make test", strings.Repeat("x ", 1000) + "TestA" + strings.Repeat(" x", 1000), "TestA passes", ""},
		{"within a word that goes on for ever", "make test", strings.Repeat("x", 1000) + "TestA", "TestA passes", "names TestA"},
		{"pytest", "pytest", "collected 2 items\ntests/test_ledger.py ..\n=== 2 passed in 0.10s ===\n", "test_rates and test_ledger",
			"neither its output nor its command names test_rates: `pytest -v -k test_rates` would leave no doubt"},
		{"pytest, skipped", "pytest -v", "a.py::test_b PASSED [ 50%]\na.py::test_a[x] SKIPPED (no ledger) [100%]\n=== 1 passed, 1 skipped in 0.10s ===\n", "test_a and test_b", "test_a was skipped"},
		{"unittest, skipped", "python3 -m unittest -v", "test_a (m.T.test_a) ... skipped 'no ledger'\n", "test_a passes", "test_a was skipped"},
		{"cargo, ignored", "make", "test t::test_b ... ok\ntest t::test_a ... ignored, slow\ntest result: ok. 1 passed; 0 failed; 1 ignored; 0 measured; 0 filtered out; finished in 0.00s\n", "test_a",
			"test_a was skipped: `cargo test test_a` would leave no doubt"},
		{"jest, skipped", "npx jest --verbose", "  ○ skipped the ledger (test_a)\n  ✓ test_b (1 ms)\nTests:       1 skipped, 1 passed, 2 total\n", "test_a, test_b", "test_a was skipped: `npx jest --verbose -t test_a`"},
		{"vitest, skipped", "npx vitest run", "   ↓ test_a\n   ✓ test_b\n      Tests  1 passed | 1 skipped (2)\n", "test_a", "test_a was skipped: `npx vitest run"},
		{"several", "go test", goes, "TestA, TestB, TestC, TestD and TestE", "names TestA, TestB, TestC and 2 more: `go test -v -run 'TestA|TestB|TestC' ./...`"},
		{"go runs no test of that name", "go test", goes, "test_a", "names test_a"},
	} {
		r := watched(c.command, c.printed, c.criterion)
		got := proven.Doubt(r, c.criterion)
		if (c.doubt == "") != (got == "") || !strings.Contains(got, c.doubt) {
			t.Errorf("%s: the doubt is %q, and not %q", c.name, got, c.doubt)
		}
		value, err := proven.Run{Command: r.Command, Runner: r.Runner, Passed: r.Passed, Skipped: r.Skipped, Tests: r.Tests, Output: strings.Repeat("0", 64)}.Value()
		if kept, ok := proven.Parse(value); err != nil || !ok || proven.Doubt(kept, c.criterion) != got {
			t.Errorf("%s: the record %s says otherwise (%v)", c.name, value, err)
		}
	}
	if got := proven.Doubt(run("make test"), "TestA passes"); got != "its output was not searched for TestA" {
		t.Errorf("of a run that was not searched the doubt is %q", got)
	}
}

func TestARunCountsWhatItsRunnerCounts(t *testing.T) {
	for _, c := range []struct{ command, printed, words, idle string }{
		{"go test", "ok  \tx/y\t0.002s\n", "", ""},
		{"go test -v", "--- PASS: TestA (0.00s)\n    --- PASS: TestA/a (0.00s)\n--- SKIP: TestB (0.00s)\nok  \tx/y\t0.002s\n", ", 1 passed, 1 skipped", ""},
		{"go test -v", "--- SKIP: TestB (0.00s)\nPASS\nok  \tx/y\t0.002s\n", ", 0 passed, 1 skipped", "--- SKIP: TestB (0.00s)"},
		{"go test -v", "--- SKIP: TestB (0.00s)\nPASS\nok  \tx/y\t0.002s\nok  \tx/z\t0.002s\n", ", 0 passed, 1 skipped", ""},
		{"go test -json", `{"Action":"pass","Package":"p","Test":"TestA"}` + "\n" + `{"Action":"pass","Package":"p"}` + "\n", ", 1 passed", ""},
		{"go test -json", `{"Action":"skip","Package":"p","Test":"TestA"}` + "\n" + `{"Action":"output","Package":"p","Output":"ok  \tp\t0.0s\n"}` + "\n", ", 0 passed, 1 skipped", `{"Action":"skip","Package":"p","Test":"TestA"}`},
		{"pytest", "======== 3 passed, 2 skipped, 1 warning in 0.12s (0:00:01) ========\n", ", 3 passed, 2 skipped", ""},
		{"pytest -q", "2 skipped in 0.12s\n", ", 0 passed, 2 skipped", "2 skipped in 0.12s"},
		{"cargo test", "running 2 tests\ntest result: ok. 1 passed; 0 failed; 1 ignored; 0 measured; 0 filtered out; finished in 0.00s\ntest result: ok. 4 passed; 0 failed; 0 ignored; 0 measured; 0 filtered out\n", ", 5 passed, 1 skipped", ""},
		{"cargo test", "running 2 tests\ntest result: ok. 0 passed; 0 failed; 2 ignored; 0 measured; 0 filtered out\n", ", 0 passed, 2 skipped", "test result: ok. 0 passed; 0 failed; 2 ignored; 0 measured; 0 filtered out"},
		{"jest", "Tests:       1 skipped, 3 passed, 4 total\n", ", 3 passed, 1 skipped", ""},
		{"jest", "Tests:       4 skipped, 4 total\n", ", 0 passed, 4 skipped", "Tests:       4 skipped, 4 total"},
		{"vitest", " Test Files  1 passed (1)\n      Tests  3 passed | 1 skipped (4)\n", ", 3 passed, 1 skipped", ""},
		{"vitest", " Test Files  1 skipped (1)\n      Tests  4 skipped (4)\n", ", 0 passed, 4 skipped", "      Tests  4 skipped (4)"},
		{"vitest", strings.Repeat("      Tests  999999999 passed (999999999)\n", 20), ", 1000000000 passed", ""},
	} {
		r := watched(c.command, c.printed)
		if said := strings.TrimPrefix(r.Facts(), "0s"); !strings.HasPrefix(said, c.words) || c.words == "" && said != "" || r.Idle != c.idle {
			t.Errorf("%s printing %q: it says %q, and idle %q", c.command, c.printed, said, r.Idle)
		}
	}
}

func TestOnlySoManyTestsAreLookedFor(t *testing.T) {
	var long []task.Criterion
	for range 30 {
		long = append(long, task.Criterion{Text: "TestA" + strings.Repeat("x", 200) + " TestB test_c"})
	}
	if got := proven.Tests(long); !slices.Equal(got, []string{"TestB", "test_c"}) {
		t.Errorf("looked for are %q", got)
	}
	many := ""
	for i := range 100 {
		many += " Test_" + strings.Repeat("x", i)
	}
	if got := len(proven.Tests([]task.Criterion{{Text: many}})); got != 50 {
		t.Errorf("%d tests are looked for", got)
	}
	if got := proven.Doubt(run("make"), long[0].Text); len(got) > 300 {
		t.Errorf("the doubt has %d bytes: %s", len(got), got)
	}
}
