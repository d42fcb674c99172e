package security

import (
	"os"
	"path/filepath"
	"strings"
	"testing"
)

// closings is a project with a human and no required approval, so that nothing but the rules for closings by agents is in
// the way.
const closings = `{"version": 1, "project": "shop", "actors": [{"name": "alice", "kind": "human"}, {"name": "bot", "kind": "agent"}]}`

// TestNoAgentClosesByADetour tries to close what an agent may not close by done.
func TestNoAgentClosesByADetour(t *testing.T) {
	w := build(t, closings)
	w.run("alice", `{"project": "shop", "tasks": [
		{"key": "plain", "title": "Plain"}, {"key": "dependent", "title": "Dependent", "deps": ["plain"]},
		{"key": "supervised", "title": "Supervised", "autonomy": "supervised"}, {"key": "returned", "title": "Returned"},
		{"key": "epic", "title": "Epic"}, {"key": "part", "title": "Part", "parent": "epic", "autonomy": "human_only"}]}`, "apply", "-f", "-")
	w.run("bot", "", "review", "returned")
	w.run("alice", "", "return", "returned", "--because", "no test")
	stays := func(by string) {
		t.Helper()
		for _, key := range []string{"dependent", "supervised", "returned", "epic", "part"} {
			status := strings.TrimSpace(w.run("alice", "", "show", key, "--jq", ".task.status"))
			if status == "done" || status == "cancelled" {
				t.Fatalf("%s is %s by %s", key, status, by)
			}
		}
	}

	file := filepath.Join(w.dir, "plan.csv")
	for status, keys := range map[string][]string{
		"done": {"dependent", "supervised", "returned", "epic", "part"}, "cancelled": {"dependent", "supervised", "epic", "part"},
	} {
		rows := "id,title,status\n"
		for _, key := range keys {
			rows += key + "," + key + "," + status + "\n"
		}
		if err := os.WriteFile(file, []byte(rows), 0o600); err != nil {
			t.Fatal(err)
		}
		w.try("bot", "", "import", "csv", file, "--map", "key=id", "--map", "title=title", "--map", "status=status")
		stays("an import of csv as " + status)
	}
	ours := filepath.Join(w.dir, "ours.jsonl")
	export := w.run("alice", "", "export")
	if !strings.Contains(export, `"status":"open"`) {
		t.Fatalf("this test edits an export that has no open task: %s", export)
	}
	if err := os.WriteFile(ours, []byte(strings.ReplaceAll(export, `"status":"open"`, `"status":"done"`)), 0o600); err != nil {
		t.Fatal(err)
	}
	w.try("bot", "", "import", "tasker", ours)
	stays("an import of an edited export")

	if status := w.run("alice", "", "show", "plain", "--jq", ".task.status"); status != "done\n" {
		t.Errorf("plain, which bot could close, is %s", status)
	}
	w.run("bot", "", "claim", "dependent")
	w.run("bot", "", "release", "dependent")
	w.run("alice", "", "reopen", "plain")
	w.run("bot", "", "review", "dependent")
	if code, _, said := w.try("bot", "", "done", "dependent"); code != 3 || !strings.Contains(said, "dependency shop-1") {
		t.Errorf("done from review: %d %s", code, said)
	}
	stays("a detour by review")
}
