package spec

import (
	"bufio"
	"bytes"
	"errors"
	"io"
	"net/http"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"strconv"
	"strings"
	"syscall"
	"testing"

	"github.com/go-json-experiment/json"
	"github.com/go-json-experiment/json/jsontext"

	"tasker/test/program"
)

// built is the program that all tests run.
var built string

func TestMain(m *testing.M) { os.Exit(program.Main(m, func(path string) { built = path })) }

// world is a directory with a database of its own, in which commands and servers run.
type world struct {
	*testing.T
	dir string
	env []string
}

func begin(t *testing.T) *world {
	t.Helper()
	dir := t.TempDir()
	w := &world{T: t, dir: filepath.Join(dir, "repo")}
	if err := os.MkdirAll(w.dir, 0o750); err != nil {
		t.Fatal(err)
	}
	w.env = []string{
		"HOME=" + dir, "PATH=" + os.Getenv("PATH"), "NO_COLOR=1",
		"TASKER_DB=" + filepath.Join(dir, "tasker.db"), "TASKER_ACTOR=claude",
	}
	program.Prepare(t, built, filepath.Join(dir, "tasker.db"))
	return w
}

// with returns the same world with further variables: NAME=VALUE sets one, and NAME by itself removes it.
func (w *world) with(vars ...string) *world {
	out := *w
	out.env = append([]string(nil), w.env...)
	for _, v := range vars {
		name, _, set := strings.Cut(v, "=")
		kept := out.env[:0]
		for _, e := range out.env {
			if !strings.HasPrefix(e, name+"=") {
				kept = append(kept, e)
			}
		}
		if out.env = kept; set {
			out.env = append(out.env, v)
		}
	}
	return &out
}

// as returns the same world with another actor.
func (w *world) as(actor string) *world { return w.with("TASKER_ACTOR=" + actor) }

// in returns the same world in a directory below it.
func (w *world) in(dir string) *world {
	out := *w
	out.dir = filepath.Join(w.dir, dir)
	if err := os.MkdirAll(out.dir, 0o750); err != nil {
		w.Fatal(err)
	}
	return &out
}

// file writes a file.
func (w *world) file(name, text string) {
	w.Helper()
	if err := os.WriteFile(filepath.Join(w.dir, name), []byte(text), 0o600); err != nil {
		w.Fatal(err)
	}
}

// config writes the configuration file: version, the project demo, and further members.
func (w *world) config(members string) {
	w.Helper()
	if members != "" {
		members = ", " + members
	}
	w.file(".tasker.json", `{"version": 1, "project": "demo"`+members+`}`)
}

// plan applies a document for the project demo with these tasks.
func (w *world) plan(tasks string) {
	w.Helper()
	w.feed(`{"project": "demo", "tasks": [`+tasks+`]}`, "apply -f -").is(0)
}

// run runs a command. Words in single quotes are one argument.
func (w *world) run(line string) reply {
	w.Helper()
	return w.feed("", line)
}

// feed is run with something on standard input.
func (w *world) feed(stdin, line string) reply {
	w.Helper()
	cmd := exec.CommandContext(w.Context(), built, arguments(line)...)
	cmd.Dir, cmd.Env, cmd.Stdin = w.dir, w.env, strings.NewReader(stdin)
	var out, told bytes.Buffer
	cmd.Stdout, cmd.Stderr = &out, &told
	var exit *exec.ExitError
	if err := cmd.Run(); err != nil && !errors.As(err, &exit) {
		w.Fatal(err)
	}
	return reply{t: w.T, what: "tasker " + line, code: cmd.ProcessState.ExitCode(), out: out.String(), err: told.String()}
}

var word = regexp.MustCompile(`'[^']*'|\S+`)

func arguments(line string) []string {
	words := word.FindAllString(line, -1)
	for i, one := range words {
		words[i] = strings.Trim(one, "'")
	}
	return words
}

// server is a running tasker serve.
type server struct {
	w      *world
	url    string
	log    *bytes.Buffer
	banner []string
}

// serve starts one, which ends with the test.
func (w *world) serve(flags ...string) *server {
	w.Helper()
	cmd := exec.CommandContext(w.Context(), built, append([]string{"serve", "--port", "0"}, flags...)...)
	cmd.Dir, cmd.Env = w.dir, w.env
	cmd.Cancel = func() error { return cmd.Process.Signal(syscall.SIGTERM) }
	s := &server{w: w, log: &bytes.Buffer{}}
	cmd.Stderr = s.log
	out, err := cmd.StdoutPipe()
	if err != nil {
		w.Fatal(err)
	}
	if err := cmd.Start(); err != nil {
		w.Fatal(err)
	}
	w.Cleanup(func() { _ = cmd.Wait() })
	for lines := bufio.NewScanner(out); lines.Scan(); {
		s.banner = append(s.banner, lines.Text())
		if _, url, ok := strings.Cut(lines.Text(), "Listening on "); ok {
			s.url = url
			go func() { _, _ = io.Copy(io.Discard, out) }()
			return s
		}
	}
	w.Fatalf("the server ended before it listened: %s", s.log)
	return nil
}

// get requests a path; further arguments are headers, "Name: value".
func (s *server) get(path string, headers ...string) reply { return s.send("GET", path, "", headers) }

// post sends a body.
func (s *server) post(path, body string, headers ...string) reply {
	return s.send("POST", path, body, headers)
}

func (s *server) send(method, path, body string, headers []string) reply {
	s.w.Helper()
	r, err := http.NewRequestWithContext(s.w.Context(), method, s.url+path, strings.NewReader(body))
	if err != nil {
		s.w.Fatal(err)
	}
	for _, h := range headers {
		name, value, _ := strings.Cut(h, ": ")
		r.Header.Set(name, value)
	}
	answer, err := http.DefaultClient.Do(r)
	if err != nil {
		s.w.Fatal(err)
	}
	defer func() { _ = answer.Body.Close() }()
	text, err := io.ReadAll(answer.Body)
	if err != nil {
		s.w.Fatal(err)
	}
	return reply{s.w.T, method + " " + path, answer.StatusCode, string(text), answer.Header.Get("Content-Type"), answer.Header}
}

// reply is the result of a command or a request: exit code or status, output or body, standard error or content type.
type reply struct {
	t    *testing.T
	what string
	code int
	out  string
	err  string
	head http.Header // of an answer
}

// is checks the exit code or the status.
func (r reply) is(code int) reply {
	r.t.Helper()
	if r.code != code {
		r.t.Fatalf("%s ended with %d, want %d:\n%s%s", r.what, r.code, code, r.out, r.err)
	}
	return r
}

// says checks that an expression matches the output, on either stream.
func (r reply) says(expression string) reply {
	r.t.Helper()
	if !regexp.MustCompile(expression).MatchString(r.out + r.err) {
		r.t.Errorf("%s does not say %s:\n%s%s", r.what, expression, r.out, r.err)
	}
	return r
}

// hides checks that an expression is not found.
func (r reply) hides(expression string) reply {
	r.t.Helper()
	if regexp.MustCompile(expression).MatchString(r.out + r.err) {
		r.t.Errorf("%s says %s:\n%s%s", r.what, expression, r.out, r.err)
	}
	return r
}

// has checks the value at a path ("tasks.0.id", "" for the whole) against an expression that must match all of it,
// written as JSON; a text is written without its quotes. "tasks.#" is the number of elements.
func (r reply) has(path, expression string) reply {
	r.t.Helper()
	got, ok := r.at(path)
	if !ok || !regexp.MustCompile(`^(?s:`+expression+`)$`).MatchString(got) {
		r.t.Errorf("%s: %s is %s (there: %v), want %s:\n%s", r.what, path, got, ok, expression, r.out)
	}
	return r
}

// names checks that an object at a path has these members.
func (r reply) names(path string, members ...string) reply {
	r.t.Helper()
	for _, m := range members {
		full := m
		if path != "" {
			full = path + "." + m
		}
		if _, ok := r.at(full); !ok {
			r.t.Errorf("%s has no %s:\n%s", r.what, full, r.out)
		}
	}
	return r
}

// each checks what the elements of a list have at a path of theirs: as many as the expressions, which they match in order.
func (r reply) each(list, path string, expressions ...string) reply {
	r.t.Helper()
	r.has(list+".#", strconv.Itoa(len(expressions)))
	for i, expression := range expressions {
		r.has(list+"."+strconv.Itoa(i)+"."+path, expression)
	}
	return r
}

// text returns the value at a path.
func (r reply) text(path string) string {
	r.t.Helper()
	got, ok := r.at(path)
	if !ok {
		r.t.Fatalf("%s has no %s:\n%s", r.what, path, r.out)
	}
	return got
}

// number returns the count at a path.
func (r reply) number(path string) int {
	r.t.Helper()
	n, err := strconv.Atoi(r.text(path))
	if err != nil {
		r.t.Fatalf("%s: %s: %v", r.what, path, err)
	}
	return n
}

func (r reply) at(path string) (string, bool) {
	r.t.Helper()
	text := r.out
	if strings.TrimSpace(text) == "" {
		text = r.err // an error of a command
	}
	var v any
	if err := json.Unmarshal([]byte(text), &v); err != nil {
		r.t.Fatalf("%s gave no JSON: %v:\n%s%s", r.what, err, r.out, r.err)
	}
	for step := range strings.SplitSeq(path, ".") {
		if path == "" {
			break
		}
		switch in := v.(type) {
		case map[string]any:
			var ok bool
			if v, ok = in[step]; !ok {
				return "", false
			}
		case []any:
			if step == "#" {
				v = float64(len(in))
				continue
			}
			i, err := strconv.Atoi(step)
			if err != nil || i >= len(in) {
				return "", false
			}
			v = in[i]
		default:
			return "", false
		}
	}
	if s, ok := v.(string); ok {
		return s, true
	}
	out, err := json.Marshal(v, json.Deterministic(true), jsontext.EscapeForHTML(false))
	if err != nil {
		r.t.Fatal(err)
	}
	return string(out), true
}
