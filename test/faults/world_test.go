package faults

import (
	"bufio"
	"bytes"
	"context"
	"errors"
	"io"
	"net/http"
	"os"
	"os/exec"
	"path/filepath"
	"strconv"
	"strings"
	"syscall"
	"testing"
	"time"

	"github.com/go-json-experiment/json"

	"tasker/internal/testkit/dbtest"
	"tasker/internal/testkit/storetest"
)

// patience limits every wait: a machine that is merely busy stays far below it.
const patience = time.Minute

// pause is the time between two checks of what a test waits for, which needs the processor too.
const pause = 20 * time.Millisecond

// settings declares a person, so that somebody may take a task from an agent.
const settings = `{"version": 1, "project": "demo", "actors": [
	{"name": "ann", "kind": "human"}, {"name": "bot", "kind": "agent"}, {"name": "bee", "kind": "agent"}]}`

// world is one database and a directory to run programs in.
type world struct {
	*testing.T
	db  string
	dir string
}

// each runs fn on a fresh SQLite file and in a fresh PostgreSQL database, in parallel: most of it is waiting.
func each(t *testing.T, fn func(w *world)) {
	t.Helper()
	dbtest.Each(t, func(t *testing.T, db string) {
		t.Parallel()
		storetest.Prepare(t, db)
		fn(newWorld(t, db))
	})
}

// either is for what does not depend on the database: it runs fn on SQLite, and in a long run on both, as both does.
func either(t *testing.T, both func(*testing.T, func(*world)), fn func(w *world)) {
	t.Helper()
	if often(0, 1) == 1 {
		both(t, fn)
		return
	}
	db := dbtest.SQLite(t)
	storetest.Prepare(t, db)
	fn(newWorld(t, db))
}

// eachAlone is each for a test that measures what a server does: one after the other, with nothing in parallel.
func eachAlone(t *testing.T, fn func(w *world)) {
	t.Helper()
	dbtest.Each(t, func(t *testing.T, db string) { fn(newWorld(t, db)) })
}

func newWorld(t *testing.T, db string) *world {
	t.Helper()
	w := &world{T: t, db: db, dir: t.TempDir()}
	if err := os.WriteFile(filepath.Join(w.dir, ".tasker.json"), []byte(settings), 0o600); err != nil {
		t.Fatal(err)
	}
	return w
}

func (w *world) postgres() bool { return strings.Contains(w.db, "://") }

func (w *world) must(err error) {
	w.Helper()
	if err != nil {
		w.Fatal(err)
	}
}

// command returns a command with the world's environment and nothing from ours.
func (w *world) command(ctx context.Context, actor string, args ...string) *exec.Cmd {
	cmd := exec.CommandContext(ctx, tasker, args...)
	w.inside(cmd, actor)
	return cmd
}

func (w *world) inside(cmd *exec.Cmd, actor string) {
	cmd.Dir = w.dir
	cmd.Env = []string{"PATH=" + os.Getenv("PATH"), "HOME=" + w.dir, "TASKER_DB=" + w.db, "TASKER_ACTOR=" + actor}
}

// ended is the result of a command.
type ended struct {
	code     int
	out, err []byte
}

// try runs a command to its end. It is safe for concurrent use.
func (w *world) try(actor, stdin string, args ...string) (ended, error) {
	ctx, cancel := context.WithTimeout(context.Background(), patience)
	defer cancel()
	cmd := w.command(ctx, actor, args...)
	var out, complaint bytes.Buffer
	cmd.Stdin, cmd.Stdout, cmd.Stderr = strings.NewReader(stdin), &out, &complaint
	err := cmd.Run()
	var exit *exec.ExitError
	if errors.As(err, &exit) && exit.Exited() {
		err = nil
	}
	return ended{cmd.ProcessState.ExitCode(), out.Bytes(), complaint.Bytes()}, err
}

// tasker runs a command that must succeed, and returns what it printed.
func (w *world) tasker(actor string, args ...string) []byte {
	w.Helper()
	got, err := w.try(actor, "", args...)
	w.must(err)
	if got.code != 0 {
		w.Fatalf("tasker %s ended with %d: %s%s", strings.Join(args, " "), got.code, got.out, got.err)
	}
	return got.out
}

// apply applies a plan with a command.
func (w *world) apply(plan string) {
	w.Helper()
	got, err := w.try("ann", plan, "apply", "-f", "-", "--json")
	w.must(err)
	if got.code != 0 {
		w.Fatalf("the plan is refused with %d: %s", got.code, got.err)
	}
}

// healthy checks that everything maintained equals a recount.
func (w *world) healthy() {
	w.Helper()
	w.tasker("ann", "doctor", "--json")
}

// server is a running `tasker serve`.
type server struct {
	w      *world
	url    string
	cmd    *exec.Cmd
	log    bytes.Buffer // standard error; read it after the end
	client *http.Client
	over   bool
}

// serve starts a server that acts as actor, and waits until it listens. wrapper, if given, is a program that starts it.
func (w *world) serve(actor string, wrapper ...string) *server {
	w.Helper()
	return w.serveAs(func(*syscall.SysProcAttr) {}, actor, wrapper...)
}

// serveAs is serve with something changed about the process.
func (w *world) serveAs(change func(*syscall.SysProcAttr), actor string, wrapper ...string) *server {
	w.Helper()
	args := append(wrapper, tasker, "serve", "--port", "0", "--json")
	s := &server{w: w, cmd: exec.Command(args[0], args[1:]...)}
	w.inside(s.cmd, actor)
	s.cmd.Stderr = &s.log
	s.cmd.SysProcAttr = &syscall.SysProcAttr{Setpgid: true} // a wrapper and the server are ended together
	change(s.cmd.SysProcAttr)
	out, err := s.cmd.StdoutPipe()
	w.must(err)
	w.must(s.cmd.Start())
	w.Cleanup(s.kill)
	// A server that never says where it listens is killed, which ends its output too.
	slow := time.AfterFunc(patience, func() { s.signal(syscall.SIGKILL) })
	line, err := bufio.NewReader(out).ReadBytes('\n')
	slow.Stop()
	var said struct {
		URL string `json:"url"`
	}
	if err == nil {
		err = json.Unmarshal(line, &said)
	}
	if err != nil {
		s.kill()
		w.Fatalf("the server did not come up: %v\n%s%s", err, line, s.log.String())
	}
	s.url = said.URL
	s.client = &http.Client{Timeout: patience, Transport: &http.Transport{MaxIdleConns: 256, MaxIdleConnsPerHost: 256}}
	return s
}

func (s *server) signal(sig syscall.Signal) { _ = syscall.Kill(-s.cmd.Process.Pid, sig) }

// kill ends the server without warning: SIGKILL.
func (s *server) kill() { s.end(syscall.SIGKILL) }

// stop ends the server as its user would, and lets requests finish.
func (s *server) stop() { s.end(syscall.SIGTERM) }

func (s *server) end(sig syscall.Signal) {
	if s.over {
		return
	}
	s.over = true
	s.signal(sig)
	slow := time.AfterFunc(patience, func() { s.signal(syscall.SIGKILL) })
	_ = s.cmd.Wait() // how it ended is the test's own doing
	slow.Stop()
	if s.client != nil {
		s.client.CloseIdleConnections()
	}
	if log := s.log.String(); strings.Contains(log, "level=ERROR") || strings.Contains(log, "panic") {
		s.w.Errorf("the server's log has something unexpected:\n%s", log)
	}
}

// who is a client of a server: an instance of the actor that the server acts as, and a key for what must happen once.
type who struct {
	instance string
	key      string
}

// reply is an answer that arrived completely.
type reply struct {
	status int
	body   []byte
}

func (r reply) ok() bool { return r.status == 200 || r.status == 201 }

// into reads the answer.
func (r reply) into(v any) error { return json.Unmarshal(r.body, v) }

// call sends a request; without a body it is a GET. An error means that no complete answer came.
func (s *server) call(by who, path string, body any) (reply, error) {
	method, content := http.MethodGet, io.Reader(nil)
	if body != nil {
		raw, ok := body.([]byte)
		if !ok {
			var err error
			if raw, err = json.Marshal(body, json.Deterministic(true)); err != nil { // the same bytes when it is sent again
				return reply{}, err
			}
		}
		method, content = http.MethodPost, bytes.NewReader(raw)
	}
	req, err := http.NewRequest(method, s.url+path, content)
	if err != nil {
		return reply{}, err
	}
	if by.instance != "" {
		req.Header.Set("Tasker-Instance", by.instance)
	}
	if by.key != "" {
		req.Header.Set("Idempotency-Key", by.key)
	}
	resp, err := s.client.Do(req)
	if err != nil {
		return reply{}, err
	}
	defer resp.Body.Close()
	got, err := io.ReadAll(resp.Body)
	return reply{resp.StatusCode, got}, err
}

// get reads a path into v.
func (s *server) get(path string, v any) {
	s.w.Helper()
	r, err := s.call(who{}, path, nil)
	s.w.must(err)
	if !r.ok() {
		s.w.Fatalf("GET %s: %d %s", path, r.status, r.body)
	}
	s.w.must(r.into(v))
}

// post sends a write that must succeed.
func (s *server) post(by who, path string, body, v any) {
	s.w.Helper()
	r, err := s.call(by, path, body)
	s.w.must(err)
	if !r.ok() {
		s.w.Fatalf("POST %s: %d %s", path, r.status, r.body)
	}
	if v != nil {
		s.w.must(r.into(v))
	}
}

// object is a body.
type object map[string]any

// flat returns a plan of n tasks that wait for nothing, with ids slug-1 to slug-n.
func flat(slug string, n int) string {
	var b strings.Builder
	b.WriteString(`{"project": "` + slug + `", "tasks": [`)
	for i := range n {
		if i > 0 {
			b.WriteByte(',')
		}
		k := strconv.Itoa(i + 1)
		b.WriteString(`{"key": "k` + k + `", "title": "Task ` + k + `", "priority": ` + strconv.Itoa(i%4) + `, "criteria": ["one", "two"]}`)
	}
	b.WriteString(`]}`)
	return b.String()
}
