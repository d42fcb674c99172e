// Package vault is the provider of variables from HashiCorp Vault or OpenBao, in a KV engine of
// version 2.
package vault

import (
	"cmp"
	"context"
	"crypto/x509"
	"net/url"
	"os"
	"path/filepath"
	"slices"
	"strconv"
	"strings"

	"tasker/internal/config"
	"tasker/internal/fault"
	"tasker/internal/site"
	"tasker/internal/text/words"
	"tasker/internal/workspace/env/fetch"
	"tasker/internal/workspace/env/provider"
)

// Kind declares the provider. No option is a credential: credentials come from the environment, or
// from the token file that `vault login` writes.
var Kind = provider.Kind{
	Type: "secrets_a",
	Keys: []string{"env", "app", "path"},
	Options: []string{
		"address", "auth", "authMount", "caCert", "insecure", "mount", "namespace", "roleId", "secretIdVariable", "tokenVariable", "version",
	},
	New: makeProvider,
}

type vault struct {
	client   fetch.Client
	mount    string
	path     string // in the mount
	options  map[string]string
	insecure bool
}

func makeProvider(c config.Provider, p provider.Parts) (provider.Provider, error) {
	v := vault{client: p.Client, mount: strings.Trim(c.Options["mount"], "/"), options: c.Options}
	path, err := provider.Path(c)
	if err != nil {
		return nil, err
	}
	v.path = strings.Trim(path, "/")
	if v.mount == "" && c.Path == "" {
		v.mount = "secret"
	}
	if v.mount == "" { // like `vault kv get`: the first segment is the mount
		v.mount, v.path, _ = strings.Cut(v.path, "/")
	}
	if v.path == "" || !wellFormed(v.mount) || !wellFormed(v.path) {
		return nil, fault.Bad("path is %s", words.Quoted(path)).
			WithHint("give mount/path, as for vault kv get, or the mount as options.mount and the rest as path")
	}
	if v.insecure, err = provider.Flag(c, "insecure"); err != nil {
		return nil, err
	}
	if auth := c.Options["auth"]; auth != "" && auth != "token" && auth != "approle" {
		return nil, fault.Bad("options.auth is %s", words.Quoted(auth)).WithHint("give token or approle")
	}
	if text := c.Options["version"]; text != "" {
		if n, err := strconv.Atoi(text); err != nil || n < 1 {
			return nil, fault.Bad("options.version is %s", words.Quoted(text)).WithHint("give the number of a version, such as 3")
		}
	}
	return v, nil
}

// wellFormed reports whether a path has no segment that would lead elsewhere.
func wellFormed(path string) bool {
	return !slices.ContainsFunc(strings.Split(path, "/"), func(segment string) bool {
		return segment == "" || segment == "." || segment == ".." || strings.ContainsFunc(segment, func(r rune) bool { return r < ' ' || r == 0x7f })
	})
}

// Values reads the secret.
func (v vault) Values(ctx context.Context, r provider.Request) (provider.Result, error) {
	base, err := v.address(r)
	if err != nil {
		return provider.Result{}, err
	}
	roots, err := v.roots(r)
	if err != nil {
		return provider.Result{}, err
	}
	s := v.client.Open(fetch.Options{Roots: roots, System: "Vault", Variable: "VAULT_ADDR", Named: r.Named("VAULT_ADDR", "BAO_ADDR")})
	defer s.Close()
	c := &call{session: s, base: base, namespace: v.option("namespace", r, "VAULT_NAMESPACE", "BAO_NAMESPACE")}
	leave, err := v.enter(ctx, c, r)
	if err != nil {
		return provider.Result{}, err
	}
	defer leave()
	values, err := v.read(ctx, c)
	return provider.Result{Values: values}, err
}

// option returns an option, else the first of the variables that is set.
func (v vault) option(name string, r provider.Request, variables ...string) string {
	return cmp.Or(v.options[name], r.First(variables...))
}

// address returns the address of the server, without a path.
func (v vault) address(r provider.Request) (string, error) {
	text := v.option("address", r, "VAULT_ADDR", "BAO_ADDR")
	if text == "" {
		return "", fault.Bad("no server address is set").WithHint("set options.address, VAULT_ADDR or BAO_ADDR")
	}
	u, err := url.Parse(text)
	if err != nil || u.Host == "" || u.Scheme != "http" && u.Scheme != "https" || u.User != nil || strings.Trim(u.Path, "/") != "" || u.RawQuery != "" {
		return "", fault.Bad("the address of the server is not of the form https://host:port").WithHint("correct options.address, VAULT_ADDR or BAO_ADDR")
	}
	if u.Scheme == "http" && !v.insecure && !site.Loopback(u.Hostname()) {
		return "", fault.Bad("the address of the server does not use TLS: the token and the secrets would travel in the clear to %s", u.Host).
			WithHint(`use https://, or say that it is meant: options.insecure "true"`)
	}
	return u.Scheme + "://" + u.Host, nil
}

// roots returns the authorities for the server's certificate; nil for the system's.
func (v vault) roots(r provider.Request) (*x509.CertPool, error) {
	name := v.option("caCert", r, "VAULT_CACERT", "BAO_CACERT")
	if name == "" {
		return nil, nil
	}
	if !filepath.IsAbs(name) {
		name = filepath.Join(r.Root, name)
	}
	pem, err := os.ReadFile(name)
	pool := x509.NewCertPool()
	if err != nil || !pool.AppendCertsFromPEM(pem) {
		return nil, fault.Bad("the certificates in %s cannot be read", words.Quoted(name)).
			WithHint("options.caCert, VAULT_CACERT or BAO_CACERT names a readable file with certificates in PEM")
	}
	return pool, nil
}
