package agents

import (
	"bufio"
	"cmp"
	"context"
	"encoding/json"
	"io"
	"net/http"
	"os"
	"os/exec"
	"strings"
	"syscall"
	"testing"
	"time"

	"github.com/modelcontextprotocol/go-sdk/mcp"

	"tasker/internal/testkit/dbtest"
	"tasker/test/program"
)

// patience limits every wait: a machine that is merely busy stays far below it.
const patience = time.Minute

// place is a database with a plan in it, and a directory to run programs in.
type place struct {
	*testing.T
	db    string
	dir   string
	actor string   // who acts: robot, unless a test sets another name
	env   []string // more variables
}

// each runs fn in a fresh place on either database. At the end of each, tasker doctor must find nothing.
func each(t *testing.T, plan string, fn func(p *place)) {
	t.Helper()
	dbtest.Each(t, begun(plan, fn))
}

// one is each for what happens above the database: it runs fn on SQLite, and on both in a long run.
func one(t *testing.T, plan string, fn func(p *place)) {
	t.Helper()
	if os.Getenv("TASKER_TEST_LONG") != "" {
		each(t, plan, fn)
		return
	}
	begun(plan, fn)(t, dbtest.SQLite(t))
}

// begun returns a test on a database that has a plan.
func begun(plan string, fn func(p *place)) func(t *testing.T, db string) {
	return func(t *testing.T, db string) {
		t.Helper()
		program.Prepare(t, tasker, db)
		p := &place{T: t, db: db, dir: t.TempDir()}
		apply := p.command("apply", "-f", "-")
		apply.Stdin = strings.NewReader(plan)
		if out, err := apply.Output(); err != nil {
			t.Fatalf("apply: %v\n%s", err, out)
		}
		t.Cleanup(func() {
			if out, err := p.command("doctor").Output(); err != nil {
				t.Errorf("doctor: %v\n%s", err, out)
			}
		})
		fn(p)
	}
}

// command returns a command line of the program, in this place, as an agent.
func (p *place) command(args ...string) *exec.Cmd {
	cmd := exec.CommandContext(context.Background(), tasker, args...) // cleanups run commands too
	cmd.Dir = p.dir
	cmd.Env = []string{"PATH=" + os.Getenv("PATH"), "HOME=" + p.dir, "TASKER_DB=" + p.db, "TASKER_ACTOR=" + cmp.Or(p.actor, "robot")}
	cmd.Env = append(cmd.Env, p.env...)
	cmd.Stderr = os.Stderr
	return cmd
}

// output runs a command, which must succeed, and returns what it prints.
func (p *place) output(args ...string) string {
	p.Helper()
	out, err := p.command(args...).Output()
	if err != nil {
		p.Fatalf("tasker %v: %v\n%s", args, err, out)
	}
	return string(out)
}

// total returns how many tasks a list has.
func (p *place) total(args ...string) int {
	p.Helper()
	var list struct {
		Total int `json:"total"`
	}
	if err := json.Unmarshal([]byte(p.output(append([]string{"list", "--json", "--limit", "1"}, args...)...)), &list); err != nil {
		p.Fatal(err)
	}
	return list.Total
}

// serve starts a server and returns its address.
func (p *place) serve() string {
	p.Helper()
	cmd := p.command("serve", "--port", "0", "--quiet")
	out, err := cmd.StdoutPipe()
	if err == nil {
		err = cmd.Start()
	}
	if err != nil {
		p.Fatal(err)
	}
	p.Cleanup(func() {
		_ = cmd.Process.Signal(syscall.SIGTERM)
		late := time.AfterFunc(patience, func() { _ = cmd.Process.Kill() })
		defer late.Stop()
		if err := cmd.Wait(); err != nil {
			p.Errorf("the server ended with %v", err)
		}
	})
	in := bufio.NewReader(out)
	for {
		line, err := in.ReadString('\n')
		if err != nil {
			p.Fatalf("the server ended before it listened: %v", err)
		}
		if url, ok := strings.CutPrefix(strings.TrimSpace(line), "Listening on "); ok {
			go func() { _, _ = io.Copy(io.Discard, in) }()
			return url
		}
	}
}

// local returns a client of a tasker mcp of its own.
func (p *place) local() *mcp.ClientSession {
	p.Helper()
	return p.connect(&mcp.CommandTransport{Command: p.command("mcp"), TerminateDuration: patience})
}

// remote returns a client of a server, under an instance.
func (p *place) remote(url, name string) *mcp.ClientSession {
	p.Helper()
	return p.connect(&mcp.StreamableClientTransport{Endpoint: url + "/mcp", HTTPClient: &http.Client{Transport: instance(name)}})
}

func (p *place) connect(over mcp.Transport) *mcp.ClientSession {
	p.Helper()
	c, err := mcp.NewClient(&mcp.Implementation{Name: "test", Version: "1"}, nil).Connect(p.Context(), over, nil)
	if err != nil {
		p.Fatal(err)
	}
	p.Cleanup(func() {
		if err := c.Close(); err != nil {
			p.Errorf("closing a client: %v", err)
		}
	})
	return c
}

// instance adds the header that distinguishes two workers.
type instance string

func (i instance) RoundTrip(r *http.Request) (*http.Response, error) {
	r = r.Clone(r.Context())
	r.Header.Set("Tasker-Instance", string(i))
	return http.DefaultTransport.RoundTrip(r)
}

type object = map[string]any

// attempts is how often a call is repeated if the server is unavailable: with a hundred workers on a busy machine, each
// may wait for longer than a call may take.
const attempts = 20

// call calls a tool, which must not be refused, and returns the answer, or nil. An unavailable call was not carried out:
// it is sent again, as the answer says.
func (p *place) call(c *mcp.ClientSession, tool string, args object) object {
	p.Helper()
	for attempt := 1; ; attempt++ {
		res, err := c.CallTool(p.Context(), &mcp.CallToolParams{Name: tool, Arguments: args})
		switch {
		case err != nil:
			p.Errorf("%s %v: %v", tool, args, err)
			return nil
		case !res.IsError:
			return parsed(p, res)
		case attempt == attempts || !strings.HasPrefix(said(res), `{"error":"unavailable"`):
			p.Errorf("%s %v is refused: %s", tool, args, said(res))
			return nil
		}
	}
}

// said returns the text of an answer, without the mark for text that others wrote.
func said(res *mcp.CallToolResult) string {
	text, _ := res.Content[len(res.Content)-1].(*mcp.TextContent)
	return text.Text
}

// parsed returns an answer as an object.
func parsed(p *place, res *mcp.CallToolResult) object {
	p.Helper()
	var out object
	if err := json.Unmarshal([]byte(said(res)), &out); err != nil {
		p.Errorf("%s is not an object: %v", said(res), err)
	}
	return out
}
