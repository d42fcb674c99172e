package security

import (
	"bufio"
	"bytes"
	"context"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"net/http"
	"net/url"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"syscall"
	"testing"
	"time"

	"github.com/jackc/pgx/v5"

	"tasker/internal/testkit/dbtest"
	"tasker/test/program"
)

// canaries lists the secrets of a machine on which the program runs: every variable that holds one, whether its feature
// exists yet or not. TASKER_SESSION, which only works through a server, is set where a server is called.
var canaries = []string{
	"TASKER_TOKEN", "TASKER_TRACKER_TOKEN", "TASKER_TRACKER_USER", "TASKER_CODE_HOST_TOKEN", "TASKER_WEBHOOK_SECRET",
	"VAULT_TOKEN", "BAO_TOKEN", "AWS_ACCESS_KEY_ID", "AWS_SECRET_ACCESS_KEY", "AWS_SESSION_TOKEN", "OP_SERVICE_ACCOUNT_TOKEN",
	"AWS_ACCESS_KEY", "AWS_SECRET_KEY", "AWS_CONTAINER_AUTHORIZATION_TOKEN", "TASKER_CODE_HOST_SECRET",
	"OTEL_EXPORTER_OTLP_HEADERS", "OTEL_EXPORTER_OTLP_TRACES_HEADERS", "PGPASSWORD", "GITHUB_TOKEN", "ANTHROPIC_API_KEY",
	"TASKER_AGENT_SESSION",
}

// TestEverySecretVariableHasItsCanary searches the program for variables with names like secrets.
func TestEverySecretVariableHasItsCanary(t *testing.T) {
	named := regexp.MustCompile(`"((?:TASKER|VAULT|BAO|AWS|OP|OTEL|PG)_?[A-Z_]*(?:TOKEN|SECRET|PASSWORD|SESSION|CREDENTIALS?|KEY|KEY_ID|HEADERS))"`)
	found := 0
	for _, dir := range []string{"../../internal", "../../cmd"} {
		err := filepath.WalkDir(dir, func(path string, d fs.DirEntry, err error) error {
			if err != nil || d.IsDir() || !strings.HasSuffix(path, ".go") || strings.HasSuffix(path, "_test.go") {
				return err
			}
			text, err := os.ReadFile(path)
			for _, m := range named.FindAllSubmatch(text, -1) {
				found++
				if name := string(m[1]); name != "TASKER_SESSION" && !slices.Contains(canaries, name) {
					t.Errorf("%s reads %s, for which there is no canary", path, name)
				}
			}
			return err
		})
		if err != nil {
			t.Fatal(err)
		}
	}
	if found == 0 {
		t.Error("the program names no variable that holds a secret, so that nothing was looked at")
	}
}

// mine is a directory where the built program runs with canaries in its environment, and what it left there.
type mine struct {
	*testing.T
	program string
	dir     string
	env     []string
	secrets []string
	said    bytes.Buffer // every answer, error and line of a log
}

func dig(t *testing.T, db string) *mine {
	t.Helper()
	built, err := program.Build(t.TempDir())
	if err != nil {
		t.Fatal(err)
	}
	m := &mine{T: t, dir: t.TempDir(), program: built}
	m.env = []string{"TASKER_DB=" + db, "HOME=" + m.dir, "PATH=" + os.Getenv("PATH"), "TASKER_LOG=debug", "TASKER_ACTOR=alice"}
	for _, name := range canaries {
		m.env = append(m.env, name+"="+m.secret(name))
	}
	if err := os.WriteFile(filepath.Join(m.dir, ".tasker.json"), []byte(openMode), 0o600); err != nil {
		t.Fatal(err)
	}
	return m
}

// secret makes a canary that the test searches for in the end.
func (m *mine) secret(name string) string {
	s := "canary-" + strings.ToLower(strings.ReplaceAll(name, "_", "-")) + "-1f7a"
	m.secrets = append(m.secrets, s)
	return s
}

// command runs the program with more in its environment, and records what it says.
func (m *mine) command(env []string, args ...string) (stdout string) {
	m.Helper()
	var out, problem bytes.Buffer
	cmd := exec.Command(m.program, args...)
	cmd.Dir, cmd.Env, cmd.Stdout, cmd.Stderr = m.dir, append(append([]string{}, m.env...), env...), &out, &problem
	cmd.Stdin = strings.NewReader(`{"project": "demo", "tasks": [{"key": "a", "title": "A"}]}`)
	err := cmd.Run()
	var exit *exec.ExitError
	if err != nil && !errors.As(err, &exit) {
		m.Fatal(err)
	}
	fmt.Fprintf(&m.said, "%s: %v\n%s", args[0], err, problem.Bytes())
	if args[0] != "session" || args[1] != "create" { // which prints it once, to the caller
		m.said.Write(out.Bytes())
	}
	return out.String()
}

// serve starts a server and returns its address and a function that ends it.
func (m *mine) serve(env ...string) (string, func()) {
	m.Helper()
	cmd := exec.Command(m.program, "serve", "--port", "0")
	cmd.Dir, cmd.Env = m.dir, append(append([]string{}, m.env...), env...)
	var log bytes.Buffer
	cmd.Stderr = &log
	out, err := cmd.StdoutPipe()
	if err != nil {
		m.Fatal(err)
	}
	if err := cmd.Start(); err != nil {
		m.Fatal(err)
	}
	in := bufio.NewReader(out)
	for {
		line, err := in.ReadString('\n')
		if err != nil {
			m.Fatalf("the server ended: %v\n%s", err, log.Bytes())
		}
		m.said.WriteString(line)
		if at, ok := strings.CutPrefix(strings.TrimSpace(line), "Listening on "); ok {
			return at, func() {
				m.processes()
				_ = cmd.Process.Signal(syscall.SIGTERM)
				rest, _ := io.ReadAll(in)
				_ = cmd.Wait()
				m.said.Write(rest)
				m.said.Write(log.Bytes())
				if !bytes.Contains(log.Bytes(), []byte("path=/v1/")) {
					m.Error("the server logged nothing, so that nothing was looked at")
				}
			}
		}
	}
}

// processes checks the command line of every process on this machine.
func (m *mine) processes() {
	m.Helper()
	lists, err := filepath.Glob("/proc/[0-9]*/cmdline")
	if err != nil || len(lists) == 0 {
		m.Fatalf("there is no list of processes to look at: %v", err)
	}
	for _, name := range lists {
		line, err := os.ReadFile(name)
		if err == nil && m.found(line) != "" {
			m.Errorf("%s shows %s", name, m.found(line))
		}
	}
}

func (m *mine) found(in []byte) string {
	for _, s := range m.secrets {
		if bytes.Contains(in, []byte(s)) {
			return s
		}
	}
	return ""
}

func (m *mine) request(method, target, body string, headers ...string) {
	m.Helper()
	ctx, cancel := context.WithTimeout(m.Context(), 20*time.Second)
	defer cancel()
	r, err := http.NewRequestWithContext(ctx, method, target, strings.NewReader(body))
	if err != nil {
		m.Fatal(err)
	}
	for i := 0; i < len(headers); i += 2 {
		r.Header.Add(headers[i], headers[i+1])
	}
	plain := &http.Client{CheckRedirect: func(*http.Request, []*http.Request) error { return http.ErrUseLastResponse }}
	resp, err := plain.Do(r)
	if err != nil {
		m.Fatal(err)
	}
	defer resp.Body.Close()
	answer, err := io.ReadAll(resp.Body)
	if err != nil {
		m.Fatal(err)
	}
	fmt.Fprintf(&m.said, "%s %s: %s\n%s\n", method, r.URL.Path, resp.Status, answer)
}

func TestSecretsAreNowhere(t *testing.T) {
	dbtest.Each(t, func(t *testing.T, db string) {
		m := dig(t, db)
		token, wrong := "canary-tasker-token-1f7a", m.secret("wrong")
		m.command(nil, "apply", "-f", "-")

		// A server with a token.
		base, stop := m.serve()
		for _, credential := range []string{"Bearer " + token, "Bearer " + wrong, "Basic " + wrong, wrong, "Bearer " + wrong + " " + token} {
			for _, method := range []string{"GET", "POST", "PUT"} {
				for _, path := range []string{"/v1/tasks/demo-1/notes", "/v1/next", "/v1/apply", "/v1/nothing", "/v1/projects", "/mcp", "/"} {
					m.request(
						method,
						base+path,
						`{"text":"x", "project":"demo"`,
						"Authorization",
						credential,
						"Cookie",
						"tasker_session="+wrong,
						"X-Api-Key",
						wrong,
					)
					m.request(method, base+path, `{"text":"x"}`, "Authorization", credential, "Proxy-Authorization", wrong)
				}
			}
		}
		m.command([]string{"TASKER_URL=" + base}, "note", "demo-1", "through the server")
		m.command([]string{"TASKER_URL=" + base, "TASKER_TOKEN=" + wrong}, "note", "demo-1", "with another token")
		m.command([]string{"TASKER_URL=" + base, "TASKER_SESSION=" + m.secret("session")}, "note", "demo-1", "with a session", "--json")
		m.command([]string{"TASKER_URL=" + strings.Replace(base, "http://", "http://u:"+m.secret("url")+"@", 1)}, "ready")
		stop()

		// Channels whose targets contain credentials, and that are refused, hang up or print what they find.
		channels, signing := m.channels(), "Y2FuYXJ5LXdlYmhvb2stc2VjcmV0"
		m.secrets = append(m.secrets, signing)
		for _, args := range [][]string{
			{"ask", "demo-1", "Which?", "--blocking"}, {"notify", "flush"}, {"notify", "test"}, {"notify", "test", "--json"}, {"notify", "log"},
			{"notify", "log", "--json"},
		} {
			m.command([]string{channels}, args...)
			m.command([]string{channels, "TASKER_WEBHOOK_SECRET=whsec_" + signing}, args...)
		}
		if !strings.Contains(m.said.String(), `"state":"pending"`) {
			t.Error("no delivery was tried, so that nothing was looked at")
		}

		// One with sessions.
		if err := os.WriteFile(filepath.Join(m.dir, ".tasker.json"), []byte(sessionMode), 0o600); err != nil {
			t.Fatal(err)
		}
		live, dead := strings.TrimSpace(
			m.command(nil, "session", "create", "--actor", "alice"),
		), strings.TrimSpace(
			m.command(nil, "session", "create", "--actor", "claude", "--ttl", "1ms"),
		)
		if !strings.HasPrefix(live, "tsk_") || !strings.HasPrefix(dead, "tsk_") {
			t.Fatalf("no sessions were made: %s", m.said.Bytes())
		}
		m.secrets = append(m.secrets, live, dead)
		base, stop = m.serve()
		for _, credential := range []string{live, dead, token, wrong} {
			for _, path := range []string{"/v1/tasks/demo-1/notes", "/v1/whoami", "/v1/nothing", "/signin", "/", "/mcp"} {
				for _, method := range []string{"GET", "POST"} {
					m.request(method, base+path, `{"text":"x"}`, "Authorization", "Bearer "+credential)
					m.request(
						method,
						base+path,
						url.Values{"session": {credential}}.Encode(),
						"Cookie",
						"tasker_session="+credential,
						"Content-Type",
						"application/x-www-form-urlencoded",
						"Sec-Fetch-Site",
						"same-origin",
						"Accept",
						"text/html",
					)
				}
			}
			m.command([]string{"TASKER_URL=" + base, "TASKER_SESSION=" + credential}, "note", "demo-1", "with a session")
			m.command([]string{"TASKER_URL=" + base, "TASKER_SESSION=" + credential}, "whoami", "--json")
		}
		stop()

		// Commands that print databases and configuration, and commands that cannot reach them.
		for _, args := range [][]string{
			{"session", "list"}, {"session", "list", "--json"}, {"session", "revoke", live}, {"events", "--json", "--limit", "1000"}, {"config", "show", "--json"},
			{"config", "show", "--commands"}, {"doctor"}, {"db", "status"}, {"db", "status", "--json"}, {"whoami", "--json"}, {"prime"}, {"overview"},
			{"prove", "demo-1", "--kind", "test", "--", "true"}, {"backup"}, {"export", "--all"},
		} {
			m.command(nil, args...)
		}
		secret := m.secret("password")
		for _, args := range [][]string{{"ready"}, {"db", "status"}, {"db", "migrate"}, {"doctor", "--json"}, {"session", "list"}, {"serve", "--port", "0"}} {
			m.command([]string{"TASKER_DB=postgres://user:" + secret + "@127.0.0.1:1/none?connect_timeout=1"}, args...)
			m.command([]string{"TASKER_DB=postgres://user:" + secret + "@127.0.0.1:1/none?sslmode=" + secret}, args...)
		}
		if s := m.found(m.said.Bytes()); s != "" {
			t.Errorf("outputs, answers or logs contain %s: %s", s, around(m.said.String(), s))
		}
		m.files()
		if strings.Contains(db, "://") {
			m.tables(db)
		} else {
			m.look(filepath.Dir(db))
		}
	})
}

// channels declares notification channels in a file outside the searched directory, and returns the variable that names
// it.
func (m *mine) channels() string {
	m.Helper()
	text := `{"version": 1, "project": "demo", "notifications": {"channels": [
		{"type": "webhook", "target": "http://ann:` + m.secret("target") + `@127.0.0.1:1/` + m.secret("path") + `?q=` + m.secret("query") + `"},
		{"type": "webhook", "target": "http://169.254.169.254/` + m.secret("path") + `"},
		{"type": "exec", "target": "env; env >&2; curl -s http://127.0.0.1:1/` + m.secret("path") + `; exit 3"}]}}`
	at := filepath.Join(m.TempDir(), "channels.json")
	if err := os.WriteFile(at, []byte(text), 0o600); err != nil {
		m.Fatal(err)
	}
	return "TASKER_CONFIG=" + at
}

// files checks everything that was written where the program ran.
func (m *mine) files() { m.look(m.dir) }

func (m *mine) look(dir string) {
	m.Helper()
	seen := 0
	err := filepath.WalkDir(dir, func(path string, d fs.DirEntry, err error) error {
		if err != nil || d.IsDir() {
			return err
		}
		text, err := os.ReadFile(path)
		if err != nil {
			return err
		}
		seen++
		if s := m.found(text); s != "" {
			m.Errorf("%s has %s", filepath.Base(path), s)
		}
		return nil
	})
	if err != nil || seen == 0 {
		m.Fatalf("%d files were looked at: %v", seen, err)
	}
}

// tables checks every row of a PostgreSQL database.
func (m *mine) tables(db string) {
	m.Helper()
	c, err := pgx.Connect(m.Context(), db)
	if err != nil {
		m.Fatal(err)
	}
	defer c.Close(context.Background())
	rows, err := c.Query(m.Context(), `SELECT table_name FROM information_schema.tables WHERE table_schema=current_schema()`)
	if err != nil {
		m.Fatal(err)
	}
	tables, err := pgx.CollectRows(rows, pgx.RowTo[string])
	if err != nil || len(tables) < 10 {
		m.Fatalf("%d tables: %v", len(tables), err)
	}
	for _, table := range tables {
		rows, err := c.Query(m.Context(), `SELECT t::TEXT FROM `+pgx.Identifier{table}.Sanitize()+` t`)
		if err != nil {
			m.Fatal(err)
		}
		texts, err := pgx.CollectRows(rows, pgx.RowTo[string])
		if err != nil {
			m.Fatal(err)
		}
		for _, text := range texts {
			if s := m.found([]byte(text)); s != "" {
				m.Errorf("the table %s has %s", table, s)
			}
		}
	}
}
