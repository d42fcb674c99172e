package cli_test

import (
	"bytes"
	"context"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"tasker/internal/app"
	"tasker/internal/cli"
	"tasker/internal/cli/frame"
)

const walkConfig = `{
	"version": 1, "project": "demo", "gates": {"ship": []},
	"execution": {"reviewPolicy": {"ship": [{"role": "lead", "reason": "it ships"}]}},
	"actors": [{"name": "robot", "kind": "agent"}, {"name": "ann", "kind": "human", "roles": ["lead"]}]
}`

const walkPlan = `{"project": "demo", "tasks": [
	{"key": "ship", "title": "Ship it", "gate": "ship"},
	{"key": "look", "title": "Look at it"},
	{"key": "free", "title": "Free to take"},
	{"key": "forced", "title": "Forced", "criteria": ["It is tested"]}]}`

// waiting sets up a project in which four things wait for ann, and returns a function that runs a command on a terminal
// there.
func waiting(t *testing.T) func(actor, typed string, args ...string) string {
	t.Helper()
	dir := t.TempDir()
	if err := os.WriteFile(filepath.Join(dir, ".tasker.json"), []byte(walkConfig), 0o644); err != nil {
		t.Fatal(err)
	}
	run := func(actor, typed string, args ...string) string {
		t.Helper()
		env := map[string]string{"TASKER_DB": filepath.Join(dir, "tasker.db"), "TASKER_ACTOR": actor, "NO_COLOR": "1"}
		var out, problem bytes.Buffer
		code := cli.Main(frame.Process{
			Args: args, Dir: dir, Stdin: strings.NewReader(typed), Stdout: &out, Stderr: &problem,
			InTTY: true, OutTTY: true, ErrTTY: true, Width: func() int { return 80 },
			Env: func(name string) (string, bool) { v, ok := env[name]; return v, ok },
			Now: time.Now, User: func() string { return "me" }, Host: func() string { return "here" }, Environ: func() []string { return nil },
			Stop: func(ctx context.Context, _ time.Duration) (context.Context, context.CancelFunc) {
				return context.WithCancel(ctx)
			},
		}, app.CommandLine())
		if code != 0 {
			t.Fatalf("%s ended with %d: %s", strings.Join(args, " "), code, problem.String())
		}
		return out.String() + problem.String()
	}
	run("robot", walkPlan, "apply", "-f", "-")
	run("robot", "", "review", "ship")
	run("robot", "", "review", "look")
	run("robot", "", "ask", "free", "Which one?", "--blocking")
	run("robot", "", "done", "forced", "--force")
	return run
}

func TestAWalkThroughTheInboxApprovesSendsBackAnswersAndPutsAway(t *testing.T) {
	run := waiting(t)
	// x is not one of the choices; an empty reason is refused, and asked for again.
	out := run("ann", "x\na\nb\n\nb\nno test\nw\nthe red one\na\n", "inbox", "--walk")
	for _, want := range []string{
		"1 of 4  demo-1  approval requested", "item approval_requested:demo-1:role:lead", "a approve, b send back, s skip, q quit > ", "Recorded your approval of demo-1",
		"2 of 4  demo-2  review", "item review:demo-2", "What has to change? ", "demo-2 ○ open, was in review",
		"3 of 4  demo-3  blocking question", "item blocking_question:demo-3:", "Your answer: ", "Answered on demo-3",
		"4 of 4  demo-4  override", "item override:demo-4:", "4 dealt with, 0 left",
	} {
		if !strings.Contains(out, want) {
			t.Errorf("it does not say %q:\n%s", want, out)
		}
	}
	for args, want := range map[string]string{
		"show look": "no test", "show free": "the red one", "inbox": "Nothing waits for ann", "show ship": "approval by ann",
	} {
		if got := run("ann", "", strings.Fields(args)...); !strings.Contains(got, want) {
			t.Errorf("tasker %s does not say %q:\n%s", args, want, got)
		}
	}
	if got := run("ann", "", "inbox"); strings.Contains(got, "demo-2") || strings.Contains(got, "demo-3") || strings.Contains(got, "demo-4") {
		t.Errorf("what was dealt with still waits:\n%s", got)
	}
}

func TestAWalkEndsWhereItIsLeft(t *testing.T) {
	run := waiting(t)
	for typed, want := range map[string]string{
		"q\n": "0 dealt with, 4 left", "s\n\nq\n": "0 dealt with, 4 left", "": "0 dealt with, 4 left", "s\nb\n": "0 dealt with, 4 left",
	} {
		if out := run("ann", typed, "inbox", "--walk"); !strings.Contains(out, want) {
			t.Errorf("%q: it does not say %q:\n%s", typed, want, out)
		}
	}
	if out := run("ann", "a\n", "inbox", "--walk", "--limit", "1"); !strings.Contains(out, "1 dealt with, 3 left") {
		t.Errorf("what the limit cut off is not counted:\n%s", out)
	}
}
