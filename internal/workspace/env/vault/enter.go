package vault

import (
	"cmp"
	"context"
	"encoding/json"
	"net/http"
	"path/filepath"
	"strings"

	"tasker/internal/fault"
	"tasker/internal/workspace/env/provider"
)

// enter gives the call a token: one from the environment or the token file, or that of an AppRole,
// which leave revokes.
func (v vault) enter(ctx context.Context, c *call, r provider.Request) (leave func(), err error) {
	leave = func() {}
	role := v.option("roleId", r, "VAULT_ROLE_ID", "BAO_ROLE_ID")
	token := v.token(r)
	switch auth := v.options["auth"]; {
	case auth == "approle", auth == "" && v.options["roleId"] != "", auth == "" && token == "" && role != "":
		if err := v.login(ctx, c, r, role); err != nil {
			return leave, err
		}
		return func() { _, _ = c.do(ctx, http.MethodPost, "auth/token/revoke-self", nil) }, nil // on failure it ends with its lease
	case token == "":
		return leave, fault.Bad("there is no token").
			WithHint("log in with vault login or bao login, set %s, or set options.auth to approle", cmp.Or(v.options["tokenVariable"], "VAULT_TOKEN"))
	case strings.ContainsFunc(token, func(r rune) bool { return r <= ' ' || r > '~' }):
		return leave, fault.Bad("the token contains characters that a token cannot have").WithHint("set it again; it is one word")
	}
	c.token = token
	return leave, renew(ctx, c)
}

// token returns the token from the environment, else from the file that a login writes, else "".
func (v vault) token(r provider.Request) string {
	if name := v.options["tokenVariable"]; name != "" {
		return r.First(name)
	}
	if token := r.First("VAULT_TOKEN", "BAO_TOKEN"); token != "" {
		return token
	}
	home := r.First("HOME", "USERPROFILE")
	if home == "" {
		return ""
	}
	token, _ := provider.Word(filepath.Join(home, ".vault-token")) // most have none
	return token
}

// login exchanges role and secret for a token.
func (v vault) login(ctx context.Context, c *call, r provider.Request, role string) error {
	name := cmp.Or(v.options["secretIdVariable"], "VAULT_SECRET_ID")
	secret := r.First(name)
	if v.options["secretIdVariable"] == "" {
		secret = r.First(name, "BAO_SECRET_ID")
	}
	if role == "" {
		return fault.Bad("the AppRole has no role").WithHint("set options.roleId or VAULT_ROLE_ID")
	}
	mount := strings.Trim(cmp.Or(v.options["authMount"], "approle"), "/")
	if !wellFormed(mount) {
		return fault.Bad("options.authMount is not a path")
	}
	in := map[string]string{"role_id": role}
	if secret != "" { // a role may be bound only to networks
		in["secret_id"] = secret
	}
	a, err := c.do(ctx, http.MethodPost, "auth/"+segments(mount)+"/login", in)
	if err != nil {
		return err
	}
	var out struct {
		Auth struct {
			Token string `json:"client_token"`
		} `json:"auth"`
	}
	switch {
	case a.refusal() != nil:
		return a.refusal()
	case a.Status == http.StatusNotFound || strings.Contains(a.said, "no handler for route"):
		return fault.Bad("the server has no AppRole login at auth/%s", mount).
			WithHint("set options.authMount to where it is, and options.namespace to its namespace")
	case a.Status >= 400:
		return fault.Bad("the AppRole login is refused (%d)", a.Status).
			WithHint("the role or the secret is wrong, used up or expired: check options.roleId and %s, and options.namespace", name)
	case json.Unmarshal(a.Body, &out) != nil || out.Auth.Token == "":
		return fault.Bad("the AppRole login returned no token")
	}
	c.token = out.Auth.Token
	return nil
}

const soon = 60 // seconds

// renew extends a renewable token that expires soon, so that work in the workspace can use it for a
// while. A token that may not look itself up, or can no longer be renewed, is used as it is.
func renew(ctx context.Context, c *call) error {
	a, err := c.do(ctx, http.MethodGet, "auth/token/lookup-self", nil)
	if err != nil {
		return err
	}
	var self struct {
		Data struct {
			TTL       int64 `json:"ttl"`
			Creation  int64 `json:"creation_ttl"`
			Renewable bool  `json:"renewable"`
		} `json:"data"`
	}
	switch {
	case a.refusal() != nil:
		return a.refusal()
	case a.Status >= 400 && strings.Contains(a.said, "invalid token"), a.Status >= 400 && strings.Contains(a.said, "bad token"):
		return expired()
	}
	_ = json.Unmarshal(a.Body, &self) // a token without a term is not renewed
	if d := self.Data; d.Renewable && d.TTL > 0 && (d.TTL < soon || d.TTL < d.Creation/3) {
		if _, err := c.do(ctx, http.MethodPost, "auth/token/renew-self", map[string]string{}); err != nil {
			return err
		}
	}
	return nil
}

func expired() error {
	return fault.Bad("the token is expired, revoked or from another server (403)").WithHint("log in again, or set a token that is valid")
}
