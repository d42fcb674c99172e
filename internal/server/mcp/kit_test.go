package mcp_test

import (
	"context"
	"encoding/json"
	"net/http/httptest"
	"path/filepath"
	"strings"
	"sync/atomic"
	"testing"
	"time"

	sdk "github.com/modelcontextprotocol/go-sdk/mcp"

	"tasker/internal/app"
	"tasker/internal/core"
	"tasker/internal/fault"
	"tasker/internal/op"
	"tasker/internal/op/wire"
	"tasker/internal/server/httpapi"
	"tasker/internal/server/mcp"
	"tasker/internal/task"
	"tasker/internal/testkit/storetest"

	"net/http"
)

// nobody carries out no operation.
type nobody struct{}

func (nobody) Call(context.Context, *op.Op, any) (op.Reply, error) {
	return op.Reply{}, fault.Decline("nobody is here")
}

// place is a database with a plan in it, and a clock that the test sets.
type place struct {
	t     *testing.T
	app   *app.App
	ahead atomic.Int64
}

func newPlace(t *testing.T, plan string) *place {
	t.Helper()
	p := &place{t: t}
	db := filepath.Join(t.TempDir(), "tasker.db")
	storetest.Prepare(t, db)
	a, err := app.Open(app.Options{DB: db, Version: "1.2.3", Clock: func() time.Time {
		return time.Now().Add(time.Duration(p.ahead.Load()))
	}})
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() {
		if err := a.Close(); err != nil {
			t.Error(err)
		}
	})
	p.app = a
	in, err := op.Apply.Op.DecodeArgs([]byte(plan))
	if err != nil {
		t.Fatal(err)
	}
	if _, err := p.ops().Call(as("planner")(t.Context()), op.Apply.Op, in); err != nil {
		t.Fatal(err)
	}
	return p
}

func (p *place) ops() op.Local { return op.NewLocal(p.app.Services.All()...) }

// as returns the context of an actor.
func as(full string) func(context.Context) context.Context {
	name, instance, _ := strings.Cut(full, "/")
	return func(ctx context.Context) context.Context {
		return core.WithCaller(ctx, core.Caller{Actor: task.Actor{Name: name, Instance: instance}, How: "the test"})
	}
}

// acting gives every call the same actor, whatever the client's name is.
func acting(full string) func(context.Context, string) (context.Context, error) {
	return func(ctx context.Context, _ string) (context.Context, error) { return as(full)(ctx), nil }
}

// worker returns a client over streams that acts under a name.
func (p *place) worker(name string) *client {
	return &client{p.t, connected(p.t, mcp.Options{Ops: p.ops(), Version: "1.2.3", Acting: acting(name)})}
}

// server returns the HTTP face with the tools behind it.
func (p *place) server(token string) *httptest.Server {
	p.t.Helper()
	s := httptest.NewServer(httpapi.New(httpapi.Options{
		Ops: p.ops(), NewID: func() string { return "r1" }, Token: token,
		Identity: func() httpapi.Identity {
			return httpapi.Identity{Caller: core.CallerOf(as("server")(context.Background()))}
		},
		Extra: map[string]httpapi.HandlerFunc{
			"POST /mcp": mcp.Handler(mcp.Options{Ops: p.ops(), Version: "1.2.3"}),
		},
	}))
	p.t.Cleanup(s.Close)
	return s
}

// remote returns a client over HTTP, with headers of its own.
func remote(t *testing.T, url string, header map[string]string) *client {
	t.Helper()
	c, err := sdk.NewClient(&sdk.Implementation{Name: "test", Version: "1"}, nil).Connect(t.Context(), &sdk.StreamableClientTransport{
		Endpoint: url + "/mcp", HTTPClient: &http.Client{Transport: headers(header)},
	}, nil)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { _ = c.Close() })
	return &client{t, c}
}

// headers are added to every request.
type headers map[string]string

func (h headers) RoundTrip(r *http.Request) (*http.Response, error) {
	r = r.Clone(r.Context())
	for name, value := range h {
		r.Header.Set(name, value)
	}
	return http.DefaultTransport.RoundTrip(r)
}

// client calls tools.
type client struct {
	t *testing.T
	*sdk.ClientSession
}

type object = map[string]any

// answer calls a tool, which must succeed, and returns what it answers.
func (c *client) answer(tool string, args object) object {
	c.t.Helper()
	res := c.result(tool, args)
	if res.IsError {
		c.t.Fatalf("%s %v is refused: %s", tool, args, said(res))
	}
	var out object
	if err := json.Unmarshal([]byte(said(res)), &out); err != nil {
		c.t.Fatalf("%s %v answers %s: %v", tool, args, said(res), err)
	}
	return out
}

// said returns the text of an answer, without the mark before text that others wrote.
func said(res *sdk.CallToolResult) string {
	return res.Content[len(res.Content)-1].(*sdk.TextContent).Text
}

// refusal calls a tool, which must be refused, and returns the object of the refusal.
func (c *client) refusal(tool string, args object) wire.Failure {
	c.t.Helper()
	res := c.result(tool, args)
	if !res.IsError {
		c.t.Fatalf("%s %v is not refused: %s", tool, args, said(res))
	}
	var f wire.Failure
	text := said(res)
	err := json.Unmarshal([]byte(text), &f)
	if err != nil || f.Message == "" || f.Missing == nil {
		c.t.Fatalf("%s: the refusal has another shape: %s (%v)", tool, text, err)
	}
	return f
}

func (c *client) result(tool string, args object) *sdk.CallToolResult {
	c.t.Helper()
	res, err := c.CallTool(c.t.Context(), &sdk.CallToolParams{Name: tool, Arguments: args})
	if err != nil {
		c.t.Fatalf("%s %v: %v", tool, args, err)
	}
	if res.StructuredContent != nil {
		c.t.Fatalf("%s %v is answered twice: %v", tool, args, res.StructuredContent)
	}
	return res
}

// get returns a value from deep inside an answer.
func get(v any, path string) any {
	for name := range strings.SplitSeq(path, ".") {
		switch at := v.(type) {
		case object:
			v = at[name]
		case []any:
			if name == "len" {
				v = float64(len(at))
				continue
			}
			v = at[int(name[0]-'0')]
		default:
			return nil
		}
	}
	return v
}

const smallPlan = `{"project": "demo", "gates": {"ship": ["test"]}, "tasks": [
	{"key": "one", "title": "One", "criteria": ["it works", "it is told"], "gate": "ship"},
	{"key": "two", "title": "Two", "deps": ["one"]},
	{"key": "three", "title": "Three", "deps": ["one"]}]}`
