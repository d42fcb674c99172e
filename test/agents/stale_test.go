package agents

import (
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"

	"github.com/modelcontextprotocol/go-sdk/mcp"
)

// TestAnAgentIsToldWhichEvidenceIsStale proves a task, changes a file, reads the task with the tools, and closes it.
func TestAnAgentIsToldWhichEvidenceIsStale(t *testing.T) {
	one(t, `{"project": "demo", "tasks": [{"key": "a", "title": "A", "criteria": ["it works"]}]}`, func(p *place) {
		write := func(text string) {
			if err := os.WriteFile(filepath.Join(p.dir, "main.txt"), []byte(text), 0o600); err != nil {
				p.Fatal(err)
			}
		}
		git := exec.Command("git", "init", "--quiet", p.dir)
		if out, err := git.CombinedOutput(); err != nil {
			p.Fatalf("%v: %s", err, out)
		}
		// What is changed here is the task's only where the project is this repository's.
		if err := os.WriteFile(filepath.Join(p.dir, ".tasker.json"), []byte(`{"version": 1, "project": "demo"}`), 0o600); err != nil {
			p.Fatal(err)
		}
		ignored := filepath.Join(p.dir, ".git", "info", "exclude")
		if err := os.WriteFile(ignored, []byte("*\n!main.txt\n"), 0o600); err != nil {
			p.Fatal(err)
		}
		write("one")
		p.output("prove", "demo-1", "--kind", "test", "--", "true")
		c := p.local()
		look := func() (stale any, hint string) {
			res, err := c.CallTool(p.Context(), &mcp.CallToolParams{Name: "tasker_move", Arguments: object{"id": "demo-1", "to": "done"}})
			if err != nil || !res.IsError {
				p.Fatalf("done answered %v, %v", res, err)
			}
			return p.call(c, "tasker_show", object{"id": "demo-1"})["stale"], fmt.Sprint(parsed(p, res)["hint"])
		}
		if stale, hint := look(); stale != nil || strings.Contains(hint, "stale") {
			p.Errorf("nothing has changed, got stale %v, hint %s", stale, hint)
		}
		write("two")
		const want = "evidence test is stale, its files have changed since: main.txt: the command `tasker prove demo-1 --kind test -- true`"
		if stale, hint := look(); fmt.Sprint(stale) != "["+want+"]" || !strings.HasSuffix(hint, want) {
			p.Errorf("got stale %v, hint %s", stale, hint)
		}
		write("one")
		if stale, _ := look(); stale != nil {
			p.Errorf("everything is as before, got stale %v", stale)
		}

		// the tools in a work tree record what was changed since the claim, as a command does
		p.call(c, "tasker_next", object{})
		write("three")
		p.call(c, "tasker_move", object{"id": "demo-1", "to": "done", "check": []int{1}})
		if got := p.output("show", "demo-1", "--json"); !strings.Contains(got, `"changed":{"paths":["main.txt"],`) {
			p.Errorf("the closing did not record the changed file: %s", got)
		}
	})
}
