package httpapi

import (
	"bufio"
	"context"
	"io"
	"net"
	"net/http"
	"strings"
	"testing"

	"tasker/internal/op"
)

// A request that never reaches a handler is answered in the one format too. This test fails if net/http changes its
// wording.
func TestWhatHTTPItselfRefusesHasTheOneShape(t *testing.T) {
	ln, err := Listen(t.Context(), "", 0)
	if err != nil {
		t.Fatal(err)
	}
	s := New(options(&calls{do: func(context.Context, *op.Op, any) (any, error) { return "done", nil }}))
	ctx, stop := context.WithCancel(t.Context())
	served := make(chan error, 1)
	go func() { served <- s.Serve(ctx, ln) }()
	defer func() {
		stop()
		if err := <-served; err != nil {
			t.Error(err)
		}
	}()
	for name, c := range map[string]struct {
		head   string
		status int
	}{
		"no HTTP":                  {"hello", 422},
		"no host":                  {"GET /v1/version HTTP/1.1", 422},
		"two hosts":                {"GET /v1/version HTTP/1.1\r\nHost: a\r\nHost: b", 422},
		"a name with a space":      {"GET /v1/version HTTP/1.1\r\nHost: a\r\nA B: c", 422},
		"another version":          {"GET /v1/version HTTP/3.1\r\nHost: a", 422},
		"another encoding":         {"POST /v1/next HTTP/1.1\r\nHost: a\r\nTransfer-Encoding: gzip", 422},
		"an expectation":           {"GET /v1/version HTTP/1.1\r\nHost: a\r\nExpect: more", 422},
		"an expectation, HTTP/1.0": {"GET /v1/version HTTP/1.0\r\nExpect: more", 422},
		"too large a head":         {"GET /v1/version HTTP/1.1\r\nHost: a\r\nX: " + strings.Repeat("x", headerBytes+8192), 413},
	} {
		conn, err := net.Dial("tcp", ln.Addr().String())
		if err != nil {
			t.Fatal(err)
		}
		_, _ = io.WriteString(conn, c.head+"\r\n\r\n") // the server may hang up before everything is sent
		resp, err := http.ReadResponse(bufio.NewReader(conn), nil)
		if err != nil {
			t.Fatalf("%s: %v", name, err)
		}
		if resp.StatusCode != c.status {
			t.Errorf("%s: %d", name, resp.StatusCode)
		}
		body, err := io.ReadAll(resp.Body)
		if err != nil {
			t.Errorf("%s: %v", name, err)
		}
		failure(t, reply{resp.StatusCode, resp.Header, body})
		conn.Close()
	}
}

func TestAnAnswerOfOursIsNeverTakenForARefusalOfHTTP(t *testing.T) {
	for _, p := range []string{
		"", "H", "HTTP/1.1 200 OK\r\n", "HTTP/1.1 404 Not Found\r\nCache-Control: no-store\r\n\r\n",
		"HTTP/1.1 500 Internal Server Error\r\nCache-Control: no-store\r\n",
		"HTTP/1.1 400 Bad Request", `HTTP/1.1 417 Expectation Failed\r\nConnection: close\r\n`, "HTTP/1.1 400 Bad Request\r\n1f\r\n",
	} {
		if _, _, own := plainRefusal([]byte(p)); own {
			t.Errorf("%q is taken for a plain refusal", p)
		}
	}
}
