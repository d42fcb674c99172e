package task_test

import (
	"slices"
	"strings"
	"testing"

	"tasker/internal/task"
	"tasker/internal/task/proven"
)

func run(line string) proven.Run { return proven.Run{Command: strings.Fields(line)} }

func TestARunOfAGateMayShowWhatNamesNoOtherCommand(t *testing.T) {
	gate := []string{"review", "$ make test", "$ make test lint"}
	for _, c := range []struct {
		criterion, body string
		want            bool
	}{
		{"it works", "", true},
		{"`make test` passes", "", true},
		{"`make lint` passes", "", false},
		{"it works", "Run `make deploy` first.", false},
		{"`make test` passes", "Run `make deploy` first.", true},
	} {
		if got := proven.MayShow(gate, c.criterion, c.body); got != c.want {
			t.Errorf("%q of a task that says %q: %t", c.criterion, c.body, got)
		}
	}
}

func TestARunShowsWhatItsTaskNames(t *testing.T) {
	tests := []proven.Run{run("go test ./a"), run("go test ./b"), run("/usr/bin/go vet")}
	for _, c := range []struct {
		name            string
		run             proven.Run
		criterion, body string
		earlier         []proven.Run
		doubt           string
	}{
		{"nothing is named, nothing was run before", run("true"), "it works", "", nil, ""},
		{"the command of the criterion", run("go test ./slug -v"), "`go test ./slug` passes", "", nil, ""},
		{"typed with quotes", proven.Run{Command: []string{"python3", "-c", "print(1)"}}, "`python3 -c 'print(1)'` passes", "", nil, ""},
		{"quoted differently", proven.Run{Command: []string{"go", "test", "-run", "A|B"}}, "`go test  -run \"A|B\"` passes", "", nil, ""},
		{"within a shell", run("sh -c cd x && go test ./slug"), "`go test ./slug` passes", "", nil, ""},
		{"another than that of the criterion", run("true"), "`go test ./slug` passes", "", nil, "`true` ran, and the task names `go test ./slug`"},
		{"another than that of the body", run("true"), "it works", "Run `make test` at the end.", nil, "the task names `make test`"},
		{"the criterion's goes before the body's", run("go test ./x"), "`go test ./x` passes", "Run `make test`.", tests, ""},
		{"what is not a command", run("true"), "`slugify('a b')` gives `a-b`; see `Make` and `x = 1`", "", nil, ""},
		{"another program than three times before", run("true"), "it works", "", tests, "3 earlier runs of this kind here were another command"},
		{"another program than twice before", run("true"), "it works", "", tests[:2], ""},
		{"the same program on other files", run("go test ./c"), "it works", "", tests, ""},
	} {
		got := proven.NotShown(c.run, c.criterion, c.body, c.earlier)
		if (c.doubt == "") != (got == "") || !strings.Contains(got, c.doubt) {
			t.Errorf("%s: the doubt is %q, and not %q", c.name, got, c.doubt)
		}
	}
}

func TestTheNewestItemOfAKindSaysWhetherItWasRun(t *testing.T) {
	value, err := proven.Run{Command: []string{"go", "test"}, Output: strings.Repeat("0", 64)}.Value()
	if err != nil {
		t.Fatal(err)
	}
	items := []task.Evidence{{Kind: "tests", Value: value}, {Kind: "lint", Value: "OK"}, {Kind: "lint", Value: value}, {Kind: "commit", Value: "c0ffee"}, {Kind: "tests", Value: "OK"}}
	if got := proven.Typed([]string{"lint", "tests", "commit", "other", "tests"}, items); !slices.Equal(got, []string{"tests"}) {
		t.Errorf("typed are %q, and not the tests alone", got)
	}
}
