package task_test

import (
	"slices"
	"strings"
	"testing"

	"tasker/internal/task"
	"tasker/internal/task/proven"
)

var sum = strings.Repeat("0", 64)

// value returns the record of a run.
func value(t *testing.T, r proven.Run) string {
	t.Helper()
	r.Output = sum
	v, err := r.Value()
	if err != nil {
		t.Fatal(err)
	}
	return v
}

func TestARunMeetsAGateWhoseCommandItRan(t *testing.T) {
	const asked = "$ go test ./..."
	for _, c := range []struct {
		name  string
		asked string
		dir   string // of the gate
		run   proven.Run
		fits  bool
		meets bool
	}{
		{"the line", asked, ".", proven.Run{Line: "go test ./...", Dir: "."}, true, true},
		{"the line, with blanks around it", "$  go test ./... ", ".", proven.Run{Line: " go test ./...", Dir: "."}, true, true},
		{"another line", asked, ".", proven.Run{Line: "go test  ./...", Dir: "."}, false, false},
		{"the words", asked, ".", proven.Run{Command: []string{"go", "test", "./..."}, Dir: "."}, true, true},
		{"more words", asked, ".", proven.Run{Command: []string{"go", "test", "-run", "None", "./..."}, Dir: "."}, false, false},
		{"the words in one", asked, ".", proven.Run{Command: []string{"go test ./..."}, Dir: "."}, false, false},
		{"another program", asked, ".", proven.Run{Command: []string{"true"}, Dir: "."}, false, false},
		{"words of a line that a shell reads differently", "$ go test ./... | tee log", ".", proven.Run{Command: []string{"go", "test", "./...", "|", "tee", "log"}, Dir: "."}, false, false},
		{"a line that a shell reads differently", "$ go test ./... | tee log", ".", proven.Run{Line: "go test ./... | tee log", Dir: "."}, true, true},
		{"failed", asked, ".", proven.Run{Line: "go test ./...", Dir: ".", ExitCode: 1}, false, false},
		{"elsewhere", asked, ".", proven.Run{Line: "go test ./...", Dir: "sub"}, true, false},
		{"outside a repository", asked, ".", proven.Run{Line: "go test ./..."}, true, false},
		{"anywhere, for a gate of the database", asked, "", proven.Run{Line: "go test ./...", Dir: "sub"}, true, true},
		{"a kind that is not a command", "tests", "", proven.Run{Line: "tests"}, true, false},
	} {
		items := []task.Evidence{{Kind: c.asked, Value: value(t, c.run)}}
		if got := c.run.Meets(c.asked, c.dir); got != c.meets {
			t.Errorf("%s: Meets says %t", c.name, got)
		}
		if got := proven.Accepts(c.asked, items[0].Value); got != c.fits {
			t.Errorf("%s: Accepts says %t", c.name, got)
		}
		if got := proven.Types(c.asked, items[0].Value); got == c.fits {
			t.Errorf("%s: Types says %t", c.name, got)
		}
		counted := proven.Counted(proven.Asked{Gate: []string{c.asked}, Dir: c.dir}, nil, items).Kinds
		if got := slices.Contains(counted, c.asked); got != c.meets {
			t.Errorf("%s: it counts: %t", c.name, got)
		}
	}
}

func TestWhatIsTypedMeetsNoCommand(t *testing.T) {
	const asked = "$ make test"
	ran := value(t, proven.Run{Line: "make test", Dir: "."})
	for _, c := range []struct {
		name  string
		items []task.Evidence
		want  []string
	}{
		{"nothing", nil, nil},
		{"typed", []task.Evidence{{Kind: asked, Value: "all pass"}}, nil},
		{"a run of another kind", []task.Evidence{{Kind: "tests", Value: ran}}, []string{"tests"}},
		{"a run of another command, and typed", []task.Evidence{{Kind: "$ make lint", Value: ran}, {Kind: "log", Value: "x"}}, []string{"log", asked}},
		{"run", []task.Evidence{{Kind: asked, Value: "typed"}, {Kind: asked, Value: ran}}, []string{asked}},
	} {
		var kinds []string
		for _, e := range c.items {
			kinds = append(kinds, e.Kind)
		}
		if got := proven.Counted(proven.Asked{Gate: []string{asked, "log"}, Dir: "."}, kinds, c.items).Kinds; !slices.Equal(got, c.want) {
			t.Errorf("%s: %q count, and not %q", c.name, got, c.want)
		}
	}
	if !proven.Accepts("tests", "all pass") || proven.Accepts(asked, "all pass") || proven.Accepts("$ true", ran) {
		t.Error("a value is typed where it has to be run, or the other way round")
	}
}

func TestARunFromBeforeDirectoriesIsStillRead(t *testing.T) {
	old := `{"command":["go","test"],"exitCode":0,"durationMs":12,"commit":"` + strings.Repeat("a", 40) + `","tree":null,"dirty":false,"outputSha256":"` + sum + `","outputBytes":3}`
	r, ok := proven.Parse(old)
	if !ok || r.Words() != "go test, 12ms, on commit aaaaaaaaaaaa" || r.Dir != "" {
		t.Errorf("it reads as %+v (%t)", r, ok)
	}
	for _, bad := range []string{"", "ok", "{}", `{"line":"x","command":["x"],"dir":null,"exitCode":0,"durationMs":1,"commit":null,"tree":null,"dirty":false,"outputSha256":"` + sum + `","outputBytes":0}`} {
		if _, ok := proven.Parse(bad); ok {
			t.Errorf("%q reads as a run", bad)
		}
	}
}

func TestAKindThatOnlyLooksLikeACommandIsTyped(t *testing.T) {
	run := value(t, proven.Run{Line: "make"})
	for kind, typed := range map[string]bool{
		"$ make": false, "$  make ": false, "tests": false, "$5": true, "$make": true, "＄ make": true, "US$ 5": false, "a $ b": false,
		" $ make": true, "$\u00a0make": true, "\u200b$ make": true, "$\u200b make": true, "\u2003$ make": true,
	} {
		if got := proven.Types(kind, run); got != typed {
			t.Errorf("Types(%q) = %t", kind, got)
		}
	}
}
