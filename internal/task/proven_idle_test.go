package task_test

import (
	"strings"
	"testing"

	"tasker/internal/task/proven"
)

func TestARunnerThatRanNoTestSaysSo(t *testing.T) {
	for _, c := range []struct{ name, printed, idle string }{
		{"go, no test matches", "testing: warning: no tests to run\nPASS\nok  \tx/y\t0.002s [no tests to run]\n", "testing: warning: no tests to run"},
		{"go, none matches anywhere", "ok  \tx/a\t0.002s [no tests to run]\n?   \tx/b\t[no test files]\n", "ok  \tx/a\t0.002s [no tests to run]"},
		{"go, without test files", "?   \tx/b\t[no test files]\n", "?   \tx/b\t[no test files]"},
		{"go, cached and none", "ok  \tx/a\t(cached) [no tests to run]", "ok  \tx/a\t(cached) [no tests to run]"},
		{"go, one of two packages", "ok  \tx/a\t0.002s [no tests to run]\nok  \tx/b\t0.102s\n", ""},
		{"go, with coverage", "?   \tx/b\t[no test files]\nok  \tx/a\t(cached)\tcoverage: 81.0% of statements\n", ""},
		{"cargo", "running 0 tests\n\ntest result: ok. 0 passed; 0 failed; 0 ignored\n", "running 0 tests"},
		{"cargo, and doc tests", "running 3 tests\ntest result: ok. 3 passed; 0 failed\nrunning 0 tests\ntest result: ok. 0 passed; 0 failed\n", ""},
		{"pytest", "collected 0 items\n\n===== no tests ran in 0.01s =====\n", "collected 0 items"},
		{"pytest, some", "collected 10 items\n===== 10 passed in 0.01s =====\n", ""},
		{"unittest", "Ran 0 tests in 0.000s\n\nOK\n", "Ran 0 tests in 0.000s"},
		{"unittest, some", "Ran 1 test in 0.000s\n\nOK\n", ""},
		{"jest", "No tests found, exiting with code 0\n", "No tests found, exiting with code 0"},
		{"vitest", "No test files found, exiting with code 0\n", "No test files found, exiting with code 0"},
		{"jest, some", "Tests:       2 skipped, 4 passed, 6 total\n", ""},
		{"mocha", "\n  0 passing (1ms)\n", "  0 passing (1ms)"},
		{"mocha, some", "\n  20 passing (1ms)\n", ""},
		{"node", "# tests 0\n# pass 0\n", "# tests 0"},
		{"node, some", "ℹ tests 2\nℹ pass 2\n", ""},
		{"TAP", "1..0\n", "1..0"},
		{"rspec", "0 examples, 0 failures\n", "0 examples, 0 failures"},
		{"maven", "[INFO] Tests run: 0, Failures: 0\n", "[INFO] Tests run: 0, Failures: 0"},
		{"phpunit", "No tests executed!\n", "No tests executed!"},
		{"deno", "ok | 0 passed | 0 failed (1ms)\n", "ok | 0 passed | 0 failed (1ms)"},
		{"deno, some", "ok | 30 passed | 0 failed (1ms)\n", ""},
		{"what is not a runner", "it passes\n", ""},
		{"nothing", "", ""},
		{"a line that goes on for ever", strings.Repeat("running 0 tests ", 1000) + "\n", ""},
	} {
		whole, bytewise := &proven.Watch{}, &proven.Watch{}
		_, _ = whole.Write([]byte(c.printed))
		for i := range len(c.printed) {
			_, _ = bytewise.Write([]byte{c.printed[i]})
		}
		if a, b := whole.Idle(), bytewise.Idle(); a != c.idle || b != c.idle {
			t.Errorf("%s: it says %q, and %q byte by byte, and not %q", c.name, a, b, c.idle)
		}
	}
}

func TestTheTailIsShortAndVisible(t *testing.T) {
	for _, c := range []struct{ name, text, want string }{
		{"nothing", "\n\n", ""},
		{"short", "one\ntwo\n", "one\ntwo"},
		{"hidden", "a\u202eb\x1b[31mc\r\n", "ab[31mc"},
		{"too many lines", strings.Repeat("x\n", 30), strings.TrimSuffix(strings.Repeat("x\n", 20), "\n")},
		{"too long a line", strings.Repeat("é", 2000), strings.Repeat("é", 1024)},
		{"too many bytes", strings.Repeat("a", 2000) + "\n" + strings.Repeat("b", 2000), strings.Repeat("b", 2000)},
	} {
		if got := proven.Tail(c.text); got != c.want {
			t.Errorf("%s: the tail is %q, and not %q", c.name, got, c.want)
		}
	}
}
