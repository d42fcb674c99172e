package httpapi

import (
	"bytes"
	"context"
	"maps"
	"net/http"
	"net/http/httptest"
	"slices"
	"strings"
	"testing"

	"github.com/go-json-experiment/json"
	"github.com/go-json-experiment/json/jsontext"

	"tasker/internal/core"
	"tasker/internal/op"
	"tasker/internal/op/wire"
	"tasker/internal/task"
	"tasker/internal/testkit/optest"
)

// calls stands in for the core: it answers with the result of its function or, if it has none, with a full sample.
type calls struct {
	do   func(ctx context.Context, o *op.Op, in any) (any, error)
	last core.Caller
	in   any
}

func (c *calls) Call(ctx context.Context, o *op.Op, in any) (op.Reply, error) {
	c.last, c.in = core.CallerOf(ctx), in
	if c.do == nil {
		return op.Reply{Out: optest.Out(o)}, nil
	}
	out, err := c.do(ctx, o, in)
	return op.Reply{Out: out}, err
}

func alice() Identity {
	return Identity{Caller: core.Caller{Actor: task.Actor{Name: "alice", Human: true}, How: "TASKER_ACTOR", Project: "demo"}}
}

// options returns the options of a server over c. Its first page is empty.
func options(c op.Caller) Options {
	page := func(w http.ResponseWriter, _ *http.Request) error {
		send(w, http.StatusOK, typeHTML, nil)
		return nil
	}
	return Options{
		Ops: c, Identity: alice, NewID: func() string { return "id-1" }, Version: "0.0.0",
		Extra: map[string]HandlerFunc{"GET /{$}": page},
	}
}

func request(method, target, body string, headers ...string) *http.Request {
	r := httptest.NewRequest(method, target, strings.NewReader(body))
	r.Host = "localhost:7777"
	for i := 0; i < len(headers); i += 2 {
		if headers[i] == "Host" {
			r.Host = headers[i+1]
			continue
		}
		r.Header.Add(headers[i], headers[i+1])
	}
	return r
}

// reply is an answer, read whole.
type reply struct {
	Status int
	Header http.Header
	Body   []byte
}

// ask sends one request and reads the answer.
func ask(h http.Handler, r *http.Request) reply {
	w := httptest.NewRecorder()
	h.ServeHTTP(w, r)
	return reply{w.Code, w.Header(), w.Body.Bytes()}
}

// members returns the names in an object, sorted.
func members(t testing.TB, object []byte) []string {
	t.Helper()
	var in map[string]jsontext.Value
	if err := json.Unmarshal(object, &in); err != nil {
		t.Fatal(err)
	}
	return slices.Sorted(maps.Keys(in))
}

// failure reads an error answer, which must have exactly the one format.
func failure(t testing.TB, resp reply) wire.Failure {
	t.Helper()
	var f wire.Failure
	if err := json.Unmarshal(resp.Body, &f, json.RejectUnknownMembers(true)); err != nil {
		t.Fatalf("status %d is not in the shape of errors: %v: %.200s", resp.Status, err, resp.Body)
	}
	if got := resp.Header.Get("Content-Type"); got != "application/json" {
		t.Errorf("status %d is answered as %q", resp.Status, got)
	}
	if resp.Status == http.StatusUnauthorized {
		if has := members(t, resp.Body); !slices.Equal(has, []string{"error", "message"}) {
			t.Errorf("status 401 has the members %q: %s", has, resp.Body)
		}
		return f
	}
	for _, field := range []string{`"error":`, `"message":`, `"missing":[`, `"hint":`} {
		if !bytes.Contains(resp.Body, []byte(field)) {
			t.Errorf("status %d lacks %s: %s", resp.Status, field, resp.Body)
		}
	}
	if has, want := bytes.Contains(resp.Body, []byte(`"reason":`)), resp.Status == 422; has != want {
		t.Errorf("status %d has a reason: %v: %s", resp.Status, has, resp.Body)
	}
	if f.Message == "" {
		t.Errorf("status %d says nothing", resp.Status)
	}
	return f
}
