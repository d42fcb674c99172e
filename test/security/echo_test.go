package security

import (
	"encoding/base64"
	"encoding/hex"
	"fmt"
	"maps"
	"net/http"
	"net/http/httptest"
	"net/url"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"sync/atomic"
	"testing"

	"github.com/go-json-experiment/json"

	"tasker/internal/testkit/dbtest"
)

// parrot is a tracker and a code host that return the Authorization header, in refusals or in records.
type parrot struct {
	*httptest.Server
	how atomic.Pointer[string] // refuse or record
	as  atomic.Pointer[func(string) string]
}

func (p *parrot) set(how string, as func(string) string) { p.how.Store(&how); p.as.Store(&as) }

func (p *parrot) serve(w http.ResponseWriter, r *http.Request) {
	echo := (*p.as.Load())(r.Header.Get("Authorization"))
	answer := func(status int, v any) {
		w.WriteHeader(status)
		_ = json.MarshalWrite(w, v)
	}
	issue := map[string]any{"key": "DEMO-1", "fields": map[string]any{
		"summary": echo, "description": echo, "updated": "2031-01-01T08:00:00.000+0000", "status": map[string]any{"name": "To Do", "statusCategory": map[string]any{"key": "new"}},
	}}
	pull := map[string]any{
		"number": 1, "title": "demo-1 " + echo, "body": echo, "state": "open", "html_url": "http://x/" + echo, "updated_at": "2031-01-01T08:00:00Z",
		"head": map[string]any{"ref": "tasker/demo-1", "sha": echo, "repo": map[string]any{"full_name": "own/code"}},
		"base": map[string]any{"ref": "main", "repo": map[string]any{"full_name": "own/code"}},
	}
	switch how := *p.how.Load(); {
	case strings.HasSuffix(r.URL.Path, "/version"):
		answer(http.StatusNotFound, map[string]any{"message": echo})
	case how == "refuse":
		answer(http.StatusBadRequest, map[string]any{"message": echo, "errorMessages": []string{echo}, "errors": map[string]string{echo: echo}})
	case strings.HasSuffix(r.URL.Path, "/serverInfo"):
		answer(http.StatusOK, map[string]any{"deploymentType": "Cloud"})
	case strings.HasSuffix(r.URL.Path, "/search/jql"):
		answer(http.StatusOK, map[string]any{"issues": []any{issue}, "isLast": true})
	case strings.HasSuffix(r.URL.Path, "/pulls"):
		answer(http.StatusOK, []any{pull})
	default:
		answer(http.StatusNotFound, map[string]any{"message": echo})
	}
}

// TestACredentialThatComesBackIsKeptNowhere has the sites return every credential header that they get, in each encoding,
// and searches everything that is then printed and stored.
func TestACredentialThatComesBackIsKeptNowhere(t *testing.T) {
	dbtest.Each(t, func(t *testing.T, db string) {
		p := &parrot{}
		p.Server = httptest.NewServer(http.HandlerFunc(p.serve))
		t.Cleanup(p.Close)
		m := dig(t, db)
		file := fmt.Sprintf(`{"version": 1, "project": "demo", "integrations": {
			"issue_tracker": {"baseUrl": %q, "projects": ["DEMO"]}, "code_host": {"repos": ["own/code"]}}}`, p.URL+"/jira")
		if err := os.WriteFile(filepath.Join(m.dir, ".tasker.json"), []byte(file), 0o600); err != nil {
			t.Fatal(err)
		}
		user, token, host := "canary-tasker-tracker-user-1f7a", "canary-tasker-tracker-token-1f7a", "canary-tasker-code-host-token-1f7a"
		encodings := map[string]func(string) string{
			"plain":  func(s string) string { return s },
			"base64": func(s string) string { return base64.StdEncoding.EncodeToString([]byte(s)) },
			"hex":    func(s string) string { return hex.EncodeToString([]byte(s)) },
			"url":    url.QueryEscape,
			"json":   func(s string) string { quoted, _ := json.Marshal(s); return string(quoted) },
		}
		for _, credential := range []string{token, host, base64.StdEncoding.EncodeToString([]byte(user + ":" + token)), "token " + host} {
			for _, as := range encodings {
				m.secrets = append(m.secrets, strings.Trim(as(credential), `"=`))
			}
		}
		env := []string{"TASKER_TRACKER_URL=" + p.URL + "/jira", "TASKER_CODE_HOST_URL=" + p.URL}
		m.command(env, "apply", "-f", "-")
		m.command(env, "bind", "demo-1", "DEMO-1")
		for _, name := range slices.Sorted(maps.Keys(encodings)) {
			p.set("refuse", encodings[name])
			m.command(env, "sync", "pull")
		}
		p.set("record", func(s string) (all string) {
			for _, name := range slices.Sorted(maps.Keys(encodings)) {
				all += " " + encodings[name](s)
			}
			return all
		})
		m.command(env, "sync", "pull")
		m.command(env, "import", "tracker")
		for _, args := range [][]string{
			{"sync", "status"}, {"sync", "status", "--json"}, {"sync", "log", "--json"}, {"inbox", "--all", "--json"}, {"show", "demo-1", "--json"},
			{"events", "--json", "--limit", "1000"},
		} {
			m.command(env, args...)
		}
		for _, want := range []string{
			"the tracker answers 400 with one of our credentials in it", "the code host answers 400 with one of our credentials in it",
			"DEMO-1 contains one of our credentials", "own/code#1 contains one of our credentials",
		} {
			if !strings.Contains(m.said.String(), want) {
				t.Errorf("nothing says that %s", want)
			}
		}
		if s := m.found(m.said.Bytes()); s != "" {
			t.Errorf("outputs contain %s: %s", s, around(m.said.String(), s))
		}
		if strings.Contains(db, "://") {
			m.tables(db)
		} else {
			m.look(filepath.Dir(db))
		}
	})
}
