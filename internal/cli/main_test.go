package cli_test

import (
	"bytes"
	"context"
	"fmt"
	"path/filepath"
	"strings"
	"testing"
	"time"
	"unicode/utf8"

	"tasker/internal/app"
	"tasker/internal/cli"
	"tasker/internal/cli/frame"
)

// here is where commands run: a directory with a database and, if wanted, a terminal.
type here struct {
	dir string
	tty bool
	env map[string]string
}

// run runs one command line in this process.
func (h here) run(t *testing.T, stdin string, args ...string) (code int, stdout, stderr string) {
	t.Helper()
	var out, err bytes.Buffer
	code = cli.Main(frame.Process{
		Args: args, Dir: h.dir, Stdin: strings.NewReader(stdin), Stdout: &out, Stderr: &err,
		OutTTY: h.tty, ErrTTY: h.tty, Width: func() int { return 44 },
		Env: func(name string) (string, bool) {
			if name == "TASKER_DB" {
				return filepath.Join(h.dir, "tasker.db"), true
			}
			v, ok := h.env[name]
			return v, ok
		},
		Now: time.Now, User: func() string { return "me" }, Host: func() string { return "here" }, Environ: func() []string { return nil },
		Stop: func(ctx context.Context, _ time.Duration) (context.Context, context.CancelFunc) {
			return context.WithCancel(ctx)
		},
	}, app.CommandLine())
	return code, out.String(), err.String()
}

const evilPlan = `{"project": "demo", "tasks": [
	{"key": "long", "title": "A title that is far too long for a terminal of this width"},
	{"key": "evil", "title": "\u009b2J\u202e"}]}`

func planned(t *testing.T) here {
	t.Helper()
	h := here{dir: t.TempDir()}
	if code, _, stderr := h.run(t, evilPlan, "apply", "-f", "-"); code != 0 {
		t.Fatalf("apply ended with %d: %s", code, stderr)
	}
	return h
}

func TestATableFitsANarrowTerminalAndIsWholeElsewhere(t *testing.T) {
	h := planned(t)
	_, whole, _ := h.run(t, "", "list")
	if !strings.Contains(whole, "A title that is far too long for a terminal of this width") || strings.Contains(whole, "\x1b") {
		t.Errorf("output that goes to no terminal is cut or coloured:\n%s", whole)
	}
	h.tty = true
	h.env = map[string]string{"NO_COLOR": "1"}
	_, narrow, _ := h.run(t, "", "list")
	for line := range strings.Lines(narrow) {
		if utf8.RuneCountInString(strings.TrimSuffix(line, "\n")) > 44 {
			t.Errorf("a line is wider than the terminal: %q", line)
		}
	}
	if !strings.Contains(narrow, "…") {
		t.Errorf("a cut title has no ellipsis:\n%s", narrow)
	}
}

func TestColoursAreOursAlone(t *testing.T) {
	h := planned(t)
	_, coloured, _ := h.run(t, "", "list", "--color", "always")
	if !strings.Contains(coloured, "\x1b[1mdemo-1\x1b[0m") {
		t.Errorf("no colours:\n%q", coloured)
	}
	if strings.ContainsAny(coloured, "\u009b\u202e") || !strings.Contains(coloured, `\x9b2J\u202e`) {
		t.Errorf("stored text reaches the terminal unescaped: %q", coloured)
	}
}

func TestJSONIsTheSameTextOnATerminalAndHarmlessThere(t *testing.T) {
	h := planned(t)
	_, piped, _ := h.run(t, "", "show", "evil", "--json")
	h.tty = true
	_, shown, _ := h.run(t, "", "show", "evil", "--json")
	if !strings.Contains(piped, "\u009b2J\u202e") {
		t.Errorf("piped JSON changes the text: %q", piped)
	}
	if strings.ContainsAny(shown, "\u009b\u202e") || !strings.Contains(shown, `\u009b2J\u202e`) {
		t.Errorf("JSON on a terminal is not escaped: %q", shown)
	}
}

func TestAFaultIsOnStandardErrorAndStandardOutputStaysEmpty(t *testing.T) {
	h := planned(t)
	for _, c := range []struct {
		args []string
		code int
	}{
		{[]string{"show", "demo-9"}, 4},
		{[]string{"nonsense"}, 2},
		{[]string{"list", "--nonsense"}, 2},
		{[]string{"move", "demo-1", "nowhere"}, 2},
		{[]string{"approve", "demo-1"}, 3},
		{[]string{"edit", "demo-1", "--title", "x", "--expected-version", "7"}, 5},
	} {
		for _, args := range [][]string{c.args, append([]string{"--json"}, c.args...)} {
			code, stdout, stderr := h.run(t, "", args...)
			if code != c.code || stdout != "" || stderr == "" {
				t.Errorf("%q ended with %d (want %d), said %q and %q", args, code, c.code, stdout, stderr)
			}
			if args[0] == "--json" && (!strings.HasPrefix(stderr, `{"error":"`) || strings.Count(stderr, "\n") != 1) {
				t.Errorf("%q: standard error is not one JSON object: %s", args, stderr)
			}
		}
	}
}

func TestQuietSaysOnlyWhatWasAskedFor(t *testing.T) {
	h := planned(t)
	for _, args := range [][]string{{"claim", "demo-1"}, {"note", "demo-1", "x"}, {"done", "demo-1"}, {"add", "more"}, {"edit", "demo-2", "--priority", "1"}} {
		code, stdout, stderr := h.run(t, "", append(args, "--quiet")...)
		if code != 0 || stdout+stderr != "" {
			t.Errorf("%q --quiet ended with %d and said %q %q", args, code, stdout, stderr)
		}
	}
	if _, stdout, _ := h.run(t, "", "show", "demo-1", "--quiet"); !strings.Contains(stdout, "demo-1") {
		t.Error("show --quiet prints nothing")
	}
}

func TestNoTableIsWiderThanANarrowTerminal(t *testing.T) {
	h := here{dir: t.TempDir(), tty: true, env: map[string]string{"NO_COLOR": "1", "TASKER_ACTOR": "a-rather-long-name"}}
	for _, args := range [][]string{{"apply", "-f", "-"}, {"claim", "look"}} {
		if code, _, stderr := h.run(t, `{"project": "demo", "tasks": [{"key": "look", "title": "Look at all of it with care"},
			{"key": "wait", "title": "It waits for what is looked at", "deps": ["look"]}]}`, args...); code != 0 {
			t.Fatal(stderr)
		}
	}
	for _, name := range []string{"board", "work", "machine", "estate", "list", "ready", "bottlenecks", "overview --all", "graph look"} {
		_, out, _ := h.run(t, "", strings.Fields(name)...)
		for line := range strings.Lines(out) {
			if n := len([]rune(strings.TrimRight(line, "\n"))); n > 44 && strings.Contains(line, "demo-") && !strings.Contains(line, "tasker ") {
				t.Errorf("tasker %s: a line takes %d of 44 columns: %q", name, n, line)
			}
		}
	}
}

func TestATerminalShowsFiftyAndAPipeAll(t *testing.T) {
	h := here{dir: t.TempDir(), env: map[string]string{"NO_COLOR": "1"}}
	var plan strings.Builder
	plan.WriteString(`{"project": "demo", "tasks": [{"key": "k0", "title": "T"}`)
	for i := 1; i < 60; i++ {
		fmt.Fprintf(&plan, `, {"key": "k%d", "title": "T"}`, i)
	}
	if code, _, stderr := h.run(t, plan.String()+"]}", "apply", "-f", "-"); code != 0 {
		t.Fatalf("apply ended with %d: %s", code, stderr)
	}
	for _, c := range []struct {
		line  string
		shown int
		says  string
	}{
		{"ready", 50, "50 of 60 ready, by severity, sprint, due, priority, rank, age; 10 more: tasker list --ready --all"},
		{"board", 50, "and 10 more: tasker list --status open"},
		{"work", 50, "Ready: 60, the first 50 (10 more)"},
		{"ready --limit 55", 55, "5 more"}, {"board --limit 55", 55, "5 more"}, {"work --limit 55", 55, "(5 more)"},
	} {
		args := strings.Fields(c.line)
		h.tty = false
		if _, text, _ := h.run(t, "", args...); len(args) == 1 && rows(text) != 60 {
			t.Errorf("%s shows %d tasks in a pipe:\n%s", c.line, rows(text), text)
		}
		h.tty = true
		if _, n, _ := h.run(t, "", append(args, "--jq", "[.tasks, .frontier, .columns[0].tasks] | map(length) | max")...); len(args) == 1 && strings.TrimSpace(n) != "60" {
			t.Errorf("%s --json has %s tasks", c.line, n)
		}
		if _, text, _ := h.run(t, "", args...); rows(text) != c.shown || !strings.Contains(text, c.says) {
			t.Errorf("%s shows %d tasks on a terminal, and does not say %q:\n%s", c.line, rows(text), c.says, text)
		}
	}
}

// rows counts the lines that begin with the id of a task.
func rows(text string) (n int) {
	for line := range strings.Lines(text) {
		if strings.HasPrefix(strings.TrimSpace(line), "demo-") {
			n++
		}
	}
	return n
}
