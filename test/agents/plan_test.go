package agents

import (
	"encoding/json"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"strings"
	"testing"
)

// beginner returns a place in which a person is about to have the work planned: a file declares the project.
func beginner(t *testing.T) *place {
	t.Helper()
	dir := t.TempDir()
	file := `{"version": 1, "project": "shop", "actors": [{"name": "ann", "kind": "human"}]}`
	if err := os.WriteFile(filepath.Join(dir, ".tasker.json"), []byte(file), 0o600); err != nil {
		t.Fatal(err)
	}
	return &place{T: t, db: filepath.Join(dir, "tasker.db"), dir: dir, actor: "claude"}
}

// hook returns what the start hook tells the agent.
func (p *place) hook() string {
	p.Helper()
	return p.output("setup", "claude", "--hook")
}

// types runs a line of a manual in a shell.
func (p *place) types(line string) string {
	p.Helper()
	cmd := exec.CommandContext(p.Context(), "sh", "-c", line)
	cmd.Dir, cmd.Env = p.dir, p.command().Env
	cmd.Env = append(cmd.Env, "PATH="+filepath.Dir(tasker)+":"+os.Getenv("PATH"))
	out, err := cmd.CombinedOutput()
	if err != nil {
		p.Fatalf("%s: %v\n%s", line, err, out)
	}
	return string(out)
}

// planned checks that the agent's plan is there, and that it holds a task of it.
func (p *place) planned() {
	p.Helper()
	if n := p.total(); n != 2 {
		p.Errorf("the plan has %d tasks", n)
	}
	if n := p.total("--held-by", "claude"); n != 1 {
		p.Errorf("the agent holds %d tasks", n)
	}
	if text := p.hook(); strings.Contains(text, "asked you to plan") || !strings.Contains(text, "Loop: ") {
		p.Errorf("once there is a plan the hook says:\n%s", text)
	}
}

// TestAnAgentThatKnowsOnlyItsStartHookPlansAndBegins does literally what the hook says to an agent whose person said
// "plan the work in tasker": after init, and where a file declares the project and there is no database yet.
func TestAnAgentThatKnowsOnlyItsStartHookPlansAndBegins(t *testing.T) {
	for _, begin := range []string{"init", "nothing"} {
		t.Run(begin, func(t *testing.T) {
			p := beginner(t)
			if begin == "init" {
				p.actor = "ann"
				p.output("init")
				p.actor = "claude"
			}
			text := p.hook()
			plan := regexp.MustCompile(`(?ms)^tasker apply .*?^EOF$`).FindString(text)
			then := regexp.MustCompile("Then `(tasker [^`]+)` gives you a task").FindStringSubmatch(text)
			if plan == "" || then == nil || !strings.Contains(text, "If your person asked you to plan the work") ||
				!regexp.MustCompile(`\d+ to \d+ tasks`).MatchString(text) || strings.Contains(text, "invent") {
				t.Fatalf("the hook does not say how to plan:\n%s", text)
			}
			schema := regexp.MustCompile("`(tasker apply --schema)`").FindStringSubmatch(text)
			if schema == nil || !json.Valid([]byte(p.types(schema[1]))) {
				t.Errorf("the hook names no schema:\n%s", text)
			}
			p.types(plan)
			p.types(then[1])
			p.planned()
		})
	}
}

// TestAnAgentThatKnowsOnlyItsToolsPlansAndBegins does literally what the tool server says at its start.
func TestAnAgentThatKnowsOnlyItsToolsPlansAndBegins(t *testing.T) {
	p := beginner(t)
	p.actor = "claude/1" // what it holds stays, for the checks
	c := p.local()
	text := c.InitializeResult().Instructions
	call := regexp.MustCompile(`(?m)^(tasker_\w+) (\{(?s:.*?)\]\})$`).FindStringSubmatch(text)
	then := regexp.MustCompile(`Then (tasker_\w+) gives you a task`).FindStringSubmatch(text)
	if call == nil || then == nil {
		t.Fatalf("the tools do not say how to plan:\n%s", text)
	}
	var args object
	if err := json.Unmarshal([]byte(call[2]), &args); err != nil {
		t.Fatalf("%s: %v", call[2], err)
	}
	p.call(c, call[1], args)
	if out := p.call(c, then[1], object{}); dig(out, "task", "id") != "shop-1" {
		t.Errorf("the first task is %v", out)
	}
	p.planned()
}
