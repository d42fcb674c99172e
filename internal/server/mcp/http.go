package mcp

import (
	"bytes"
	"errors"
	"io"
	"net/http"
	"sync"

	"github.com/go-json-experiment/json/jsontext"
	sdk "github.com/modelcontextprotocol/go-sdk/mcp"

	"tasker/internal/fault"
)

// maxBody bounds a request. A larger plan goes to POST /v1/apply.
const maxBody = 16 << 20

// Handler answers POST /mcp: the streamable transport in its stateless form, one JSON answer per request and no
// session, so that any server on the same database can answer the next one. `?tools=all` offers every tool. The code
// that mounts it checks host, origin, credential and identity. An error in the request itself is returned, to be
// answered as on every route.
func Handler(opts Options) func(http.ResponseWriter, *http.Request) error {
	forms := map[string]func() (http.Handler, error){} // made on first use
	for name, all := range map[string]bool{"": false, "loop": false, "all": true} {
		opts := opts
		opts.All = all
		forms[name] = sync.OnceValues(func() (http.Handler, error) { return stateless(opts) })
	}
	return func(w http.ResponseWriter, r *http.Request) error {
		form, ok := forms[r.URL.Query().Get("tools")]
		if !ok {
			return fault.Bad("there are no tools %q", r.URL.Query().Get("tools")).WithMissing(fault.Parameter("tools")).WithHint("leave it out, or write /mcp?tools=all")
		}
		body, err := whole(r.Body)
		if err != nil {
			return err
		}
		h, err := form()
		if err != nil {
			return err
		}
		r = r.Clone(r.Context())
		r.Body = io.NopCloser(bytes.NewReader(body))
		// Bodies are JSON whatever their declared type, and so are answers.
		r.Header.Set("Content-Type", "application/json")
		r.Header.Set("Accept", "application/json, text/event-stream")
		h.ServeHTTP(w, r)
		return nil
	}
}

func stateless(opts Options) (http.Handler, error) {
	s, err := New(opts)
	if err != nil {
		return nil, err
	}
	server := s.protocol(nil)
	return sdk.NewStreamableHTTPHandler(func(*http.Request) *sdk.Server { return server }, &sdk.StreamableHTTPOptions{
		Stateless: true, JSONResponse: true, MaxRequestBodyBytes: -1, // whole bounds it
		DisableLocalhostProtection: true, // the front door has a list of names, which a proxy needs
	}), nil
}

// whole reads a body that is JSON and within its bound.
func whole(body io.Reader) ([]byte, error) {
	src, err := io.ReadAll(io.LimitReader(body, maxBody+1))
	var over *http.MaxBytesError
	var refused *fault.Error
	switch {
	case errors.As(err, &refused):
		return nil, refused
	case errors.As(err, &over), len(src) > maxBody:
		return nil, fault.New(fault.TooLarge, "the body is larger than %d MiB", maxBody>>20).WithHint("send a large plan to POST /v1/apply")
	case err != nil:
		return nil, fault.Bad("the body did not arrive whole: %v", err).WithHint("send it again; its length must be the one announced").WithCause(err)
	case !jsontext.Value(src).IsValid(jsontext.AllowDuplicateNames(true)):
		return nil, fault.Bad("the body is not valid: it is not JSON").WithHint("send messages of the Model Context Protocol: https://modelcontextprotocol.io")
	}
	if list := bytes.TrimSpace(src); list[0] == '[' {
		if _, err := parts(list); err != nil {
			return nil, fault.Bad("the body is not valid: %v", err).WithHint("send from 1 to %d messages at once, or each by itself", maxBatch)
		}
	}
	return src, nil
}
