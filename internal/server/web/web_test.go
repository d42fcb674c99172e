package web_test

import (
	"context"
	"errors"
	"io"
	"net/http"
	"net/http/httptest"
	"regexp"
	"slices"
	"strings"
	"testing"
	"time"
	"unicode"

	"tasker/internal/app"
	"tasker/internal/app/services"
	"tasker/internal/core"
	"tasker/internal/fault"
	"tasker/internal/op"
	"tasker/internal/plan"
	"tasker/internal/planning"
	"tasker/internal/server/web"
	"tasker/internal/task"
	"tasker/internal/testkit/dbtest"
	"tasker/internal/views/reading"
)

// site serves the pages over a database with a plan.
func site(t *testing.T, document string) http.Handler {
	t.Helper()
	return siteOver(t, document, func(ops op.Caller) op.Caller { return ops })
}

// siteOver is site with other operations.
func siteOver(t *testing.T, document string, instead func(op.Caller) op.Caller) http.Handler {
	t.Helper()
	a, err := app.Open(app.Options{DB: dbtest.SQLite(t)})
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { _ = a.Close() })
	return siteWith(t, a.Services, time.Now, document, instead)
}

// siteWith is siteOver with services, and with a clock of theirs.
func siteWith(t *testing.T, s *services.Set, now func() time.Time, document string, instead func(op.Caller) op.Caller) http.Handler {
	t.Helper()
	ctx := core.WithCaller(t.Context(), core.Caller{Actor: task.Actor{Name: "bot"}})
	doc, err := plan.Read([]byte(document))
	if err != nil {
		t.Fatal(err)
	}
	ops := op.NewLocal(s.All()...)
	if _, err := op.Apply.Do(ctx, ops, planning.ApplyIn{Doc: doc}); err != nil {
		t.Fatal(err)
	}
	mux := http.NewServeMux()
	for pattern, h := range web.Routes(web.Options{
		Ops: instead(ops), Now: now, Version: "test",
	}) {
		mux.HandleFunc(pattern, func(w http.ResponseWriter, r *http.Request) {
			if err := h(w, r.WithContext(core.WithCaller(r.Context(), core.CallerOf(ctx)))); err != nil {
				t.Errorf("%s: %v", r.URL, err)
				http.Error(w, err.Error(), http.StatusInternalServerError)
			}
		})
	}
	return mux
}

func get(t *testing.T, h http.Handler, path string, headers ...string) *httptest.ResponseRecorder {
	t.Helper()
	r := httptest.NewRequestWithContext(t.Context(), "GET", path, nil)
	for i := 0; i+1 < len(headers); i += 2 {
		r.Header.Set(headers[i], headers[i+1])
	}
	w := httptest.NewRecorder()
	h.ServeHTTP(w, r)
	return w
}

const small = `{"project": "demo", "tasks": [
	{"key": "a", "title": "First <b>&\"'", "body": "<script>alert(1)</script>", "links": [{"kind": "url", "ref": "javascript:alert(1)"}]},
	{"key": "b", "title": "Second", "deps": ["a"], "parent": "e"}, {"key": "c", "title": "Third", "deps": ["b"], "parent": "e"}, {"key": "e", "title": "Epic"}]}`

var pages = []string{
	"/", "/?all=true", "/search?q=First&project=demo", "/help", "/t/demo-1", "/p/demo", "/p/demo/board", "/p/demo/work", "/p/demo/machine", "/p/demo/proof",
	"/p/demo/bottlenecks", "/p/demo/events", "/p/demo/inbox", "/p/demo/sync", "/p/demo/conflicts", "/p/demo/tasks", "/p/demo/graph",
	"/p/demo/graph?show=all&fold=demo-4", "/p/demo/timeline",
}

var inline = regexp.MustCompile(`(?i)<style|\sstyle=|\son[a-z]+=|<script(?:>| [^>]*>[^<])|https?://(?:[^w]|w[^w])`)

func TestPagesHoldNothingInlineAndNothingFromElsewhere(t *testing.T) {
	h := site(t, small)
	for _, path := range pages {
		w := get(t, h, path)
		if w.Code != 200 {
			t.Errorf("%s: %d", path, w.Code)
		}
		if csp := w.Header().Get("Content-Security-Policy"); !strings.Contains(csp, "default-src 'none'") || strings.Contains(csp, "unsafe") {
			t.Errorf("%s: policy %q", path, csp)
		}
		if found := inline.FindString(w.Body.String()); found != "" {
			t.Errorf("%s holds %q", path, found)
		}
		if w.Header().Get("Set-Cookie") != "" {
			t.Errorf("%s sets a cookie", path)
		}
	}
}

func TestPagesHoldNoControlCharacters(t *testing.T) {
	h := site(t, strings.NewReplacer("Second", `S\u001b[31mecond\u0007`, "Epic", `E\u009b2Jpic\u007f`, "<script>", `\u001b]0;x\u0007<script>`).Replace(small))
	for _, path := range append(slices.Clone(pages), "/t/demo-2", "/t/demo-4", "/p/demo/graph/graph.svg", "/p/demo/graph/graph.dot", "/p/demo/graph/graph.mmd") {
		body := get(t, h, path).Body.String()
		if at := strings.IndexFunc(body, func(r rune) bool { return unicode.IsControl(r) && r != '\n' && r != '\t' }); at >= 0 {
			t.Errorf("%s holds a control character: %q", path, body[max(0, at-40):min(len(body), at+20)])
		}
	}
	if body := get(t, h, "/t/demo-2").Body.String(); !strings.Contains(body, `S\x1b[31mecond\x07`) {
		t.Error("a control character of a title is not written out")
	}
}

func TestTextStaysText(t *testing.T) {
	h := site(t, small)
	body := get(t, h, "/t/demo-1").Body.String()
	if !strings.Contains(body, "&lt;script&gt;alert(1)&lt;/script&gt;") || strings.Contains(body, "<script>alert") {
		t.Error("the body of a task is not escaped")
	}
	if strings.Contains(body, `href="javascript:`) {
		t.Error("a link leads to a script")
	}
	for _, file := range []string{"graph.svg", "graph.dot", "graph.mmd"} {
		w := get(t, h, "/p/demo/graph/"+file)
		if w.Code != 200 || !strings.HasPrefix(w.Header().Get("Content-Disposition"), "attachment") {
			t.Errorf("%s: %d %v", file, w.Code, w.Header())
		}
		if text := w.Body.String(); file != "graph.dot" && strings.Contains(text, "<b>") || !strings.Contains(text, "Second") {
			t.Errorf("%s: %s", file, text)
		}
	}
}

func TestMarkdownIsShownAndHarmless(t *testing.T) {
	h := site(t, `{"project": "demo", "tasks": [{"key": "a", "title": "A", "body": "# Why\n\n- see demo-1 and **this**\n\n[go](https://a.example/x) `+
		`[no](javascript:alert(1)) <img src=x onerror=alert(1)>"}]}`)
	body := get(t, h, "/t/demo-1").Body.String()
	for _, want := range []string{
		`aria-level="3"><bdi>Why</bdi>`, `<a class="id" href="/t/demo-1">demo-1</a>`, `<b>this</b>`, `href="https://a.example/x"`, `&lt;img src=x`,
	} {
		if !strings.Contains(body, want) {
			t.Errorf("the page does not hold %s", want)
		}
	}
	if strings.Contains(body, "<img") || strings.Contains(body, `href="javascript:`) {
		t.Error("a body brings its own HTML")
	}
}

func TestNotFoundAndInvalidAddressesAnswerWithAPage(t *testing.T) {
	h := site(t, small)
	for _, path := range []string{"/p/none", "/p/demo/none", "/t/demo-99", "/p/none/graph"} {
		if w := get(t, h, path); w.Code != 404 || !strings.Contains(w.Body.String(), "<h1>Not Found</h1>") {
			t.Errorf("%s: %d", path, w.Code)
		}
	}
	for _, path := range []string{"/p/demo/graph?show=x", "/p/demo/graph?up=-1", "/p/demo/proof?days=x", "/p/demo/events?kind=x", "/p/demo/timeline?days=0"} {
		if w := get(t, h, path); w.Code != 422 {
			t.Errorf("%s: %d", path, w.Code)
		}
	}
}

func TestAssetsAreSmallPackedAndCached(t *testing.T) {
	if n := web.AssetBytes(); n > 300<<10 {
		t.Errorf("the assets weigh %d bytes", n)
	}
	h := site(t, small)
	found := regexp.MustCompile(`/assets/[0-9a-f]{16}/[a-z]+\.(?:css|js|svg)`).FindAllString(get(t, h, "/").Body.String(), -1)
	if len(found) < 3 {
		t.Fatalf("the page names the assets %v", found)
	}
	for _, path := range found {
		w := get(t, h, path, "Accept-Encoding", "gzip")
		if w.Code != 200 || w.Header().Get("Content-Encoding") != "gzip" || !strings.Contains(w.Header().Get("Cache-Control"), "immutable") {
			t.Errorf("%s: %d %v", path, w.Code, w.Header())
		}
		if plain := get(t, h, path); plain.Header().Get("Content-Encoding") != "" || plain.Body.Len() <= w.Body.Len()/4 {
			t.Errorf("%s unpacked: %v", path, plain.Header())
		}
	}
}

func TestAnUnknownAssetIsMissing(t *testing.T) {
	routes := web.Routes(web.Options{Now: time.Now})
	r := httptest.NewRequestWithContext(t.Context(), "GET", "/assets/0/x.js", nil)
	err := routes["GET /assets/{hash}/{name}"](httptest.NewRecorder(), r)
	if !fault.Is(err, fault.NotFound) {
		t.Errorf("an unknown asset: %v", err)
	}
}

// failing fails every operation.
type failing struct{ err error }

func (f failing) Call(context.Context, *op.Op, any) (op.Reply, error) { return op.Reply{}, f.err }

func TestAnUnexpectedErrorIsNotAPage(t *testing.T) {
	broken := errors.New("disk on fire")
	routes := web.Routes(web.Options{Now: time.Now, Ops: failing{broken}})
	w := httptest.NewRecorder()
	if err := routes["GET /{$}"](w, httptest.NewRequestWithContext(t.Context(), "GET", "/", nil)); !errors.Is(err, broken) {
		t.Errorf("the error is %v", err)
	}
	if text, _ := io.ReadAll(w.Body); len(text) > 0 {
		t.Errorf("a failed page was answered: %s", text)
	}
}

// estimating answers bottlenecks as for a project that is too large to count.
type estimating struct{ op.Caller }

func (e estimating) Call(ctx context.Context, o *op.Op, in any) (op.Reply, error) {
	reply, err := e.Caller.Call(ctx, o, in)
	if b, ok := reply.Out.(reading.BottlenecksOut); ok {
		b.Estimated, b.AsOf = true, task.Time(1)
		reply.Out = b
	}
	return reply, err
}

func TestBottlenecksSayWhatIsAnEstimateAndOfWhen(t *testing.T) {
	body := get(t, siteOver(t, small, func(ops op.Caller) op.Caller { return estimating{ops} }), "/p/demo/bottlenecks").Body.String()
	if !strings.Contains(body, "an estimate chose these, and the numbers are counted") || !strings.Contains(body, "the project has changed since") {
		t.Errorf("the page does not say what is an estimate:\n%s", body)
	}
	if body := get(t, site(t, small), "/p/demo/bottlenecks").Body.String(); strings.Contains(body, "estimate") {
		t.Error("an exact order is called an estimate")
	}
}

func TestTheGraphSaysHowMuchItShows(t *testing.T) {
	h := site(t, small)
	if body := get(t, h, "/p/demo/graph?show=all").Body.String(); !strings.Contains(body, "4 of 4 shown") {
		t.Error("the whole graph does not say that it is whole")
	}
	if body := get(t, h, "/p/demo/graph?focus=demo-1&up=0&down=1").Body.String(); !strings.Contains(body, "2 of 4 shown") {
		t.Error("a focused graph does not count what it shows")
	}
	over := site(t, `{"project": "demo", "tasks": [{"key": "e", "title": "E", "status": "done"}, {"key": "p", "title": "P", "parent": "e", "status": "done"}]}`)
	if body := get(t, over, "/p/demo/graph?show=all&fold=demo-1").Body.String(); !strings.Contains(body, "1 part · 100 % closed") {
		t.Errorf("a folded epic that is done says %.300q", said(body, `class="node`))
	}
	if body := get(t, h, "/p/demo/graph?fold=demo-4").Body.String(); !strings.Contains(body, "2 parts · 0 % closed") {
		t.Errorf("a folded group does not say what it holds")
	}
}

func TestTheFirstPageIsTheOnlyProjectOrAllOfThem(t *testing.T) {
	var ops op.Caller
	h := siteOver(t, small, func(all op.Caller) op.Caller { ops = all; return all })
	is := func(path, page string) {
		t.Helper()
		if body := get(t, h, path).Body.String(); !strings.Contains(body, `<body data-page="`+page+`"`) {
			t.Errorf("%s is not the page %s", path, page)
		}
	}
	is("/", "overview")
	is("/?since=1", "overview")
	is("/?all=false", "estate")
	doc, err := plan.Read([]byte(strings.Replace(small, "demo", "other", 1)))
	if err != nil {
		t.Fatal(err)
	}
	ctx := core.WithCaller(t.Context(), core.Caller{Actor: task.Actor{Name: "bot"}})
	if _, err := op.Apply.Do(ctx, ops, planning.ApplyIn{Doc: doc}); err != nil {
		t.Fatal(err)
	}
	is("/", "estate")
}
