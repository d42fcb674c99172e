package hints

import (
	"bufio"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"maps"
	"net"
	"net/http"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"
	"syscall"
	"testing"
	"time"

	"github.com/modelcontextprotocol/go-sdk/mcp"

	"tasker/internal/app"
	"tasker/internal/cli"
	"tasker/internal/cli/frame"
)

// The places, which work on one database: one without a configuration, one that declares a human, so that agents may not
// do everything, and one that requires sessions.
const (
	plain = iota
	human
	sessions
	tokened
)

var configurations = []string{human: `{"version": 1, "project": "home", "gates": {"tested": ["test"]},
	"actors": [{"name": "ann", "kind": "human", "roles": ["lead"]}, {"name": "robot", "kind": "agent"}]}`,
	sessions: `{"version": 1, "project": "home", "auth": {"mode": "session"}}`,
	tokened:  "",
}

// world is one database and the places that work on it. Each has servers, by the actor they act as, and a tool server.
type world struct {
	*testing.T
	db     string
	places []*place
	fake   string // the address of a server that is not ours
}

type place struct {
	w     *world
	dir   string
	urls  map[string]string // of servers, by actor
	tools *mcp.ClientSession
	own   *ownPlace
	token bool // its servers ask for a token
}

// answer is what a face says to a call.
type answer struct {
	failed  bool
	usage   bool // the call itself was faulty
	message string
	hint    string
	missing []string
	raw     string
}

func newWorld(t *testing.T, db string) *world {
	w := &world{T: t, db: db, fake: fakeServer(t)}
	w.places = []*place{
		plain: w.place(plain, "robot", "other"), human: w.place(human, "robot", "ann"), sessions: w.place(sessions, "robot"),
		tokened: w.place(tokened, "robot"),
	}
	return w
}

// place makes a directory and starts a server for each actor; the first one has tools too.
func (w *world) place(at int, actors ...string) *place {
	w.Helper()
	p := &place{w: w, dir: w.TempDir(), urls: map[string]string{}, token: at == tokened}
	if text := configurations[at]; text != "" {
		if err := os.WriteFile(filepath.Join(p.dir, ".tasker.json"), []byte(text), 0o600); err != nil {
			w.Fatal(err)
		}
	}
	for _, a := range actors {
		p.urls[a] = p.serve(a)
	}
	c, err := mcp.NewClient(&mcp.Implementation{Name: "test", Version: "1"}, nil).
		Connect(context.Background(), &mcp.CommandTransport{Command: p.run(actors[0], "mcp", "--tools", "all")}, nil)
	if err != nil {
		w.Fatal(err)
	}
	w.Cleanup(func() { _ = c.Close() })
	p.tools = c
	return p
}

func (p *place) run(actor string, args ...string) *exec.Cmd {
	cmd := exec.CommandContext(context.Background(), tasker, args...)
	cmd.Dir = p.dir
	cmd.Env = []string{"PATH=" + os.Getenv("PATH"), "HOME=" + p.dir, "TASKER_DB=" + p.w.db, "TASKER_ACTOR=" + actor}
	if p.own != nil {
		cmd.Env = append(append(cmd.Env, gitIdentity...), p.own.env...)
	}
	return cmd
}

// gitIdentity is who commits.
var gitIdentity = []string{
	"GIT_AUTHOR_NAME=Test", "GIT_AUTHOR_EMAIL=test@example.org", "GIT_COMMITTER_NAME=Test", "GIT_COMMITTER_EMAIL=test@example.org",
	"GIT_CONFIG_NOSYSTEM=1",
}

// apart returns the place with a directory of its own.
func (p *place) apart(t *testing.T, own *ownPlace, in *strings.Replacer) *place {
	t.Helper()
	q := *p
	q.dir = filepath.Join(t.TempDir(), "here")
	filled := *own
	q.own = &filled
	dir := strings.NewReplacer("{dir}", q.dir)
	filled.env = slices.Clone(own.env)
	for i, e := range filled.env {
		filled.env[i] = dir.Replace(in.Replace(e))
	}
	paths := slices.Sorted(maps.Keys(own.files))
	if err := os.MkdirAll(q.dir, 0o755); err != nil {
		t.Fatal(err)
	}
	for _, name := range paths {
		path, text := filepath.Join(q.dir, name), dir.Replace(in.Replace(own.files[name]))
		err := os.MkdirAll(filepath.Dir(path), 0o755)
		if to, ok := strings.CutPrefix(text, "-> "); err == nil && ok {
			err = os.Symlink(to, path)
		} else if err == nil && strings.HasSuffix(name, "/") {
			err = os.MkdirAll(path, 0o755)
		} else if err == nil {
			err = os.WriteFile(path, []byte(text), 0o600)
		}
		if err != nil {
			t.Fatal(err)
		}
	}
	if own.git {
		q.shell(t, []string{"git init -q -b main . && git add -A && git commit -q --allow-empty -m first"}, in)
	}
	return &q
}

// shell runs lines of shell in the place's directory.
func (p *place) shell(t *testing.T, lines []string, in *strings.Replacer) {
	t.Helper()
	for _, line := range lines {
		cmd := exec.CommandContext(context.Background(), "sh", "-ec", in.Replace(line))
		cmd.Dir, cmd.Env = p.dir, append(p.run("robot").Env, "T="+tasker)
		if out, err := cmd.CombinedOutput(); err != nil {
			t.Fatalf("%s: %v\n%s", line, err, out)
		}
	}
}

// replacer fills in the placeholders of steps and calls.
func (p *place) replacer(slug, id string) *strings.Replacer {
	url := p.urls["robot"]
	return strings.NewReplacer("{p}", slug, "{id}", id, "{url}", url, "{port}", url[strings.LastIndex(url, ":")+1:], "{ann}", p.urls["ann"],
		"{host}", strings.TrimPrefix(url, "http://"), "{dir}", p.dir, "{tasker}", tasker, "{fake}", p.w.fake,
		"{many}", many, "{links}", links, "{long}", long)
}

// What is too much: links of a task, and letters of a text.
var (
	links = strings.Repeat(`{"kind":"url","ref":"x"},`, 2000) + `{"kind":"url","ref":"x"}`
	long  = strings.Repeat("x", 1<<20)
)

func (p *place) serve(actor string) string {
	w := p.w
	w.Helper()
	cmd := p.run(actor, "serve", "--port", "0", "--quiet")
	if p.token {
		cmd.Env = append(cmd.Env, "TASKER_TOKEN=a-token-of-the-test")
	}
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
			return url
		}
	}
}

// prepare makes the project of a refusal and runs the steps that lead up to it, as the actor that a step begins with. It
// returns the id that the last step answered.
func (p *place) prepare(t *testing.T, slug string, steps []string) string {
	t.Helper()
	id := ""
	steps = append([]string{"POST /v1/apply " + fmt.Sprintf(smallPlan, slug)}, steps...)
	for _, step := range steps {
		step = strings.NewReplacer("{p}", slug, "{id}", id).Replace(step)
		if line, ok := strings.CutPrefix(step, "run: "); ok {
			out, err := p.run("robot", strings.Fields(line)...).Output()
			if err != nil {
				t.Fatalf("tasker %s: %v", line, err)
			}
			var made struct{ Token string }
			if json.Unmarshal(out, &made) == nil && made.Token != "" {
				id = made.Token
			}
			continue
		}
		actor := "robot"
		if first, rest, _ := strings.Cut(step, " "); first != "POST" && first != "GET" {
			actor, step = first, rest
		}
		from := p
		if p == p.w.places[sessions] || p == p.w.places[tokened] { // a caller without a credential prepares elsewhere
			from = p.w.places[plain]
		}
		got := from.request(t, actor, step)
		if got.failed {
			t.Fatalf("%s %s: %+v", actor, step, got)
		}
		var made struct{ ID any }
		if json.Unmarshal([]byte(got.raw), &made) == nil && made.ID != nil {
			id = fmt.Sprint(made.ID)
		}
	}
	return id
}

// command runs a command line. Exit code 2 is usage, and 4 is what a wrong name would give.
func (p *place) command(t *testing.T, actor, line string) answer {
	t.Helper()
	args := shellWords(strings.TrimPrefix(line, "tasker "))
	if !strings.Contains(line, "--help") && (p.own == nil || !p.own.asText) {
		at := len(args)
		for i, a := range args {
			if a == "--" {
				at = i
				break
			}
		}
		args = append(args[:at:at], append([]string{"--json"}, args[at:]...)...)
	}
	stdin := ""
	if strings.Contains(line, "-f -") {
		stdin = `{"project":"elsewhere","tasks":[{"key":"a","title":"A"}]}`
	}
	var said string
	var code int
	if p.own == nil || !p.own.git && len(p.own.env) == 0 && !p.own.asText {
		said, code = p.here(actor, stdin, args)
	} else { // the cause of the refusal is its environment, or what runs there
		said, code = p.separately(t, actor, stdin, args)
	}
	if code == 0 {
		return answer{}
	}
	if p.own != nil && p.own.asText {
		message, hint, _ := strings.Cut(strings.TrimPrefix(strings.TrimSpace(said), "tasker: "), "\nhint: ")
		return answer{failed: true, usage: code == 2 || code == 4, message: message, hint: hint, raw: said}
	}
	if at := strings.LastIndex(strings.TrimSpace(said), "\n"); at >= 0 { // notices come before it
		said = said[at:]
	}
	out := failure(said)
	out.usage = code == 2 || code == 4
	return out
}

// here runs a command in this process: most refusals do not need another, and a process costs more than the command.
func (p *place) here(actor, stdin string, args []string) (said string, code int) {
	var stderr strings.Builder
	env := map[string]string{"PATH": os.Getenv("PATH"), "HOME": p.dir, "TASKER_DB": p.w.db, "TASKER_ACTOR": actor}
	code = cli.Main(frame.Process{
		Args: args, Dir: p.dir, Stdin: strings.NewReader(stdin), Stdout: io.Discard, Stderr: &stderr, Program: tasker,
		Env: func(name string) (string, bool) { v, ok := env[name]; return v, ok },
		Now: time.Now, User: func() string { return "me" }, Host: func() string { return "here" },
		Environ: func() (all []string) {
			for name, v := range env {
				all = append(all, name+"="+v)
			}
			return all
		},
		Stop: func(ctx context.Context, _ time.Duration) (context.Context, context.CancelFunc) {
			return context.WithTimeout(ctx, time.Minute)
		},
	}, app.CommandLine())
	return stderr.String(), code
}

// separately runs a command in a process of its own.
func (p *place) separately(t *testing.T, actor, stdin string, args []string) (said string, code int) {
	t.Helper()
	cmd := p.run(actor, args...)
	hung := time.AfterFunc(time.Minute, func() { _ = cmd.Process.Kill() })
	defer hung.Stop()
	if stdin != "" {
		cmd.Stdin = strings.NewReader(stdin)
	}
	var stderr strings.Builder
	cmd.Stderr = &stderr
	err := cmd.Run()
	var exit *exec.ExitError
	if errors.As(err, &exit) {
		return stderr.String(), exit.ExitCode()
	}
	if err != nil {
		t.Fatal(err)
	}
	return "", 0
}

// shellWords splits a line at spaces outside of quotes.
func shellWords(line string) (out []string) {
	word, quoted, begun := "", false, false
	line += " "
	for i := range len(line) { // byte by byte: not every argument is UTF-8
		switch r := line[i]; {
		case r == '\'':
			quoted, begun = !quoted, true
		case r == ' ' && !quoted:
			if word != "" || begun {
				out = append(out, word)
			}
			word, begun = "", false
		default:
			word += line[i : i+1]
		}
	}
	return out
}

// request sends METHOD PATH [Header:value…] [BODY]. An actor with a slash is an instance of one.
func (p *place) request(t *testing.T, actor, call string) answer {
	t.Helper()
	if text, ok := strings.CutPrefix(call, "RAW "); ok {
		return p.rawRequest(t, text)
	}
	method, rest, _ := strings.Cut(call, " ")
	path, body, _ := strings.Cut(rest, " ")
	name, instance, _ := strings.Cut(actor, "/")
	var headers []string
	for body != "" && strings.HasPrefix(body, "@") {
		var h string
		h, body, _ = strings.Cut(body[1:], " ")
		headers = append(headers, h)
	}
	req, err := http.NewRequestWithContext(context.Background(), method, p.urls[name]+path, strings.NewReader(body))
	if err != nil {
		t.Fatal(err)
	}
	for _, h := range headers {
		key, value, _ := strings.Cut(h, ":")
		if key == "Host" {
			req.Host = value
		}
		req.Header.Add(key, strings.ReplaceAll(value, "%20", " "))
	}
	if instance != "" {
		req.Header.Set("Tasker-Instance", instance)
	}
	resp, err := http.DefaultClient.Do(req)
	if err != nil {
		t.Fatal(err)
	}
	defer func() { _ = resp.Body.Close() }()
	said, _ := io.ReadAll(resp.Body)
	if resp.StatusCode < 300 {
		return answer{raw: string(said)}
	}
	out := failure(string(said))
	out.usage = resp.StatusCode == 404 || resp.StatusCode == 405 || strings.Contains(string(said), `"reason":"invalid"`)
	return out
}

// rawRequest sends the head of a request verbatim, as no library would.
func (p *place) rawRequest(t *testing.T, head string) answer {
	t.Helper()
	conn, err := net.Dial("tcp", strings.TrimPrefix(p.urls["robot"], "http://"))
	if err != nil {
		t.Fatal(err)
	}
	defer func() { _ = conn.Close() }()
	go func() { _, _ = io.WriteString(conn, strings.ReplaceAll(head, "\n", "\r\n")+"\r\n\r\n") }()
	resp, err := http.ReadResponse(bufio.NewReader(conn), nil)
	if err != nil {
		t.Fatal(err)
	}
	defer func() { _ = resp.Body.Close() }()
	said, _ := io.ReadAll(resp.Body)
	return failure(string(said))
}

func (p *place) tool(t *testing.T, _, call string) answer {
	t.Helper()
	name, rest, _ := strings.Cut(call, " ")
	var args any = map[string]any{}
	if rest != "" {
		args = json.RawMessage(rest)
	}
	res, err := p.tools.CallTool(context.Background(), &mcp.CallToolParams{Name: name, Arguments: args})
	if err != nil {
		return answer{failed: true, usage: true, message: err.Error()}
	}
	said := ""
	if text, ok := res.Content[len(res.Content)-1].(*mcp.TextContent); ok {
		said = text.Text
	}
	if !res.IsError {
		return answer{raw: said}
	}
	out := failure(said)
	out.usage = strings.Contains(said, `"reason":"invalid"`) || strings.Contains(said, `"error":"not_found"`)
	return out
}

// failure reads a refusal in its one format.
func failure(text string) answer {
	var f struct {
		Message, Hint string
		Missing       []string
	}
	_ = json.Unmarshal([]byte(text), &f)
	return answer{failed: true, message: f.Message, hint: f.Hint, missing: f.Missing, raw: text}
}
