package agents

import (
	"encoding/json"
	"fmt"
	"io"
	"net/http"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"

	"github.com/modelcontextprotocol/go-sdk/mcp"
)

const (
	stageFile = `{"version": 1, "project": "demo", "gates": {"tested": ["$ test -d ."]}, "workspace": {"strategy": "worktree"},
		"actors": [{"name": "ann", "kind": "human"}, {"name": "bot", "kind": "agent"}, {"name": "codex", "kind": "agent"}]}`
	stageKind = "$ test -d ."
)

// stage is a repository with an own.txt and a mine.txt, and a project whose gate asks for a run. codex works in its root.
type stage struct {
	*liar
	url   string
	tools map[string]*mcp.ClientSession // of bot, and of an instance of it
	run   string                        // a run of the gate's line on the files as they were committed
	tree  string                        // of that run
}

// closing is a task that an agent tries to close by one face.
type closing struct {
	id, key string
	as      string   // the name under which it does
	there   []string // in the task's own work tree, the files that differ from those of the run; nil without one
}

// face is a way by which an agent closes a task.
type face struct {
	name string
	sees bool // it sends the tree of files that it sees
	try  func(c *stage, t closing) (said string)
}

var faces = []face{
	{"a command", true, func(c *stage, t closing) string {
		said, _ := c.try(c.dir, t.as, "", "done", t.id, "--json")
		return said
	}},
	{"a tool on standard input", true, func(c *stage, t closing) string {
		res, err := c.tools[t.as].CallTool(c.Context(), &mcp.CallToolParams{Name: "tasker_move", Arguments: object{"id": t.id, "to": "done"}})
		if err != nil {
			c.Fatal(err)
		}
		return saidBy(res)
	}},
	{"a route with a tree", true, func(c *stage, t closing) string {
		files := []string{"own.txt"}
		if t.there != nil {
			files = t.there
		}
		return c.sends(t.as, "/tasks/"+t.id+"/transition", object{"to": "done", "tree": "now", "differs": []object{{"tree": c.tree, "files": files}}})
	}},
	{"a route", false, func(c *stage, t closing) string {
		return c.sends(t.as, "/tasks/"+t.id+"/transition", object{"to": "done"})
	}},
	{"a document", false, func(c *stage, t closing) string {
		said, _ := c.try(c.dir, t.as, fmt.Sprintf(`{"project": "demo", "tasks": [{"key": %q, "title": "T", "status": "done"}]}`, t.key), "apply", "-f", "-", "--json")
		return said
	}},
	{"an import", false, func(c *stage, t closing) string {
		said, _ := c.try(c.dir, t.as, "id,title,status\n"+t.key+",T,done\n",
			"import", "csv", "-", "--map", "key=id", "--map", "title=title", "--map", "status=status", "--json")
		return said
	}},
}

// standing is how a task stands when an agent closes it.
type standing struct {
	name    string
	fields  string // of the task
	as      string // who closes it: bot
	before  func(c *stage, t *closing)
	missing string // "" if it closes, as what is stale does by a face that sends no tree
	routed  string // likewise by a route with a tree: a server does not know who else works in the caller's checkout
	tooled  string // likewise by a tool, which works as an instance of bot: another holder where nobody holds the task
	warns   string // by a command and a tool
}

const (
	staleHere = "evidence " + stageKind + " (stale: own.txt changed since)"
	ownFile   = `"touches": ["own.txt"]`
	otherFile = `"touches": ["mine.txt"]`
)

// proved has bot hold a task and record a run.
func proved(c *stage, t *closing) {
	c.sends("bot", "/tasks/"+t.id+"/claim", object{})
	c.records("bot", t)
}

// again has bot hold a task anew after ann sent it back, and show something for it that is no run.
func again(c *stage, t *closing) {
	c.sends("bot", "/tasks/"+t.id+"/claim", object{})
	c.sends("bot", "/tasks/"+t.id+"/evidence", object{"items": []object{{"kind": "fix", "value": "done"}}})
}

// opened makes a work tree for a task in which its run is made.
func opened(c *stage, t *closing) string {
	c.as("bot", "", "workspace", "open", t.id, "--claim", "--quiet")
	c.records("bot", t)
	t.there = []string{}
	return strings.TrimSpace(c.as("bot", "", "workspace", "path", t.id))
}

// standings are all of them, and what keeps an agent from closing the task there.
var standings = []standing{
	{name: "stale in own files", fields: ownFile, before: proved, missing: staleHere},
	{name: "stale in others' files", fields: otherFile, before: proved},
	{name: "returned", fields: otherFile, before: func(c *stage, t *closing) {
		proved(c, t)
		c.sends("bot", "/tasks/"+t.id+"/transition", object{"to": "in_review"})
		c.as("ann", "", "return", t.id, "--because", "no test")
		again(c, t)
	}, missing: "evidence " + stageKind + " (before the return)"},
	{name: "reopened", fields: otherFile, before: func(c *stage, t *closing) {
		proved(c, t)
		c.sends("bot", "/tasks/"+t.id+"/transition", object{"to": "done"})
		c.as("ann", "", "reopen", t.id)
		again(c, t)
	}, missing: "evidence " + stageKind + " (before the reopening)"},
	{name: "another's run", fields: otherFile, before: func(c *stage, t *closing) {
		c.sends("bot", "/tasks/"+t.id+"/claim", object{})
		c.records("codex", t)
	}, missing: "evidence " + stageKind + " (run by codex)"},
	{name: "from before it was held", fields: otherFile, before: func(c *stage, t *closing) {
		c.records("bot", t)
		c.sends("bot", "/tasks/"+t.id+"/claim", object{})
	}, missing: "evidence " + stageKind + " (from before bot held it)"},
	{name: "the same name's shell", fields: otherFile, as: "bot/1", before: func(c *stage, t *closing) {
		c.sends("bot/1", "/tasks/"+t.id+"/claim", object{})
		c.records("bot", t)
	}},
	{name: "unheld, after its own work", fields: otherFile, before: func(c *stage, t *closing) {
		proved(c, t)
		c.sends("bot", "/tasks/"+t.id+"/release", object{})
	}, tooled: "evidence " + stageKind + " (run by bot)"},
	{name: "unheld, after another's work", fields: otherFile, before: func(c *stage, t *closing) {
		proved(c, t)
		c.sends("bot", "/tasks/"+t.id+"/release", object{})
		c.as("codex", "", "claim", t.id)
		c.as("codex", "", "release", t.id)
	}, missing: "evidence " + stageKind + " (from before bot held it)", tooled: "evidence " + stageKind + " (run by bot)"},
	{name: "from review", fields: otherFile, before: func(c *stage, t *closing) {
		proved(c, t)
		c.sends("bot", "/tasks/"+t.id+"/transition", object{"to": "in_review"})
	}},
	{name: "own work tree", fields: ownFile, before: func(c *stage, t *closing) { opened(c, t) }},
	{name: "own work tree, changed there", fields: ownFile, before: func(c *stage, t *closing) {
		c.file(opened(c, t), "own.txt", "three")
		t.there = []string{"own.txt"}
	}, missing: staleHere},
	{name: "shared checkout", fields: `"touches": []`, before: proved, routed: staleHere, warns: "its checkout is shared with codex"},
}

// TestWhichRunCountsOnEveryFace closes a task by each face as it stands in each way. Where the face sends no tree, what closes
// says so in proof, and nothing else does.
func TestWhichRunCountsOnEveryFace(t *testing.T) {
	c := newStage(t)
	tries := make([][]closing, len(standings))
	for i, s := range standings {
		for j := range faces {
			n := i*len(faces) + j
			try := closing{id: fmt.Sprintf("demo-%d", n+2), key: fmt.Sprint("k", n), as: s.as}
			if s.as == "" {
				try.as = "bot"
			}
			s.before(c, &try)
			tries[i] = append(tries[i], try)
		}
	}
	c.file(c.dir, "own.txt", "two")
	for i, s := range standings {
		want := strings.HasPrefix(s.missing, staleHere)
		for as, text := range map[string]string{
			"show": c.as(tries[i][0].as, "", "show", tries[i][0].id), "its tool": c.shown(tries[i][0]),
		} {
			if strings.Contains(text, "stale") != want {
				t.Errorf("%s by %s: stale is not %v: %s", s.name, as, want, text)
			}
		}
	}
	said := map[string]string{}
	for i := range standings {
		for j, f := range faces {
			said[tries[i][j].id] = f.try(c, tries[i][j])
		}
	}
	closed := c.proof()
	for i, s := range standings {
		for j, f := range faces {
			id := tries[i][j].id
			want := s.missing
			switch {
			case strings.HasPrefix(f.name, "a route with") && s.routed != "":
				want = s.routed
			case strings.HasPrefix(f.name, "a tool") && s.tooled != "":
				want = s.tooled
			case !f.sees && want == staleHere:
				want = ""
			}
			tree, done := closed[id]
			switch {
			case done != (want == ""), want != "" && !strings.Contains(said[id], want):
				t.Errorf("%s by %s: closed is %v, want %q missing: %s", s.name, f.name, done, want, said[id])
			case done && (tree == "unknown") == f.sees:
				t.Errorf("%s by %s: its tree is %q in proof", s.name, f.name, tree)
			case done && !f.sees && !strings.Contains(said[id], "tree: unknown"):
				t.Errorf("%s by %s does not say that nobody saw the files: %s", s.name, f.name, said[id])
			case want == "" && f.sees && !strings.Contains(said[id], s.warns):
				t.Errorf("%s by %s does not warn: %s", s.name, f.name, said[id])
			}
		}
	}
}

func newStage(t *testing.T) *stage {
	t.Helper()
	c := &stage{liar: newWorld(t, stageFile), tools: map[string]*mcp.ClientSession{}}
	c.file(c.dir, "own.txt", "one")
	c.file(c.dir, "mine.txt", "one")
	c.file(filepath.Join(c.dir, ".git", "info"), "exclude", "*\n!*.txt\n")
	for _, words := range [][]string{{"add", "."}, {"-c", "user.name=ann", "-c", "user.email=ann@example", "commit", "-q", "-m", "Begin"}} {
		cmd := exec.Command("git", words...)
		cmd.Dir = c.dir
		if out, err := cmd.CombinedOutput(); err != nil {
			t.Fatalf("git %v: %v\n%s", words, err, out)
		}
	}
	tasks := []string{`{"key": "codex", "title": "What codex works on", "gate": "tested"}`}
	for i, s := range standings {
		for j := range faces {
			tasks = append(tasks, fmt.Sprintf(`{"key": "k%d", "title": "T", "gate": "tested", %s}`, i*len(faces)+j, s.fields))
		}
	}
	c.as("ann", `{"project": "demo", "tasks": [`+strings.Join(tasks, ",")+`]}`, "apply", "-f", "-")
	c.as("codex", "", "prove", "demo-1")
	var b struct {
		Evidence []struct{ Value string }
	}
	c.read(&b, c.as("ann", "", "show", "demo-1", "--json"))
	c.run = b.Evidence[0].Value
	var run struct{ Tree string }
	c.read(&run, c.run)
	c.tree = run.Tree
	c.url = (&place{T: t, db: c.db, dir: c.dir, actor: "bot"}).serve()
	for _, as := range []string{"bot", "bot/1"} {
		c.tools[as] = (&place{T: t, db: c.db, dir: c.dir, actor: as}).local()
	}
	return c
}

func (c *stage) read(into any, text string) {
	c.Helper()
	if err := json.Unmarshal([]byte(text), into); err != nil {
		c.Fatalf("%v: %s", err, text)
	}
}

// records adds the run as somebody's. An agent's own shell is the command line.
func (c *stage) records(as string, t *closing) {
	c.Helper()
	c.as(as, "", "evidence", t.id, "--kind", stageKind, "--value", c.run)
}

// sends sends a request as bot, or as an instance of it, and returns what the answer says.
func (c *stage) sends(as, path string, body object) string {
	c.Helper()
	src, err := json.Marshal(body)
	if err != nil {
		c.Fatal(err)
	}
	req, err := http.NewRequestWithContext(c.Context(), http.MethodPost, c.url+"/v1"+path, strings.NewReader(string(src)))
	if err != nil {
		c.Fatal(err)
	}
	if _, instance, ok := strings.Cut(as, "/"); ok {
		req.Header.Set("Tasker-Instance", instance)
	}
	res, err := http.DefaultClient.Do(req)
	if err != nil {
		c.Fatal(err)
	}
	defer func() { _ = res.Body.Close() }()
	text, err := io.ReadAll(res.Body)
	if err != nil {
		c.Fatal(err)
	}
	return string(text)
}

// shown returns what the tool says of a task.
func (c *stage) shown(t closing) string {
	c.Helper()
	res, err := c.tools[t.as].CallTool(c.Context(), &mcp.CallToolParams{Name: "tasker_show", Arguments: object{"id": t.id}})
	if err != nil {
		c.Fatal(err)
	}
	return saidBy(res)
}

// proof returns the closed tasks, with what proof says of the tree of each.
func (c *stage) proof() map[string]string {
	c.Helper()
	var p struct {
		Closed []struct{ Task, Tree string }
	}
	c.read(&p, c.as("ann", "", "proof", "--limit", "1000", "--json"))
	out := map[string]string{}
	for _, row := range p.Closed {
		out[row.Task] = row.Tree
	}
	return out
}
