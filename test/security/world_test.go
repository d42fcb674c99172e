package security

import (
	"bytes"
	"context"
	"net/http"
	"net/http/httptest"
	"os"
	"path/filepath"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/go-json-experiment/json"

	"tasker/internal/app"
	"tasker/internal/cli"
	"tasker/internal/cli/frame"
	"tasker/internal/config"
	"tasker/internal/testkit/dbtest"
	"tasker/internal/testkit/storetest"
)

// The configuration of most worlds: a human, and two agents.
const people = `"actors": [
	{"name": "alice", "kind": "human", "roles": ["lead"]},
	{"name": "claude", "kind": "agent"},
	{"name": "bob", "kind": "agent", "roles": ["dev"]}],
	"execution": {"requireApproval": [{"role": "lead", "reason": "nothing ships unseen"}]}`

const (
	openMode    = `{"version": 1, "project": "demo", ` + people + `}`
	sessionMode = `{"version": 1, "project": "demo", ` + people + `, "auth": {"mode": "session"}}`
)

// world is a database, a configuration file next to it, and commands that run there.
type world struct {
	*testing.T
	dir string
	db  string
}

// build makes a world on SQLite.
func build(t *testing.T, file string) *world {
	t.Helper()
	w := &world{T: t, dir: t.TempDir(), db: dbtest.SQLite(t)}
	storetest.Prepare(t, w.db)
	if file != "" {
		if err := os.WriteFile(filepath.Join(w.dir, config.FileName), []byte(file), 0o600); err != nil {
			t.Fatal(err)
		}
	}
	return w
}

// try runs a command in this process, as an actor.
func (w *world) try(actor, stdin string, args ...string) (code int, stdout, stderr string) {
	w.Helper()
	var out, err bytes.Buffer
	code = cli.Main(frame.Process{
		Args: args, Dir: w.dir, Stdin: strings.NewReader(stdin), Stdout: &out, Stderr: &err,
		Env: func(name string) (string, bool) {
			v, ok := map[string]string{"TASKER_DB": w.db, "TASKER_ACTOR": actor}[name]
			return v, ok && v != ""
		},
		Now: time.Now, User: func() string { return "root" }, Host: func() string { return "here" }, Environ: func() []string { return nil },
		Stop: func(ctx context.Context, _ time.Duration) (context.Context, context.CancelFunc) {
			return context.WithCancel(ctx)
		},
	}, app.CommandLine())
	return code, out.String(), err.String()
}

// run runs a command that must succeed, and returns what it printed.
func (w *world) run(actor, stdin string, args ...string) string {
	w.Helper()
	code, stdout, stderr := w.try(actor, stdin, args...)
	if code != 0 {
		w.Fatalf("tasker %s as %s ended with %d: %s", strings.Join(args, " "), actor, code, stderr)
	}
	return stdout
}

// session makes a session and returns its credential.
func (w *world) session(actor string, flags ...string) string {
	w.Helper()
	return strings.TrimSpace(w.run("alice", "", append([]string{"session", "create", "--quiet", "--actor", actor}, flags...)...))
}

// serving returns what a server of this world is started with.
func (w *world) serving(actor, token string) frame.Serving {
	w.Helper()
	o, err := config.FromOS()
	if err != nil {
		w.Fatal(err)
	}
	return frame.Serving{
		DB: w.db, Token: token, Allowed: []string{"tasker.example"}, Log: w.Output(),
		Options: config.Options{Dir: w.dir, Files: o.Files, Now: time.Now},
		Named:   frame.Named{Actor: actor, How: "TASKER_ACTOR", User: "root"},
	}
}

// site returns a server of this world that answers in this process.
func (w *world) site(actor, token string) *app.Site {
	w.Helper()
	return w.siteOf(w.serving(actor, token))
}

func (w *world) siteOf(s frame.Serving) *app.Site {
	w.Helper()
	site, err := app.NewSite(w.Context(), s)
	if err != nil {
		w.Fatal(err)
	}
	w.Cleanup(func() {
		if err := site.Close(); err != nil {
			w.Error(err)
		}
	})
	return site
}

// lines is a log that can be read.
type lines struct {
	mu   sync.Mutex
	text strings.Builder
}

func (l *lines) Write(p []byte) (int, error) {
	l.mu.Lock()
	defer l.mu.Unlock()
	return l.text.Write(p)
}

func (l *lines) count(word string) int {
	l.mu.Lock()
	defer l.mu.Unlock()
	return strings.Count(l.text.String(), word)
}

// services returns the services of this world, as a command has them.
func (w *world) services() *app.App {
	w.Helper()
	o, err := config.FromOS()
	if err != nil {
		w.Fatal(err)
	}
	loaded, err := config.Load(config.Options{Dir: w.dir, Files: o.Files})
	if err != nil {
		w.Fatal(err)
	}
	a, err := app.Open(app.Options{DB: w.db, Config: func() *config.Loaded { return loaded }, Version: app.Version})
	if err != nil {
		w.Fatal(err)
	}
	w.Cleanup(func() {
		if err := a.Close(); err != nil {
			w.Error(err)
		}
	})
	return a
}

// reply is an answer, read whole.
type reply struct {
	Status int
	Header http.Header
	Body   string
}

// ask sends a request to a server in this process. Host is a header like the others.
func ask(h http.Handler, method, target, body string, headers ...string) reply {
	r := httptest.NewRequest(method, target, strings.NewReader(body))
	r.Host = "localhost:7777"
	for i := 0; i < len(headers); i += 2 {
		if headers[i] == "Host" {
			r.Host = headers[i+1]
			continue
		}
		r.Header.Add(headers[i], headers[i+1])
	}
	w := httptest.NewRecorder()
	h.ServeHTTP(w, r)
	return reply{w.Code, w.Header(), w.Body.String()}
}

// part reads a member of a JSON document.
func part[T any](t *testing.T, doc, name string) T {
	t.Helper()
	var all map[string]any
	if err := json.Unmarshal([]byte(doc), &all); err != nil {
		t.Fatalf("%v: %s", err, doc)
	}
	v, ok := all[name].(T)
	if !ok {
		t.Fatalf("there is no %s in %s", name, doc)
	}
	return v
}
