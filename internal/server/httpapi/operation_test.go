package httpapi

import (
	"context"
	"errors"
	"io"
	"net/http"
	"strings"
	"testing"

	"tasker/internal/core"
	"tasker/internal/fault"
	"tasker/internal/op"
	"tasker/internal/work"
)

// endless is a body of spaces.
type endless struct{ left int64 }

func (e *endless) Read(p []byte) (int, error) {
	if e.left == 0 {
		return 0, io.EOF
	}
	n := min(int64(len(p)), e.left)
	for i := range p[:n] {
		p[i] = ' '
	}
	e.left -= n
	return int(n), nil
}

func TestABodyPastItsBoundIsTooLarge(t *testing.T) {
	s := New(options(&calls{}))
	const mib = 1 << 20
	for _, c := range []struct {
		path      string
		size      int64
		announced bool
		want      int
	}{
		{"/v1/next", 16 * mib, true, 422}, // spaces are not JSON
		{"/v1/next", 16*mib + 1, true, 413},
		{"/v1/next", 16*mib + 1, false, 413},
		{"/v1/apply", 17 * mib, false, 422},
		{"/v1/apply", 64*mib + 1, true, 413},
	} {
		r := request("POST", c.path, "")
		r.Body = io.NopCloser(&endless{c.size})
		r.ContentLength = -1
		if c.announced {
			r.ContentLength = c.size
		}
		resp := ask(s, r)
		if resp.Status != c.want {
			t.Errorf("%+v: %d", c, resp.Status)
		}
		if f := failure(t, resp); c.want == 413 && f.Error != "too_large" {
			t.Errorf("%+v: %+v", c, f)
		}
	}
}

type broken struct{}

func (broken) Read([]byte) (int, error) { return 0, io.ErrUnexpectedEOF }

func TestABodyThatBreaksOffIsInvalid(t *testing.T) {
	r := request("POST", "/v1/next", "")
	r.Body = io.NopCloser(broken{})
	r.ContentLength = 10
	resp := ask(New(options(&calls{})), r)
	if f := failure(t, resp); resp.Status != 422 || f.Reason != "invalid" {
		t.Errorf("%d %+v", resp.Status, f)
	}
}

func TestABodyIsJSONWhateverItsDeclaredType(t *testing.T) {
	c := &calls{}
	resp := ask(New(options(c)), request("POST", "/v1/tasks/demo-1/notes", `{"text":"x"}`, "Content-Type", "text/plain"))
	if in, ok := c.in.(work.NoteIn); resp.Status != 201 || !ok || in.Text != "x" || in.Task != "demo-1" {
		t.Errorf("%d %+v", resp.Status, c.in)
	}
}

func TestAnInstanceIsAddedToTheServersActor(t *testing.T) {
	c := &calls{}
	s := New(options(c))
	ask(s, request("GET", "/v1/whoami", ""))
	if got := c.last.Actor.Full(); got != "alice" || c.last.Via.Face != "http" || c.last.Project != "demo" {
		t.Errorf("without the header: %+v", c.last)
	}
	ask(s, request("GET", "/v1/whoami", "", "Tasker-Instance", "3"))
	if got := c.last.Actor.Full(); got != "alice/3" || !c.last.Actor.Human {
		t.Errorf("with the header: %q", got)
	}
	for _, bad := range [][]string{{""}, {"a/b"}, {strings.Repeat("x", 500)}, {"1", "2"}, {"\u00a03"}} {
		var headers []string
		for _, v := range bad {
			headers = append(headers, "Tasker-Instance", v)
		}
		resp := ask(s, request("GET", "/v1/whoami", "", headers...))
		if f := failure(t, resp); resp.Status != 422 || f.Reason != "invalid" {
			t.Errorf("%q: %d %+v", bad, resp.Status, f)
		}
	}
}

func TestACallerWithoutIdentityIsNotServed(t *testing.T) {
	opts := options(&calls{})
	opts.Identity = func() Identity { return Identity{Err: fault.New(fault.Unauthorized, "no session")} }
	opts.Extra["GET /extra"] = func(http.ResponseWriter, *http.Request) error { return errors.New("reached") }
	s := New(opts)
	for path, want := range map[string]int{"/v1/version": 401, "/extra": 401, "/v1/openapi.json": 401, "/": 401, "/healthz": 200, "/readyz": 200} {
		if resp := ask(s, request("GET", path, "")); resp.Status != want {
			t.Errorf("%s: %d", path, resp.Status)
		}
	}
}

func TestAnIdempotencyKeyReachesTheCallerInItsScope(t *testing.T) {
	c := &calls{}
	s := New(options(c))
	send := func(path, body string, headers ...string) *core.Idem {
		t.Helper()
		c.last = core.Caller{}
		resp := ask(s, request("POST", path, body, headers...))
		if resp.Status >= 300 {
			t.Fatalf("%s: %d", path, resp.Status)
		}
		return c.last.Idem
	}
	if got := send("/v1/next", `{"project":"demo"}`); got != nil {
		t.Errorf("there is a key although none was sent: %+v", got)
	}
	a := send("/v1/next", `{"project":"demo"}`, "Idempotency-Key", "k")
	if a.Key.Key != "k" || a.Key.Actor != "alice" || a.Key.Path != "/v1/next" || len(a.Digest) != 64 {
		t.Errorf("%+v", a)
	}
	if b := send("/v1/next", `{"project":"demo"}`, "Idempotency-Key", "k"); *b != *a {
		t.Errorf("the same request has another digest: %+v", b)
	}
	if b := send("/v1/next", `{"project":"demo","apart":true}`, "Idempotency-Key", "k"); b.Key != a.Key || b.Digest == a.Digest {
		t.Errorf("another body: %+v", b)
	}
	if b := send("/v1/next", `{"project":"demo"}`, "Idempotency-Key", "k", "Tasker-Instance", "2"); b.Key.Actor != "alice/2" {
		t.Errorf("another instance: %+v", b)
	}
	x, y := send("/v1/tasks?project=a", `{"title":"x"}`, "Idempotency-Key", "k"), send("/v1/tasks?project=b", `{"title":"x"}`, "Idempotency-Key", "k")
	if x.Key != y.Key || x.Digest == y.Digest {
		t.Errorf("another query: %+v %+v", x, y)
	}
	ask(s, request("GET", "/v1/version", "", "Idempotency-Key", "k"))
	if c.last.Idem != nil {
		t.Error("a read has an idempotency key")
	}
	for _, bad := range [][]string{{""}, {strings.Repeat("k", 201)}, {"é"}, {"a\tb"}, {"a", "b"}} {
		var headers []string
		for _, v := range bad {
			headers = append(headers, "Idempotency-Key", v)
		}
		resp := ask(s, request("POST", "/v1/next", `{"project":"demo"}`, headers...))
		if f := failure(t, resp); resp.Status != 422 || f.Reason != "invalid" {
			t.Errorf("%q: %d %+v", bad, resp.Status, f)
		}
	}
}

func TestExtraRoutesStandBehindTheDoorWithAnIdentity(t *testing.T) {
	opts := options(&calls{})
	opts.Extra = map[string]HandlerFunc{
		"POST /bench/{id}": func(w http.ResponseWriter, r *http.Request) error {
			if r.PathValue("id") == "no" {
				return fault.Missing("no such thing")
			}
			return Answer(w, 200, core.CallerOf(r.Context()).Actor.Name)
		},
		"GET /{$}": func(w http.ResponseWriter, _ *http.Request) error { return Answer(w, 200, "mine") },
	}
	s := New(opts)
	for target, want := range map[string]string{"POST /bench/1": "\"alice\"\n", "GET /": "\"mine\"\n"} {
		method, path, _ := strings.Cut(target, " ")
		body := ask(s, request(method, path, "")).Body
		if string(body) != want {
			t.Errorf("%s: %s", target, body)
		}
	}
	if resp := ask(s, request("POST", "/bench/no", "")); resp.Status != 404 || failure(t, resp).Message != "no such thing" {
		t.Errorf("an error of an extra route: %d", resp.Status)
	}
}

func TestReadyTellsWhatIsNotWell(t *testing.T) {
	fine := Check{Name: "database", Do: func(ctx context.Context) error { return nil }}
	for _, c := range []struct {
		checks []Check
		status int
		says   string
	}{
		{[]Check{fine}, 200, `{"ready":true,"checks":["database"],"warnings":[]}`},
		{[]Check{fine, {Name: "outbox", Do: func(context.Context) error { return errors.New("dial postgres://u:hunter2@x") }}}, 503, `"outbox: not reachable"`},
		{[]Check{{Name: "database", Do: func(context.Context) error { return fault.Unready("the schema is too new") }}}, 503, `"database: the schema is too new"`},
		{[]Check{fine, {Name: "configuration", Told: true, Do: func(context.Context) error { return fault.Bad("it has a fault") }}},
			200, `"warnings":["configuration: it has a fault"]`},
	} {
		opts := options(&calls{})
		opts.Ready = c.checks
		resp := ask(New(opts), request("GET", "/readyz", ""))
		body := resp.Body
		if resp.Status != c.status || !strings.Contains(string(body), c.says) || strings.Contains(string(body), "hunter2") {
			t.Errorf("%d %s", resp.Status, body)
		}
	}
	opts := options(&calls{})
	s := New(opts)
	s.stopping.Store(true)
	if resp := ask(s, request("GET", "/readyz", "")); resp.Status != 503 {
		t.Errorf("ready while stopping: %d", resp.Status)
	}
	if resp := ask(s, request("GET", "/healthz", "")); resp.Status != 200 {
		t.Errorf("healthz: %d", resp.Status)
	}
}

func TestSchemasAreServed(t *testing.T) {
	opts := options(&calls{})
	opts.PlanSchema = func() ([]byte, error) { return []byte(`{"a":1}`), nil }
	opts.ConfigSchema = func() ([]byte, error) { return nil, errors.New("x") }
	s := New(opts)
	for path, want := range map[string]int{"/v1/openapi.json": 200, "/v1/plan.schema.json": 200, "/v1/config.schema.json": 500} {
		if resp := ask(s, request("GET", path, "")); resp.Status != want {
			t.Errorf("%s: %d", path, resp.Status)
		}
	}
	doc, _ := op.OpenAPI("0.0.0")
	got := ask(s, request("GET", "/v1/openapi.json", "")).Body
	if string(got) != string(doc) {
		t.Error("the served document is not that of the table")
	}
}

func TestTheHeadSaysThatActorIsIgnored(t *testing.T) {
	c := &calls{}
	s := New(options(c))
	for _, row := range []struct {
		method, path, body string
		status             int
		ignored            string
	}{
		{"POST", "/v1/tasks/demo-1/notes", `{"text":"x","actor":"mallory"}`, 201, "the member actor of the body"},
		{"POST", "/v1/tasks/demo-1/approve", `{"actor":"mallory"}`, 201, "the member actor of the body"},
		{"POST", "/v1/tasks/demo-1/claim?actor=mallory", ``, 200, "query parameter actor"},
		{"GET", "/v1/next?project=demo&actor=mallory", ``, 200, "query parameter actor"},
		{"GET", "/v1/projects/demo/ready?actor=mallory", ``, 200, "query parameter actor"},
		{"POST", "/v1/tasks/demo-1/notes", `{"actor":"mallory","txet":"x"}`, 422, "the member actor of the body"},
		{"GET", "/v1/projects/demo/inbox?actor=bob", ``, 200, ""},
		{"POST", "/v1/tasks/demo-1/notes", `{"text":"actor"}`, 201, ""},
		{"POST", "/v1/tasks", `{"project":"demo","title":"A","actor":"mallory"}`, 422, ""},
	} {
		resp := ask(s, request(row.method, row.path, row.body))
		said := resp.Header.Get("Tasker-Warning")
		if resp.Status != row.status || !strings.HasPrefix(said, row.ignored) || (said == "") != (row.ignored == "") {
			t.Errorf("%s %s %s: %d, Tasker-Warning %q: %s", row.method, row.path, row.body, resp.Status, said, resp.Body)
		}
		if c.last.Actor.Name != "" && c.last.Actor.Name != "alice" {
			t.Errorf("%s %s: %s acts", row.method, row.path, c.last.Actor.Name)
		}
	}
}
