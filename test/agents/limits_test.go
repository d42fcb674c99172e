package agents

import (
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"

	"github.com/modelcontextprotocol/go-sdk/mcp"

	"tasker/test/program"
)

// What answers may cost an agent, in tokens of four bytes.
const (
	maxStart     = 400  // the text that it gets at its start
	maxTools     = 2000 // the list of tools
	maxNext      = 350  // a task with three criteria, a gate and two dependencies, and the call that closes it
	spare        = 20   // of it, for longer words than in the plan here
	maxDone      = 400  // closing one and getting the next
	maxList      = 300  // ten tasks
	maxRefusal   = 150  // three things missing
	maxIdle      = 60
	maxIdlePast  = 90  // with two tasks passed over
	maxNews      = 25  // each piece of news, for a note of 60 characters
	maxCalls     = 50  // for a plan of twenty tasks, each with its proof
	maxShellTask = 340 // everything that was read, on such a plan
	maxToolsTask = 460
)

// fieldConfig declares a person, and a gate that asks for a command.
const fieldConfig = `{"version": 1, "project": "field", "gates": {"ship": ["$ sh check.sh"]}, "actors": [{"name": "alice", "kind": "human"}]}`

// fieldPlan is a plan of twenty tasks as people write them: three criteria each, a gate, and for most two dependencies.
func fieldPlan() string {
	var b strings.Builder
	b.WriteString(`{"project": "field", "name": "Field kit", "tasks": [`)
	for i := 1; i <= 20; i++ {
		if i > 1 {
			b.WriteString(", ")
		}
		fmt.Fprintf(&b, `{"key": "t%d", "title": "Report %d: count the words of a text", "gate": "ship", "touches": ["words%d.sh"], `, i, i, i)
		fmt.Fprintf(&b, `"body": "Write words%d.sh. It reads standard input and prints how many words there are. Words are divided by `, i)
		b.WriteString(`blanks, tabs and line breaks; punctuation belongs to its word.", "criteria": ["An empty input gives 0", `)
		b.WriteString(`"Tabs and line breaks divide words too", "A text of 10,000 words takes less than a second"]`)
		if i > 2 {
			fmt.Fprintf(&b, `, "deps": ["t%d", "t%d"]`, i-2, i-1)
		}
		b.WriteString("}")
	}
	b.WriteString("]}")
	return b.String()
}

// inTheField returns a place in a git repository with the configuration, the plan, and the command that the gate asks for. What
// answers cost does not depend on the database.
func inTheField(t *testing.T) *recorder {
	t.Helper()
	r := &recorder{place: &place{T: t, db: filepath.Join(t.TempDir(), "tasker.db"), dir: t.TempDir()}}
	program.Prepare(t, tasker, r.db)
	for name, text := range map[string]string{".tasker.json": fieldConfig, "plan.json": fieldPlan(), "check.sh": "for f in words*.sh; do sh -n $f; done\n"} {
		r.write(name, text)
	}
	r.git("init", "--quiet")
	r.write(filepath.Join(".git", "info", "exclude"), ".cache\n") // the home of the test is no work of the agent
	r.commit("Begin")
	r.output("apply", "-f", "plan.json", "--quiet", "--actor", "alice")
	return r
}

func (p *place) write(name, text string) {
	p.Helper()
	if err := os.WriteFile(filepath.Join(p.dir, name), []byte(text), 0o600); err != nil {
		p.Fatal(err)
	}
}

func (p *place) git(args ...string) {
	p.Helper()
	cmd := exec.CommandContext(p.Context(), "git", append([]string{"-c", "user.name=robot", "-c", "user.email=robot@example.com"}, args...)...)
	cmd.Dir = p.dir
	if out, err := cmd.CombinedOutput(); err != nil {
		p.Fatalf("git %v: %v\n%s", args, err, out)
	}
}

func (p *place) commit(message string) {
	p.Helper()
	p.git("add", ".")
	p.git("commit", "--quiet", "-m", message)
}

// works does the work of a task.
func (r *recorder) works(i int) {
	r.Helper()
	r.write(fmt.Sprintf("words%d.sh", i), "wc -w\n")
	r.commit(fmt.Sprintf("Count words %d", i))
}

// proves proves a task by what its gate asks for: a command, which no tool runs.
func (r *recorder) proves(i int) {
	r.Helper()
	said := r.run("prove", fmt.Sprintf("field-%d", i), "--check", "1,2,3")
	if !strings.Contains(said, "check.sh") {
		r.Fatalf("field-%d is not proven: %s", i, said)
	}
	if i == 5 {
		r.Logf("prove costs %d tokens: %s", len(said)/4, said)
	}
}

// recorder counts the calls of an agent and what it read.
type recorder struct {
	*place
	calls, bytes int
}

// cost fails if a text costs more than it may.
func (r *recorder) cost(what, text string, limit int) {
	r.Helper()
	if n := (len(text) + 3) / 4; n > limit {
		r.Errorf("%s costs %d tokens, and may cost %d:\n%s", what, n, limit, text)
	} else {
		r.Logf("%s costs %d of %d tokens", what, n, limit)
	}
}

// news has somebody else write notes on field-1, which the agent holds, and fails if a piece of news that comes with its
// next task, field-2, costs more than it may.
func (r *recorder) news(next func() string) {
	r.Helper()
	for _, pieces := range []int{1, 5} {
		for i := range pieces {
			r.output("note", "field-1", fmt.Sprintf("The %d-th report sorts by the C locale, as all others do.", i+1), "--actor", "alice", "--quiet")
		}
		_, text, _ := strings.Cut(strings.Replace(next(), `"news":`, "News", 1), "News")
		if n := strings.Count(text, "alice noted"); n != pieces {
			r.Errorf("%d pieces of news arrived, want %d: %s", n, pieces, text)
		}
		r.cost(fmt.Sprintf("%d news", pieces), text, pieces*maxNews)
		r.output("release", "field-2", "--quiet")
	}
}

// run runs a command and returns everything that it prints.
func (r *recorder) run(args ...string) string {
	r.Helper()
	cmd := r.command(args...)
	var out bytes.Buffer
	cmd.Stdout, cmd.Stderr = &out, &out
	var code *exec.ExitError
	if err := cmd.Run(); err != nil && !errors.As(err, &code) {
		r.Fatal(err)
	}
	r.calls++
	r.bytes += out.Len()
	return out.String()
}

// tool calls a tool and returns everything that it answers.
func (r *recorder) tool(c *mcp.ClientSession, name string, args object) string {
	r.Helper()
	res, err := c.CallTool(r.Context(), &mcp.CallToolParams{Name: name, Arguments: args})
	if err != nil {
		r.Fatal(err)
	}
	text := ""
	for _, part := range res.Content {
		text += part.(*mcp.TextContent).Text
	}
	if res.StructuredContent != nil {
		r.Errorf("%s answers twice", name)
	}
	r.calls++
	r.bytes += len(text)
	return text
}

// whole fails if a plan took more calls or tokens than it may.
func (r *recorder) whole(perTask int) {
	r.Helper()
	r.Logf("20 tasks took %d calls and %d tokens each", r.calls, r.bytes/4/20)
	if r.calls > maxCalls || r.bytes/4/20 > perTask {
		r.Errorf("20 tasks took %d calls and %d tokens each, and may take %d and %d", r.calls, r.bytes/4/20, maxCalls, perTask)
	}
	if done := r.total("--status", "done"); done != 20 {
		r.Errorf("%d of 20 tasks are done", done)
	}
}

// leavesTwo adds a task for people and one that waits for an answer: next passes over both.
func (r *recorder) leavesTwo() {
	r.Helper()
	r.output("add", "Sign the report", "--autonomy", "human_only", "--quiet", "--actor", "alice")
	r.output("add", "Choose a rate", "--quiet", "--actor", "alice")
	r.output("ask", "field-22", "Which of the rates that the finance department has published this year counts for the report?", "--to", "alice", "--blocking", "--quiet")
}

func TestAnAgentInAShellPaysLittle(t *testing.T) {
	r := inTheField(t)
	r.cost("prime --short", r.run("prime", "--short"), maxStart)
	r.cost("list", r.run("list", "--limit", "10"), maxList)
	r.run("next", "--claim")
	r.news(func() string { return r.run("next", "--claim") })
	r.cost("a refusal", r.run("done", "field-1", "--check", "1"), maxRefusal)
	for i := 1; i <= 20; i++ {
		r.works(i)
		said := r.run("done", fmt.Sprintf("field-%d", i), "--prove", "--check", "1,2,3", "--note", "words.sh keeps its name", "--next")
		if !strings.Contains(said, "check.sh") {
			r.Fatalf("field-%d is not proven: %s", i, said)
		}
		r.cost("done --next", said, maxDone)
		if i == 10 {
			r.cost("next", r.run("next", "--resume"), maxNext-spare)
		}
	}
	r.cost("idle", r.run("next", "--claim"), maxIdle)
	r.whole(maxShellTask)
	r.leavesTwo()
	past := r.run("next", "--claim")
	r.cost("idle with two passed over", past, maxIdlePast)
	r.asks(past, "field-22 Choose a rate: question ", "field-21 Sign the report: for people (alice)")
}

// asks fails if an idle answer does not say what waits and whom to ask, or repeats the question.
func (r *recorder) asks(said string, waits ...string) {
	r.Helper()
	for _, w := range waits {
		if !strings.Contains(said, w) {
			r.Errorf("an idle answer does not say %q: %s", w, said)
		}
	}
	if strings.Contains(said, "finance department") {
		r.Errorf("an idle answer repeats the question: %s", said)
	}
}

func TestAnAgentWithToolsPaysLittle(t *testing.T) {
	r := inTheField(t)
	c := r.local()
	r.cost("the instructions", c.InitializeResult().Instructions, maxStart)
	tools, err := c.ListTools(r.Context(), nil)
	if err != nil {
		r.Fatal(err)
	}
	listed, err := json.Marshal(tools.Tools)
	if err != nil {
		r.Fatal(err)
	}
	r.cost("the list of tools", string(listed), maxTools)
	r.cost("tasker_list", r.tool(c, "tasker_list", object{"limit": 10}), maxList)
	r.tool(c, "tasker_next", object{})
	r.news(func() string { return r.tool(c, "tasker_next", object{}) })
	r.cost("a refusal", r.tool(c, "tasker_move", object{"id": "field-1", "to": "done", "check": []int{1}}), maxRefusal)
	for i := 1; i <= 20; i++ {
		r.works(i)
		r.proves(i)
		said := r.tool(c, "tasker_move", object{"id": fmt.Sprintf("field-%d", i), "to": "done", "note": "words.sh keeps its name", "next": true})
		if !strings.Contains(said, `"from":"in_progress"`) {
			r.Fatalf("field-%d is not done: %s", i, said)
		}
		r.cost("done with next", said, maxDone)
		if i == 10 {
			r.cost("next", r.tool(c, "tasker_next", object{"resume": true}), maxNext-spare)
		}
	}
	r.cost("idle", r.tool(c, "tasker_next", object{}), maxIdle)
	r.cost("waiting for nothing", r.tool(c, "tasker_wait", object{"for": "work", "seconds": 0}), maxIdle)
	r.whole(maxToolsTask)
	r.leavesTwo()
	past := r.tool(c, "tasker_next", object{})
	r.cost("idle with two passed over", past, maxIdlePast)
	r.asks(past, `"field-21: for people"`, `"field-22: asked alice `, `"field-22 Choose a rate: question `, `"field-21 Sign the report: for people, alice"`)
}
