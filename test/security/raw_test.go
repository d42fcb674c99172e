package security

import (
	"bufio"
	"fmt"
	"io"
	"net"
	"net/http"
	"strings"
	"testing"
	"time"
)

// send writes bytes to a server verbatim, and reads the answer.
func send(t *testing.T, addr, request string) (int, string) {
	t.Helper()
	c, err := new(net.Dialer).DialContext(t.Context(), "tcp", addr)
	if err != nil {
		t.Fatal(err)
	}
	defer c.Close()
	if err := c.SetDeadline(time.Now().Add(30 * time.Second)); err != nil {
		t.Fatal(err)
	}
	if _, err := io.WriteString(c, request); err != nil {
		t.Fatal(err)
	}
	resp, err := http.ReadResponse(bufio.NewReader(c), nil)
	if err != nil {
		t.Fatalf("%v, to\n%s", err, request)
	}
	defer resp.Body.Close()
	body, err := io.ReadAll(resp.Body)
	if err != nil {
		t.Fatal(err)
	}
	return resp.StatusCode, string(body)
}

// TestNoBrowserOfAnotherSiteWritesOrReads sends what browsers send for other sites, byte for byte, to a server without a
// token.
func TestNoBrowserOfAnotherSiteWritesOrReads(t *testing.T) {
	w := build(t, openMode)
	w.run("alice", visible, "apply", "-f", "-")
	addr := strings.TrimPrefix(listen(t, w.site("alice", "")), "http://")
	_, port, err := net.SplitHostPort(addr)
	if err != nil {
		t.Fatal(err)
	}
	note := `{"text":"from elsewhere"}`
	post := func(host string, headers ...string) string {
		return fmt.Sprintf(
			"POST /v1/tasks/demo-1/notes HTTP/1.1\r\nHost: %s\r\nContent-Length: %d\r\nConnection: close\r\n%s\r\n%s",
			host,
			len(note),
			strings.Join(append(headers, ""), "\r\n"),
			note,
		)
	}
	form := "%7B%22text%22%3A%22from+elsewhere%22%7D="
	for _, c := range []struct {
		name, request string
		want          int
	}{
		{"a form", fmt.Sprintf("POST /v1/tasks/demo-1/notes HTTP/1.1\r\nHost: %s\r\nOrigin: http://evil.example\r\nContent-Type: "+
			"application/x-www-form-urlencoded\r\nContent-Length: %d\r\nConnection: close\r\n\r\n%s", addr, len(form), form), 403},
		{"a form of an old browser", post(addr, "Origin: http://evil.example", "Content-Type: text/plain", "Referer: http://evil.example/"), 403},
		{"a text/plain post", post(addr, "Origin: http://evil.example", "Sec-Fetch-Site: cross-site", "Sec-Fetch-Mode: no-cors", "Content-Type: "+
			"text/plain;charset=UTF-8"), 403},
		{"a beacon", post(addr, "Origin: http://evil.example", "Sec-Fetch-Site: cross-site", "Content-Type: text/plain"), 403},
		{"a fetch with JSON", post(addr, "Origin: http://evil.example", "Sec-Fetch-Site: cross-site", "Content-Type: application/json"), 403},
		{"a null origin", post(addr, "Origin: null", "Content-Type: text/plain"), 403},
		{"a null origin that says nothing else", post(addr, "Origin: null"), 403},
		{"another port of localhost", post("localhost:"+port, "Origin: http://localhost:1234", "Sec-Fetch-Site: same-site"), 403},
		{"another name of this machine", post("localhost:"+port, "Origin: http://127.0.0.1:"+port), 403},
		{"an origin with our name inside", post(addr, "Origin: http://"+addr+".evil.example"), 403},
		{"our origin before another's", post(addr, "Origin: http://"+addr, "Origin: http://evil.example"), 403},
		{"an extension", post(addr, "Origin: chrome-extension://abcdefgh"), 403},
		{"a file", post(addr, "Origin: file://"), 403},
		{"a rebound name that writes", post("evil.example:"+port, "Origin: http://evil.example:"+port, "Sec-Fetch-Site: same-origin", "Content-Type: "+
			"application/json"), 403},
		{"a rebound name that reads", "GET /v1/projects HTTP/1.1\r\nHost: evil.example:" + port + "\r\nSec-Fetch-Site: same-origin\r\nConnection: " +
			"close\r\n\r\n", 403},
		{"a rebound name that looks for our health", "GET /healthz HTTP/1.1\r\nHost: evil.example\r\nConnection: close\r\n\r\n", 403},
		{"a rebound name that streams", "GET /v1/events/stream HTTP/1.1\r\nHost: evil.example:" + port + "\r\nAccept: text/event-stream\r\nConnection: " +
			"close\r\n\r\n", 403},
		{"a rebound name for our pages", "GET / HTTP/1.1\r\nHost: evil.example:" + port + "\r\nAccept: text/html\r\nConnection: close\r\n\r\n", 403},
		{"a name in the request line", "GET http://evil.example/v1/projects HTTP/1.1\r\nHost: " + addr + "\r\nConnection: close\r\n\r\n", 403},
		{"a name that is said to be forwarded", "GET /v1/projects HTTP/1.1\r\nHost: " +
			"evil.example\r\nX-Forwarded-Host: " + addr + "\r\nForwarded: host=" + addr + "\r\nConnection: close\r\n\r\n", 403},
		{"a preflight", "OPTIONS /v1/tasks HTTP/1.1\r\nHost: " + addr + "\r\nOrigin: http://evil.example\r\nAccess-Control-Request-Method: " +
			"POST\r\nAccess-Control-Request-Headers: content-type\r\nConnection: close\r\n\r\n", 405},
		{"a method that is overridden", "GET /v1/tasks/demo-1/claim?_method=POST HTTP/1.1\r\nHost: " + addr + "\r\nX-HTTP-Method-Override: " +
			"POST\r\nConnection: close\r\n\r\n", 405},
		// Requests that no browser sends are admitted.
		{"a program", post(addr), 201},
		{"our own page", post(addr, "Origin: http://"+addr, "Sec-Fetch-Site: same-origin"), 201},
		{"a link from elsewhere", "GET / HTTP/1.1\r\nHost: " + addr + "\r\nSec-Fetch-Site: cross-site\r\nSec-Fetch-Mode: navigate\r\nReferer: " +
			"http://elsewhere.example/\r\nConnection: close\r\n\r\n", 200},
	} {
		status, body := send(t, addr, c.request)
		if status != c.want {
			t.Errorf("%s: %d, want %d: %s", c.name, status, c.want, body)
		}
		if status == 403 && (!strings.Contains(body, `"error":"forbidden"`) || !strings.Contains(body, "--allowed-host")) {
			t.Errorf("%s is not told what would allow it: %s", c.name, body)
		}
		if status == 403 && strings.Contains(body, "curtains") {
			t.Errorf("the refusal of %s shows stored text: %s", c.name, body)
		}
	}
	if n := strings.Count(w.run("alice", "", "events", "--kind", "note.added", "--json"), "from elsewhere"); n != 2 {
		t.Errorf("%d notes were written, want 2", n)
	}
}
