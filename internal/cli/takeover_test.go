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

// TestAPersonTakesAProjectOverWhoseRecordHasNoHuman checks who may, where, and that it stands in the log as an override.
func TestAPersonTakesAProjectOverWhoseRecordHasNoHuman(t *testing.T) {
	dir := t.TempDir()
	write := func(name, text string) {
		t.Helper()
		if err := os.WriteFile(filepath.Join(dir, name), []byte(text), 0o600); err != nil {
			t.Fatal(err)
		}
	}
	run := func(terminal bool, answer string, env map[string]string, args ...string) (code int, said string) {
		t.Helper()
		var out bytes.Buffer
		code = cli.Main(frame.Process{
			Args: append(args, "--db", filepath.Join(dir, "t.db"), "--color", "never"), Dir: dir, Stdin: strings.NewReader(answer), Stdout: &out, Stderr: &out,
			InTTY: terminal, OutTTY: terminal, Width: func() int { return 80 }, Env: func(name string) (string, bool) { v, ok := env[name]; return v, ok },
			Now: time.Now, User: func() string { return "me" }, Host: func() string { return "here" },
			Stop: func(ctx context.Context, _ time.Duration) (context.Context, context.CancelFunc) {
				return context.WithCancel(ctx)
			},
		}, app.CommandLine())
		return code, out.String()
	}
	must := func(args ...string) string {
		t.Helper()
		code, said := run(false, "", nil, args...)
		if code != 0 {
			t.Fatalf("%v: %s", args, said)
		}
		return said
	}
	write(".tasker.json", `{"version": 1, "project": "demo", "gates": {"ship": ["test"]}, "actors": [{"name": "bot", "kind": "agent"}]}`)
	must("project", "create", "demo", "--actor", "bot")
	must("add", "A", "--actor", "eva")
	write(".tasker.json", `{"version": 1, "project": "demo", "actors": [{"name": "eva", "kind": "human"}, {"name": "bot", "kind": "agent"}]}`)
	if said := must("whoami", "--actor", "eva"); !strings.Contains(said, "eva, human") {
		t.Fatalf("the record has no human, and the file does not count: %s", said)
	}
	take := []string{"project", "set", "demo", "--from", ".tasker.json", "--take-over"}
	for _, c := range []struct {
		terminal bool
		answer   string
		env      map[string]string
		args     []string
		says     string
	}{
		{true, "demo\n", nil, []string{"project", "set", "demo", "gates.ship", "[]", "--take-over", "--actor", "eva"}, "--take-over needs a file"},
		{false, "demo\n", nil, append(take, "--actor", "eva"), "is confirmed at a terminal, and this is not one"},
		{true, "no\n", nil, append(take, "--actor", "eva"), "stays as it is: what was typed is not its slug"},
		{true, "demo\n", map[string]string{"CLAUDECODE": "1"}, append(take, "--actor", "eva"), "this is the shell of claude, an agent, which may not take over demo"},
		{true, "demo\n", nil, append(take, "--actor", "bot"), "bot may not take over demo: an agent may not"},
		{true, "demo\n", nil, append(take, "--actor", "max"), "max may not take over demo: the file does not declare it as a human"},
	} {
		if code, said := run(c.terminal, c.answer, c.env, c.args...); code == 0 || !strings.Contains(said, c.says) {
			t.Errorf("%v on a terminal %v: %d %s", c.args, c.terminal, code, said)
		}
	}
	if code, said := run(true, "demo\n", nil, append(take, "--actor", "eva")...); code != 0 {
		t.Fatal(said)
	}
	if said := must("whoami", "--actor", "eva"); !strings.Contains(said, "eva, human") {
		t.Errorf("after it she is %s", said)
	}
	if said := must("events", "--kind", "override.forced", "--json"); !strings.Contains(said, `"actor":"eva"`) || !strings.Contains(said, "gates.ship: it would be gone") {
		t.Errorf("the log has %s", said)
	}
	for _, read := range [][]string{{"inbox", "--all"}, {"brief"}, {"proof"}} { // an override of no task
		must(append(read, "--actor", "eva")...)
	}
	if code, said := run(false, "", nil, "doctor", "--actor", "eva"); code != 1 || !strings.Contains(said, "gates.ship: the project's record is stricter") {
		t.Errorf("doctor says nothing of a file that asks for less than the record: %d %s", code, said)
	}
	if code, said := run(true, "demo\n", nil, append(take, "--actor", "max")...); code == 0 || !strings.Contains(said, "max may not take over demo: its record still has a human") || !strings.Contains(said, "have eva") {
		t.Errorf("while a human of the record is left: %d %s", code, said)
	}
}
