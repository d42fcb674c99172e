//go:build gitea

package gitea

import (
	"bytes"
	"context"
	"encoding/base64"
	"encoding/json"
	"fmt"
	"io"
	"net"
	"net/http"
	"os"
	"os/exec"
	"os/user"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/jackc/pgx/v5"

	"tasker/internal/testkit/dbtest"
)

// patience is how long anything may take; only a failing test waits for it.
const patience = 3 * time.Minute

// site is a running Gitea.
type site struct {
	*testing.T
	program string
	config  string
	url     string
	token   string // of the owner, who is an administrator
}

// start starts a Gitea on a database of its own, and makes its first user.
func start(t *testing.T) *site {
	t.Helper()
	dir := t.TempDir()
	s := &site{T: t, program: os.Getenv("TASKER_TEST_GITEA"), config: filepath.Join(dir, "app.ini")}
	listener, err := net.Listen("tcp", "127.0.0.1:0")
	s.must(err)
	port := listener.Addr().(*net.TCPAddr).Port
	s.must(listener.Close())
	s.url = fmt.Sprintf("http://127.0.0.1:%d", port)
	db, err := pgx.ParseConfig(dbtest.Empty(t))
	s.must(err)
	me, err := user.Current()
	s.must(err)
	s.must(os.WriteFile(s.config, fmt.Appendf(nil, `
I_AM_BEING_UNSAFE_RUNNING_AS_ROOT = true
RUN_USER = %s
WORK_PATH = %s
[server]
HTTP_ADDR = 127.0.0.1
HTTP_PORT = %d
ROOT_URL = %s/
STATIC_ROOT_PATH = %s
DISABLE_SSH = true
OFFLINE_MODE = true
[database]
DB_TYPE = postgres
HOST = %s
NAME = %s
USER = %s
PASSWD = %s
SCHEMA = %s
[security]
INSTALL_LOCK = true
[webhook]
ALLOWED_HOST_LIST = loopback
[log]
LEVEL = Error
`, me.Username, dir, port, s.url, os.Getenv("TASKER_TEST_GITEA_FILES"), hostOf(db), db.Database, db.User, db.Password, db.RuntimeParams["search_path"]), 0o600))
	cmd := exec.Command(s.program, "--config", s.config, "web")
	cmd.Env = environment(dir)
	log, err := os.Create(filepath.Join(dir, "log"))
	s.must(err)
	cmd.Stdout, cmd.Stderr = log, log
	s.must(cmd.Start())
	t.Cleanup(func() {
		_ = cmd.Process.Kill()
		_ = cmd.Wait()
		if t.Failed() {
			text, _ := os.ReadFile(log.Name())
			t.Logf("Gitea says: %s", text[max(0, len(text)-4000):])
		}
	})
	s.until("Gitea answers", func() bool {
		r, err := http.Get(s.url + "/api/v1/version")
		if err != nil {
			return false
		}
		return r.Body.Close() == nil && r.StatusCode == http.StatusOK
	})
	s.token = s.user("own", "--admin")
	return s
}

func hostOf(db *pgx.ConnConfig) string {
	if strings.HasPrefix(db.Host, "/") {
		return db.Host
	}
	return fmt.Sprintf("%s:%d", db.Host, db.Port)
}

func environment(dir string) []string {
	return []string{"PATH=" + os.Getenv("PATH"), "HOME=" + dir, "GITEA_WORK_DIR=" + dir}
}

func (s *site) must(err error) {
	s.Helper()
	if err != nil {
		s.Fatal(err)
	}
}

// until waits for something to become true.
func (s *site) until(what string, is func() bool) {
	s.Helper()
	ctx, cancel := context.WithTimeout(s.Context(), patience)
	defer cancel()
	tick := time.NewTicker(100 * time.Millisecond)
	defer tick.Stop()
	for !is() {
		select {
		case <-ctx.Done():
			s.Fatalf("%s: not after %s", what, patience)
		case <-tick.C:
		}
	}
}

// user makes a user, and returns a token of theirs.
func (s *site) user(name string, more ...string) string {
	s.Helper()
	create := []string{"user", "create", "--username", name, "--email", name + "@example.org", "--random-password", "--must-change-password=false"}
	s.admin(append(create, more...)...)
	out := s.admin("user", "generate-access-token", "--username", name, "--token-name", "test", "--scopes", "all", "--raw")
	return strings.TrimSpace(out[strings.LastIndex(strings.TrimSpace(out), "\n")+1:])
}

func (s *site) admin(args ...string) string {
	s.Helper()
	cmd := exec.Command(s.program, append([]string{"--config", s.config, "admin"}, args...)...)
	cmd.Env = environment(filepath.Dir(s.config))
	out, err := cmd.Output()
	if err != nil {
		s.Fatalf("gitea admin %s: %v: %s", strings.Join(args, " "), err, out)
	}
	return string(out)
}

// do sends a request to Gitea, as the owner, and decodes its answer.
func (s *site) do(method, path string, body any) map[string]any {
	s.Helper()
	return s.as(s.token, method, path, body)
}

func (s *site) as(token, method, path string, body any) map[string]any {
	s.Helper()
	status, answer := s.ask(token, method, path, body)
	if status >= 300 {
		s.Fatalf("%s %s: %d: %s", method, path, status, answer)
	}
	out := map[string]any{}
	if len(answer) > 0 && answer[0] == '{' {
		s.must(json.Unmarshal(answer, &out))
	}
	return out
}

func (s *site) ask(token, method, path string, body any) (status int, answer []byte) {
	s.Helper()
	text, err := json.Marshal(body)
	s.must(err)
	req, err := http.NewRequestWithContext(s.Context(), method, s.url+"/api/v1"+path, bytes.NewReader(text))
	s.must(err)
	req.Header.Set("Authorization", "token "+token)
	req.Header.Set("Content-Type", "application/json")
	r, err := http.DefaultClient.Do(req)
	s.must(err)
	answer, err = io.ReadAll(io.LimitReader(r.Body, 16<<20))
	s.must(err)
	s.must(r.Body.Close())
	return r.StatusCode, answer
}

// propose puts a commit on a new branch and opens a pull request. It returns the number of the request and the commit.
func (s *site) propose(token, repo, branch, message, title string) (number int, commit string) {
	s.Helper()
	made := s.as(token, http.MethodPost, "/repos/"+repo+"/contents/"+strings.ReplaceAll(branch, "/", "-")+".txt", map[string]any{
		"content": base64.StdEncoding.EncodeToString([]byte(branch)), "branch": "main", "new_branch": branch, "message": message,
	})
	commit, _ = made["commit"].(map[string]any)["sha"].(string)
	head := branch
	if repo != code {
		owner, _, _ := strings.Cut(repo, "/")
		head = owner + ":" + branch
	}
	pull := s.as(token, http.MethodPost, "/repos/"+code+"/pulls", map[string]any{"head": head, "base": "main", "title": title})
	return int(pull["number"].(float64)), commit
}

// merge merges a request as soon as Gitea has worked out that it can: until then it answers 405.
func (s *site) merge(number int) {
	s.Helper()
	s.until("the request is merged", func() bool {
		status, answer := s.ask(s.token, http.MethodPost, fmt.Sprintf("/repos/%s/pulls/%d/merge", code, number), map[string]any{"Do": "merge"})
		if status >= 300 && status != http.StatusMethodNotAllowed {
			s.Fatalf("merging %d: %d: %s", number, status, answer)
		}
		return status < 300
	})
}

// checked reports the check of a commit.
func (s *site) checked(commit, state string) {
	s.Helper()
	s.do(http.MethodPost, "/repos/"+code+"/statuses/"+commit, map[string]any{"state": state, "context": "ci"})
}
