package httpapi

import (
	"bufio"
	"fmt"
	"io"
	"net"
	"net/http"
	"strings"
	"testing"
)

// TestWhoSendsABodyBeforeReadingGetsTheRefusal sends all of a body that is refused unread, and only then reads.
func TestWhoSendsABodyBeforeReadingGetsTheRefusal(t *testing.T) {
	opts := options(&calls{})
	opts.Token = "s3cret"
	_, addr := listening(t, opts, 1<<20, 100<<20)
	const token = "Authorization: Bearer s3cret\r\n"
	text := strings.Repeat("x", 24<<20)
	for _, c := range []struct {
		what, path, head string
		chunked          bool
		want             int
	}{
		{"a body that is too large", "/v1/next", token, false, 413},
		{"one of unknown length", "/v1/next", token, true, 503},
		{"one for which there is no memory", "/v1/apply", token, false, 413},
		{"one to no route", "/v1/nowhere", token, false, 404},
		{"one without the token", "/v1/apply", "", false, 401},
		{"one to the tools", "/mcp", token, false, 404},
	} {
		t.Run(c.what, func(t *testing.T) {
			conn, err := net.Dial("tcp", addr)
			if err != nil {
				t.Fatal(err)
			}
			defer func() { _ = conn.Close() }()
			length := fmt.Sprintf("Content-Length: %d\r\n", len(text))
			body := text
			if c.chunked {
				length = "Transfer-Encoding: chunked\r\n"
				body = fmt.Sprintf("%x\r\n%s\r\n0\r\n\r\n", len(text), text)
			}
			if _, err := io.WriteString(conn, "POST "+c.path+" HTTP/1.1\r\nHost: localhost\r\n"+c.head+length+"\r\n"+body); err != nil {
				t.Fatalf("the body cannot be sent: %v", err)
			}
			resp, err := http.ReadResponse(bufio.NewReader(conn), nil)
			if err != nil {
				t.Fatalf("there is no answer: %v", err)
			}
			answer, err := io.ReadAll(resp.Body)
			if err != nil || resp.StatusCode != c.want || !strings.Contains(string(answer), `"message"`) {
				t.Errorf("answered %d %s, %v", resp.StatusCode, answer, err)
			}
		})
	}
}
