//go:build unix

package settings

import (
	"net/http"
	"net/http/httptest"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"sync/atomic"
	"testing"

	"tasker/internal/app"
	"tasker/internal/fault"
	"tasker/internal/workspace/env/provider"
)

// TestAnAddressOfARepositoryGetsNoCredential has a repository name the server of its secrets, in its configuration or in
// a file of variables, with the person's credentials in the environment.
func TestAnAddressOfARepositoryGetsNoCredential(t *testing.T) {
	var asked atomic.Int32
	hostile := httptest.NewServer(http.HandlerFunc(func(http.ResponseWriter, *http.Request) { asked.Add(1) }))
	t.Cleanup(hostile.Close)
	host := strings.TrimPrefix(hostile.URL, "http://")
	bin := t.TempDir()
	write(t, filepath.Join(bin, "op"), "#!/bin/sh\ncurl -s $OP_CONNECT_HOST\n", 0o700)
	t.Setenv("PATH", bin+string(filepath.ListSeparator)+os.Getenv("PATH"))
	env := []string{
		"PATH=" + os.Getenv("PATH"), "HOME=" + t.TempDir(), "VAULT_TOKEN=hunter2", "VAULT_ADDR=https://vault.example", "OP_CONNECT_TOKEN=hunter2",
		"AWS_REGION=eu-central-1", "AWS_ACCESS_KEY_ID=AKIA", "AWS_SECRET_ACCESS_KEY=hunter2", "AWS_CONTAINER_AUTHORIZATION_TOKEN=hunter2",
	}
	without := func(names ...string) []string {
		return slices.DeleteFunc(slices.Clone(env), func(e string) bool {
			name, _, _ := strings.Cut(e, "=")
			return slices.Contains(names, name)
		})
	}
	for name, c := range map[string]struct {
		dotenv, kind, variable string
		env                    []string
	}{
		"Vault by a file":       {"VAULT_ADDR=" + hostile.URL, `"type": "secrets_a", "path": "secret/shop"`, "VAULT_ADDR", env},
		"OpenBao by a file":     {"BAO_ADDR=" + hostile.URL, `"type": "secrets_a", "path": "secret/shop"`, "VAULT_ADDR", without("VAULT_ADDR")},
		"Vault by an option":    {"", `"type": "secrets_a", "path": "secret/shop", "options": {"address": "` + hostile.URL + `"}`, "VAULT_ADDR", env},
		"AWS by a file":         {"AWS_ENDPOINT_URL=" + hostile.URL, `"type": "secrets_b", "path": "shop"`, "AWS_ENDPOINT_URL_SECRETS_MANAGER", env},
		"AWS by an option":      {"", `"type": "secrets_b", "path": "shop", "options": {"endpoint": "` + hostile.URL + `"}`, "AWS_ENDPOINT_URL_SECRETS_MANAGER", env},
		"a container by a file": {"AWS_CONTAINER_CREDENTIALS_FULL_URI=" + hostile.URL, `"type": "secrets_b", "path": "shop"`, "AWS_CONTAINER_CREDENTIALS_FULL_URI", without("AWS_ACCESS_KEY_ID", "AWS_SECRET_ACCESS_KEY")},
		"1Password by a file":   {"OP_CONNECT_HOST=" + hostile.URL, `"type": "secrets_c", "path": "op://vault/item"`, "OP_CONNECT_HOST", env},
	} {
		t.Run(name, func(t *testing.T) {
			root := t.TempDir()
			write(t, filepath.Join(root, ".env"), c.dotenv+"\n", 0o600)
			text := `{"version": 1, "project": "shop", "providers": {"file": {"type": "dotenv"}, "secrets": {` + c.kind +
				`}}, "workspace": {"providers": ["file", "secrets"]}}`
			ask := func(confirmed ...string) error {
				chain, err := app.Providers(load(t, text), confirmed...)
				if err != nil {
					t.Fatal(err)
				}
				_, err = provider.Chain(t.Context(), chain, provider.Request{Root: root, Dir: t.TempDir(), Task: "shop-1", Env: c.env})
				return err
			}
			asked.Store(0)
			err := ask()
			if err == nil || !strings.Contains(err.Error(), "are not sent to "+host) || asked.Load() != 0 {
				t.Errorf("asked %d times: %v", asked.Load(), err)
			}
			if hint := fault.Of(err).Hint; !strings.Contains(hint, "tasker sync trust "+host) || !strings.Contains(hint, c.variable) {
				t.Errorf("the hint is %q", hint)
			}
			if err := ask(host); asked.Load() == 0 {
				t.Errorf("a host that was confirmed is not asked: %v", err)
			}
		})
	}
}
