package agents

import (
	"errors"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"strings"
	"testing"

	"tasker/internal/testkit/dbtest"
)

// manualPlan has a task that can be closed after two ticks, and one that is ready next to it.
const manualPlan = `{"project": "demo", "tasks": [
	{"key": "a", "title": "A", "gate": "ship", "criteria": ["one", "two", "three"]}, {"key": "b", "title": "B"}]}`

// manualGate declares its gate here, so that prove runs what it asks for.
const manualGate = `{"version": 1, "project": "demo", "gates": {"ship": ["tests", "$ true"]}}`

// code runs a command and returns its exit code.
func (p *place) code(args ...string) int {
	p.Helper()
	cmd := p.command(args...)
	cmd.Stderr = nil
	err := cmd.Run()
	var ended *exec.ExitError
	if err != nil && !errors.As(err, &ended) {
		p.Fatal(err)
	}
	return cmd.ProcessState.ExitCode()
}

// newcomer returns a place whose agent holds demo-1, has ticked one of its criteria, and has evidence for its gate.
func newcomer(t *testing.T) *place {
	t.Helper()
	dir := t.TempDir()
	p := &place{T: t, db: filepath.Join(dir, "tasker.db"), dir: dir}
	if err := os.WriteFile(filepath.Join(dir, "plan.json"), []byte(manualPlan), 0o600); err != nil {
		t.Fatal(err)
	}
	if err := os.WriteFile(filepath.Join(dir, ".tasker.json"), []byte(manualGate), 0o600); err != nil {
		t.Fatal(err)
	}
	p.output("apply", "-f", "plan.json", "--quiet")
	p.output("claim", "demo-1", "--quiet")
	p.output("check", "demo-1", "3", "--quiet")
	p.output("evidence", "demo-1", "--kind", "tests", "--value", "12 passed", "--quiet")
	p.output("prove", "demo-1", "--quiet")
	return p
}

// copied returns a copy of a place, with its database.
func (p *place) copied(t *testing.T) *place {
	t.Helper()
	dir := filepath.Join(t.TempDir(), "copy")
	if err := os.CopyFS(dir, os.DirFS(p.dir)); err != nil {
		t.Fatal(err)
	}
	return &place{T: t, db: filepath.Join(dir, "tasker.db"), dir: dir}
}

// typed returns a command of the manual as somebody types it.
func typed(command string) []string {
	switch command {
	case "tasker claim ID":
		return []string{"claim", "demo-2"} // demo-1 is held already
	case "tasker edit ID":
		return []string{"edit", "demo-1", "--title", "words"} // without a flag it opens an editor
	case "tasker COMMAND --help":
		return []string{"next", "--help"}
	}
	said := strings.NewReplacer("ID", "demo-1", "N…", "1", "K=V", "tests=12", "K", "tests", "V", "12", "CMD", "true", "FILE", "plan.json",
		"TEXT", "words", "TITLE", "words", "QUERY", "words", "STATUS", "in_review", "30m", "1ms").Replace(strings.TrimPrefix(command, "tasker "))
	return strings.Fields(said)
}

// TestTheManualSaysWhatCommandsDo types every command that the manual and its short form name, each in a place of its own, and
// provokes each exit code that they mention.
func TestTheManualSaysWhatCommandsDo(t *testing.T) {
	p := newcomer(t)
	manual, short := p.output("prime"), p.output("prime", "--short")
	commands := regexp.MustCompile("`(tasker [^`]+)`").FindAllStringSubmatch(manual+short, -1)
	if len(commands) < 30 {
		t.Fatalf("the manual names %d commands:\n%s%s", len(commands), manual, short)
	}
	done := map[string]bool{}
	for _, m := range commands {
		if command := m[1]; !done[command] {
			done[command] = true
			t.Run(command, func(t *testing.T) {
				want := 0
				if strings.Contains(command, "ask ") && strings.Contains(command, "--wait") {
					want = 7 // nobody answers within that time
				}
				if got := p.copied(t).code(typed(command)...); got != want {
					t.Errorf("%s, typed as %v, ends with %d, want %d", command, typed(command), got, want)
				}
			})
		}
	}
	for _, said := range []string{
		"0 done, 2 invalid, 3 declined, 4 not found, 5 conflict (read again), 7 nothing to do (a `wait` that ran out of time).",
		"`next` that finds nothing ends with 0, with `--exit-code` with 7.",
	} {
		if !strings.Contains(manual, said) {
			t.Errorf("the manual does not say %q:\n%s", said, manual)
		}
	}
	p.output("claim", "demo-2", "--quiet")
	for _, c := range []struct {
		code int
		args string
	}{
		{2, "move demo-1 nowhere"}, {3, "done demo-1"}, {4, "show demo-99"}, {5, "move demo-1 open --expected-version 99"},
		{0, "next --claim"}, {7, "next --claim --exit-code"}, {7, "wait --for work --timeout 1ms"},
	} {
		if got := p.code(strings.Fields(c.args)...); got != c.code {
			t.Errorf("tasker %s ends with %d, want %d", c.args, got, c.code)
		}
	}
}

// The instructions of the tools name only tools and arguments that exist.
func TestTheInstructionsNameToolsThatThereAre(t *testing.T) {
	p := &place{T: t, db: dbtest.SQLite(t), dir: t.TempDir()}
	c := p.local()
	tools, err := c.ListTools(t.Context(), nil)
	if err != nil {
		t.Fatal(err)
	}
	arguments := map[string]object{}
	all := object{}
	for _, tool := range tools.Tools {
		arguments[tool.Name], _ = dig(tool.InputSchema, "properties").(object)
		for name := range arguments[tool.Name] {
			all[name] = true
		}
	}
	text := c.InitializeResult().Instructions
	for _, m := range regexp.MustCompile(`tasker_\w+`).FindAllString(text, -1) {
		if arguments[m] == nil {
			t.Errorf("there is no tool %s:\n%s", m, text)
		}
	}
	for _, m := range regexp.MustCompile(`(\w+): (true|done|work)\b`).FindAllStringSubmatch(text, -1) {
		if all[m[1]] == nil {
			t.Errorf("no tool takes %s:\n%s", m[1], text)
		}
	}
	for tool, names := range map[string][]string{
		"tasker_next": {"leaseMs", "apart", "resume"}, "tasker_claim": {"leaseMs"}, "tasker_move": {"expectedVersion", "next", "check", "note"},
	} {
		for _, name := range names {
			if arguments[tool][name] == nil {
				t.Errorf("the schema of %s does not have %s", tool, name)
			}
		}
	}
}
