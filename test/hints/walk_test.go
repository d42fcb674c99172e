package hints

import (
	"bufio"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"net/http"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"strings"
	"syscall"
	"testing"
	"time"

	"github.com/modelcontextprotocol/go-sdk/mcp"

	"tasker/internal/op/optest"
	"tasker/test/program"
)

// refusal is one refusal as each face provokes it. {p} is the slug of a project made for it, of which smallPlan says
// what it holds.
type refusal struct {
	name    string
	setup   []string // commands that must succeed; `other: …` runs one as another actor
	command string   // empty: the command line cannot provoke it
	request string   // METHOD PATH BODY
	tool    string   // NAME ARGUMENTS
	says    []string // what the hint says on every face
	words   string   // why the hint names no call
}

const smallPlan = `{"project": "%s", "gates": {"tested": ["test"]}, "tasks": [
	{"key": "one", "title": "One", "criteria": ["it works", "it is told"]},
	{"key": "two", "title": "Two", "deps": ["one"]},
	{"key": "three", "title": "Three"},
	{"key": "four", "title": "Four", "gate": "tested"}]}`

var refusals = []refusal{
	{
		name: "completion", command: "done {p}-1", request: `POST /v1/tasks/{p}-1/transition {"to":"done"}`,
		tool: `tasker_move {"id":"{p}-1","to":"done"}`, says: []string{"tick each criterion once it is true", "force the override, which is logged"},
	},
	{
		name: "evidence", command: "done {p}-4", request: `POST /v1/tasks/{p}-4/transition {"to":"done"}`,
		tool: `tasker_move {"id":"{p}-4","to":"done"}`, says: []string{"add the evidence", "override"},
	},
	{
		name: "held", setup: []string{"other: claim {p}-3"}, command: "claim {p}-3", request: `POST /v1/tasks/{p}-3/claim {}`,
		tool: `tasker_claim {"id":"{p}-3"}`,
	},
	{
		name: "own claim", setup: []string{"claim {p}-3"}, command: "claim {p}-3", request: `POST /v1/tasks/{p}-3/claim {}`,
		// no tool: it sends the fence by itself, and renews
	},
	{
		name: "closed", setup: []string{"done {p}-3"}, command: "claim {p}-3", request: `POST /v1/tasks/{p}-3/claim {}`,
		tool: `tasker_claim {"id":"{p}-3"}`,
	},
	{
		name: "in review", setup: []string{"review {p}-3"}, command: "claim {p}-3", request: `POST /v1/tasks/{p}-3/claim {}`,
		tool: `tasker_claim {"id":"{p}-3"}`,
	},
	{
		name: "waiting", command: "claim {p}-2", request: `POST /v1/tasks/{p}-2/claim {}`, tool: `tasker_claim {"id":"{p}-2"}`,
	},
	{
		name: "questioned", setup: []string{"ask {p}-3 why --blocking"}, command: "claim {p}-3", request: `POST /v1/tasks/{p}-3/claim {}`,
		tool: `tasker_claim {"id":"{p}-3"}`,
	},
	{
		name: "no such criterion", command: "check {p}-1 9", request: `POST /v1/tasks/{p}-1/criteria {"index":9}`,
		tool: `tasker_check {"id":"{p}-1","index":9}`,
	},
	{
		name: "no criterion", command: "check {p}-3 1", request: `POST /v1/tasks/{p}-3/criteria {"index":1}`,
		tool: `tasker_check {"id":"{p}-3","index":1}`,
	},
	{name: "old version", request: `POST /v1/tasks/{p}-3/transition {"to":"done","expectedVersion":9}`},
	{name: "fence of the future", command: "note {p}-3 late --fence 9", request: `POST /v1/tasks/{p}-3/notes {"text":"late","fence":9}`,
		words: "the fence is in the claim's answer, which only the caller has"},
	{
		name: "old fence", setup: []string{"other: claim {p}-3", "other: release {p}-3", "other: claim {p}-3"},
		command: "note {p}-3 late --fence 1", request: `POST /v1/tasks/{p}-3/notes {"text":"late","fence":1}`,
	},
	{name: "no such task", command: "-p {p} show {p}-99", request: `GET /v1/tasks/{p}-99`, tool: `tasker_show {"id":"{p}-99"}`},
	{name: "no such project", command: "list -p no-such", request: `GET /v1/tasks?project=no-such`, tool: `tasker_list {"project":"no-such"}`},
	{name: "no such question", command: "answer 99999 yes", request: `POST /v1/questions/99999/answer {"text":"yes"}`,
		tool: `tasker_answer {"id":99999,"text":"yes"}`},
	{name: "no such item", command: "-p {p} inbox ack review:{p}-99", request: `POST /v1/projects/{p}/inbox/ack {"items":["review:{p}-99"]}`,
		tool: `tasker_ack {"slug":"{p}","items":["review:{p}-99"]}`},
	{name: "no item", command: "-p {p} inbox ack x", request: `POST /v1/projects/{p}/inbox/ack {"items":["x"]}`,
		tool: `tasker_ack {"slug":"{p}","items":["x"]}`},
	{
		name: "archived", setup: []string{"project archive {p}"}, command: "note {p}-3 x", request: `POST /v1/tasks/{p}-3/notes {"text":"x"}`,
		tool: `tasker_note {"id":"{p}-3","text":"x"}`,
	},
	{
		name: "key is taken", command: "-p {p} add Again --key one", request: `POST /v1/tasks {"project":"{p}","key":"one","title":"Again"}`,
		tool: `tasker_create {"project":"{p}","key":"one","title":"Again"}`,
	},
	{
		name: "never done", setup: []string{"cancel {p}-3"}, command: "wait {p}-3 --for done", request: `GET /v1/tasks/{p}-3/wait?for=done`,
		tool: `tasker_met {"id":"{p}-3","for":"done"}`,
	},
	{name: "force", tool: `tasker_move {"id":"{p}-1","to":"done","force":true}`},
	{
		name: "approval", command: "approve {p}-1", request: `POST /v1/tasks/{p}-1/approve {}`, tool: `tasker_approve {"id":"{p}-1"}`,
		words: "an undeclared actor is told what to add to the configuration, which is a file",
	},
	{
		name: "unknown field", request: `POST /v1/tasks/{p}-1/notes {"txt":"x"}`, tool: `tasker_note {"id":"{p}-1","txt":"x"}`,
		command: "note {p}-1 x --txt y", words: "it is the call itself that has to be corrected",
	},
}

// elsewhere are the calls that no refusal of the walk names, with where they are tested.
var elsewhere = map[string]string{
	"events":         "a claim that somebody else ended: package task",
	"apply":          "there is no project at all: the scripts have an empty database",
	"project":        "a project that exists cannot be created: project create has no route, and the scripts have it",
	"session-list":   "sessions have commands alone; script session.txtar",
	"session-create": "a server that asks for sessions: package httpapi and script session.txtar",
	"doctor":         "only a broken database says it",
	"answer":         "an answered question: script ask.txtar",
	"withdraw":       "an asker who would answer: script ask.txtar",
	"ask":            "a question that was withdrawn: script ask.txtar",
	"note":           "an answered question: script ask.txtar",
	"approve":        "a declared agent: script policy.txtar",
}

var tasker string

func TestMain(m *testing.M) { os.Exit(program.Main(m, func(path string) { tasker = path })) }

// The languages, as they stand in hints. What has no route or tool is named as a command, between backquotes.
var (
	asCommand = regexp.MustCompile("tasker [a-z][^;,()`]*")
	asRequest = regexp.MustCompile(`(GET|POST) (/v1/[^\s;,()]*)(?: (\{.*?\})(?:[;,) ]|$))?`)
	asTool    = regexp.MustCompile(`(tasker_[a-z_]+)(?: (\{.*?\})(?:[;,) ]|$))?`)
	named     = regexp.MustCompile("the command `(tasker [^`]+)`")
	flagged   = regexp.MustCompile(`(^|[ (])--[a-z]`)
)

func TestEveryHintSpeaksTheLanguageOfItsFaceAndCanBeCarriedOut(t *testing.T) {
	w := newWorld(t)
	seen := map[string]bool{}
	for i, r := range refusals {
		for _, face := range []struct {
			name, call string
			do         func(call string) answer
			bad        []*regexp.Regexp
			calls      *regexp.Regexp
		}{
			{"command", r.command, w.command, []*regexp.Regexp{asRequest, regexp.MustCompile(`tasker_`)}, asCommand},
			{"http", r.request, w.request, []*regexp.Regexp{asCommand, regexp.MustCompile(`tasker_`), flagged}, asRequest},
			{"tool", r.tool, w.tool, []*regexp.Regexp{asCommand, asRequest, flagged}, asTool},
		} {
			if face.call == "" {
				continue
			}
			t.Run(r.name+"/"+face.name, func(t *testing.T) {
				w.T = t
				slug := fmt.Sprintf("p%d%s", i, face.name)
				w.project(slug, r.setup)
				fill := func(s string) string { return strings.ReplaceAll(s, "{p}", slug) }
				got := face.do(fill(face.call))
				if got.hint == "" {
					t.Fatalf("%s: no hint: %+v", fill(face.call), got)
				}
				t.Logf("%s: %s", fill(face.call), got.hint)
				for _, want := range r.says {
					if !strings.Contains(got.hint, want) {
						t.Errorf("the hint does not say %q: %s", want, got.hint)
					}
				}
				own := named.ReplaceAllString(got.hint, "")
				for _, bad := range face.bad {
					if bad.MatchString(own) {
						t.Errorf("another face's language (%s): %s", bad, got.hint)
					}
				}
				if face.name == "command" && strings.HasPrefix(r.command, "-p ") {
					for _, call := range asCommand.FindAllString(got.hint, -1) {
						if !strings.Contains(call, slug) {
							t.Errorf("%s leaves out -p %s", call, slug)
						}
					}
				}
				done := 0
				for _, call := range face.calls.FindAllString(own, -1) {
					w.carryOut(face.do, call, slug, seen)
					done++
				}
				if face.name != "command" {
					for _, m := range named.FindAllStringSubmatch(got.hint, -1) {
						w.carryOut(w.command, m[1], slug, seen)
						done++
					}
				}
				if done == 0 && r.words == "" || done > 0 && r.words != "" && face.name != "command" {
					t.Errorf("%d calls; and for want of one: %q", done, r.words)
				}
			})
		}
	}
	for name, c := range optest.Hints() {
		if c.Op != "" && !seen[c.Op] && elsewhere[c.Op] == "" {
			t.Errorf("no refusal of the walk names %s (remedy.%s), and nothing says where it is tested", c.Op, name)
		}
	}
}

// answer is what a face says to a call.
type answer struct {
	usage   bool // the call itself was faulty
	message string
	hint    string
}

// world is one database with a server and a tool server over it.
type world struct {
	*testing.T
	dir, url string
	tools    *mcp.ClientSession
}

func newWorld(t *testing.T) *world {
	w := &world{T: t, dir: t.TempDir()}
	w.serve()
	c, err := mcp.NewClient(&mcp.Implementation{Name: "test", Version: "1"}, nil).
		Connect(context.Background(), &mcp.CommandTransport{Command: w.run("robot", "mcp", "--tools", "all")}, nil)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { _ = c.Close() })
	w.tools = c
	return w
}

func (w *world) run(actor string, args ...string) *exec.Cmd {
	cmd := exec.CommandContext(context.Background(), tasker, args...)
	cmd.Dir = w.dir
	cmd.Env = []string{"PATH=" + os.Getenv("PATH"), "HOME=" + w.dir, "TASKER_DB=" + filepath.Join(w.dir, "t.db"), "TASKER_ACTOR=" + actor}
	return cmd
}

func (w *world) serve() {
	w.Helper()
	cmd := w.run("robot", "serve", "--port", "0", "--quiet")
	out, err := cmd.StdoutPipe()
	if err == nil {
		err = cmd.Start()
	}
	if err != nil {
		w.Fatal(err)
	}
	w.Cleanup(func() {
		_ = cmd.Process.Signal(syscall.SIGTERM)
		late := time.AfterFunc(time.Minute, func() { _ = cmd.Process.Kill() })
		defer late.Stop()
		_ = cmd.Wait()
	})
	in := bufio.NewReader(out)
	for {
		line, err := in.ReadString('\n')
		if err != nil {
			w.Fatalf("the server ended before it listened: %v", err)
		}
		if url, ok := strings.CutPrefix(strings.TrimSpace(line), "Listening on "); ok {
			go func() { _, _ = io.Copy(io.Discard, in) }()
			w.url = url
			return
		}
	}
}

// project applies the small plan under a slug, and runs what sets the refusal up.
func (w *world) project(slug string, setup []string) {
	w.Helper()
	apply := w.run("robot", "apply", "-f", "-")
	apply.Stdin = strings.NewReader(fmt.Sprintf(smallPlan, slug))
	if out, err := apply.CombinedOutput(); err != nil {
		w.Fatalf("apply: %v\n%s", err, out)
	}
	for _, line := range setup {
		actor := "robot"
		if rest, ok := strings.CutPrefix(line, "other: "); ok {
			actor, line = "other", rest
		}
		args := strings.Fields(strings.ReplaceAll(line, "{p}", slug))
		if out, err := w.run(actor, args...).CombinedOutput(); err != nil {
			w.Fatalf("tasker %s: %v\n%s", line, err, out)
		}
	}
}

// carryOut does what a hint says, with what it leaves open filled in. It may be declined, but not for how it is said.
func (w *world) carryOut(do func(string) answer, call, slug string, seen map[string]bool) {
	w.Helper()
	call = strings.TrimRight(strings.TrimSpace(call), " ;,)")
	note(call, seen)
	call = strings.NewReplacer(
		" ID", " "+slug+"-1", "/ID", "/"+slug+"-1", `"ID"`, `"`+slug+`-1"`, "{slug}", slug, `"SLUG"`, `"`+slug+`"`, "NAME", "someone",
	).Replace(call)
	call, _, _ = strings.Cut(call, " lists ")
	call, _, _ = strings.Cut(call, " renews ")
	if got := do(call); got.usage {
		w.Errorf("%s is said to be done, and is refused: %s", call, got.message)
	}
}

// note remembers which operation a call is.
func note(call string, seen map[string]bool) {
	for name, c := range optest.Hints() {
		first := strings.Fields(c.Command)[0]
		if c.Op != "" && (strings.HasPrefix(call, "tasker "+first+" ") || call == "tasker "+c.Command) {
			seen[c.Op] = true
		}
		_ = name
	}
}

// command runs a command line. Exit code 2 is usage; not found is what a faulty name would be.
func (w *world) command(line string) answer {
	w.Helper()
	args := strings.Fields(strings.TrimPrefix(line, "tasker "))
	cmd := w.run("robot", append(args, "--json")...)
	var stderr strings.Builder
	cmd.Stderr = &stderr
	err := cmd.Run()
	var exit *exec.ExitError
	if err == nil || !errors.As(err, &exit) {
		return answer{}
	}
	out := failure([]byte(stderr.String()))
	out.usage = exit.ExitCode() == 2 || exit.ExitCode() == 4
	return out
}

func (w *world) request(call string) answer {
	w.Helper()
	method, rest, _ := strings.Cut(call, " ")
	path, body, _ := strings.Cut(rest, " ")
	req, err := http.NewRequestWithContext(context.Background(), method, w.url+path, strings.NewReader(body))
	if err != nil {
		w.Fatal(err)
	}
	resp, err := http.DefaultClient.Do(req)
	if err != nil {
		w.Fatal(err)
	}
	defer resp.Body.Close()
	text, _ := io.ReadAll(resp.Body)
	if resp.StatusCode < 300 {
		return answer{}
	}
	out := failure(text)
	out.usage = resp.StatusCode == 404 || resp.StatusCode == 405 || strings.Contains(string(text), `"reason":"invalid"`)
	return out
}

func (w *world) tool(call string) answer {
	w.Helper()
	name, text, _ := strings.Cut(call, " ")
	args := map[string]any{}
	if text != "" {
		if err := json.Unmarshal([]byte(text), &args); err != nil {
			w.Fatalf("%s: %v", call, err)
		}
	}
	res, err := w.tools.CallTool(context.Background(), &mcp.CallToolParams{Name: name, Arguments: args})
	if err != nil {
		return answer{usage: true, message: err.Error()}
	}
	if !res.IsError {
		return answer{}
	}
	said, _ := json.Marshal(res.StructuredContent)
	out := failure(said)
	out.usage = strings.Contains(string(said), `"reason":"invalid"`) || strings.Contains(string(said), `"error":"not_found"`)
	return out
}

// failure reads the one shape of a refusal.
func failure(text []byte) answer {
	var f struct{ Message, Hint string }
	_ = json.Unmarshal(text, &f)
	return answer{message: f.Message, hint: f.Hint}
}
