package vault_test

import (
	"encoding/pem"
	"maps"
	"net/http"
	"net/http/httptest"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"
	"time"

	"tasker/internal/config"
	"tasker/internal/fault"
	"tasker/internal/testkit/providertest"
	"tasker/internal/workspace/env/provider"
	"tasker/internal/workspace/env/vault"
)

// secret is a provider of a path with options, given as pairs.
func secret(path string, options ...string) config.Provider {
	c := config.Provider{Path: path, Options: map[string]string{}}
	for i := 0; i < len(options); i += 2 {
		c.Options[options[i]] = options[i+1]
	}
	return c
}

func ask(t *testing.T, c config.Provider, env ...string) (*provider.Environment, error) {
	t.Helper()
	parts, _ := providertest.Patient()
	return providertest.Ask(t, vault.Kind, c, parts, provider.Request{Root: t.TempDir(), Env: env})
}

const root = "VAULT_TOKEN=hvs.root-hunter2"

func TestASecretIsRead(t *testing.T) {
	_, url := start(t)
	whole := map[string]string{"USER": "me", "PASSWORD": "hunter2\n\"x\"", "PORT": "5432"}
	for name, c := range map[string]struct {
		provider config.Provider
		env      []string
		want     map[string]string
	}{
		"as vault kv get":     {secret("secret/shop"), []string{"VAULT_ADDR=" + url, root}, whole},
		"slashes around":      {secret("/secret/shop/"), []string{"VAULT_ADDR=" + url + "/", root}, whole},
		"the mount apart":     {secret("shop", "mount", "secret"), []string{"VAULT_ADDR=" + url, root}, whole},
		"a deep mount":        {secret("a b", "mount", "team/kv"), []string{"VAULT_ADDR=" + url, root}, map[string]string{"A": "1"}},
		"by app alone":        {config.Provider{App: "shop"}, []string{"VAULT_ADDR=" + url, root}, whole},
		"by app and stage":    {config.Provider{App: "shop", Env: "dev"}, []string{"VAULT_ADDR=" + url, root}, map[string]string{"STAGE": "dev"}},
		"a version":           {secret("secret/shop", "version", "1"), []string{"VAULT_ADDR=" + url, root}, map[string]string{"USER": "old"}},
		"picked":              {secret("secret/odd", "keys", "PW=db-password"), []string{"VAULT_ADDR=" + url, root}, map[string]string{"PW": "hunter2"}},
		"address by option":   {secret("secret/shop", "address", url), []string{"VAULT_ADDR=https://other", "BAO_ADDR=" + url, root}, whole},
		"names of OpenBao":    {secret("secret/shop"), []string{"BAO_ADDR=" + url, "BAO_TOKEN=hvs.root-hunter2"}, whole},
		"another variable":    {secret("secret/shop", "tokenVariable", "MY"), []string{"VAULT_ADDR=" + url, "MY=hvs.root-hunter2"}, whole},
		"a token of a policy": {secret("secret/shop"), []string{"VAULT_ADDR=" + url, "VAULT_TOKEN=hvs.shop-hunter2"}, whole},
		"a batch token":       {secret("secret/shop"), []string{"VAULT_ADDR=" + url, "VAULT_TOKEN=hvs.batch-hunter2"}, whole},
	} {
		t.Run(name, func(t *testing.T) {
			env, err := ask(t, c.provider, c.env...)
			providertest.Gives(t, env, err, c.want)
		})
	}
}

func TestTheTokenOfALogin(t *testing.T) {
	_, url := start(t)
	home := t.TempDir()
	if err := os.WriteFile(filepath.Join(home, ".vault-token"), []byte("hvs.root-hunter2\n"), 0o600); err != nil {
		t.Fatal(err)
	}
	env, err := ask(t, secret("secret/shop", "version", "1"), "VAULT_ADDR="+url, "HOME="+home)
	providertest.Gives(t, env, err, map[string]string{"USER": "old"})
}

func TestANamespace(t *testing.T) {
	s, url := start(t)
	s.namespace = "org/team"
	for _, c := range []struct {
		provider config.Provider
		env      string
	}{
		{secret("secret/shop/dev", "namespace", "org/team"), ""},
		{secret("secret/shop/dev"), "VAULT_NAMESPACE=org/team"},
		{secret("secret/shop/dev"), "BAO_NAMESPACE=org/team"},
	} {
		env, err := ask(t, c.provider, "VAULT_ADDR="+url, root, c.env)
		providertest.Gives(t, env, err, map[string]string{"STAGE": "dev"})
	}
	_, err := ask(t, secret("secret/shop/dev"), "VAULT_ADDR="+url, root)
	providertest.Refused(t, err, `no KV engine of version 2 at the mount "secret" (404)`)
}

func TestAnAppRoleLogsInAndOut(t *testing.T) {
	s, url := start(t)
	for name, c := range map[string]struct {
		provider config.Provider
		env      []string
	}{
		"by the environment":      {secret("secret/shop/dev"), []string{"VAULT_ROLE_ID=ci", "VAULT_SECRET_ID=secret-id-hunter2"}},
		"the role by option":      {secret("secret/shop/dev", "roleId", "ci"), []string{root, "VAULT_SECRET_ID=secret-id-hunter2"}},
		"as asked":                {secret("secret/shop/dev", "auth", "approle"), []string{root, "VAULT_ROLE_ID=ci", "BAO_SECRET_ID=secret-id-hunter2"}},
		"another variable":        {secret("secret/shop/dev", "roleId", "ci", "secretIdVariable", "MY"), []string{"MY=secret-id-hunter2"}},
		"another mount":           {secret("secret/shop/dev", "roleId", "ci", "authMount", "ci"), []string{"VAULT_SECRET_ID=secret-id-hunter2"}},
		"a role without a secret": {secret("secret/shop/dev", "roleId", "bound"), nil},
	} {
		t.Run(name, func(t *testing.T) {
			s.seen = nil
			env, err := ask(t, c.provider, append(c.env, "VAULT_ADDR="+url)...)
			providertest.Gives(t, env, err, map[string]string{"STAGE": "dev"})
			if s.tokens["hvs.role-hunter2"] != nil || len(s.seen) != 3 || s.seen[2] != "POST /v1/auth/token/revoke-self" {
				t.Errorf("the token was not revoked: %v", s.seen)
			}
		})
	}
	for want, c := range map[string]struct {
		provider config.Provider
		env      []string
	}{
		"the AppRole login is refused (400)":                  {secret("secret/shop", "roleId", "ci"), []string{"VAULT_SECRET_ID=hunter2"}},
		"the server has no AppRole login at auth/none":        {secret("secret/shop", "roleId", "ci", "authMount", "none"), nil},
		"the AppRole has no role":                             {secret("secret/shop", "auth", "approle"), []string{root}},
		`the token may not read "gone" in the mount "secret"`: {secret("secret/gone", "roleId", "bound"), nil},
	} {
		if strings.Contains(want, "none") { // a server says so to everybody
			s.busy = []func(http.ResponseWriter){func(w http.ResponseWriter) {
				failure(w, 404, "no handler for route \"auth/none/login\". route entry not found.")
			}}
		}
		_, err := ask(t, c.provider, append(c.env, "VAULT_ADDR="+url)...)
		providertest.Refused(t, err, want)
	}
}

func TestATokenNearItsEndIsRenewed(t *testing.T) {
	s, url := start(t)
	env, err := ask(t, secret("secret/shop/dev"), "VAULT_ADDR="+url, "VAULT_TOKEN=hvs.late-hunter2")
	providertest.Gives(t, env, err, map[string]string{"STAGE": "dev"})
	if s.tokens["hvs.late-hunter2"].ttl != 3600 {
		t.Errorf("the token was not renewed: %v", s.seen)
	}
	for _, other := range []string{"hvs.root-hunter2", "hvs.shop-hunter2", "hvs.batch-hunter2"} {
		s.seen = nil
		_, _ = ask(t, secret("secret/shop/dev"), "VAULT_ADDR="+url, "VAULT_TOKEN="+other)
		if slices.Contains(s.seen, "POST /v1/auth/token/renew-self") {
			t.Errorf("%s need not be renewed, and was", other)
		}
	}
}

func TestRefusalsOfAServer(t *testing.T) {
	_, url := start(t)
	for name, c := range map[string]struct {
		provider config.Provider
		token    string
		want     string
	}{
		"a policy":            {secret("secret/gone"), "hvs.shop-hunter2", `the token may not read "gone" in the mount "secret" (403)`},
		"an unknown token":    {secret("secret/shop"), "hvs.none-hunter2", "the token is expired, revoked or from another server (403)"},
		"a blind token":       {secret("secret/shop"), "hvs.blind-hunter2", `the token may not read "shop" in the mount "secret" (403)`},
		"no secret":           {secret("secret/none"), "hvs.root-hunter2", `there is no secret "none" in the mount "secret" (404)`},
		"no version":          {secret("secret/shop", "version", "9"), "hvs.root-hunter2", `there is no version 9 of "shop" in the mount "secret" (404)`},
		"a deleted version":   {secret("secret/gone"), "hvs.root-hunter2", `version 2 of "gone" in the mount "secret" is deleted`},
		"a destroyed version": {secret("secret/destroyed"), "hvs.root-hunter2", `version 1 of "destroyed" in the mount "secret" is destroyed`},
		"no mount":            {secret("secrt/shop"), "hvs.root-hunter2", `no KV engine of version 2 at the mount "secrt" (404)`},
		"version 1":           {secret("old/shop"), "hvs.root-hunter2", `"old" is not a KV engine of version 2`},
		"a name":              {secret("secret/odd"), "hvs.root-hunter2", `"db-password" cannot name a variable`},
		"a field":             {secret("secret/shop", "keys", "USR"), "hvs.root-hunter2", `has no field "USR"`},
		"no token":            {secret("secret/shop"), "", "there is no token"},
		"a token of two":      {secret("secret/shop"), "hunter2\nX-Evil: 1", "the token contains characters that a token cannot have"},
	} {
		t.Run(name, func(t *testing.T) {
			_, err := ask(t, c.provider, "VAULT_ADDR="+url, "VAULT_TOKEN="+c.token)
			providertest.Refused(t, err, c.want)
		})
	}
}

func TestASealedServerIsNotAskedAgain(t *testing.T) {
	s, url := start(t)
	s.sealed = true
	_, err := ask(t, secret("secret/shop"), "VAULT_ADDR="+url, root)
	providertest.Refused(t, err, "the server is sealed (503)")
	if len(s.seen) != 1 {
		t.Errorf("the server was asked %d times", len(s.seen))
	}
}

func TestABusyServer(t *testing.T) {
	s, url := start(t)
	limited := func(w http.ResponseWriter) {
		w.Header().Set("Retry-After", "3")
		failure(w, 429, "request path \"hunter2\": rate limit quota exceeded")
	}
	down := func(w http.ResponseWriter) { failure(w, 502, "hunter2") }
	lags := func(w http.ResponseWriter) { failure(w, 412, "required index state not present") }
	s.busy = []func(http.ResponseWriter){limited, down, lags}
	parts, pauses := providertest.Patient()
	r := provider.Request{Env: []string{"VAULT_ADDR=" + url, root}}
	env, err := providertest.Ask(t, vault.Kind, secret("secret/shop/dev"), parts, r)
	providertest.Gives(t, env, err, map[string]string{"STAGE": "dev"})
	if p := *pauses; len(p) != 3 || p[0] != 3*time.Second || p[1] >= 3*time.Second {
		t.Errorf("the pauses are %v", p)
	}
	s.busy = []func(http.ResponseWriter){limited, limited, limited, limited}
	_, err = providertest.Ask(t, vault.Kind, secret("secret/shop/dev"), parts, r)
	providertest.Refused(t, err, "is throttling requests (429)")
	if hint := fault.Of(err).Hint; hint != "it asks to wait 3s; try again after that" {
		t.Errorf("the hint is %q", hint)
	}
	s.busy = []func(http.ResponseWriter){down, down, down, down}
	_, err = providertest.Ask(t, vault.Kind, secret("secret/shop/dev"), parts, r)
	providertest.Refused(t, err, "the server failed (502)")
	s.busy = []func(http.ResponseWriter){func(w http.ResponseWriter) { failure(w, 501, "hunter2") }}
	_, err = providertest.Ask(t, vault.Kind, secret("secret/shop/dev"), parts, r)
	providertest.Refused(t, err, "the server is not initialized (501)")
	s.busy = []func(http.ResponseWriter){func(w http.ResponseWriter) { answer(w, 200, "hunter2") }, func(w http.ResponseWriter) { answer(w, 200, "hunter2") }}
	_, err = providertest.Ask(t, vault.Kind, secret("secret/shop/dev"), parts, r)
	providertest.Refused(t, err, `"secret" is not a KV engine of version 2`)
	s.busy = []func(http.ResponseWriter){nil, nil}
	s.busy[0] = func(w http.ResponseWriter) { failure(w, 404) }
	s.busy[1] = func(w http.ResponseWriter) { failure(w, 405, "hunter2") }
	_, err = providertest.Ask(t, vault.Kind, secret("secret/shop/dev"), parts, r)
	providertest.Refused(t, err, `refuses to read "shop/dev" in the mount "secret" (405)`)
}

func TestTheServersOwnAuthority(t *testing.T) {
	s, _ := start(t)
	h := httptest.NewTLSServer(s)
	defer h.Close()
	dir := t.TempDir()
	file := filepath.Join(dir, "ca.pem")
	text := pem.EncodeToMemory(&pem.Block{Type: "CERTIFICATE", Bytes: h.Certificate().Raw})
	if err := os.WriteFile(file, text, 0o600); err != nil {
		t.Fatal(err)
	}
	for _, c := range []struct {
		provider config.Provider
		env      string
	}{
		{secret("secret/shop/dev"), "VAULT_CACERT=" + file},
		{secret("secret/shop/dev"), "BAO_CACERT=" + file},
		{secret("secret/shop/dev", "caCert", "ca.pem"), ""},
	} {
		parts, _ := providertest.Patient()
		env, err := providertest.Ask(t, vault.Kind, c.provider, parts, provider.Request{Root: dir, Env: []string{"VAULT_ADDR=" + h.URL, root, c.env}})
		providertest.Gives(t, env, err, map[string]string{"STAGE": "dev"})
	}
	_, err := ask(t, secret("secret/shop/dev"), "VAULT_ADDR="+h.URL, root)
	providertest.Refused(t, err, "is signed by an authority that this machine does not know")
	_, err = ask(t, secret("secret/shop/dev"), "VAULT_ADDR="+h.URL, root, "VAULT_CACERT="+dir)
	providertest.Refused(t, err, "the certificates in")
}

func TestFaultySettings(t *testing.T) {
	_, url := start(t)
	for want, c := range map[string]config.Provider{
		"path is not set":           secret(""),
		`path is "secret"`:          secret("secret"),
		`path is "secret/../sys/x"`: secret("secret/../sys/x"),
		`path is "secret//x"`:       secret("secret//x"),
		`options.auth is "aws"`:     secret("secret/x", "auth", "aws"),
		`options.version is "new"`:  secret("secret/x", "version", "new"),
		`options.insecure is "1"`:   secret("secret/x", "insecure", "1"),
	} {
		_, err := ask(t, c, "VAULT_ADDR="+url, root)
		providertest.Refused(t, err, want)
	}
	for address, want := range map[string]string{
		"":                           "no server address is set",
		"vault.example.org":          "not of the form https://host:port",
		"https://me:hunter2@host":    "not of the form https://host:port",
		"https://host/hunter2":       "not of the form https://host:port",
		"ftp://host":                 "not of the form https://host:port",
		"http://vault.example.org":   "the address of the server does not use TLS",
		"http://127.0.0.1.evil.test": "the address of the server does not use TLS",
	} {
		_, err := ask(t, secret("secret/x"), "VAULT_ADDR="+address, root)
		providertest.Refused(t, err, want)
	}
	_, err := ask(t, secret("secret/x", "roleId", "ci", "authMount", "../x"), "VAULT_ADDR="+url)
	providertest.Refused(t, err, "options.authMount is not a path")
}

func TestATokenGoesToNoOtherHost(t *testing.T) {
	var got http.Header
	other := httptest.NewServer(http.HandlerFunc(func(_ http.ResponseWriter, r *http.Request) { got = maps.Clone(r.Header) }))
	defer other.Close()
	away := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		http.Redirect(w, r, other.URL+r.URL.Path, http.StatusTemporaryRedirect)
	}))
	defer away.Close()
	_, err := ask(t, secret("secret/shop"), "VAULT_ADDR="+away.URL, root)
	providertest.Refused(t, err, "redirects to")
	if got != nil {
		t.Error("the redirect was followed")
	}
}
