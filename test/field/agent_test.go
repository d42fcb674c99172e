package main

import (
	"context"
	"encoding/json"
	"fmt"
	"path/filepath"
	"regexp"
	"strings"

	"github.com/modelcontextprotocol/go-sdk/mcp"
)

// face is how a scripted agent works: with commands alone, or with tools where there is one. What is refused fails the test.
type face interface {
	next() string                                    // claims a task, and returns its id, or "" if there is none
	prove(id string, check []int, command ...string) // runs the gate's command, or another one
	seen(id string, criterion int, text string)      // ticks what no run shows
	done(id string, check []int) string              // proves the task and ticks by that, closes it, and returns the id of the next one
	review(id string)                                // hands the task over
	ask(id, text string)                             // puts a blocking question, and gives the task back
}

// honest works through the plan of a place as an honest agent does, until it gets nothing more to do.
func (p *place) honest(f face) {
	p.Helper()
	asked, handed := false, false
	for id, turns := f.next(), 0; id != ""; turns++ {
		if turns > 2*len(p.plan.jobs) {
			p.Fatalf("%s is given again and again", id)
		}
		j := p.job(id)
		switch {
		case j.answer != "" && !asked: // nobody has given the rate
			f.ask(id, "Which rate has the accounts office set?")
			asked, id = true, f.next()
		case j.because != "" && !handed: // as the task says, and not as the person wants it
			p.program(j.name, unfinished)
			p.push()
			f.prove(id, all(j))
			f.review(id)
			handed, id = true, f.next()
		case j.because != "":
			p.solve(j.name)
			p.push()
			f.prove(id, nil, strings.Fields(runAll)...) // the gate is met from before, and the return asks for something new
			f.review(id)
			id = f.next()
		default:
			p.solve(j.name)
			p.push()
			switch j.name {
			case "day":
				f.prove(id, []int{2}, "sh", "bench/day")
				id = f.done(id, []int{1})
			case "amount":
				f.seen(id, 3, "README.md, Exit codes")
				id = f.done(id, []int{1, 2})
			default:
				id = f.done(id, all(j))
			}
		}
	}
}

// unfinished is a bin/receipt that does what the task says, and not yet what the person says when it comes back.
const unfinished = `#!/bin/sh
awk -F, '{ printf "%s %d.%02d\n", $1, $2 / 100, $2 % 100; sum += $2 } END { printf "TOTAL %d.%02d\n", sum / 100, sum % 100 }'
`

// all returns the indexes of all criteria of a job.
func all(j job) (indexes []int) {
	for i := range j.criteria {
		indexes = append(indexes, i+1)
	}
	return indexes
}

// list returns indexes as --check takes them.
func list(indexes []int) string {
	return strings.Trim(strings.ReplaceAll(fmt.Sprint(indexes), " ", ","), "[]")
}

// proof returns the arguments of prove.
func proof(id string, check []int, command []string) []string {
	args := []string{"prove", id}
	if len(check) > 0 {
		args = append(args, "--check", list(check))
	}
	if len(command) == 0 {
		return args
	}
	if strings.Join(command, " ") != runAll {
		args = append(args, "--kind", "bench")
	}
	return append(append(args, "--"), command...)
}

// shell is an agent that has commands alone.
type shell struct{ *place }

// given matches the line that says which task an agent has now.
var given = regexp.MustCompile(`(?m)^(field-\d+) is yours `)

func givenIn(said string) string {
	if m := given.FindStringSubmatch(said); m != nil {
		return m[1]
	}
	return ""
}

func (s *shell) next() string { return givenIn(s.must("next", "--claim")) }

func (s *shell) prove(id string, check []int, command ...string) {
	s.must(proof(id, check, command)...)
}

func (s *shell) seen(id string, criterion int, text string) {
	s.must("check", id, fmt.Sprint(criterion), "--seen", text)
}

func (s *shell) done(id string, check []int) string {
	return givenIn(s.must("done", id, "--prove", "--check", list(check), "--next"))
}

func (s *shell) review(id string) { s.must("review", id) }

func (s *shell) ask(id, text string) { s.must("ask", id, text, "--blocking", "--release") }

// tools is an agent that has tools, and a shell to run what it proves.
type tools struct {
	*place
	client *mcp.ClientSession
}

func newTools(p *place) *tools {
	p.Helper()
	cmd := in(p.dir, "bot", filepath.Join(p.dir, "bin", "tasker"), "mcp")
	c, err := mcp.NewClient(&mcp.Implementation{Name: "field", Version: "1"}, nil).Connect(p.Context(), &mcp.CommandTransport{Command: cmd}, nil)
	if err != nil {
		p.Fatal(err)
	}
	p.Cleanup(func() { _ = c.Close() })
	return &tools{p, c}
}

// call calls a tool and returns its answer.
func (t *tools) call(name string, args map[string]any) map[string]any {
	t.Helper()
	res, err := t.client.CallTool(context.Background(), &mcp.CallToolParams{Name: name, Arguments: args})
	if err != nil {
		t.Fatal(err)
	}
	text, _ := res.Content[len(res.Content)-1].(*mcp.TextContent)
	var out map[string]any
	if err := json.Unmarshal([]byte(text.Text), &out); err != nil || res.IsError {
		t.Fatalf("%s %v: %s", name, args, text.Text)
	}
	return out
}

// idOf returns the id of the task that an answer gives.
func idOf(answer map[string]any) string {
	task, _ := answer["task"].(map[string]any)
	id, _ := task["id"].(string)
	return id
}

func (t *tools) next() string { return idOf(t.call("tasker_next", map[string]any{})) }

func (t *tools) prove(id string, check []int, command ...string) {
	t.must(proof(id, check, command)...)
}

func (t *tools) seen(id string, criterion int, text string) {
	t.call("tasker_check", map[string]any{"id": id, "indexes": []int{criterion}, "seen": text})
}

func (t *tools) done(id string, check []int) string {
	t.prove(id, check)
	moved := t.call("tasker_move", map[string]any{"id": id, "to": "done", "next": true})
	next, _ := moved["next"].(map[string]any)
	return idOf(next)
}

func (t *tools) review(id string) { t.call("tasker_move", map[string]any{"id": id, "to": "in_review"}) }

func (t *tools) ask(id, text string) {
	t.call("tasker_ask", map[string]any{"id": id, "text": text, "blocking": true, "release": true})
}
