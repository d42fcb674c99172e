package security

import (
	"context"
	"net/http"
	"net/http/httptest"
	"reflect"
	"regexp"
	"slices"
	"strings"
	"testing"
	"time"
	"unicode"

	"github.com/go-json-experiment/json"

	"tasker/internal/app"
	"tasker/internal/core"
	"tasker/internal/op"
	"tasker/internal/op/wire"
	"tasker/internal/server/web"
	"tasker/internal/task"
	"tasker/internal/testkit/dbtest"
	"tasker/internal/work"
)

// marker is in every text of a task, and is replaced by a hostile text.
const marker = "zzplainzz"

// replay answers operations as a database with one task once did, with another text in place of the marker.
type replay struct {
	services op.Caller // nil once all answers are recorded
	answers  map[string]string
	text     string // as in JSON, without its quotes
}

func (r *replay) Call(ctx context.Context, o *op.Op, in any) (op.Reply, error) {
	if r.services != nil {
		reply, err := r.services.Call(ctx, o, in)
		if err != nil {
			return op.Reply{}, err
		}
		var doc strings.Builder
		if err := wire.WriteJSON(&doc, reply.Out); err != nil {
			return op.Reply{}, err
		}
		r.answers[o.Name] = doc.String()
	}
	out := reflect.New(o.Out)
	if err := json.Unmarshal([]byte(strings.ReplaceAll(r.answers[o.Name], marker, r.text)), out.Interface()); err != nil {
		return op.Reply{}, err
	}
	return op.Reply{Out: out.Elem().Interface()}, nil
}

// withMarker is a plan in which every text of a task is the marker.
const withMarker = `{"project": "demo", "name": "zzplainzz", "vision": "zzplainzz", "tasks": [
	{"key": "a", "title": "zzplainzz", "body": "zzplainzz\n\nzzplainzz", "criteria": ["zzplainzz"], "preferredActor": "zzplainzz", "mayExecute": ["zzplainzz"],
	 "touches": ["zzplainzz"], "links": [{"kind": "url", "ref": "zzplainzz", "note": "zzplainzz"},
	 {"kind": "file", "ref": "zzplainzz"}, {"kind": "url", "ref": "https://plain.example/zzplainzz"}],
	 "evidence": [{"kind": "zzplainzz", "value": "zzplainzz", "note": "zzplainzz"}]},
	{"key": "b", "title": "zzplainzz", "deps": ["a"]}, {"key": "c", "title": "zzplainzz", "parent": "a"}]}`

// replayed returns pages over such a database.
func replayed(tb testing.TB) (*replay, http.Handler) {
	tb.Helper()
	a, err := app.Open(app.Options{DB: dbtest.SQLite(tb)})
	if err != nil {
		tb.Fatal(err)
	}
	defer func() { _ = a.Close() }()
	r := &replay{services: op.NewLocal(a.Services.All()...), answers: map[string]string{}, text: marker}
	who := core.Caller{Actor: task.Actor{Name: "bot"}}
	ctx := core.WithCaller(tb.Context(), who)
	if _, err := r.services.Call(ctx, op.Apply.Op, document(withMarker)); err != nil {
		tb.Fatal(err)
	}
	if _, err := r.services.Call(ctx, op.Note.Op, work.NoteIn{Task: "demo-1", Text: marker}); err != nil {
		tb.Fatal(err)
	}
	mux := http.NewServeMux()
	for pattern, h := range web.Routes(web.Options{Ops: r, Now: time.Now, Version: "test"}) {
		mux.HandleFunc(pattern, func(w http.ResponseWriter, req *http.Request) {
			if err := h(w, req.WithContext(core.WithCaller(req.Context(), who))); err != nil {
				http.Error(w, err.Error(), http.StatusInternalServerError)
			}
		})
	}
	for _, path := range pagesOfATask {
		page(tb, mux, path)
	}
	r.services = nil
	return r, mux
}

// pagesOfATask lists the pages that show the texts of a task.
var pagesOfATask = []string{
	"/t/demo-1",
	"/search?q=zzplainzz",
	"/p/demo",
	"/p/demo/board",
	"/p/demo/work",
	"/p/demo/tasks",
	"/p/demo/events",
	"/p/demo/bottlenecks",
	"/p/demo/inbox",
}

var (
	tagOf  = regexp.MustCompile(`<[^>]*>`)
	nameOf = regexp.MustCompile(`^</?[a-zA-Z!?][a-zA-Z0-9-]*|[\s"'](\w[\w:-]*)="`)
	valued = regexp.MustCompile(`="[^"]*"`)
	leads  = regexp.MustCompile(`(?i)(?:href|src|action|formaction)="([^"]*)"`)
	safe   = regexp.MustCompile(`^(?:/|#|\?|https?://|$)`)
)

// skeletons returns each tag of a page by its name and the names of its attributes, and fails if one leads to a script.
func skeletons(tb testing.TB, page string) []string {
	tb.Helper()
	var out []string
	for _, tag := range tagOf.FindAllString(page, -1) {
		var names []string
		for _, m := range nameOf.FindAllString(valued.ReplaceAllString(tag, `=" "`), -1) {
			names = append(names, strings.Trim(m, " \"'=\n\t"))
		}
		out = append(out, strings.Join(names, " "))
		for _, m := range leads.FindAllStringSubmatch(tag, -1) {
			if !safe.MatchString(m[1]) {
				tb.Errorf("%s leads to %s", tag, m[1])
			}
		}
	}
	return out
}

// markup has every element of the Markdown that pages render, as a text in JSON.
const markup = `# one\n\n## two\n\n### three\n\n#### four\n\n##### five\n\n###### six\n\n> quoted\n\n1. first\n2. second\n\n9. later\n\n- [ ] open\n- [x] ticked\n\n` +
	`**bold** *slanted* ~~gone~~ \u0060code\u0060 [link](https://plain.example/) ![picture](https://plain.example/a.png)\n\n` +
	`\u0060\u0060\u0060go\nfenced\n\u0060\u0060\u0060\n\n    indented\n\n---\n\n| a | b |\n|---|:-:|\n| c | d |\n\nbroken  \nline`

// FuzzPages: whatever the texts of a task are, the pages have no tag and no attribute that they do not have with plain
// words, no link that runs code, and no control character.
func FuzzPages(f *testing.F) {
	r, pages := replayed(f)
	plain := map[string][]string{}
	for _, words := range []string{marker, "plain words, of some length", "https://plain.example/", "src/plain.go", `lines\nof it\n\n- and more`, markup} {
		r.text = words
		for _, path := range pagesOfATask {
			plain[path] = append(plain[path], skeletons(f, page(f, pages, path))...)
		}
	}
	if len(plain["/t/demo-1"]) < 100 {
		f.Fatalf("the page of the task has %d tags", len(plain["/t/demo-1"]))
	}
	for _, text := range []string{
		"<script>alert(1)</script>", `"><img src=x onerror=alert(1)>`, "javascript:alert(1)", "' onfocus='x", "</title><svg onload=x>", "{{.}}", "]]>",
		"<!--", "\u202e", "&lt;b&gt;", ">",
		"data:text/html,x", "\x1b]0;x\a\u009b2J\x7f", "one\r\ntwo\rthree", "\n<b>\n", "`<i>`", "[x](javascript:alert(1))", "https://plain.example/\"onclick=\"x", " ", "",
	} {
		f.Add(text)
	}
	f.Fuzz(func(t *testing.T, text string) {
		doc, err := json.Marshal(text)
		if err != nil {
			return // it is not text
		}
		r.text = string(doc[1 : len(doc)-1])
		for _, path := range pagesOfATask {
			got := page(t, pages, path)
			if at := strings.IndexFunc(got, func(r rune) bool { return unicode.IsControl(r) && r != '\n' && r != '\t' }); at >= 0 {
				t.Errorf("%s has the control character %q with the text %q", path, got[at:at+1], text)
			}
			for _, tag := range skeletons(t, got) {
				if !slices.Contains(plain[path], tag) {
					t.Errorf("%s has a tag %q with the text %q", path, tag, text)
				}
			}
		}
	})
}

func page(tb testing.TB, pages http.Handler, path string) string {
	tb.Helper()
	w := httptest.NewRecorder()
	pages.ServeHTTP(w, httptest.NewRequestWithContext(tb.Context(), http.MethodGet, path, nil))
	if w.Code != 200 {
		tb.Fatalf("%s: %d %s", path, w.Code, w.Body)
	}
	return w.Body.String()
}

func TestATagThatATextMadeIsSeen(t *testing.T) {
	got := skeletons(t, `<p class="a b">x</p><img src="/x" onerror="alert(1)"><a href="#x"
 title='y' onclick="z">`)
	if want := []string{"<p class", "</p", "<img src onerror", "<a href onclick"}; !slices.Equal(got, want) {
		t.Errorf("skeletons = %q, want %q", got, want)
	}
}
