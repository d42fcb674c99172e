// Package script_test runs the scripts in this directory against the built program, in four ways: on SQLite and on
// PostgreSQL, by commands that open the database themselves and by commands that go through a server. What a script expects
// is the same in all four. `make test` runs each script in one of them, and in two if it says what differs between them;
// `make test-long` runs each in all.
//
// In addition to what testscript knows, a script has: `tasker …` (the built program), `exitcode N` (of the last one), `as NAME`
// (who acts from here on; through a server that is a server of that name's own, on the same database), `field PATH
// VALUE` (of the JSON on standard output, VALUE a regular expression), `watch …` (a tasker that goes on), `seen REGEXP`
// (a line that it must print), `unwatch` (interrupts it), `ended` (waits for its end), `request METHOD PATH [BODY]` and
// `tool NAME [ARGUMENTS]` (over HTTP and as an agent's tool, of a server that acts as the same name: the answer on
// standard output, the status on standard error), `settle ITEM N` (types the Nth command that the inbox prints for the item
// whose id matches ITEM, and the item must be gone), `sql STATEMENT` (on the database itself), `another FILE SCRIPT` (of SQL, on an
// SQLite file, as another program), and the conditions [server],
// [local], [sqlite], [postgres]. At the end of every script `tasker doctor` must find nothing.
package script_test

import (
	"bufio"
	"errors"
	"flag"
	"fmt"
	"hash/fnv"
	"html"
	"io"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"slices"
	"strconv"
	"strings"
	"syscall"
	"testing"
	"time"

	"github.com/go-json-experiment/json"
	"github.com/rogpeppe/go-internal/testscript"

	"tasker/internal/testkit/dbtest"
	"tasker/test/program"
)

// built is the directory of the program that all scripts run.
var built string

func TestMain(m *testing.M) {
	os.Exit(program.Main(m, func(path string) { built = filepath.Dir(path) }))
}

func TestScripts(t *testing.T) {
	t.Parallel()
	for _, engine := range []string{"sqlite", "postgres"} {
		for _, way := range []string{"local", "server"} {
			t.Run(engine+"/"+way, func(t *testing.T) {
				t.Parallel()
				testscript.RunT(shim{t}, params(engine, way, chosen(t, engine, way)))
			})
		}
	}
}

// condition finds where a script says what it does in one way only, or on one database.
var condition = regexp.MustCompile(`(?m)^\[(!?)(local|server|sqlite|postgres)\] (\S+)`)

// chosen returns the scripts to run in one of the four ways: all of them in a long run or if the test is named by -run.
// Otherwise a script runs in one way, and in another only if it says what differs there: all operations take the same path
// to a database and through a server, and many scripts run on each.
func chosen(t *testing.T, engine, way string) (files []string) {
	t.Helper()
	all, err := filepath.Glob("*.txtar")
	if err != nil || len(all) == 0 {
		t.Fatal(all, err)
	}
	if os.Getenv("TASKER_TEST_LONG") != "" || flag.Lookup("test.run").Value.String() != "" {
		return all
	}
	for _, file := range all {
		text, err := os.ReadFile(file)
		if err != nil {
			t.Fatal(err)
		}
		if slices.Contains(waysOf(file, string(text)), engine+"/"+way) {
			files = append(files, file)
		}
	}
	return files
}

// waysOf returns the ways in which a script runs when time is short: the ways that it has lines for, or else one chosen by
// its name. Most run on SQLite: on PostgreSQL a command costs three times as much, because of its connections, unless
// it goes through a server.
func waysOf(file, text string) (ways []string) {
	other := map[string]string{"local": "server", "server": "local", "sqlite": "postgres", "postgres": "sqlite"}
	has := map[string]bool{}
	for _, m := range condition.FindAllStringSubmatch(text, -1) {
		name := m[2]
		if ends := m[3] == "stop" || m[3] == "skip"; ends != (m[1] == "!") {
			name = other[name]
		}
		has[name] = true
	}
	h := fnv.New32a()
	_, _ = h.Write([]byte(file))
	n := h.Sum32()
	if !has["local"] && !has["server"] { // many of those with such lines run locally
		has[[]string{"server", "local", "server"}[n%3]] = true
	}
	if !has["sqlite"] && !has["postgres"] {
		has["postgres"] = n/3%6 == 0 && (!has["local"] || n/9%3 == 0)
		has["sqlite"] = !has["postgres"]
	}
	for _, engine := range []string{"sqlite", "postgres"} {
		for _, way := range []string{"local", "server"} {
			if has[engine] && has[way] {
				ways = append(ways, engine+"/"+way)
			}
		}
	}
	return ways
}

func params(engine, way string, files []string) testscript.Params {
	return testscript.Params{
		Files: files,
		Setup: func(env *testscript.Env) error {
			return setup(env, engine, way)
		},
		Condition: func(cond string) (bool, error) {
			switch cond {
			case "local", "server":
				return cond == way, nil
			case "sqlite", "postgres":
				return cond == engine, nil
			}
			return false, fmt.Errorf("unknown condition %s", cond)
		},
		Cmds: map[string]func(*testscript.TestScript, bool, []string){
			"tasker": tasker, "offered": offered, "exitcode": exitcode, "as": as, "field": field, "serverof": serverOf,
			"request": request, "tool": tool, "sql": sql, "another": another, "settle": settle,
			"watch": watch, "seen": seen, "unwatch": unwatch, "ended": ended,
		},
	}
}

// shim is a *testing.T in the form that testscript needs; Setup unwraps it, for the databases.
type shim struct{ *testing.T }

func (s shim) Run(name string, fn func(testscript.T)) {
	s.T.Run(name, func(t *testing.T) { fn(shim{t}) })
}
func (s shim) Verbose() bool { return testing.Verbose() }

// stateKey finds the state of a script.
type stateKey struct{}

// state is what one run of one script knows.
type state struct {
	way     string
	db      string
	work    string
	code    int
	servers map[string]string // URL by actor and token
	stops   []func() error
	watched *watched
}

// fromNothing lists the scripts that begin without tables, as in a newly created database, and withoutFile the ones that
// look at what happens before there is an SQLite file.
var (
	fromNothing = []string{"script-project", "script-newcomer"}
	withoutFile = []string{"script-apply", "script-help", "script-import", "script-next"}
)

func setup(env *testscript.Env, engine, way string) error {
	tb := env.T().(shim).T
	s := &state{way: way, work: env.WorkDir, code: -1, servers: map[string]string{}}
	name := filepath.Base(env.WorkDir)
	nothing := slices.Contains(fromNothing, name)
	switch {
	case engine == "sqlite":
		s.db = filepath.Join(env.WorkDir, ".db", "tasker.db")
		if !nothing && !slices.Contains(withoutFile, name) {
			program.Prepare(tb, filepath.Join(built, "tasker"), s.db)
		}
	case nothing:
		s.db = dbtest.Empty(tb)
	default:
		s.db = dbtest.Postgres(tb)
	}
	home := filepath.Join(env.WorkDir, ".home")
	if err := os.MkdirAll(home, 0o755); err != nil {
		return err
	}
	env.Setenv("HOME", home)
	env.Setenv("PATH", built+string(os.PathListSeparator)+os.Getenv("PATH"))
	env.Setenv("TASKER_DB", s.db)
	env.Setenv("NO_COLOR", "1")
	env.Values[stateKey{}] = s
	env.Defer(func() {
		if s.watched != nil { // the script ended before it said unwatch
			_ = s.watched.cmd.Process.Kill()
			_ = s.watched.cmd.Wait()
		}
		for _, stop := range s.stops {
			if err := stop(); err != nil {
				tb.Errorf("a server did not stop well: %v", err)
			}
		}
		doctor := exec.Command(filepath.Join(built, "tasker"), "doctor")
		doctor.Env = []string{"TASKER_DB=" + s.db, "HOME=" + home, "TASKER_ACTOR=doctor"}
		doctor.Dir = home
		if out, err := doctor.CombinedOutput(); err != nil {
			tb.Errorf("doctor after the script: %v\n%s", err, out)
		}
	})
	return nil
}

func of(ts *testscript.TestScript) *state { return ts.Value(stateKey{}).(*state) }

// tasker runs the program and remembers its exit code.
func tasker(ts *testscript.TestScript, neg bool, args []string) {
	s := of(ts)
	if s.way == "server" && ts.Getenv("TASKER_ACTOR") == "" && ts.Getenv("TASKER_URL") == "" && ts.Getenv("LOCALLY") == "" {
		ts.Fatalf("say who acts first: as NAME")
	}
	err := ts.Exec(filepath.Join(built, "tasker"), args...)
	var exit *exec.ExitError
	switch {
	case err == nil:
		s.code = 0
	case errors.As(err, &exit):
		s.code = exit.ExitCode()
	default:
		ts.Fatalf("tasker could not be run: %v", err)
	}
	if neg && s.code == 0 {
		ts.Fatalf("the command succeeded, want a failure")
	}
	if !neg && s.code != 0 {
		ts.Fatalf("the command ended with exit code %d", s.code)
	}
}

// offered requests the completions of a command line until a line matches. A completion takes at most two seconds, in
// which a busy machine may not answer at all.
func offered(ts *testscript.TestScript, neg bool, args []string) {
	if len(args) < 2 || neg {
		ts.Fatalf("usage: offered REGEXP ARGUMENT…")
	}
	want, err := regexp.Compile("(?m)" + args[0])
	ts.Check(err)
	const tries = 50
	for range tries {
		tasker(ts, false, append([]string{"__complete"}, args[1:]...))
		if want.MatchString(ts.ReadFile("stdout")) {
			return
		}
	}
	ts.Fatalf("no line of what is offered matches %s: %s", args[0], ts.ReadFile("stdout"))
}

// settle types a command that the inbox prints for an item. The item must be there before, and must have left after. The page
// of its task has to offer the same commands.
func settle(ts *testscript.TestScript, neg bool, args []string) {
	if len(args) != 2 || neg {
		ts.Fatalf("usage: settle ITEM N")
	}
	which, err := regexp.Compile("^" + args[0] + "$")
	ts.Check(err)
	n, err := strconv.Atoi(args[1])
	ts.Check(err)
	commands := func() []string {
		var out struct {
			Items []struct {
				ID     string   `json:"id"`
				Settle []string `json:"settle"`
			} `json:"items"`
		}
		tasker(ts, false, []string{"inbox", "--json"})
		ts.Check(json.Unmarshal([]byte(ts.ReadFile("stdout")), &out))
		for _, it := range out.Items {
			if which.MatchString(it.ID) {
				return it.Settle
			}
		}
		return nil
	}
	typed := commands()
	if len(typed) < n {
		ts.Fatalf("%s is settled by %q", args[0], typed)
	}
	page, status, ok, err := called(ts, []string{"GET", "/t/" + strings.Split(args[0], ":")[1], ""})
	if err != nil || !ok {
		ts.Fatalf("the page of %s: %s, %v", args[0], status, err)
	}
	page = html.UnescapeString(page)
	for _, c := range typed {
		if !strings.Contains(page, "<code>"+c+"</code>") {
			ts.Fatalf("the page of %s does not offer %s", args[0], c)
		}
	}
	ts.Check(ts.Exec("sh", "-c", strings.ReplaceAll(typed[n-1], "TEXT", "as it should be")))
	if left := commands(); left != nil {
		ts.Fatalf("after %s, %s is still there, with %q", typed[n-1], args[0], left)
	}
}

// exitcode compares the exit code of the last tasker.
func exitcode(ts *testscript.TestScript, neg bool, args []string) {
	if len(args) != 1 || neg {
		ts.Fatalf("usage: exitcode N")
	}
	if want, err := strconv.Atoi(args[0]); err != nil || want != of(ts).code {
		ts.Fatalf("the exit code is %d, want %s", of(ts).code, args[0])
	}
}

// as says who acts from here on.
func as(ts *testscript.TestScript, neg bool, args []string) {
	if len(args) != 1 || neg {
		ts.Fatalf("usage: as NAME")
	}
	ts.Setenv("TASKER_ACTOR", args[0])
	if s := of(ts); s.way == "server" {
		name, _, _ := strings.Cut(args[0], "/")
		url, err := s.serve(name, ts.Getenv("TASKER_TOKEN"))
		ts.Check(err)
		ts.Setenv("TASKER_URL", url)
	}
}

// serverOf starts a server that acts as NAME, in either way, and sets TASKER_URL to it.
func serverOf(ts *testscript.TestScript, neg bool, args []string) {
	if len(args) != 1 || neg {
		ts.Fatalf("usage: serverof NAME")
	}
	url, err := of(ts).serve(args[0], ts.Getenv("TASKER_TOKEN"))
	ts.Check(err)
	ts.Setenv("TASKER_URL", url)
}

// serve returns the server that acts as name, and starts it if it is not running yet.
func (s *state) serve(name, token string) (string, error) {
	key := name + "\x00" + token
	if url, ok := s.servers[key]; ok {
		return url, nil
	}
	cmd := exec.Command(filepath.Join(built, "tasker"), "serve", "--port", "0", "--quiet")
	cmd.Dir = s.work
	cmd.Env = []string{
		"TASKER_DB=" + s.db, "TASKER_ACTOR=" + name, "TASKER_TOKEN=" + token,
		"HOME=" + filepath.Join(s.work, ".home"), "PATH=" + os.Getenv("PATH"),
	}
	cmd.Stderr = os.Stderr
	stdout, err := cmd.StdoutPipe()
	if err != nil {
		return "", err
	}
	if err := cmd.Start(); err != nil {
		return "", err
	}
	s.stops = append(s.stops, func() error {
		if err := cmd.Process.Signal(syscall.SIGTERM); err != nil {
			return err
		}
		late := time.AfterFunc(time.Minute, func() { _ = cmd.Process.Kill() })
		defer late.Stop()
		return cmd.Wait()
	})
	in := bufio.NewReader(stdout)
	for {
		line, err := in.ReadString('\n')
		if err != nil {
			return "", fmt.Errorf("the server of %s ended before it listened: %w", name, err)
		}
		if url, ok := strings.CutPrefix(strings.TrimSpace(line), "Listening on "); ok {
			go io.Copy(io.Discard, in) //nolint:errcheck // it ends with the server
			s.servers[key] = url
			return url, nil
		}
	}
}

// watched is a command that keeps running next to the script.
type watched struct {
	cmd *exec.Cmd
	out *bufio.Reader
}

// watch starts a command that keeps running.
func watch(ts *testscript.TestScript, neg bool, args []string) {
	s := of(ts)
	if neg || s.watched != nil {
		ts.Fatalf("usage: watch ARGUMENTS, one at a time")
	}
	cmd := exec.Command(filepath.Join(built, "tasker"), args...)
	cmd.Dir = s.work
	for _, name := range []string{"HOME", "PATH", "TASKER_DB", "TASKER_URL", "TASKER_ACTOR"} {
		cmd.Env = append(cmd.Env, name+"="+ts.Getenv(name))
	}
	cmd.Stderr = os.Stderr
	out, err := cmd.StdoutPipe()
	ts.Check(err)
	ts.Check(cmd.Start())
	s.watched = &watched{cmd, bufio.NewReader(out)}
}

// seen reads what the watched command prints until a line matches. A command that never prints it is killed after a
// minute, which ends the reading.
func seen(ts *testscript.TestScript, neg bool, args []string) {
	w := of(ts).watched
	if len(args) != 1 || neg || w == nil {
		ts.Fatalf("usage: seen REGEXP, after watch")
	}
	want, err := regexp.Compile(args[0])
	ts.Check(err)
	late := time.AfterFunc(time.Minute, func() { _ = w.cmd.Process.Kill() })
	defer late.Stop()
	for {
		line, err := w.out.ReadString('\n')
		if err != nil {
			ts.Fatalf("the watched command ended without a line that matches %s: %v", args[0], err)
		}
		ts.Logf("[watched] %s", strings.TrimSpace(line))
		if want.MatchString(strings.TrimSuffix(line, "\n")) {
			return
		}
	}
}

// unwatch interrupts the watched command, which must end successfully.
func unwatch(ts *testscript.TestScript, _ bool, _ []string) {
	s := of(ts)
	ts.Check(s.watched.cmd.Process.Signal(os.Interrupt))
	if err := s.watched.cmd.Wait(); err != nil {
		ts.Fatalf("the interrupted command ended with %v", err)
	}
	s.watched = nil
}

// ended waits for the watched command, which must end successfully on its own.
func ended(ts *testscript.TestScript, _ bool, _ []string) {
	s := of(ts)
	late := time.AfterFunc(time.Minute, func() { _ = s.watched.cmd.Process.Kill() })
	defer late.Stop()
	if _, err := io.Copy(io.Discard, s.watched.out); err != nil {
		ts.Fatalf("reading the output of the watched command: %v", err)
	}
	if err := s.watched.cmd.Wait(); err != nil {
		ts.Fatalf("the watched command ended with %v", err)
	}
	s.watched = nil
}

// field compares a part of the JSON on standard output with a regular expression. A path is names and indexes with
// dots between them; "len" is the number of elements, and an element with a name can be called by it.
func field(ts *testscript.TestScript, neg bool, args []string) {
	if len(args) != 2 {
		ts.Fatalf("usage: field PATH REGEXP")
	}
	var doc any
	if err := json.Unmarshal([]byte(ts.ReadFile("stdout")), &doc); err != nil {
		ts.Fatalf("standard output is not one JSON document: %v", err)
	}
	got, err := dig(doc, args[0])
	ts.Check(err)
	want, err := regexp.Compile("^(?:" + args[1] + ")$")
	ts.Check(err)
	if want.MatchString(got) == neg {
		ts.Fatalf("%s is %s", args[0], got)
	}
}

// named returns the index of the object with that name in a list, or -1.
func named(list []any, name string) int {
	return slices.IndexFunc(list, func(v any) bool {
		object, _ := v.(map[string]any)
		return object["name"] == name
	})
}

func dig(doc any, path string) (string, error) {
	for name := range strings.SplitSeq(path, ".") {
		switch at := doc.(type) {
		case map[string]any:
			next, ok := at[name]
			if !ok {
				return "", fmt.Errorf("there is no member %s (%s)", name, path)
			}
			doc = next
		case []any:
			if name == "len" {
				doc = float64(len(at))
				continue
			}
			i, err := strconv.Atoi(name)
			if err != nil {
				i = named(at, name)
			}
			if i < 0 || i >= len(at) {
				return "", fmt.Errorf("there is no element %s (%s has %d)", name, path, len(at))
			}
			doc = at[i]
		default:
			return "", fmt.Errorf("%s leads into %v", path, doc)
		}
	}
	if s, ok := doc.(string); ok {
		return s, nil
	}
	text, err := json.Marshal(doc, json.Deterministic(true))
	return string(text), err
}
