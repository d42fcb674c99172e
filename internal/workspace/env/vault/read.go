package vault

import (
	"context"
	"encoding/json"
	"net/http"
	"strings"

	"tasker/internal/fault"
	"tasker/internal/text/words"
	"tasker/internal/workspace/env/provider"
)

// secret is the answer to a read from a KV engine of version 2. For a deleted version it has only
// the metadata.
type secret struct {
	Data struct {
		Data     json.RawMessage `json:"data"`
		Metadata struct {
			Version   int    `json:"version"`
			Deleted   string `json:"deletion_time"`
			Destroyed bool   `json:"destroyed"`
		} `json:"metadata"`
	} `json:"data"`
}

func (v vault) read(ctx context.Context, c *call) (map[string]string, error) {
	path := segments(v.mount) + "/data/" + segments(v.path)
	if version := v.options["version"]; version != "" {
		path += "?version=" + version
	}
	a, err := c.do(ctx, http.MethodGet, path, nil)
	if err != nil {
		return nil, err
	}
	var got secret
	decoded := json.Unmarshal(a.Body, &got) == nil
	if err := v.refused(a, got); err != nil {
		return nil, err
	}
	if !decoded || got.Data.Metadata.Version == 0 {
		return nil, fault.Bad("%s is not a KV engine of version 2", words.Quoted(v.mount)).
			WithHint("name another mount, or run vault kv enable-versioning on it")
	}
	values, err := provider.Fields(got.Data.Data)
	if err != nil {
		return nil, fault.Bad("the secret %s is not an object", words.Quoted(v.path))
	}
	return values, nil
}

// refused says why there is no secret in the answer, or returns nil if there is.
func (v vault) refused(a reply, got secret) error {
	where := words.Quoted(v.path) + " in the mount " + words.Quoted(v.mount)
	if err := a.refusal(); err != nil {
		return err
	}
	switch m := got.Data.Metadata; {
	case a.Status == http.StatusForbidden && (strings.Contains(a.said, "invalid token") || strings.Contains(a.said, "bad token")):
		return expired()
	case a.Status == http.StatusForbidden:
		return fault.Bad("the token may not read %s (403)", where).
			WithHint("the policy has to allow read on %s/data/%s; check the mount and options.namespace, and whether the token is still valid", v.mount, v.path)
	case strings.Contains(a.said, "no handler for route"), strings.Contains(a.said, "unsupported path"):
		return fault.Bad("the server has no KV engine of version 2 at the mount %s (%d)", words.Quoted(v.mount), a.Status).
			WithHint("name the mount in options.mount, and check options.namespace")
	case a.Status == http.StatusNotFound && m.Destroyed:
		return fault.Bad("version %d of %s is destroyed", m.Version, where).WithHint("write it again, or read another version with options.version")
	case a.Status == http.StatusNotFound && m.Deleted != "":
		return fault.Bad("version %d of %s is deleted", m.Version, where).
			WithHint("undelete it with vault kv undelete, or read another version with options.version")
	case a.Status == http.StatusNotFound && v.options["version"] != "":
		return fault.Bad("there is no version %s of %s (404)", v.options["version"], where).WithHint("correct path or options.version")
	case a.Status == http.StatusNotFound:
		return fault.Bad("there is no secret %s (404)", where).
			WithHint("correct path, app or env, or write the secret; check options.mount and options.namespace")
	case a.Status != http.StatusOK:
		return fault.Bad("the server refuses to read %s (%d)", where, a.Status)
	}
	return nil
}
