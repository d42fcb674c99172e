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

// seen is a project with a human, whose gate asks for a command that always ends well.
const seen = `{"version": 1, "project": "demo", "gates": {"tested": ["$ test -d ."]}, "actors": [
	{"name": "ann", "kind": "human"}, {"name": "robot", "kind": "agent", "default": true}]}`

// inRepository puts files into a repository of the place, and leaves out what a test leaves around.
func (p *place) inRepository(files map[string]string) {
	p.Helper()
	if out, err := exec.Command("git", "init", "--quiet", p.dir).CombinedOutput(); err != nil {
		p.Fatalf("%v: %s", err, out)
	}
	files[filepath.Join(".git", "info", "exclude")] = "*\n!*.txt\n"
	for name, text := range files {
		if err := os.WriteFile(filepath.Join(p.dir, name), []byte(text), 0o600); err != nil {
			p.Fatal(err)
		}
	}
}

// TestToolsCloseByTheTreeThatTheySee breaks the files after a run: the tool server in the work tree misses the run, as the
// command does. A server far from the files closes, and says everywhere that nobody saw them.
func TestToolsCloseByTheTreeThatTheySee(t *testing.T) {
	one(t, `{"project": "demo", "tasks": [{"key": "a", "title": "A", "touches": ["main.txt"]}, {"key": "b", "title": "B"}]}`, func(p *place) {
		p.inRepository(map[string]string{"main.txt": "one", ".tasker.json": seen})
		record := p.command("apply", "-f", "-")
		record.Env = append(record.Env, "TASKER_ACTOR=ann")
		record.Stdin = strings.NewReader(`{"project": "demo", "tasks": [{"key": "a", "title": "A", "gate": "tested"}]}`)
		if out, err := record.Output(); err != nil {
			p.Fatalf("%v: %s", err, out)
		}
		p.output("claim", "demo-1")
		p.output("prove", "demo-1")
		move := func(c *mcp.ClientSession, dry bool) (*mcp.CallToolResult, object) {
			res, err := c.CallTool(p.Context(), &mcp.CallToolParams{Name: "tasker_move", Arguments: object{"id": "demo-1", "to": "done", "dryRun": dry}})
			if err != nil {
				p.Fatal(err)
			}
			return res, parsed(p, res)
		}
		local := p.local()
		if res, out := move(local, true); res.IsError || out["closable"] != true || out["tree"] != nil {
			p.Errorf("as it was proved: %v", out)
		}
		if err := os.WriteFile(filepath.Join(p.dir, "main.txt"), []byte("two"), 0o600); err != nil {
			p.Fatal(err)
		}
		const stale = "evidence $ test -d . (stale: main.txt changed since)"
		if _, out := move(local, true); out["closable"] != false || fmt.Sprint(out["missing"]) != "["+stale+"]" {
			p.Errorf("a dry run after a change: %v", out)
		}
		if res, out := move(local, false); !res.IsError || fmt.Sprint(out["missing"]) != "["+stale+"]" {
			p.Errorf("a close after a change: %v", out)
		}
		res, out := move(p.connect(&mcp.StreamableClientTransport{Endpoint: p.serve() + "/mcp"}), false)
		if res.IsError || out["tree"] != "unknown" || !strings.Contains(fmt.Sprint(out["warnings"]), "tree: unknown") {
			p.Fatalf("a close through a server: %v", out)
		}
		for _, words := range [][]string{{"proof"}, {"events", "--task", "demo-1"}} {
			if got := p.output(words...); !strings.Contains(got, "tree: unknown") {
				p.Errorf("%v says nothing of the tree: %s", words, got)
			}
		}
		if got := p.output("proof", "--json"); !strings.Contains(got, `"tree":"unknown"`) {
			p.Errorf("the proof has no tree: %s", got)
		}
	})
}

// TestASharedCheckoutIsNotJudged has two agents in one checkout: of a task without touches nobody can tell whose change a file
// shows, so a run counts although files changed since, and done, prove and the tools say why. A task with touches is
// judged, and so is one where the other agent works in a tree of its own.
func TestASharedCheckoutIsNotJudged(t *testing.T) {
	one(t, `{"project": "demo", "tasks": [{"key": "a", "title": "A"}, {"key": "b", "title": "B", "touches": ["main.txt"]}, {"key": "c", "title": "C"}]}`, func(p *place) {
		p.inRepository(map[string]string{"main.txt": "one", ".tasker.json": seen})
		record := p.command("apply", "-f", "-")
		record.Env = append(record.Env, "TASKER_ACTOR=ann")
		record.Stdin = strings.NewReader(`{"project": "demo", "tasks": [{"key": "a", "title": "A", "gate": "tested"}, {"key": "b", "title": "B", "gate": "tested"}]}`)
		if out, err := record.Output(); err != nil {
			p.Fatalf("%v: %s", err, out)
		}
		for _, id := range []string{"demo-1", "demo-2"} {
			p.output("claim", id)
			p.output("prove", id)
		}
		if err := os.WriteFile(filepath.Join(p.dir, "main.txt"), []byte("two"), 0o600); err != nil {
			p.Fatal(err)
		}
		other := func(dir string, words ...string) {
			cmd := p.command(words...)
			cmd.Dir, cmd.Env = dir, append(cmd.Env, "TASKER_ACTOR=codex/1", "TASKER_CONFIG="+filepath.Join(p.dir, ".tasker.json"))
			if out, err := cmd.Output(); err != nil {
				p.Fatalf("%v: %v: %s", words, err, out)
			}
		}
		const stale, shared = "(stale: main.txt changed since)", "its checkout is shared with codex/1"
		dry := func(id string, want, not string) {
			p.Helper()
			if got := p.output("done", id, "--dry-run", "--json"); !strings.Contains(got, want) || strings.Contains(got, not) {
				p.Errorf("%s: want %q, and not %q: %s", id, want, not, got)
			}
		}
		dry("demo-1", stale, shared)
		if out, err := exec.Command("git", "init", "--quiet", filepath.Join(p.dir, "own")).CombinedOutput(); err != nil {
			p.Fatalf("%v: %s", err, out)
		}
		other(filepath.Join(p.dir, "own"), "claim", "demo-3")
		dry("demo-1", stale, shared)
		other(p.dir, "release", "demo-3")
		if err := os.Symlink(p.dir, filepath.Join(p.dir, "link")); err != nil {
			p.Fatal(err)
		}
		other(filepath.Join(p.dir, "link"), "claim", "demo-3")
		dry("demo-1", shared, stale)
		dry("demo-2", stale, shared)
		if got := p.output("prove", "demo-1", "--json"); !strings.Contains(got, shared) || !strings.Contains(got, `"ids":[]`) {
			p.Errorf("prove: %s", got)
		}
		if got := p.output("events", "--json") + p.output("show", "demo-3", "--json"); strings.Contains(got, p.dir) {
			p.Errorf("the place of a claim is told: %s", got)
		}
		res, err := p.local().CallTool(p.Context(), &mcp.CallToolParams{Name: "tasker_move", Arguments: object{"id": "demo-1", "to": "done"}})
		if err != nil {
			p.Fatal(err)
		}
		if out := parsed(p, res); res.IsError || !strings.Contains(fmt.Sprint(out["warnings"]), shared) {
			p.Errorf("a close by the tool: %v", out)
		}
	})
}
