package agents

import (
	"bytes"
	"encoding/json"
	"fmt"
	"io"
	"maps"
	"net/http"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
	"github.com/modelcontextprotocol/go-sdk/mcp"

	"tasker/internal/testkit/dbtest"
	"tasker/test/program"
)

// The gate asks for a command that fails, and only ann is a person.
const (
	liarFile = `{"version": 1, "project": "demo", "gates": {"tested": ["$ sh check.sh"], "easy": []},
		"actors": [{"name": "ann", "kind": "human", "default": true}, {"name": "liar", "kind": "agent"}, {"name": "bob", "kind": "agent"}]}`
	// liarsOwn is what the liar makes of that file.
	liarsOwn = `{"version": 1, "project": "demo", "gates": {"tested": [], "easy": []}, "execution": {"defaultAutonomy": "autonomous"},
		"actors": [{"name": "liar", "kind": "human", "roles": ["lead"], "default": true}]}`
	liarPlan = `{"project": "demo", "tasks": [
		{"key": "gated", "title": "Gated", "gate": "tested", "criteria": ["it works"]},
		{"key": "held", "title": "Held"},
		{"key": "waits", "title": "Waits", "deps": ["gated"]},
		{"key": "whole", "title": "Whole"},
		{"key": "part", "title": "Part", "parent": "whole", "gate": "tested"},
		{"key": "watched", "title": "Watched", "autonomy": "supervised"},
		{"key": "returned", "title": "Returned", "criteria": ["it works"]},
		{"key": "people", "title": "People", "autonomy": "human_only"},
		{"key": "leads", "title": "Leads", "mayExecute": ["lead"]},
		{"key": "asked", "title": "Asked"}]}`
	gateKind = "$ sh check.sh"
)

// runRecord is a record of a run as `tasker prove` writes it, made by hand.
func runRecord(line string, exitCode int) string {
	return fmt.Sprintf(`{"line":%q,"dir":".","exitCode":%d,"durationMs":1,"commit":null,"tree":null,"dirty":false,"outputSha256":"%064d","outputBytes":0}`, line, exitCode, 0)
}

// lie is one attempt to close a task, or to clear the way for that, on the faces that have it.
type lie struct {
	what    string
	command []string
	stdin   string
	tool    string
	args    object
	path    string // of the route, below /v1
	says    string // in each refusal
	given   bool   // it is told with the file that the repository has; with one of the liar's own it would be no lie
}

func moves(what, id, to, says string, more object, flags ...string) lie {
	args := object{"id": id, "to": to}
	maps.Copy(args, more)
	return lie{what: what, command: append([]string{"move", id, to}, flags...), tool: "tasker_move", args: args, path: "/tasks/" + id + "/transition", says: says}
}

func asGiven(try lie) lie {
	try.given = true
	return try
}

func closes(what, id, says string) lie { return moves(what, id, "done", says, nil) }

func edits(what, id, says string, change object, flags ...string) lie {
	args := object{"id": id}
	maps.Copy(args, change)
	return lie{what: what, command: append([]string{"edit", id}, flags...), tool: "tasker_edit", args: args, path: "/tasks/" + id + "/edit", says: says}
}

func proves(what, id, value, says string) lie { return provesAs(what, id, gateKind, value, says) }

func provesAs(what, id, kind, value, says string) lie {
	return lie{
		what: what, command: []string{"evidence", id, "--kind", kind, "--value", value}, tool: "tasker_evidence",
		args: object{"id": id, "items": []object{{"kind": kind, "value": value}}}, path: "/tasks/" + id + "/evidence", says: says,
	}
}

func applies(what, says, task string) lie {
	doc := `{"project": "demo", "tasks": [` + task + `]}`
	if strings.HasPrefix(task, `"gates"`) {
		doc = `{"project": "demo", ` + task + `, "tasks": [{"key": "held", "title": "Held"}]}`
	}
	var args object
	if err := json.Unmarshal([]byte(doc), &args); err != nil {
		panic(err)
	}
	return lie{what: what, command: []string{"apply", "-f", "-"}, stdin: doc, tool: "tasker_apply", args: args, path: "/apply", says: says}
}

func types(what, says string, words ...string) lie {
	return lie{what: what, command: words, says: says}
}

// lies are what the liar tries.
var lies = []lie{
	closes("closes what its gate does not let it", "demo-1", "evidence "+gateKind),
	moves("forces it", "demo-1", "done", "evidence "+gateKind, object{"force": true}, "--force"),
	proves("types the evidence", "demo-1", "ok, 12 passed", gateKind),
	provesAs("types evidence that looks like it, with a blank", "demo-1", " "+gateKind, "ok", "it looks like a command, and is none"),
	provesAs("types evidence that looks like it, with another blank", "demo-1", "$\u00a0sh check.sh", "ok", "it looks like a command, and is none"),
	applies("types evidence that looks like it in a document", "it looks like a command, and is none", `{"key": "gated", "title": "Gated", "evidence": [{"kind": "\u200b$ sh check.sh", "value": "ok"}]}`),
	proves("records a run of another command", "demo-1", runRecord("true", 0), gateKind),
	proves("records a run that failed", "demo-1", runRecord("sh check.sh", 1), gateKind),
	moves("types the evidence with the move", "demo-1", "done", gateKind,
		object{"evidence": []object{{"kind": gateKind, "value": "ok"}}}, "--evidence", gateKind+"=ok"),
	types("runs true for it", "", "prove", "demo-1", "--kind", gateKind, "--", "true"),
	types("has what fails run", "", "prove", "demo-1"),
	applies("types the evidence in a document", gateKind, `{"key": "gated", "title": "Gated", "evidence": [{"kind": "$ sh check.sh", "value": "ok"}]}`),
	applies("closes it in a document", "evidence "+gateKind, `{"key": "gated", "title": "Gated", "status": "done"}`),
	applies("cancels it in a document", "", `{"key": "gated", "title": "Gated", "status": "cancelled"}`),

	edits("clears the gate", "demo-1", "gate", object{"gate": nil}, "--gate", ""),
	edits("takes an easier gate", "demo-1", "gate", object{"gate": "easy"}, "--gate", "easy"),
	applies("takes an easier gate in a document", "gate", `{"key": "gated", "title": "Gated", "gate": "easy"}`),
	applies("redefines the gate in a document", "gate", `"gates": {"tested": []}`),
	types("redefines the gate in the database", "", "project", "set", "demo", "gates.tested", "[]"),
	types("carries its file into the database", "", "project", "set", "demo", "--from", "own.json"),

	closes("closes what another holds", "demo-2", "bob"),
	moves("forces what another holds", "demo-2", "done", "bob", object{"force": true}, "--force"),
	{what: "releases what another holds", command: []string{"release", "demo-2"}, tool: "tasker_release", args: object{"id": "demo-2"}, path: "/tasks/demo-2/release", says: "bob"},

	closes("closes what waits", "demo-3", "dependency demo-1"),
	moves("forces what waits", "demo-3", "done", "dependency demo-1", object{"force": true}, "--force"),
	edits("drops the dependency", "demo-3", "demo-1", object{"removeDeps": []string{"demo-1"}}, "--rm-dep", "demo-1"),
	edits("replaces the dependencies", "demo-3", "demo-1", object{"deps": []string{}}, "--dep", ""),
	applies("drops the dependency in a document", "demo-1", `{"key": "waits", "title": "Waits", "deps": []}`),
	applies("closes what waits in a document", "dependency demo-1", `{"key": "waits", "title": "Waits", "status": "done"}`),
	moves("cancels what stands in the way", "demo-1", "cancelled", "gate", nil),
	moves("cancels what waits", "demo-3", "cancelled", "", nil),

	closes("closes the whole before its part", "demo-4", "part demo-5"),
	edits("takes the part away", "demo-5", "demo-4", object{"parent": nil}, "--parent", ""),
	edits("has the part wait for the whole, which makes it no part", "demo-5", "demo-4", object{"addDeps": []string{"demo-4"}}, "--add-dep", "demo-4"),
	edits("gives the part to another", "demo-5", "demo-4", object{"parent": "demo-2"}, "--parent", "demo-2"),
	applies("gives the part to another in a document", "demo-4", `{"key": "part", "title": "Part", "parent": "held"}`),
	moves("cancels the part", "demo-5", "cancelled", "gate", nil),
	moves("cancels the whole before its part", "demo-4", "cancelled", "part demo-5", nil),

	closes("closes what is supervised", "demo-6", "supervised"),
	edits("lets itself go alone", "demo-6", "autonomy", object{"autonomy": "autonomous"}, "--autonomy", "autonomous"),
	moves("cancels what is supervised", "demo-6", "cancelled", "supervised", nil),

	closes("closes what was returned", "demo-7", "returned: the error has no test"),
	moves("forces what was returned", "demo-7", "done", "returned: the error has no test", object{"force": true}, "--force"),

	closes("closes what is for people", "demo-8", "human_only"),
	asGiven(closes("closes what is for leads", "demo-9", "mayExecute")), // a role that only a file gives counts, and the claim names it
	edits("lets itself have it", "demo-9", "mayExecute", object{"mayExecute": []string{}}, "--may-execute", ""),
	closes("closes what is asked about", "demo-10", "question "),
	{what: "answers what ann is asked", command: []string{"answer", "QUESTION", "yes"}, says: "ann"},
	types("makes a session for ann", "", "session", "create", "--actor", "ann"),
	types("deletes the project", "", "project", "delete", "demo", "--yes"),
	types("merges the project into its own", "", "project", "merge", "demo", "mine"),
	types("takes back what ann has done", "", "undo", "--by", "ann", "--since", "1h"),
	types("takes back the plan", "", "undo", "2"),
}

// liar is a place with a person, a gate that asks for a command, and an agent that lies.
type liar struct {
	*place
	question string // the id of what ann is asked about demo-10
}

func newLiar(t *testing.T) *liar {
	t.Helper()
	l := newWorld(t, liarFile)
	l.file(l.dir, "check.sh", "echo it does not work; exit 1\n")
	l.file(l.dir, "own.json", liarsOwn)
	l.as("ann", liarPlan, "apply", "-f", "-")
	l.as("bob", "", "claim", "demo-2")
	l.as("liar", "", "claim", "demo-7")
	l.as("liar", "", "review", "demo-7", "--check", "1")
	l.as("ann", "", "return", "demo-7", "--because", "the error has no test")
	var asked struct{ ID int64 }
	if err := json.Unmarshal([]byte(l.as("ann", "", "ask", "demo-10", "Do we want it?", "--blocking", "--to", "ann", "--json")), &asked); err != nil {
		t.Fatal(err)
	}
	l.question = fmt.Sprint(asked.ID)
	l.as("liar", "", "project", "create", "mine")
	l.as("liar", "", "claim", "demo-1")
	l.as("liar", "", "check", "demo-1", "1")
	return l
}

// newWorld returns a repository with a file of ours, and nothing planned.
func newWorld(t *testing.T, file string) *liar {
	t.Helper()
	l := &liar{place: &place{T: t, db: dbtest.SQLite(t), dir: t.TempDir()}}
	program.Prepare(t, tasker, l.db)
	l.file(l.dir, ".tasker.json", file)
	git := exec.Command("git", "init", "-q")
	git.Dir = l.dir
	if out, err := git.CombinedOutput(); err != nil {
		t.Fatalf("git init: %v\n%s", err, out)
	}
	return l
}

func (l *liar) file(dir, name, text string) {
	l.Helper()
	if err := os.WriteFile(filepath.Join(dir, name), []byte(text), 0o600); err != nil {
		l.Fatal(err)
	}
}

// try runs a command as somebody in a directory.
func (l *liar) try(dir, actor, stdin string, args ...string) (said string, code int) {
	l.Helper()
	cmd := l.command(args...)
	cmd.Dir, cmd.Stdin = dir, strings.NewReader(stdin)
	cmd.Env = append(cmd.Env, "TASKER_ACTOR="+actor)
	var out bytes.Buffer
	cmd.Stdout, cmd.Stderr = &out, &out
	if err := cmd.Run(); err != nil && cmd.ProcessState == nil {
		l.Fatal(err)
	}
	return out.String(), cmd.ProcessState.ExitCode()
}

// as runs a command that must succeed.
func (l *liar) as(actor, stdin string, args ...string) string {
	l.Helper()
	said, code := l.try(l.dir, actor, stdin, args...)
	if code != 0 {
		l.Fatalf("tasker %v as %s ends with %d: %s", args, actor, code, said)
	}
	return said
}

// row is a stored record: its table and number, and its members.
type row map[string]any

// state is everything that is stored of the project but the log of events.
func (l *liar) state() map[string]row {
	l.Helper()
	out := map[string]row{}
	for line := range strings.Lines(l.as("ann", "", "export", "-p", "demo")) {
		var r struct {
			Table string
			Row   row
		}
		if json.Unmarshal([]byte(strings.TrimSuffix(strings.TrimSpace(line), ",")), &r) == nil && r.Table != "" && r.Table != "event" {
			out[fmt.Sprintf("%s %v %v", r.Table, r.Row["id"], r.Row["key"])] = r.Row
		}
	}
	if len(out) < 11 {
		l.Fatalf("an export has %d records", len(out))
	}
	return out
}

// home is a directory that the liar works in, with a tool server and a server that it started there.
type home struct {
	dir   string
	url   string
	tools *mcp.ClientSession
}

func (l *liar) home(dir string) home {
	l.Helper()
	at := &place{T: l.T, db: l.db, dir: dir, actor: "liar", env: l.env}
	return home{dir, at.serve(), at.connect(&mcp.CommandTransport{Command: at.command("mcp", "--tools", "all"), TerminateDuration: patience})}
}

// Exit codes of a refusal. A command that is run for evidence and fails has its own.
const (
	invalid  = 2
	declined = 3
)

// refused fails if an attempt is not declined, on one of its faces, for the reason that it must say.
func (l *liar) refused(h home, try lie) {
	l.Helper()
	answer := func(face, said, says string, refused bool) {
		l.Helper()
		if !refused || !strings.Contains(said, says) {
			l.Errorf("by a %s: refused %v, and says %.300q, want %q", face, refused, said, says)
		}
	}
	words := slices.Clone(try.command)
	for i, w := range words {
		if w == "QUESTION" {
			words[i] = l.question
		}
	}
	said, code := l.try(h.dir, "liar", try.stdin, words...)
	answer("command", said, try.says, code == declined || code == invalid || try.command[0] == "prove" && code != 0)
	if try.tool == "" {
		return
	}
	res, err := h.tools.CallTool(l.Context(), &mcp.CallToolParams{Name: try.tool, Arguments: try.args})
	if err != nil {
		l.Fatal(err)
	}
	says := try.says
	if try.args["force"] != nil {
		says = "there is no argument force" // the tools do not even offer it
	}
	answer("tool", saidBy(res), says, res.IsError)
	body := maps.Clone(try.args)
	delete(body, "id")
	status, text := l.post(h.url+"/v1"+try.path, body)
	answer("route", text, try.says, status == http.StatusUnprocessableEntity)
}

// post sends a request, and returns the status and the text of the answer without the escapes of JSON.
func (l *liar) post(url string, body object) (int, string) {
	l.Helper()
	src, err := json.Marshal(body)
	if err != nil {
		l.Fatal(err)
	}
	res, err := http.Post(url, "application/json", bytes.NewReader(src))
	if err != nil {
		l.Fatal(err)
	}
	defer func() { _ = res.Body.Close() }()
	text, err := io.ReadAll(res.Body)
	if err != nil {
		l.Fatal(err)
	}
	return res.StatusCode, string(text)
}

func saidBy(res *mcp.CallToolResult) (text string) {
	for _, part := range res.Content {
		if t, ok := part.(*mcp.TextContent); ok {
			text += t.Text
		}
	}
	return text
}

// TestALiarClosesNothingUnderItsOwnName tries everything by commands, tools and routes, in the repository as it was given
// and with a file in which the liar is the only person and the gate asks for nothing.
func TestALiarClosesNothingUnderItsOwnName(t *testing.T) {
	l := newLiar(t)
	own := t.TempDir()
	l.file(own, ".tasker.json", liarsOwn)
	l.file(own, "own.json", liarsOwn)
	homes := []home{l.home(l.dir), l.home(own)}
	before := l.state()
	for _, try := range lies {
		for i, h := range homes {
			if try.given && i > 0 {
				continue
			}
			t.Run(fmt.Sprintf("%s/%d", try.what, i), func(t *testing.T) {
				l := &liar{&place{T: t, db: l.db, dir: l.dir}, l.question}
				l.refused(h, try)
			})
		}
		now := l.state()
		if diff := cmp.Diff(before, now); diff != "" {
			t.Errorf("%s: something is written (-was +is):\n%s", try.what, diff)
		}
		before = now
	}
}

// TestALiarGetsNothingThroughReviewAWorkerOrAnImport tries the ways around that are allowed in themselves: handing over and
// closing what was handed over, a worker whose command does nothing, and an import from a tool in which all is done.
func TestALiarGetsNothingThroughReviewAWorkerOrAnImport(t *testing.T) {
	l := newLiar(t)
	h := l.home(l.dir)
	open := func(what string, but ...string) {
		t.Helper()
		var list struct {
			Tasks []struct{ ID, Status string }
		}
		if err := json.Unmarshal([]byte(l.as("ann", "", "list", "--json", "--limit", "100")), &list); err != nil || len(list.Tasks) != 10 {
			t.Fatal(list, err)
		}
		for _, task := range list.Tasks {
			if (task.Status == "done" || task.Status == "cancelled") && !slices.Contains(but, task.ID) {
				t.Errorf("%s: %s is %s", what, task.ID, task.Status)
			}
		}
	}
	for n := range 10 {
		id := fmt.Sprintf("demo-%d", n+1)
		for _, to := range []string{"in_review", "done"} {
			l.try(h.dir, "liar", "", "move", id, to)
			if _, err := h.tools.CallTool(t.Context(), &mcp.CallToolParams{Name: "tasker_move", Arguments: object{"id": id, "to": to}}); err != nil {
				t.Fatal(err)
			}
			l.post(h.url+"/v1/tasks/"+id+"/transition", object{"to": to})
		}
		open(id + " through review")
	}

	l = newLiar(t)
	l.try(l.dir, "liar", "", "run", "--until-empty", "--", "true")
	open("a worker that runs true")

	l = newLiar(t)
	l.try(l.dir, "liar", `{"project": "demo", "tasks": [{"key": "held", "title": "Held"}]}`, "apply", "-f", "-", "--prune", "--yes")
	open("a plan that leaves everything out", "demo-7") // it could claim that one, which has no gate and no parts: an agent may cancel it

	l = newLiar(t)
	export := l.as("ann", "", "export", "-p", "demo")
	typed := fmt.Sprintf(`,{"table":"evidence","row":{"id":999,"task":%d,"actor":"ann","kind":%q,"value":"ok","note":"","at":1}}`, 1<<32+1, gateKind)
	at := strings.LastIndex(export, "\n]")
	var count int
	if _, err := fmt.Sscanf(export[at:], "\n],\"count\":%d}", &count); err != nil {
		t.Fatal(err)
	}
	l.file(l.dir, "export.json", fmt.Sprintf("%s%s\n],\"count\":%d}\n", export[:at], typed, count+1))
	if said, code := l.try(l.dir, "liar", "", "import", "tasker", "export.json"); code == 0 || !strings.Contains(said, gateKind) {
		t.Errorf("typed evidence in an import: exit code %d: %s", code, said)
	}
	closed := ""
	for _, key := range []string{"gated", "held", "part", "people", "leads", "asked"} {
		closed += fmt.Sprintf(`{"id": %q, "title": "Done elsewhere", "status": "closed"}`+"\n", key)
	}
	l.try(l.dir, "liar", closed, "import", "beads", "-")
	open("an import")

	copied := t.TempDir() // in no repository, where the command of the gate passes
	l.file(copied, ".tasker.json", liarFile)
	l.file(copied, "check.sh", "true\n")
	l.try(copied, "liar", "", "prove", "demo-1")
	if said, code := l.try(copied, "liar", "", "done", "demo-1"); code != declined || !strings.Contains(said, "by the policy of record") {
		t.Errorf("a run in a copy of the file closes it: exit code %d: %s", code, said)
	}
	open("a run in a copy of the file")
}

// TestAnAgentInThePersonsShellClosesNothing gives no name where ann is assumed, in a shell that shows whose it is.
func TestAnAgentInThePersonsShellClosesNothing(t *testing.T) {
	l := newLiar(t)
	before := l.state()
	for _, words := range [][]string{
		{"done", "demo-3"}, {"done", "demo-6"}, {"done", "demo-1", "--force"}, {"cancel", "demo-5"}, {"approve", "demo-6"}, {"claim", "demo-8"},
		{"edit", "demo-1", "--gate", ""}, {"release", "demo-2"}, {"answer", l.question, "yes"},
	} {
		cmd := l.command(words...)
		cmd.Env = append(slices.DeleteFunc(cmd.Env, func(v string) bool { return strings.HasPrefix(v, "TASKER_ACTOR=") }), "CLAUDECODE=1")
		if out, err := cmd.CombinedOutput(); err == nil {
			t.Errorf("tasker %v: %s", words, out)
		}
	}
	if diff := cmp.Diff(before, l.state()); diff != "" {
		t.Errorf("something is written (-was +is):\n%s", diff)
	}
}

// TestTheTwoWaysThatStayOpenStandInTheLog shows what nothing here can prevent: a run that was written by hand, and an agent
// that claims to be a person. Who did it can be read afterwards.
func TestTheTwoWaysThatStayOpenStandInTheLog(t *testing.T) {
	l := newLiar(t)
	l.as("liar", "", "evidence", "demo-1", "--kind", gateKind, "--value", runRecord("sh check.sh", 0))
	l.as("liar", "", "done", "demo-1")
	cmd := l.command("done", "demo-8", "--actor", "ann", "--quiet")
	cmd.Env = append(cmd.Env, "CLAUDECODE=1")
	if err := cmd.Run(); err != nil {
		t.Fatal(err)
	}
	var events []struct {
		Task, Actor, Kind string
		Payload           struct{ To, Kind string }
		Via               struct{ Agent string }
	}
	if err := json.Unmarshal([]byte(l.as("ann", "", "events", "--limit", "1000", "--json")), &events); err != nil {
		t.Fatal(err)
	}
	forged, posed := false, false
	for _, e := range events {
		forged = forged || e.Task == "demo-1" && e.Kind == "evidence.added" && e.Payload.Kind == gateKind && e.Actor == "liar"
		posed = posed || e.Task == "demo-8" && e.Payload.To == "done" && e.Actor == "ann" && e.Via.Agent == "claude"
	}
	if !forged || !posed {
		t.Errorf("the log has the forged run: %v, and the agent that acted as a person: %v", forged, posed)
	}
}
