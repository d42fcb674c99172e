package task_test

import (
	"strings"
	"testing"

	"tasker/internal/task"
	"tasker/internal/task/proven"
)

func TestACriterionThatBeginsWithADollarAndABlankIsACommand(t *testing.T) {
	for _, c := range []struct {
		text, line string
		command    bool
		bad        string
	}{
		{"$ go test ./...", "go test ./...", true, ""},
		{"$  make test  # all of them", "make test", true, ""},
		{"$ grep -c ' # ' notes # has three", "grep -c ' # ' notes", true, ""},
		{`$ grep -c " # \" # " notes`, `grep -c " # \" # " notes`, true, ""},
		{`$ grep -c \" # that is a quote`, `grep -c \"`, true, ""},
		{"$ make # one # two", "make # one", true, ""},
		{"$ make #all", "make #all", true, ""},
		{"$ make # don't ask", "make", true, ""},
		{"$ echo 'open # end", "echo 'open # end", true, ""},
		{"the bill is $ 5", "", false, ""},
		{"$5 is the price", "", false, ""},
		{" $ make", "", false, ""},
		{"first\nsecond", "", false, ""},
		{"$ ", "", true, "there is none after it"},
		{"$ # for readers alone", "", true, "there is none after it"},
		{"$  # for readers alone", "", true, "there is none after it"},
		{"$ make\nmake test", "make\nmake test", true, "one line"},
		{"$ make # for\nreaders", "make", true, "one line"},
		{"$ make\u2028test", "make\u2028test", true, "one line"},
		{"$ " + strings.Repeat("x", task.MaxKind-2) + " # and more", strings.Repeat("x", task.MaxKind-2), true, ""},
		{"$ " + strings.Repeat("x", task.MaxKind-1), strings.Repeat("x", task.MaxKind-1), true, "at most 200"},
	} {
		line, ok := task.Criterion{Text: c.text}.Line()
		why := task.BadCriterion(c.text)
		if ok != c.command || ok && line != c.line || (why == "") != (c.bad == "") || !strings.Contains(why, c.bad) {
			t.Errorf("%q: the line is %q (%t), and the check says %q", c.text, line, ok, why)
		}
	}
}

// TestARunShowsTheCommandOfACriterion runs the same line, in the same words, elsewhere, and another.
func TestARunShowsTheCommandOfACriterion(t *testing.T) {
	for _, c := range []struct {
		name, text, doubt string
		run               proven.Run
	}{
		{"the line", "$ make | tee log # all", "", proven.Run{Line: "make | tee log", Dir: "."}},
		{"words of a plain line", "$ go test ./a", "", proven.Run{Command: []string{"go", "test", "./a"}, Dir: "."}},
		{"outside a repository", "$ go test ./a", "", proven.Run{Line: "go test ./a"}},
		{"words of a line for a shell", "$ go test ./a | tee log", "asks for `go test ./a | tee log`", proven.Run{Command: []string{"go", "test", "./a", "|", "tee", "log"}}},
		{"in another directory", "$ go test ./a", "ran in sub, and", proven.Run{Line: "go test ./a", Dir: "sub"}},
		{"another", "$ go test ./a", "`true` ran, and the criterion asks for `go test ./a`", proven.Run{Line: "true", Dir: "."}},
		{"more than it", "$ go test ./a", "asks for", proven.Run{Line: "go test ./a || true", Dir: "."}},
		{"one that tested nothing", "$ go test ./a", "tested nothing", proven.Run{Line: "go test ./a", Dir: ".", Idle: "no tests"}},
	} {
		c.run.Output = strings.Repeat("0", 64)
		got := proven.NotShown(c.run, c.text, "Run `other things` too.", nil)
		if (c.doubt == "") != (got == "") || !strings.Contains(got, c.doubt) {
			t.Errorf("%s: the doubt is %q, and not %q", c.name, got, c.doubt)
		}
		value, err := c.run.Value()
		if err != nil {
			t.Fatal(err)
		}
		on, err := proven.BasisOf(task.Evidence{ID: 1, Value: value}, task.Criterion{Text: c.text})
		if shows := c.doubt == "" || c.run.Idle != ""; err != nil || (on.Rests == task.RestsOnRun) != shows {
			t.Errorf("%s: it rests on %q (%v)", c.name, on.Rests, err)
		}
	}
}
