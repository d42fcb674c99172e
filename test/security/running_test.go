package security

import (
	"os"
	"path/filepath"
	"strings"
	"testing"
)

// An agent that can edit the files of a running server takes no person's rights by that.
func TestAFileGivesARunningServerNoRights(t *testing.T) {
	t.Parallel()
	const (
		head  = `{"version": 1, "project": "demo", "actors": [`
		alice = `{"name": "alice", "kind": "human"`
		bot   = `{"name": "bot", "kind": "agent"`
		agent = head + alice + `}, ` + bot + `, "default": true}]}`
		human = head + alice + `, "default": true}]}`
	)
	for _, c := range []struct {
		name, start, edited, local string
		recorded                   bool // by an apply of alice, before the server starts
		before, after              int  // how an approval ends before and after the change
		says                       string
	}{
		{"default moves to a person in the file", agent, head + alice + `, "default": true}, ` + bot + `}]}`, "", true, 422, 422, "would make this server act as alice"},
		{"default moves to a person in the local file", agent, "", `{"actors": [` + alice + `, "default": true}, ` + bot + `}]}`, true, 422, 422, "would make this server act as alice"},
		{"agentDefaults names a person", head + alice + `}, ` + bot + `}], "agentDefaults": {"actor": "bot"}}`, head + alice + `}, ` + bot + `}], "agentDefaults": {"actor": "alice"}}`, "", true, 422, 422, "would make this server act as alice"},
		{"the agent becomes a person", head + bot + `, "default": true}]}`, head + `{"name": "bot", "kind": "human", "default": true}]}`, "", false, 422, 422, "more rights than at its start"},
		{"the person becomes an agent", human, head + `{"name": "alice", "kind": "agent", "default": true}]}`, "", false, 201, 422, ""},
	} {
		t.Run(c.name, func(t *testing.T) {
			t.Parallel()
			first := c.start
			if !c.recorded {
				first = `{"version": 1, "project": "demo"}` // which decides nothing, so that nothing is recorded
			}
			w := build(t, first)
			w.run("alice", `{"project": "demo", "tasks": [{"key": "a", "title": "A"}]}`, "apply", "-f", "-", "--quiet")
			replace(t, filepath.Join(w.dir, ".tasker.json"), c.start)
			h := w.site("", "")
			approve := func(want int, when string) {
				t.Helper()
				if got := ask(h, "POST", "/v1/tasks/demo-1/approve", `{}`, "Content-Type", "application/json"); got.Status != want {
					t.Errorf("%s an approval is %d, want %d: %s", when, got.Status, want, got.Body)
				}
			}
			approve(c.before, "before the change")
			if c.edited != "" {
				replace(t, filepath.Join(w.dir, ".tasker.json"), c.edited)
			}
			if c.local != "" {
				replace(t, filepath.Join(w.dir, ".tasker.local.json"), c.local)
			}
			approve(c.after, "after the change")
			if got := ask(h, "POST", "/v1/tasks/demo-1/transition", `{"to": "done"}`, "Content-Type", "application/json"); c.recorded && strings.Contains(got.Body, `"closedBy":"alice"`) {
				t.Errorf("it closes as alice: %s", got.Body)
			}
			ready := ask(h, "GET", "/readyz", "")
			if says := strings.Contains(ready.Body, c.says); c.says != "" && !says || c.says == "" && strings.Contains(ready.Body, "restart") {
				t.Errorf("readiness says %s, and should say %q", ready.Body, c.says)
			}
		})
	}
}

func replace(t *testing.T, path, text string) {
	t.Helper()
	if err := os.WriteFile(path, []byte(text), 0o600); err != nil {
		t.Fatal(err)
	}
}
