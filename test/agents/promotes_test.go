package agents

import (
	"net/http"
	"strings"
	"testing"

	"github.com/modelcontextprotocol/go-sdk/mcp"
)

// TestNoFileMakesAnAgentAPerson has an agent write every file and set every variable that it can, and then act under its
// own name, by commands, by tools and through a server that it started there.
func TestNoFileMakesAnAgentAPerson(t *testing.T) {
	l := newLiar(t)
	for _, way := range []struct {
		name  string
		files map[string]string
		env   []string
	}{
		{"its own .tasker.json", map[string]string{".tasker.json": liarsOwn}, nil},
		{"a local layer", map[string]string{".tasker.json": liarFile, ".tasker.local.json": `{"actors": [{"name": "liar", "kind": "human", "roles": ["lead"]}],
			"execution": {"mayExecute": []}}`}, nil},
		{"TASKER_CONFIG", map[string]string{"own.json": liarsOwn}, []string{"TASKER_CONFIG=own.json"}},
		{"the file of a project of its own", map[string]string{".tasker.json": strings.Replace(liarsOwn, "demo", "mine", 1)}, []string{"TASKER_PROJECT=demo"}},
	} {
		t.Run(way.name, func(t *testing.T) {
			l := &liar{place: &place{T: t, db: l.db, dir: t.TempDir(), actor: "liar", env: way.env}}
			for name, text := range way.files {
				l.file(l.dir, name, text)
			}
			h := l.home(l.dir)
			for _, try := range []lie{
				{what: "claims what is for people", command: []string{"claim", "demo-8"}, tool: "tasker_claim", args: object{"id": "demo-8"}, path: "/tasks/demo-8/claim", says: "human_only"},
				{what: "closes what is for people", command: []string{"done", "demo-8"}, tool: "tasker_move", args: object{"id": "demo-8", "to": "done"}, path: "/tasks/demo-8/transition", says: "human_only"},
				{what: "takes what another holds", command: []string{"release", "demo-2"}, tool: "tasker_release", args: object{"id": "demo-2"}, path: "/tasks/demo-2/release", says: "bob"},
				{what: "clears the gate", command: []string{"edit", "demo-1", "--gate", ""}, tool: "tasker_edit", args: object{"id": "demo-1", "gate": nil}, path: "/tasks/demo-1/edit", says: "gate"},
				types("approves", "only humans do", "approve", "demo-1"),
				types("carries its file over", "may not loosen", "project", "set", "demo", "actors", `[{"name": "liar", "kind": "human"}]`),
				types("makes a session for ann", "may not make a session", "session", "create", "--actor", "ann"),
				types("archives the project", "may not archive", "project", "archive", "demo"),
			} {
				l.refused(h, try)
			}
			if status, text := l.post(h.url+"/v1/tasks/demo-1/approve", object{}); status != http.StatusUnprocessableEntity || !strings.Contains(text, "only humans do") {
				t.Errorf("its server approves: %d %s", status, text)
			}
			if said := l.as("liar", "", "whoami"); !strings.HasPrefix(said, "liar, agent, ") {
				t.Errorf("it is %s", said)
			}
			if said := l.as("ann", "", "whoami"); !strings.HasPrefix(said, "ann, human, ") {
				t.Errorf("ann is gone: %s", said)
			}
		})
	}
}

// TestNoSettingNamesAPersonInAnAgentsShell checks that a file cannot name who acts there, if nobody else does.
func TestNoSettingNamesAPersonInAnAgentsShell(t *testing.T) {
	l := newLiar(t)
	plain := strings.Replace(liarFile, `, "default": true`, "", 1) // the record assumes nobody
	l.file(l.dir, ".tasker.json", plain)
	l.as("ann", liarPlan, "apply", "-f", "-")
	for name, file := range map[string]string{
		"a default actor":     strings.Replace(plain, `"kind": "human"`, `"kind": "human", "default": true`, 1),
		"a hidden person":     strings.Replace(plain, `"kind": "human"`, `"kind": "agent", "default": true`, 1),
		"agentDefaults.actor": strings.Replace(plain, `"project"`, `"agentDefaults": {"actor": "ann"}, "project"`, 1),
	} {
		t.Run(name, func(t *testing.T) {
			l := &liar{place: &place{T: t, db: l.db, dir: t.TempDir(), env: []string{"CLAUDECODE=1", "TASKER_ACTOR="}}}
			l.file(l.dir, ".tasker.json", file)
			for _, args := range [][]string{{"approve", "demo-1"}, {"claim", "demo-8"}, {"done", "demo-8"}, {"release", "demo-2"}, {"edit", "demo-1", "--gate", ""}} {
				said, code := l.try(l.dir, "", "", args...)
				if code == 0 {
					t.Errorf("%v: %s", args, said)
				}
				for _, way := range []string{"--actor", "TASKER_ACTOR", "--force", ".tasker.json"} {
					if strings.Contains(said, way) {
						t.Errorf("%v teaches %s: %s", args, way, said)
					}
				}
			}
			url := l.serve()
			for _, path := range []string{"/tasks/demo-1/approve", "/tasks/demo-8/claim", "/tasks/demo-2/release"} {
				if status, text := l.post(url+"/v1"+path, object{}); status != http.StatusUnprocessableEntity {
					t.Errorf("its server takes a POST of %s: %d %s", path, status, text)
				}
			}
			c := l.connect(&mcp.CommandTransport{Command: l.command("mcp", "--tools", "all"), TerminateDuration: patience})
			res, err := c.CallTool(t.Context(), &mcp.CallToolParams{Name: "tasker_claim", Arguments: object{"id": "demo-8"}})
			if err != nil || !res.IsError {
				t.Errorf("its tools claim what is for people: %v %s", err, saidBy(res))
			}
		})
	}
}
