package httpapi

import (
	"context"
	"io"
	"net/http"
	"net/url"
	"slices"
	"strings"
	"testing"

	"github.com/go-json-experiment/json/jsontext"

	"tasker/internal/fault"
	"tasker/internal/op"
	"tasker/internal/testkit/optest"
)

// Whatever the request, the status of the answer is from the table, an error is JSON in the one format, and the status is
// never 500.
func FuzzDecodeRequest(f *testing.F) {
	for _, o := range op.Table {
		if o.Method == "" {
			continue
		}
		req, err := o.Encode(optest.In(o))
		if err != nil {
			f.Fatal(err)
		}
		f.Add(o.Method, "/v1"+req.Path, req.Query, "localhost", "Idempotency-Key", "k", req.Body)
	}
	f.Add("GET", "/v1/tasks/%ff", "a=b;c", "evil.example", "Tasker-Instance", "a/b", []byte("\x00"))
	f.Add("OPTIONS", "*", "", "[::1]:80", "Origin", "null", []byte(`{"a":{"a":{}}}`))
	f.Add("POST", "/v1/next", "", "", "Authorization", "Bearer x", []byte(`{"project":"\ud800"}`))
	f.Add("GET", "/v1/events", "since_id=-1&limit=0", "LOCALHOST.", "Last-Event-ID", "x", []byte(nil))

	opts := options(&calls{do: func(context.Context, *op.Op, any) (any, error) { return "done", nil }})
	opts.Token = "t"
	s := New(opts)
	allowed := []int{200, 201}
	for _, kind := range fault.Kinds {
		allowed = append(allowed, kind.Status())
	}
	f.Fuzz(func(t *testing.T, method, path, query, host, header, value string, body []byte) {
		decoded, err := url.PathUnescape(path)
		if err != nil {
			decoded = path
		}
		r := &http.Request{
			Method: method, URL: &url.URL{Path: decoded, RawPath: path, RawQuery: query}, RequestURI: path, Host: host, Proto: "HTTP/1.1", ProtoMajor: 1, ProtoMinor: 1,
			Header: http.Header{http.CanonicalHeaderKey(header): {value}, "Authorization": {"Bearer t"}},
			Body:   io.NopCloser(strings.NewReader(string(body))), ContentLength: -1,
		}
		resp := ask(s, r)
		if resp.Status == 500 || !slices.Contains(allowed, resp.Status) {
			t.Fatalf("%s %q: %d %s", method, path, resp.Status, resp.Body)
		}
		if resp.Status >= 400 {
			failure(t, resp)
			return
		}
		if resp.Header.Get("Content-Type") == "application/json" && !jsontext.Value(resp.Body).IsValid() {
			t.Fatalf("%s %q: no JSON: %s", method, path, resp.Body)
		}
	})
}
