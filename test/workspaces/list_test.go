package workspaces

import (
	"fmt"
	"strings"
	"testing"
)

// Reads show what the last check of a work tree recorded: a list asks git where it is, once, however many are open.
func TestAListReadsNoRepositoryTwice(t *testing.T) {
	w := newWorld(t)
	n := 3
	if long {
		n = 200
	}
	w.write(".tasker.json", strings.Replace(settings, `"setup": [{"name": "touch", "run": "touch made.log"}]`, `"setup": []`, 1))
	for i := range n {
		w.run("add", fmt.Sprintf("Task %d", i+1), "--quiet")
		w.run("workspace", "open", fmt.Sprintf("shop-%d", i+1), "--quiet")
	}
	for _, args := range [][]string{{"workspace", "list"}, {"workspace", "list", "--all", "--json"}, {"machine"}, {"work"}} {
		env, calls := killing(w, 0, "never")
		out, err := w.try(env, args...)
		if err != nil {
			t.Fatalf("%v: %v\n%s", args, err, out)
		}
		if calls() > 1 {
			t.Errorf("%v asks git %d times", args, calls())
		}
		if args[0] == "workspace" && strings.Count(out, "/shop-") < n {
			t.Errorf("%v lists fewer than %d: %s", args, n, out)
		}
	}
}

// Opening a workspace without steps calls git six times: in a small repository, starting git is most of the cost.
func TestAnOpenAsksGitSixTimes(t *testing.T) {
	t.Parallel()
	w := newWorld(t)
	w.write(".tasker.json", strings.Replace(settings, `"setup": [{"name": "touch", "run": "touch made.log"}]`, `"setup": []`, 1))
	w.run("add", "Build a cart", "--quiet")
	env, calls := killing(w, 0, "never")
	if out, err := w.try(env, "workspace", "open", "shop-1"); err != nil {
		t.Fatalf("%v\n%s", err, out)
	}
	if calls() > 6 {
		t.Errorf("git is asked %d times", calls())
	}
}
