package main

import (
	"bytes"
	"context"
	"encoding/json"
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/modelcontextprotocol/go-sdk/mcp"

	"tasker/test/program"
)

// The recorder is this test program, called tasker.
func TestMain(m *testing.M) {
	if filepath.Base(os.Args[0]) == "tasker" {
		os.Exit(record(os.Args[1:]))
	}
	os.Exit(program.Main(m, func(path string) { built = path }))
}

// built is the tasker whose calls are recorded.
var built string

// What a plan may cost, as docs/agents.md says.
const (
	maxCalls   = 45
	maxPerTask = 800 // tokens
)

// place is the working directory of an agent.
type place struct {
	*testing.T
	dir string
}

func newPlace(t *testing.T) *place {
	t.Helper()
	p := &place{t, filepath.Join(t.TempDir(), "field")}
	if err := prepare(p.dir, built); err != nil {
		t.Fatal(err)
	}
	return p
}

// tasker runs the recorder like an agent in a shell, and returns everything it prints, and its exit code.
func (p *place) tasker(args ...string) (string, int) {
	p.Helper()
	cmd := in(p.dir, "bot", append([]string{filepath.Join(p.dir, "bin", "tasker")}, args...)...)
	var out bytes.Buffer
	cmd.Stdout, cmd.Stderr = &out, &out
	code := exitCode(cmd.Run())
	return out.String(), code
}

func (p *place) sh(script string) {
	p.Helper()
	if out, err := in(p.dir, "bot", "sh", "-ec", script).Output(); err != nil {
		p.Fatalf("%s: %v\n%s", script, err, out)
	}
}

// solve writes the program of a task, with a test of its own, commits and pushes it.
func (p *place) solve(name string) {
	p.Helper()
	text, err := os.ReadFile(filepath.Join("testdata", "solutions", name))
	if err != nil {
		p.Fatal(err)
	}
	if err := os.WriteFile(filepath.Join(p.dir, "repo", "bin", name), text, 0o700); err != nil {
		p.Fatal(err)
	}
	test := "#!/bin/sh\n# runs what the task asks for\ntest -x bin/" + name + "\n"
	if err := os.WriteFile(filepath.Join(p.dir, "repo", "tests", name+".sh"), []byte(test), 0o600); err != nil {
		p.Fatal(err)
	}
	p.sh("git add . && git commit -qm 'write " + name + "' && git push -q origin main")
}

// criteria returns the numbers of all criteria of a task, as --check takes them.
func criteria(name string) (indexes []int, text string) {
	for _, j := range jobs {
		if j.name == name {
			for i := range j.criteria {
				indexes = append(indexes, i+1)
			}
		}
	}
	return indexes, strings.Trim(strings.ReplaceAll(fmt.Sprint(indexes), " ", ","), "[]")
}

// finished fails unless all tasks are done, none wrongly, within the calls and tokens that a plan may cost.
func (p *place) finished() {
	p.Helper()
	r, err := reported(p.dir)
	if err != nil {
		p.Fatal(err)
	}
	var text bytes.Buffer
	if err := r.print(&text); err != nil {
		p.Fatal(err)
	}
	p.Logf("%s", text.String())
	if r.Done != len(jobs) || len(r.Wrong)+len(r.Undone)+r.Refusals > 0 {
		p.Errorf("the plan is not done:\n%s", text.String())
	}
	if r.Calls > maxCalls || r.Tokens/len(jobs) > maxPerTask {
		p.Errorf("%d calls and %d tokens a task, and %d and %d are allowed", r.Calls, r.Tokens/len(jobs), maxCalls, maxPerTask)
	}
}

// chosen returns the key of the task that an answer hands over: the first named task that is not done.
func chosen(said string, done map[string]bool) string {
	first, name := len(said), ""
	for _, j := range jobs {
		if at := strings.Index(said, j.title); at >= 0 && at < first && !done[j.name] {
			first, name = at, j.name
		}
	}
	return name
}

func TestAnAgentInAShellDoesThePlan(t *testing.T) {
	p := newPlace(t)
	said, _ := p.tasker("next", "--claim")
	done := map[string]bool{}
	for range jobs {
		name := chosen(said, done)
		if name == "" {
			p.Fatalf("no task is named: %s", said)
		}
		p.solve(name)
		_, all := criteria(name)
		if out, code := p.tasker("prove", "--kind", "tests", "--check", all, "--", "sh", "tests/"+name+".sh"); code != 0 {
			p.Fatalf("prove of %s: %s", name, out)
		}
		var code int
		if said, code = p.tasker("done", "--next"); code != 0 {
			p.Fatalf("done of %s: %s", name, said)
		}
		done[name] = true
	}
	p.finished()
}

func TestAnAgentWithToolsDoesThePlan(t *testing.T) {
	p := newPlace(t)
	cmd := in(p.dir, "bot", filepath.Join(p.dir, "bin", "tasker"), "mcp")
	c, err := mcp.NewClient(&mcp.Implementation{Name: "field", Version: "1"}, nil).Connect(t.Context(), &mcp.CommandTransport{Command: cmd}, nil)
	if err != nil {
		t.Fatal(err)
	}
	defer func() { _ = c.Close() }()
	next := p.tool(c, "tasker_next", map[string]any{})
	for range jobs {
		task, _ := next["task"].(map[string]any)
		name, _ := task["key"].(string)
		if name == "" {
			p.Fatalf("no task is named: %v", next)
		}
		p.solve(name)
		indexes, _ := criteria(name)
		moved := p.tool(c, "tasker_move", map[string]any{
			"id": task["id"], "to": "done", "check": indexes, "next": true,
			"evidence": []any{map[string]any{"kind": "tests", "value": "tests/" + name + ".sh ends with 0"}},
		})
		next, _ = moved["next"].(map[string]any)
	}
	p.finished()
}

func (p *place) tool(c *mcp.ClientSession, name string, args map[string]any) map[string]any {
	p.Helper()
	res, err := c.CallTool(context.Background(), &mcp.CallToolParams{Name: name, Arguments: args})
	if err != nil {
		p.Fatal(err)
	}
	text, _ := res.Content[len(res.Content)-1].(*mcp.TextContent)
	var out map[string]any
	if err := json.Unmarshal([]byte(text.Text), &out); err != nil || res.IsError {
		p.Fatalf("%s %v: %s", name, args, text.Text)
	}
	return out
}

// Each wrong way of closing a task that agents were seen to take gets a refusal or a warning that names it.
func TestWrongClosingsAreMet(t *testing.T) {
	p := newPlace(t)
	p.tasker("next", "--claim")
	p.solve("slug")

	// evidence that was typed, for tests that nobody ran
	said, code := p.tasker("done", "--check", "1,2,3", "--evidence", "tests=OK, 12 passed")
	if code != 0 || !strings.Contains(said, "rest on nothing that was run") {
		p.Errorf("typed evidence: %d, %s", code, said)
	}

	// a run that fails is not evidence, and the gate requires it
	p.tasker("next", "--claim")
	p.solve("upper")
	if said, code := p.tasker("prove", "--kind", "tests", "--check", "1,2", "--", "false"); code == 0 {
		p.Errorf("a failing run: %s", said)
	}
	if said, code := p.tasker("done"); code == 0 || !strings.Contains(said, "tests") {
		p.Errorf("done without evidence: %d, %s", code, said)
	}

	// a criterion that no run shows
	p.tasker("prove", "--kind", "tests", "--check", "1", "--", "sh", "tests/upper.sh")
	if said, code := p.tasker("done", "--check", "2"); code != 0 || !strings.Contains(said, "criterion 2 rests on nothing that was run") {
		p.Errorf("a criterion that no run shows: %d, %s", code, said)
	}

	// a commit that was never pushed
	p.tasker("next", "--claim")
	p.sh("git config remote.origin.pushurl /dev/null")
	name := "lines"
	text, err := os.ReadFile(filepath.Join("testdata", "solutions", name))
	if err != nil {
		t.Fatal(err)
	}
	if err := os.WriteFile(filepath.Join(p.dir, "repo", "bin", name), text, 0o700); err != nil {
		t.Fatal(err)
	}
	p.sh("git add . && git commit -qm 'write lines'")
	_, all := criteria(name)
	p.tasker("prove", "--kind", "tests", "--check", all, "--", "test", "-x", "bin/lines")
	if said, code := p.tasker("done"); code != 0 || !strings.Contains(said, "not on") && !strings.Contains(said, "not landed") {
		p.Errorf("a commit that was never pushed: %d, %s", code, said)
	}

	// and the hidden checks find what is not done
	if err := os.WriteFile(filepath.Join(p.dir, "repo", "bin", "slug"), []byte("#!/bin/sh\necho \"$*\"\n"), 0o700); err != nil {
		t.Fatal(err)
	}
	r, err := reported(p.dir)
	if err != nil {
		t.Fatal(err)
	}
	if len(r.Wrong) != 1 || !strings.HasPrefix(r.Wrong[0], "slug: ") || r.Refusals < 2 {
		p.Errorf("the report is %+v", r)
	}
}

func TestEverySolutionPassesItsChecks(t *testing.T) {
	repo := t.TempDir()
	if err := os.Mkdir(filepath.Join(repo, "bin"), 0o700); err != nil {
		t.Fatal(err)
	}
	for _, j := range jobs {
		if why := j.fails(repo); why == "" {
			t.Errorf("%s passes though it is not there", j.name)
		}
		text, err := os.ReadFile(filepath.Join("testdata", "solutions", j.name))
		if err != nil {
			t.Fatal(err)
		}
		if err := os.WriteFile(filepath.Join(repo, "bin", j.name), text, 0o700); err != nil {
			t.Fatal(err)
		}
	}
	for _, j := range jobs {
		if why := j.fails(repo); why != "" {
			t.Error(why)
		}
	}
}

func TestADirectoryInUseIsRefused(t *testing.T) {
	dir := t.TempDir()
	if err := os.WriteFile(filepath.Join(dir, "mine"), nil, 0o600); err != nil {
		t.Fatal(err)
	}
	if err := prepare(dir, built); err == nil || !strings.Contains(err.Error(), "is not empty") {
		t.Errorf("it is taken: %v", err)
	}
}
