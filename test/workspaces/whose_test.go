package workspaces

import (
	"errors"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"strings"
	"testing"
)

// Every command on a workspace either only reads, and answers everybody, or checks who holds the task before it does
// anything. A command that is in neither list has not been thought about.
func TestEveryCommandOnAWorkspaceAsksWhoseItIs(t *testing.T) {
	t.Parallel()
	acts := map[string][]string{
		"open": {"shop-1"}, "env": {"shop-1"}, "exec": {"shop-1", "--", "touch", "ran"}, "refresh": {"shop-1"}, "close": {"shop-1", "--force"}, "prune": nil,
	}
	reads := map[string]string{"show": "shop-1", "path": "shop-1", "list": ""}

	w := newWorld(t)
	w.run("add", "Build a cart", "--quiet")
	tree := answer[listed](w, "workspace", "open", "shop-1", "--claim", "--actor", "bot/1").Path
	must(t, os.WriteFile(filepath.Join(tree, "mine"), []byte("mine"), 0o644))
	w.run("release", "shop-1", "--actor", "bot/1", "--quiet")
	w.run("claim", "shop-1", "--actor", "bot/1", "--quiet")
	before := w.run("events", "--json")

	text, err := os.ReadFile("../../docs/commands.md") // it is generated from the commands
	must(t, err)
	found := regexp.MustCompile(`(?m)^### tasker workspace (\S+)$`).FindAllStringSubmatch(string(text), -1)
	if len(found) != len(acts)+len(reads) {
		t.Errorf("there are %d commands on workspaces, and %d are listed here", len(found), len(acts)+len(reads))
	}
	for _, match := range found {
		name := match[1]
		args, act := acts[name]
		arg, read := reads[name]
		if act == read {
			t.Fatalf("%s is not listed here", name)
		}
		for _, who := range [][]string{
			{"TASKER_ACTOR=bot/2"}, {"TASKER_ACTOR=other"}, {"TASKER_ACTOR=bot/1", "TASKER_TASK=shop-1", "TASKER_FENCE=1"},
		} {
			line := append([]string{"workspace", name}, args...)
			if read {
				line = append([]string{"workspace", name, "--json"}, strings.Fields(arg)...)
			}
			out, err := w.try(who, line...)
			var exit *exec.ExitError
			switch {
			case errors.As(err, &exit):
				code := exit.ExitCode()
				refused := code == 3 && strings.Contains(out, "shop-1 is held by bot/1") || code == 5 && strings.Contains(out, "claimed again since")
				if read || name == "prune" || !refused {
					t.Errorf("%v ends with %v for %v: %s", line, code, who, out)
				}
			case err != nil:
				t.Fatal(err)
			case name == "prune" && strings.Contains(out, "shop-1 stays"):
			case act:
				t.Errorf("%v is done for %v: %s", line, who, out)
			case !strings.Contains(out, filepath.Base(tree)):
				t.Errorf("the answer of %v to %v is %s", line, who, out)
			}
		}
	}
	if text, err := os.ReadFile(filepath.Join(tree, "mine")); err != nil || string(text) != "mine" {
		t.Errorf("the holder's file is %q: %v", text, err)
	}
	if _, err := os.Stat(filepath.Join(tree, "ran")); err == nil {
		t.Error("a stranger's command was run")
	}
	if after := w.run("events", "--json"); after != before {
		t.Errorf("there are new events:\n%s", after)
	}
}
