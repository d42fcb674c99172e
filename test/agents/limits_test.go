package agents

import (
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"os/exec"
	"strings"
	"testing"

	"github.com/modelcontextprotocol/go-sdk/mcp"
)

// What answers may cost an agent, in tokens of four bytes.
const (
	maxStart   = 400  // the text that it gets at its start
	maxTools   = 2000 // the list of tools
	maxNext    = 350  // a task with three criteria, a gate and two dependencies
	spare      = 20   // of it, for longer words than in the plan here
	maxDone    = 400  // closing one and getting the next
	maxList    = 300  // ten tasks
	maxRefusal = 150  // three things missing
	maxIdle    = 100
	maxNews    = 25  // each piece of news, for a note of 60 characters
	maxCalls   = 45  // for a plan of twenty tasks
	maxPerTask = 800 // everything that was read, on such a plan
)

// fieldPlan is a plan of twenty tasks as people write them: three criteria each, a gate, and for most two dependencies.
func fieldPlan() string {
	var b strings.Builder
	b.WriteString(`{"project": "field", "name": "Field kit", "gates": {"ship": ["tests"]}, "tasks": [`)
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
		_, told, _ := strings.Cut(strings.Replace(next(), `"news":`, "News", 1), "News")
		if n := strings.Count(told, "alice noted"); n != pieces {
			r.Errorf("%d news are told, want %d: %s", n, pieces, told)
		}
		r.cost(fmt.Sprintf("%d news", pieces), told, pieces*maxNews)
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
func (r *recorder) whole() {
	r.Helper()
	r.Logf("20 tasks took %d calls and %d tokens each", r.calls, r.bytes/4/20)
	if r.calls > maxCalls || r.bytes/4/20 > maxPerTask {
		r.Errorf("20 tasks took %d calls and %d tokens each, and may take %d and %d", r.calls, r.bytes/4/20, maxCalls, maxPerTask)
	}
	if done := r.total("--status", "done"); done != 20 {
		r.Errorf("%d of 20 tasks are done", done)
	}
}

func TestAnAgentInAShellPaysLittle(t *testing.T) {
	each(t, fieldPlan(), func(p *place) {
		r := &recorder{place: p}
		r.cost("prime --short", r.run("prime", "--short"), maxStart)
		r.cost("list", r.run("list", "--limit", "10"), maxList)
		r.run("next", "--claim")
		r.news(func() string { return r.run("next", "--claim") })
		r.cost("a refusal", r.run("done", "field-1", "--check", "1"), maxRefusal)
		for i := 1; i <= 20; i++ {
			id := fmt.Sprintf("field-%d", i)
			said := r.run("done", id, "--check", "1,2,3", "--evidence", "tests=12 passed", "--note", "words.sh keeps its name", "--next")
			r.cost("done --next", said, maxDone)
			if i == 10 {
				r.cost("next", r.run("next", "--resume"), maxNext-spare)
			}
		}
		r.cost("idle", r.run("next", "--claim"), maxIdle)
		r.whole()
	})
}

func TestAnAgentWithToolsPaysLittle(t *testing.T) {
	each(t, fieldPlan(), func(p *place) {
		r := &recorder{place: p}
		c := p.local()
		r.cost("the instructions", c.InitializeResult().Instructions, maxStart)
		tools, err := c.ListTools(p.Context(), nil)
		if err != nil {
			p.Fatal(err)
		}
		listed, err := json.Marshal(tools.Tools)
		if err != nil {
			p.Fatal(err)
		}
		r.cost("the list of tools", string(listed), maxTools)
		r.cost("tasker_list", r.tool(c, "tasker_list", object{"limit": 10}), maxList)
		r.tool(c, "tasker_next", object{})
		r.news(func() string { return r.tool(c, "tasker_next", object{}) })
		r.cost("a refusal", r.tool(c, "tasker_move", object{"id": "field-1", "to": "done", "check": []int{1}}), maxRefusal)
		for i := 1; i <= 20; i++ {
			said := r.tool(c, "tasker_move", object{
				"id": fmt.Sprintf("field-%d", i), "to": "done", "check": []int{1, 2, 3}, "note": "words.sh keeps its name", "next": true,
				"evidence": []object{{"kind": "tests", "value": "12 passed"}},
			})
			if !strings.Contains(said, `"from":"in_progress"`) {
				p.Fatalf("field-%d is not done: %s", i, said)
			}
			r.cost("done with next", said, maxDone)
			if i == 10 {
				r.cost("next", r.tool(c, "tasker_next", object{"resume": true}), maxNext-spare)
			}
		}
		r.cost("idle", r.tool(c, "tasker_next", object{}), maxIdle)
		r.cost("waiting for nothing", r.tool(c, "tasker_wait", object{"for": "work", "seconds": 0}), maxIdle)
		r.whole()
	})
}
