//go:build unix

package settings

import (
	"fmt"
	"io"
	"net/http"
	"net/http/httptest"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"tasker/internal/app"
	"tasker/internal/config"
	"tasker/internal/fault"
	"tasker/internal/workspace/env/envtext"
	"tasker/internal/workspace/env/provider"
)

// everything is a configuration with a provider of each type; each sets ALL, and a variable of its own.
const everything = `{"version": 1, "project": "shop",
	"workspace": {"providers": ["files", "command", "commit", "vault", "aws", "op"]},
	"providers": {
		"files": {"type": "dotenv"},
		"command": {"type": "exec", "run": "echo ALL=exec; echo \"EXEC=$DOTENV $TASKER_TASK$TASKER_TOKEN\""},
		"commit": {"type": "gitenv", "path": "shared.env"},
		"vault": {"type": "secrets_a", "path": "secret/shop"},
		"aws": {"type": "secrets_b", "path": "shop", "options": {"region": "eu-central-1"}},
		"op": {"type": "secrets_c", "path": "Shop"}
	}}`

// servers are stand-ins for Vault and for AWS, as far as one read of a secret goes; their packages test the protocols.
func servers(t *testing.T) (vault, aws string) {
	t.Helper()
	v := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		if r.URL.Path == "/v1/secret/data/shop" && r.Header.Get("X-Vault-Token") == "token-hunter2" {
			_, _ = io.WriteString(w, `{"data":{"data":{"ALL":"vault","VAULT":"hunter2-vault"},"metadata":{"version":1}}}`)
			return
		}
		http.Error(w, `{"errors":["permission denied"]}`, http.StatusForbidden)
	}))
	t.Cleanup(v.Close)
	a := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		if !strings.HasPrefix(r.Header.Get("Authorization"), "AWS4-HMAC-SHA256 Credential=AKIA/") {
			http.Error(w, `{"__type":"AccessDeniedException"}`, http.StatusBadRequest)
			return
		}
		_, _ = io.WriteString(w, `{"SecretString":"{\"ALL\":\"aws\",\"AWS\":\"hunter2-aws\"}"}`)
	}))
	t.Cleanup(a.Close)
	return v.URL, a.URL
}

// repository has a file that is committed and one that is not.
func repository(t *testing.T) string {
	t.Helper()
	root := t.TempDir()
	write(t, filepath.Join(root, "shared.env"), "ALL=gitenv\nGITENV=1\n", 0o600)
	for _, args := range [][]string{{"init", "-q"}, {"add", "."}, {"-c", "user.name=t", "-c", "user.email=t@example.org", "commit", "-qm", "one"}} {
		cmd := exec.Command("git", args...)
		cmd.Dir = root
		if out, err := cmd.CombinedOutput(); err != nil {
			t.Fatalf("git %v: %v\n%s", args, err, out)
		}
	}
	write(t, filepath.Join(root, ".env"), "ALL=dotenv\nDOTENV='hunter2 file'\n", 0o600)
	return root
}

func write(t *testing.T, path, text string, mode os.FileMode) {
	t.Helper()
	if err := os.WriteFile(path, []byte(text), mode); err != nil {
		t.Fatal(err)
	}
}

// request asks for a workspace of the repository, with a fake of op on the path.
func request(t *testing.T, root string) provider.Request {
	t.Helper()
	bin := t.TempDir()
	item := `{"fields":[{"label":"ALL","value":"op"},{"label":"OP","value":"hunter2-op"}]}`
	write(t, filepath.Join(bin, "op"), "#!/bin/sh\necho '"+item+"'\n", 0o700)
	path := bin + string(filepath.ListSeparator) + os.Getenv("PATH")
	t.Setenv("PATH", path)
	vault, aws := servers(t)
	return provider.Request{Root: root, Dir: t.TempDir(), Task: "shop-1", Env: []string{
		"PATH=" + path, "HOME=" + t.TempDir(), "TASKER_TASK=shop-1", "TASKER_TOKEN=hunter2-ours",
		"VAULT_ADDR=" + vault, "VAULT_TOKEN=token-hunter2",
		"AWS_ENDPOINT_URL=" + aws, "AWS_ACCESS_KEY_ID=AKIA", "AWS_SECRET_ACCESS_KEY=hunter2",
	}}
}

func TestAConfigurationBecomesAnEnvironment(t *testing.T) {
	chain, err := app.Providers(load(t, everything))
	if err != nil {
		t.Fatal(err)
	}
	env, err := provider.Chain(t.Context(), chain, request(t, repository(t)))
	if err != nil {
		t.Fatalf("%v (%s)", err, fault.Of(err).Hint)
	}
	want := []string{
		"ALL=op", "AWS=hunter2-aws", "DOTENV=hunter2 file", "EXEC=hunter2 file shop-1", "GITENV=1", "OP=hunter2-op", "VAULT=hunter2-vault",
	}
	if got := env.Environ(); !slices.Equal(got, want) {
		t.Errorf("the environment is %q, want %q", got, want)
	}
	if all := env.Variables()[0]; all.Name != "ALL" || all.From != "op" || all.Over != "aws, vault, commit, command, files" {
		t.Errorf("ALL comes from %v", all)
	}
	if files := env.Files(); len(files) != 1 || files[0].Path != ".env" {
		t.Errorf("the files are %q", files)
	}
	for _, format := range envtext.Formats {
		if text, err := envtext.Format(env.Variables(), format); err != nil || !strings.Contains(text, "hunter2 file") {
			t.Errorf("%s: %q, %v", format, text, err)
		}
	}
}

// TestAFailureOfAnyProviderTellsNoValue breaks one provider after the other, while holding the values of the ones before
// it.
func TestAFailureOfAnyProviderTellsNoValue(t *testing.T) {
	for name, c := range map[string]struct {
		change func(root string, r *provider.Request)
		want   string
	}{
		"files": {func(root string, _ *provider.Request) { write(t, filepath.Join(root, ".env"), "hunter2", 0o600) },
			"the provider files (dotenv): .env: line 1 is not NAME=VALUE"},
		"command": {func(root string, _ *provider.Request) {
			write(t, filepath.Join(root, ".env"), "DOTENV='x\nhunter2'", 0o600)
		}, "the provider command (exec): the output of its command: line 3 is not NAME=VALUE"},
		"commit": {func(root string, _ *provider.Request) { _ = os.RemoveAll(filepath.Join(root, ".git")) },
			`the provider commit (gitenv): there is no commit "HEAD"`},
		"vault": {func(_ string, r *provider.Request) { r.Env = append(r.Env, "VAULT_TOKEN=other-hunter2") },
			`the provider vault (secrets_a): the token may not read "shop" in the mount "secret" (403)`},
		"aws": {func(_ string, r *provider.Request) { r.Env = append(r.Env, "AWS_ACCESS_KEY_ID=hunter2") },
			`the provider aws (secrets_b): the secret "shop" may not be read with the credentials from the environment (AccessDeniedException)`},
		"op": {func(string, *provider.Request) { t.Setenv("PATH", "/usr/bin:/bin") }, "the provider op (secrets_c): there is no program op"},
	} {
		t.Run(name, func(t *testing.T) {
			root := repository(t)
			r := request(t, root)
			r.Env = append(r.Env, "GIT_CEILING_DIRECTORIES="+filepath.Dir(root))
			c.change(root, &r)
			chain, err := app.Providers(load(t, everything))
			if err != nil {
				t.Fatal(err)
			}
			env, err := provider.Chain(t.Context(), chain, r)
			if env != nil && err != nil {
				t.Error("an environment is returned with the error")
			}
			if err == nil || !strings.HasPrefix(err.Error(), c.want) || fault.Of(err).Kind.Exit() != fault.ExitUnexpected {
				t.Fatalf("%v, want %s", err, c.want)
			}
			if said := fmt.Sprintf("%+v %#v %s", err, err, fault.Of(err).Hint); strings.Contains(said, "hunter2") {
				t.Errorf("the error contains a secret: %s", said)
			}
		})
	}
}

func TestAnOptionThatNobodyReadsIsWarnedOf(t *testing.T) {
	c := load(t, strings.Replace(everything, `"region"`, `"regoin"`, 1))
	if _, err := app.Providers(c); err != nil {
		t.Error(err)
	}
	warnings, err := app.CheckProvider(config.NamedProvider{Name: "aws", Provider: c.Providers["aws"]})
	if err != nil || len(warnings) != 1 || !strings.HasPrefix(warnings[0], `secrets_b has no option "regoin", and nothing reads it; did you mean region?`) {
		t.Errorf("%q, %v", warnings, err)
	}
}

func TestAProviderThatIsDefinedNowhereIsRefused(t *testing.T) {
	_, err := app.Providers(load(t, strings.Replace(everything, `"op"]`, `"none"]`, 1)))
	if !fault.Is(err, fault.Invalid) || !strings.Contains(err.Error(), `names the provider "none", which is defined in no layer`) {
		t.Error(err)
	}
}
