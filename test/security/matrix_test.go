package security

import (
	"context"
	"fmt"
	"net/http"
	"net/http/httptest"
	"os"
	"slices"
	"strings"
	"testing"

	"tasker/internal/op"
)

// extras lists the routes that are not operations, each with who may use it in session mode. A route that is not listed
// here is not tested, so it may not exist.
var extras = map[string]string{
	"GET /healthz": "anybody", "GET /readyz": "anybody", "GET /signin": "anybody", "POST /signin": "anybody",
	"GET /signin/style.css": "anybody",
	"GET /metrics":          "session",
	"POST /hooks/code_host": "signature",
	"GET /v1/openapi.json":  "session", "GET /v1/plan.schema.json": "session", "GET /v1/config.schema.json": "session",
	"GET /v1/events/stream": "session", "POST /mcp": "session",
	"GET /{$}": "session", "GET /search": "session", "GET /help": "session", "GET /t/{id}": "session", "GET /p/{slug}": "session",
	"GET /p/{slug}/board": "session", "GET /p/{slug}/work": "session", "GET /p/{slug}/machine": "session", "GET /p/{slug}/proof": "session",
	"GET /p/{slug}/bottlenecks": "session", "GET /p/{slug}/events": "session", "GET /p/{slug}/inbox": "session", "GET /p/{slug}/sync": "session",
	"GET /p/{slug}/conflicts": "session",
	"GET /p/{slug}/tasks":     "session", "GET /p/{slug}/graph": "session", "GET /p/{slug}/graph/{file}": "session", "GET /p/{slug}/timeline": "session",
	"GET /p/{slug}/{rest...}": "session", "GET /assets/{hash}/{name}": "session", "GET /favicon.ico": "session",
}

// routes returns every route of a server as "METHOD /path", and fails if one is in neither table.
func routes(t *testing.T, mounted []string) []string {
	t.Helper()
	known := map[string]bool{}
	for _, o := range op.Table {
		if o.Method != "" {
			known[o.Method+" /v1"+o.Path] = true
		}
	}
	for pattern := range extras {
		known[pattern] = true
	}
	for _, pattern := range mounted {
		if !known[pattern] {
			t.Errorf("the route %s is mounted and not in the matrix: say in extras who may ask for it", pattern)
		}
		delete(known, pattern)
	}
	for pattern := range known {
		t.Errorf("the matrix knows %s, and there is no such route", pattern)
	}
	return mounted
}

// path fills a pattern's wildcards.
func path(pattern string) string {
	_, p, _ := strings.Cut(pattern, " ")
	return strings.NewReplacer("{$}", "", "{id}", "demo-1", "{slug}", "demo", "{hash}", "x", "{name}", "y", "{file}", "z", "{rest...}", "a/b/c/d").
		Replace(p)
}

// ofEachKind has a path of each kind that the front door tells apart, and of each room behind it.
var ofEachKind = []string{
	"/v1/nothing", "/nothing", "/healthz", "/signin", "/metrics", "/hooks/code_host", "/mcp", "/", "/p/demo/board", "/v1/next", "/v1/tasks/demo-1",
}

type variant struct {
	name    string
	headers []string
	good    bool
}

// TestEveryRouteHasOneFrontDoor requests every path with every method, credential, origin and host, in the three modes of
// a server, and compares with what the pages promise, written down here again. All combinations are tried of GET and POST
// on one path of each kind. On the others two of the three are varied at a time, and one where the request is admitted and
// so carried out; with another method, one. `make test-long` tries all combinations everywhere.
func TestEveryRouteHasOneFrontDoor(t *testing.T) {
	t.Setenv("TASKER_CODE_HOST_SECRET", "of the hook")
	w := build(t, openMode)
	w.run("alice", `{"project": "demo", "tasks": [{"key": "a", "title": "A"}]}`, "apply", "-f", "-")
	revoked := w.session("alice")
	w.run("alice", "", "session", "revoke", fmt.Sprint(int(part[float64](t, "{\"id\":"+lastID(w)+"}", "id"))))
	live := w.session("alice")
	closed := build(t, sessionMode)
	closed.db = w.db

	credentials := func(mode string) []variant {
		bearer := func(name, value string, good bool) variant {
			return variant{name, []string{"Authorization", "Bearer " + value}, good}
		}
		return []variant{
			{"nothing", nil, false},
			bearer("the token", "s3cret", mode == "token"),
			bearer("another token", "s3cre7", false),
			bearer("a session", live, mode == "session"),
			bearer("a revoked session", revoked, false),
			{"a session in the cookie", []string{"Cookie", "tasker_session=" + live, "Sec-Fetch-Mode", "cors"}, mode == "session"},
			{"two credentials", []string{"Authorization", "Bearer " + live, "Authorization", "Bearer s3cret"}, false},
		}
	}
	origins := []variant{
		{"no origin", nil, true},
		{"our own origin", []string{"Origin", "http://HOST", "Sec-Fetch-Site", "same-origin"}, true},
		{"a null origin", []string{"Origin", "null"}, false},
		{"another port of this machine", []string{"Origin", "http://localhost:1"}, false},
		{"another site", []string{"Sec-Fetch-Site", "cross-site"}, false},
		{"a site next to ours", []string{"Sec-Fetch-Site", "same-site"}, false},
	}
	hosts := []variant{
		{"localhost:7777", nil, true}, {"tasker.example", nil, true},
		{"evil.example:7777", nil, false}, {"localhost.evil.example", nil, false},
	}
	few, tried, everywhere := os.Getenv("TASKER_TEST_LONG") == "", 0, map[string]bool{}
	for _, mode := range []string{"open", "token", "session"} {
		var site interface {
			http.Handler
			Routes() []string
		}
		switch mode {
		case "open":
			site = w.site("claude", "")
		case "token":
			site = w.site("claude", "s3cret")
		case "session":
			site = closed.site("claude", "s3cret")
		}
		paths := []string{"/v1/nothing", "/nothing"}
		methods := map[string][]string{}
		for _, pattern := range routes(t, site.Routes()) {
			method, _, _ := strings.Cut(pattern, " ")
			p := path(pattern)
			if !slices.Contains(paths, p) {
				paths = append(paths, p)
			}
			methods[p] = append(methods[p], method)
			if method == "GET" {
				methods[p] = append(methods[p], "HEAD")
			}
		}
		for _, p := range paths {
			everywhere[p] = true
			for _, method := range []string{"GET", "HEAD", "POST", "PUT", "PATCH", "DELETE", "OPTIONS"} {
				for c, credential := range credentials(mode) {
					for o, origin := range origins {
						for h, host := range hosts {
							writes := method != "GET" && method != "HEAD" && method != "OPTIONS"
							door := 0 // it is admitted
							switch {
							case !host.good, writes && !origin.good:
								door = 403
							case p == "/hooks/code_host": // only its signature counts, and there is none
								if door = 0; method == "POST" {
									door = 401
								}
							case mode == "token" && writes && !credential.good:
								door = 401
							case mode == "session" && extras["GET "+p] == "anybody":
							case mode == "session" && credential.good && writes && credential.headers[0] == "Cookie" && origin.headers == nil:
								door = 403
							case mode == "session" && !credential.good:
								door = 401
							}
							if door == 0 && min(c, o) > 0 && min(o, h) > 0 {
								continue // an admitted request is carried out, which takes time: pairs of these are enough
							}
							two := min(c, o) > 0 || min(c, h) > 0 || min(o, h) > 0
							often := method == "GET" || method == "POST"
							if few && two && (!often || door == 0 && !slices.Contains(ofEachKind, p)) {
								continue
							}
							if few && often && !slices.Contains(ofEachKind, p) && min(c, o, h) > 0 {
								continue
							}
							tried++
							name := fmt.Sprintf("%s: %s %s with %s from %s at %s", mode, method, p, credential.name, origin.name, host.name)
							knock(t, site, name, method, p, door, slices.Contains(methods[p], method), credential, origin, host, tried)
							if t.Failed() {
								return
							}
						}
					}
				}
			}
		}
	}
	if tried < 20_000 {
		t.Errorf("only %d requests were tried", tried)
	}
	for _, p := range ofEachKind {
		if !everywhere[p] {
			t.Errorf("%s is not the path of a route", p)
		}
	}
}

func knock(t *testing.T, site http.Handler, name, method, path string, door int, takes bool, credential, origin, host variant, n int) {
	t.Helper()
	ctx, cancel := context.WithCancel(t.Context())
	defer cancel()
	r := httptest.NewRequestWithContext(ctx, method, path, nil)
	r.Host = host.name
	r.RemoteAddr = fmt.Sprintf("10.%d.%d.%d:9", n>>16, n>>8&255, n&255) // a machine of its own: wrong credentials are counted by address
	for _, headers := range [][]string{credential.headers, origin.headers} {
		for i := 0; i < len(headers); i += 2 {
			r.Header.Add(headers[i], strings.Replace(headers[i+1], "HOST", host.name, 1))
		}
	}
	rec := httptest.NewRecorder()
	site.ServeHTTP(&briefly{rec, cancel}, r)
	for header := range rec.Header() {
		if strings.HasPrefix(header, "Access-Control-") {
			t.Errorf("%s: the answer has the header %s", name, header)
		}
	}
	got := rec.Code
	signIn := path == "/signin" && method == "POST" // without a credential in its form it is a 401 of its own
	switch {
	case door != 0 && got != door:
		t.Errorf("%s: %d, want %d: %s", name, got, door, rec.Body)
	case door == 0 && (got == 403 || got == 401 && !signIn):
		t.Errorf("%s: %d, want it to be let in: %s", name, got, rec.Body)
	case door == 0 && got == 405 && takes:
		t.Errorf("%s: %d, although the route takes the method", name, got)
	case door == 0 && got < 400 && !takes:
		t.Errorf("%s: %d, although no route takes the method", name, got)
	}
}

// briefly is a client that leaves after the first part of a stream, which would never end.
type briefly struct {
	*httptest.ResponseRecorder
	leave func()
}

func (b *briefly) Flush() { b.leave() }

func lastID(w *world) string {
	w.Helper()
	doc := w.run("alice", "", "session", "list", "--json")
	id, _, _ := strings.Cut(strings.TrimPrefix(doc, `[{"id":`), ",")
	return id
}
