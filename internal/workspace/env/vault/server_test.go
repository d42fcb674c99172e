package vault_test

import (
	"encoding/json"
	"fmt"
	"net/http"
	"net/http/httptest"
	"strings"
	"testing"
)

// server is a fake of the API of Vault and OpenBao, as far as reading secrets needs it.
type server struct {
	t         *testing.T
	namespace string                      // that requests must name
	secrets   map[string][]map[string]any // versions by mount/data/path; nil for one that is deleted
	destroyed map[string]bool             // by mount/data/path
	tokens    map[string]*token           // by name
	roles     map[string]string           // secrets by role
	busy      []func(http.ResponseWriter) // answers that come before the others
	seen      []string                    // methods and paths of requests
	sealed    bool
}

type token struct {
	ttl, creation int
	renewable     bool
	reads         string // the prefix of what it may read
	blind         bool   // it may not look itself up
	dies          bool   // it expires unless renewed before the secret is read
}

func start(t *testing.T) (*server, string) {
	t.Helper()
	s := &server{
		t: t,
		secrets: map[string][]map[string]any{
			"secret/data/shop":      {{"USER": "old"}, {"USER": "me", "PASSWORD": "hunter2\n\"x\"", "PORT": 5432, "NONE": nil}},
			"secret/data/shop/dev":  {{"STAGE": "dev"}},
			"secret/data/gone":      {{"A": "hunter2"}, nil},
			"secret/data/destroyed": {nil},
			"team/kv/data/a b":      {{"A": "1"}},
			"secret/data/odd":       {{"db-password": "hunter2"}},
		},
		destroyed: map[string]bool{"secret/data/destroyed": true},
		tokens: map[string]*token{
			"hvs.root-hunter2":  {reads: ""},
			"hvs.shop-hunter2":  {ttl: 3000, creation: 3600, renewable: true, reads: "secret/data/shop"},
			"hvs.late-hunter2":  {ttl: 30, creation: 3600, renewable: true, dies: true},
			"hvs.batch-hunter2": {ttl: 30, creation: 3600},
			"hvs.blind-hunter2": {ttl: 30, creation: 3600, blind: true, reads: "none"},
		},
		roles: map[string]string{"ci": "secret-id-hunter2", "bound": ""},
	}
	h := httptest.NewServer(s)
	t.Cleanup(h.Close)
	return s, h.URL
}

func answer(w http.ResponseWriter, status int, body any) {
	w.Header().Set("Content-Type", "application/json")
	w.WriteHeader(status)
	_ = json.NewEncoder(w).Encode(body)
}

func failure(w http.ResponseWriter, status int, errors ...string) {
	answer(w, status, map[string]any{"errors": append([]string{}, errors...)})
}

func (s *server) ServeHTTP(w http.ResponseWriter, r *http.Request) {
	s.seen = append(s.seen, r.Method+" "+r.URL.Path)
	if len(s.busy) > 0 {
		first := s.busy[0]
		s.busy = s.busy[1:]
		first(w)
		return
	}
	if s.sealed {
		failure(w, 503, "Vault is sealed")
		return
	}
	path, _ := strings.CutPrefix(r.URL.Path, "/v1/")
	if r.Header.Get("X-Vault-Namespace") != s.namespace {
		failure(w, 404, fmt.Sprintf("no handler for route %q. route entry not found.", path))
		return
	}
	if path == "auth/approle/login" || path == "auth/ci/login" {
		s.login(w, r)
		return
	}
	tok := s.tokens[r.Header.Get("X-Vault-Token")]
	if tok == nil {
		failure(w, 403, "permission denied", "invalid token")
		return
	}
	switch {
	case path == "auth/token/lookup-self" && tok.blind:
		failure(w, 403, "1 error occurred:\n\t* permission denied\n\n")
	case path == "auth/token/lookup-self":
		answer(w, 200, map[string]any{"data": map[string]any{"id": "hunter2", "ttl": tok.ttl, "creation_ttl": tok.creation, "renewable": tok.renewable}})
	case path == "auth/token/renew-self" && r.Method == "POST" && tok.renewable:
		tok.ttl, tok.dies = tok.creation, false
		answer(w, 200, map[string]any{"auth": map[string]any{"client_token": "hunter2", "lease_duration": tok.creation, "renewable": true}})
	case path == "auth/token/revoke-self" && r.Method == "POST":
		delete(s.tokens, r.Header.Get("X-Vault-Token"))
		w.WriteHeader(204)
	case tok.dies:
		failure(w, 403, "permission denied", "invalid token")
	case !strings.HasPrefix(path, tok.reads):
		failure(w, 403, "1 error occurred:\n\t* permission denied\n\n")
	default:
		s.read(w, r, path)
	}
}

func (s *server) login(w http.ResponseWriter, r *http.Request) {
	var in struct {
		Role   string `json:"role_id"`
		Secret string `json:"secret_id"`
	}
	if err := json.NewDecoder(r.Body).Decode(&in); err != nil || r.Method != "POST" {
		s.t.Errorf("the login is %s %v", r.Method, err)
	}
	if secret, ok := s.roles[in.Role]; !ok || in.Secret != secret {
		failure(w, 400, "invalid role or secret ID hunter2")
		return
	}
	s.tokens["hvs.role-hunter2"] = &token{ttl: 600, creation: 600, renewable: true, reads: "secret/data/shop"}
	answer(w, 200, map[string]any{"auth": map[string]any{"client_token": "hvs.role-hunter2", "lease_duration": 600, "renewable": true}})
}

func (s *server) read(w http.ResponseWriter, r *http.Request, path string) {
	versions, ok := s.secrets[path]
	switch mount, _, _ := strings.Cut(path, "/"); {
	case mount == "old": // an engine of version 1, which returns a bare secret
		answer(w, 200, map[string]any{"data": map[string]any{"A": "hunter2"}})
		return
	case mount != "secret" && mount != "team":
		failure(w, 404, fmt.Sprintf("no handler for route %q. route entry not found.", path))
		return
	}
	n := len(versions)
	if v := r.URL.Query().Get("version"); v != "" {
		_, _ = fmt.Sscan(v, &n)
	}
	if !ok || n > len(versions) {
		failure(w, 404)
		return
	}
	meta := map[string]any{"version": n, "deletion_time": "", "destroyed": s.destroyed[path]}
	if versions[n-1] == nil {
		if !s.destroyed[path] {
			meta["deletion_time"] = "2026-01-02T03:04:05.678Z"
		}
		answer(w, 404, map[string]any{"data": map[string]any{"data": nil, "metadata": meta}})
		return
	}
	answer(w, 200, map[string]any{"request_id": "x", "data": map[string]any{"data": versions[n-1], "metadata": meta}})
}
