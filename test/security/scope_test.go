package security

import (
	"fmt"
	"net/http"
	"net/url"
	"slices"
	"strings"
	"testing"

	"github.com/go-json-experiment/json"

	"tasker/internal/op"
)

// Everything in the hidden project contains the word "zqx", including its slug and its actors, and "velvet", to search
// for.
const hidden = `{"project": "zqx", "name": "velvet zqx", "vision": "velvet zqx", "gates": {"zqx-gate": ["zqx"]}, "tasks": [
	{"key": "zqx-key", "title": "velvet zqx title", "body": "velvet zqx body", "criteria": ["velvet zqx criterion"], "touches": ["zqx/**"],
	 "links": [{"kind": "url", "ref": "https://zqx.example"}], "evidence": [{"kind": "zqx", "value": "velvet zqx"}]},
	{"key": "zqx-b", "title": "velvet zqx b", "deps": ["zqx-key"], "parent": "zqx-key"},
	{"key": "zqx-c", "title": "velvet zqx c", "due": "2020-01-01"},
	{"key": "zqx-d", "title": "velvet zqx d", "status": "done"},
	{"key": "zqx-e", "title": "velvet zqx e"}]}`

const visible = `{"project": "demo", "tasks": [
	{"key": "a", "title": "Velvet curtains", "criteria": ["hung"]}, {"key": "b", "title": "B", "deps": ["a"]},
	{"key": "c", "title": "C", "parent": "a"}, {"key": "d", "title": "D", "status": "done"}]}`

// divided returns a world with a project that a session sees, and one that it does not.
func divided(t *testing.T) (w *world, question string) {
	t.Helper()
	w = build(t, sessionMode)
	w.run("alice", visible, "apply", "-f", "-")
	w.run("alice", hidden, "apply", "-f", "-")
	w.run("zqx-bot", "", "claim", "zqx-3")
	w.run("zqx-bot", "", "note", "zqx-3", "velvet zqx note")
	w.run("zqx-bot", "", "decide", "zqx-3", "velvet zqx decision", "--because", "velvet zqx")
	asked := w.run("zqx-bot", "", "ask", "zqx-5", "velvet zqx question", "--blocking", "--to", "alice", "--json")
	w.run("zqx-bot", "", "review", "zqx-1")
	w.try("zqx-bot", "", "done", "zqx-3")    // approval.requested
	w.try("zqx-bot", "", "approve", "zqx-3") // approval.refused
	w.run("alice", "", "approve", "zqx-1", "--note", "velvet zqx")
	return w, fmt.Sprint(int(part[float64](t, asked, "id")))
}

// TestASessionSeesItsProjectsAlone requests everything from every route, and what is hidden by name: the answer must be
// the same as for what does not exist at all.
func TestASessionSeesItsProjectsAlone(t *testing.T) {
	w, question := divided(t)
	site := w.site("claude", "")
	bearer := []string{"Authorization", "Bearer " + w.session("alice", "--project", "demo"), "Accept", "text/html", "Content-Type", "application/json"}
	events := strings.Count(w.run("alice", "", "events", "-p", "zqx", "--json", "--limit", "1000"), `"id"`)

	// Without naming it.
	asked := 0
	for _, pattern := range site.Routes() {
		method, p, _ := strings.Cut(pattern, " ")
		if method != http.MethodGet || strings.HasSuffix(p, "/stream") {
			continue
		}
		p = path(pattern)
		for _, query := range []string{"", "?all=true", "?q=velvet", "?project=demo", "?q=velvet&limit=1000", "?q=velvet&project=demo",
			"?since_id=0&limit=1000", "?limit=1000", "?upstream=8&downstream=8", "?all=true&limit=1000"} {
			got := ask(site, method, p+query, "", bearer...)
			if strings.Contains(got.Body, "zqx") {
				t.Errorf("%s %s reveals the hidden project: %d %s", method, p+query, got.Status, around(got.Body, "zqx"))
			}
			if got.Status < 300 {
				asked++
			}
		}
	}
	if asked < 100 {
		t.Errorf("only %d reads answered anything", asked)
	}

	// By name, against what does not exist.
	for _, o := range op.Table {
		if o.Method == "" {
			continue
		}
		for i, req := range naming(o, question) {
			there := ask(site, o.Method, req.there, req.thereBody, bearer...)
			none := ask(site, o.Method, req.none, req.noneBody, bearer...)
			same := strings.NewReplacer("zqx", "nil", "there is no question "+question, "there is no question 999999")
			if there.Status != none.Status || same.Replace(there.Body) != none.Body {
				t.Errorf(
					"%s %s (%d) is told from what is not there:\n%d %s\n%d %s",
					o.Method,
					req.there,
					i,
					there.Status,
					there.Body,
					none.Status,
					none.Body,
				)
			}
			if there.Status < 400 && !harmlessEcho(o, there.Body) {
				t.Errorf("%s %s %s: %d %s", o.Method, req.there, req.thereBody, there.Status, there.Body)
			}
		}
	}
	for _, pattern := range site.Routes() {
		if !strings.Contains(pattern, "{slug}") && !strings.Contains(pattern, "{id}") || strings.Contains(pattern, "/v1/") ||
			strings.HasPrefix(pattern, "POST") {
			continue
		}
		p := path(pattern)
		got := ask(site, "GET", strings.NewReplacer("demo", "zqx").Replace(p), "", bearer...)
		if got.Status != 404 || strings.Contains(got.Body, "velvet") {
			t.Errorf("the page %s of the hidden project: %d %s", p, got.Status, around(got.Body, "velvet"))
		}
	}
	if now := strings.Count(w.run("alice", "", "events", "-p", "zqx", "--json", "--limit", "1000"), `"id"`); now != events {
		t.Errorf("the hidden project has %d events, and had %d", now, events)
	}

	// The same through the tools.
	for _, o := range op.Table {
		for _, args := range []string{`{}`, `{"project":"zqx"}`, `{"slug":"zqx"}`, `{"id":"zqx-1"}`, `{"q":"velvet"}`, `{"q":"velvet",` +
			`"project":"demo"}`, `{"id":"demo-1"}`, `{"project":"demo"}`} {
			call := fmt.Sprintf(
				`{"jsonrpc":"2.0","id":1,"method":"tools/call","params":{"name":"tasker_%s","arguments":%s}}`,
				strings.ReplaceAll(o.Name, "-", "_"),
				args,
			)
			got := ask(site, "POST", "/mcp", call, append(slices.Clone(bearer), "Accept", "application/json, text/event-stream")...)
			if strings.Contains(got.Body, "velvet zqx") || !strings.Contains(args, "zqx") && strings.Contains(got.Body, "zqx") {
				t.Errorf("the tool %s with %s reveals the hidden project: %s", o.Name, args, around(got.Body, "zqx"))
			}
		}
	}
}

// named is one request twice: for what is hidden, and for what does not exist.
type named struct{ there, thereBody, none, noneBody string }

// naming returns requests of an operation that name the hidden project in every way that it takes.
func naming(o *op.Op, question string) []named {
	both := func(path, body string) named {
		n := named{there: "/v1" + path, thereBody: body}
		n.none, n.noneBody = strings.ReplaceAll(n.there, "zqx", "nil"), strings.ReplaceAll(body, "zqx", "nil")
		n.none = strings.ReplaceAll(n.none, "/questions/"+question, "/questions/999999")
		return n
	}
	filled := strings.NewReplacer("{slug}", "zqx", "{id}", "zqx-1").Replace(o.Path)
	if strings.HasPrefix(o.Path, "/questions/") {
		filled = strings.Replace(o.Path, "{id}", question, 1)
	}
	open := strings.NewReplacer("{slug}", "demo", "{id}", "demo-1").Replace(o.Path)
	var out []named
	if filled != o.Path {
		for _, body := range bodies(o, "zqx") {
			out = append(out, both(filled, body))
			if strings.Contains(body, "zqx") {
				out = append(out, both(open, body))
			}
		}
		if o.Method == http.MethodGet {
			out = append(out, both(filled, ""))
		}
	}
	for _, q := range o.QueryNames() {
		for _, value := range []string{"zqx", "zqx-1", "zqx-key"} {
			if slices.Contains([]string{"project", "task", "parent", "under"}, q) {
				body := ""
				if o.Method == http.MethodPost {
					body = strings.Replace(bodies(o, "demo")[0], `"project":"demo",`, "", 1) // which would take precedence over the query's
				}
				out = append(out, both(open+"?"+url.Values{q: {value}}.Encode(), body))
			}
		}
	}
	if o.Method == http.MethodPost && !strings.Contains(o.Path, "{") {
		for _, body := range bodies(o, "zqx") {
			out = append(out, both(o.Path, body))
		}
	}
	return out
}

// bodies returns bodies of a write that would change something in the project, by operation.
func bodies(o *op.Op, project string) []string {
	if o.Method != http.MethodPost {
		return nil
	}
	of := map[string][]string{
		"next":   {`{"project":"zqx"}`, `{"project":"demo","under":"zqx-1"}`, `{"under":"zqx-1"}`},
		"create": {`{"project":"zqx","title":"t"}`, `{"project":"demo","title":"t","deps":["zqx-1"]}`, `{"project":"demo","title":"t","parent":"zqx-1"}`},
		"edit": {
			`{"title":"t"}`,
			`{"addDeps":["zqx-1"]}`,
			`{"parent":"zqx-1"}`,
		}, "move": {`{"to":"done"}`, `{"to":"cancelled","force":true}`}, "check": {`{"index":1}`},
		"claim": {``, `{"fence":1}`}, "release": {``}, "note": {`{"text":"t"}`}, "evidence": {`{"items":[{"kind":"k","value":"v"}]}`},
		"decide": {`{"title":"t","rationale":"r"}`}, "ask": {`{"text":"t"}`}, "answer": {`{"text":"t"}`}, "withdraw": {``},
		"approve": {``, `{"note":"n"}`},
		"apply":   {`{"project":"zqx","tasks":[{"key":"zqx-key","title":"t"}]}`, `{"project":"demo","tasks":[{"key":"x","title":"t","deps":["zqx-1"]}]}`},
		"ack":     {`{"items":["review:zqx-1"]}`, `{"items":["stalled:zqx-3"]}`},
		"seen":    {`{"watermark":1}`},
	}
	list, ok := of[o.Name]
	if !ok {
		list = []string{`{}`}
	}
	for i := range list {
		list[i] = strings.ReplaceAll(list[i], "zqx", project)
	}
	return list
}

// harmlessEcho reports whether an answer to a request that names something hidden would be given anyway.
func harmlessEcho(o *op.Op, body string) bool {
	return !strings.Contains(body, "velvet") && (o.Name == "seen" || !strings.Contains(body, "zqx"))
}

func around(body, word string) string {
	i := strings.Index(body, word)
	if i < 0 {
		return body[:min(len(body), 300)]
	}
	return "…" + body[max(0, i-150):min(len(body), i+150)] + "…"
}

func TestAStreamTellsOfItsProjectsAlone(t *testing.T) {
	w, _ := divided(t)
	site := w.site("claude", "")
	credential := w.session("alice", "--project", "demo")
	srv := listen(t, site)
	r, err := http.NewRequestWithContext(t.Context(), http.MethodGet, srv+"/v1/events/stream?since_id=0", nil)
	if err != nil {
		t.Fatal(err)
	}
	r.Header.Set("Authorization", "Bearer "+credential)
	lines := follow(t, r)
	w.run("zqx-bot", "", "note", "zqx-3", "velvet zqx live")
	w.run("bob", "", "note", "demo-1", "the last one")
	for line := range lines {
		if strings.Contains(line, "zqx") {
			t.Fatalf("the stream reveals %s", around(line, "zqx"))
		}
		if strings.Contains(line, "the last one") {
			return
		}
	}
	t.Error("the stream ended before the last event")
}

func TestARevokedSessionEndsItsStream(t *testing.T) {
	w := build(t, sessionMode)
	w.run("alice", visible, "apply", "-f", "-")
	site := w.site("claude", "")
	var made struct {
		ID    int64  `json:"id"`
		Token string `json:"token"`
	}
	if err := json.Unmarshal([]byte(w.run("alice", "", "session", "create", "--actor", "claude", "--json")), &made); err != nil {
		t.Fatal(err)
	}
	srv := listen(t, site)
	r, err := http.NewRequestWithContext(t.Context(), http.MethodGet, srv+"/v1/events/stream?since_id=0", nil)
	if err != nil {
		t.Fatal(err)
	}
	r.Header.Set("Authorization", "Bearer "+made.Token)
	lines := follow(t, r)
	<-lines
	w.run("alice", "", "session", "revoke", fmt.Sprint(made.ID))
	w.run("bob", "", "note", "demo-1", "after the end")
	ended := false
	for line := range lines {
		if strings.Contains(line, "after the end") {
			t.Error("the stream sends an event after the session was revoked")
		}
		ended = ended || strings.Contains(line, `"error":"unauthorized"`)
	}
	if !ended {
		t.Error("the stream does not say why it ended")
	}
	if got := ask(site, "GET", "/v1/version", "", "Authorization", "Bearer "+made.Token); got.Status != 401 {
		t.Errorf("the next request: %d", got.Status)
	}
}
