package vault

import (
	"context"
	"encoding/json"
	"net/http"
	"net/url"
	"strings"

	"tasker/internal/fault"
	"tasker/internal/text/words"
	"tasker/internal/workspace/env/fetch"
)

// call sends requests to the API of one server.
type call struct {
	session   *fetch.Session
	base      string
	namespace string
	token     string
}

// reply is an answer of the API. Its errors are the server's own words, which are examined but
// never shown.
type reply struct {
	fetch.Answer

	said string // its errors, in lower case
}

func (c *call) do(ctx context.Context, method, path string, in any) (reply, error) {
	header := map[string]string{"X-Vault-Request": "true"} // agents in front of a server require it
	if c.token != "" {
		header["X-Vault-Token"] = c.token
	}
	if c.namespace != "" {
		header["X-Vault-Namespace"] = c.namespace
	}
	var body []byte
	if in != nil {
		body, _ = json.Marshal(in) // only strings
		header["Content-Type"] = "application/json"
	}
	a, err := c.session.Do(ctx, fetch.Request{Method: method, URL: c.base + "/v1/" + path, Header: header, Body: body, Again: again})
	return reply{a, said(a)}, err
}

// again reports whether the server asks for another try. A sealed server stays sealed; 412 comes
// from a follower that lags behind.
func again(a fetch.Answer) bool {
	return a.Status == http.StatusPreconditionFailed || a.Busy() && !strings.Contains(said(a), "sealed")
}

func said(a fetch.Answer) string {
	var e struct {
		Errors []string `json:"errors"`
	}
	if a.Status < 400 || json.Unmarshal(a.Body, &e) != nil {
		return ""
	}
	return strings.ToLower(strings.Join(e.Errors, "\n"))
}

// refusal explains the statuses that mean the same for every request, and returns nil for the rest.
func (r reply) refusal() error {
	switch {
	case r.Status == http.StatusServiceUnavailable && strings.Contains(r.said, "sealed"):
		return fault.Bad("the server is sealed (503)").WithHint("unseal it, or ask its operator to")
	case r.Status == http.StatusNotImplemented:
		return fault.Bad("the server is not initialized (501)")
	case r.Status == http.StatusTooManyRequests:
		return r.Later(fault.Bad("the server is throttling requests (429)"))
	case r.Status >= 500:
		return fault.Bad("the server failed (%d)", r.Status).WithHint("try again later, or look at its log")
	}
	return nil
}

// segments escapes a path segment by segment.
func segments(path string) string {
	return strings.Join(words.Each(strings.Split(path, "/"), url.PathEscape), "/")
}
