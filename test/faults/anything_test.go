package faults

import (
	"bufio"
	"bytes"
	"errors"
	"fmt"
	"io"
	"maps"
	"net"
	"net/http"
	"os"
	"slices"
	"strings"
	"sync"
	"testing"
	"time"
	"unicode/utf8"

	"github.com/go-json-experiment/json"
	"github.com/go-json-experiment/json/jsontext"
	"pgregory.net/rapid"

	"tasker/internal/op"
	"tasker/internal/testkit/optest"
)

// request is what is sent, byte for byte. Head is everything up to the empty line.
type request struct {
	head string
	body string
	cut  bool // it ends too soon: the client hangs up
}

// plainRequest returns a request with one header more than it needs, and a body of the right length.
func plainRequest(method, target, header, body string) request {
	head := method + " " + target + " HTTP/1.1\r\nHost: localhost\r\nConnection: close\r\n"
	if header != "" {
		head += header + "\r\n"
	}
	return request{head: fmt.Sprintf("%sContent-Length: %d\r\n", head, len(body)), body: body}
}

func (r request) String() string {
	text := r.head + "\r\n" + r.body
	if len(text) > 400 {
		return fmt.Sprintf("%q… (%d bytes)", text[:400], len(text))
	}
	return fmt.Sprintf("%q", text)
}

// raw sends bytes over a connection of their own and returns the answer, or nil if none came.
func (s *server) raw(r request) (*http.Response, []byte, error) {
	conn, err := net.Dial("tcp", strings.TrimPrefix(s.url, "http://"))
	if err != nil {
		return nil, nil, err
	}
	defer conn.Close()
	if err := conn.SetDeadline(time.Now().Add(patience)); err != nil {
		return nil, nil, err
	}
	// A server that has read enough may answer and hang up before everything is sent.
	if r.cut {
		_, _ = io.WriteString(conn, r.head+r.body)
		_ = conn.(*net.TCPConn).CloseWrite()
	} else {
		_, _ = io.WriteString(conn, r.head+"\r\n"+r.body)
	}
	method, _, _ := strings.Cut(r.head, " ")
	in := bufio.NewReader(conn)
	resp, err := http.ReadResponse(in, &http.Request{Method: method})
	for err == nil && resp.StatusCode == 100 { // the server asked for the body; the answer follows
		resp, err = http.ReadResponse(in, &http.Request{Method: method})
	}
	if errors.Is(err, io.ErrUnexpectedEOF) || errors.Is(err, io.EOF) {
		return nil, nil, nil
	}
	if err != nil {
		return nil, nil, err
	}
	body, err := io.ReadAll(resp.Body)
	return resp, body, err
}

// table lists every status that a request may be answered with, and the word in its error.
var table = map[int]string{
	200: "", 201: "", 401: "unauthorized", 403: "forbidden", 404: "not_found", 405: "method_not_allowed", 409: "conflict",
	410: "gone", 413: "too_large", 422: "refusal",
}

// fits checks an answer: a status of the table, in the one format.
func fits(r request, resp *http.Response, body []byte) error {
	if resp == nil && r.cut {
		return nil // nobody waits for an answer
	}
	if resp == nil {
		return errors.New("there is no answer")
	}
	word, known := table[resp.StatusCode]
	if r.cut && resp.StatusCode == 503 {
		word, known = "unavailable", true // the client counts as gone
	}
	if !known {
		return fmt.Errorf("%d is not in the table: %s", resp.StatusCode, body)
	}
	if resp.Header.Get("X-Content-Type-Options") != "nosniff" || resp.Header.Get("Cache-Control") != "no-store" {
		return fmt.Errorf("%d has the headers %v", resp.StatusCode, resp.Header)
	}
	if strings.HasPrefix(r.head, "HEAD ") {
		return nil // a HEAD has no body
	}
	if kind := resp.Header.Get("Content-Type"); resp.StatusCode == 200 && strings.HasPrefix(kind, "text/html") {
		return nil // the page for people
	} else if resp.StatusCode == 200 && strings.HasPrefix(r.head, "GET /v1/prime") && strings.HasPrefix(kind, "text/plain") && utf8.Valid(body) {
		return nil // the manual for agents
	} else if kind != "application/json" {
		return fmt.Errorf("%d is %q: %s", resp.StatusCode, kind, body)
	}
	if !jsontext.Value(body).IsValid() || !utf8.Valid(body) {
		return fmt.Errorf("%d is not JSON: %q", resp.StatusCode, body)
	}
	if resp.StatusCode < 400 {
		return nil
	}
	var f struct {
		Error, Message, Hint, Reason string
		Missing                      []string
	}
	names := map[string]jsontext.Value{}
	if err := json.Unmarshal(body, &f, json.MatchCaseInsensitiveNames(true)); err != nil {
		return fmt.Errorf("%d: %w: %s", resp.StatusCode, err, body)
	}
	if err := json.Unmarshal(body, &names); err != nil {
		return fmt.Errorf("%d: %w: %s", resp.StatusCode, err, body)
	}
	want := []string{"error", "hint", "message", "missing"}
	if resp.StatusCode == 422 {
		want = append(want, "reason")
	}
	if !slices.Equal(slices.Sorted(maps.Keys(names)), want) || f.Error != word || f.Message == "" ||
		resp.StatusCode == 422 && f.Reason != "invalid" && f.Reason != "declined" {
		return fmt.Errorf("%d has another shape: %s", resp.StatusCode, body)
	}
	return nil
}

// odd lists values that no field expects, as JSON.
var odd = []string{
	`null`, `true`, `""`, `" "`, `"\u0000"`, `"a\u0000b"`, `"\ud800"`, `"\udc00\ud800"`, `"\ud83d\ude00"`, "\"\xff\xfe\"", "\"\xed\xa0\x80\"", "\"\xc0\x80\"",
	`"\u202e\u2066\u200b\ufeff"`, `"\ufffe\uffff"`, "\"\u0085\u2028\u2029\"", `"\u001b[2J\u0007\r\n"`, `"` + strings.Repeat("é", 300) + `"`, `"` +
		strings.Repeat("a", 70_000) + `"`,
	`"e\u0301\u0301\u0301"`, `"İıſK"`, `"demo-1"`, `"demo-99999999999999999999"`, `"demo-0"`, `"DEMO-1"`, `"../../etc/passwd"`,
	`"'; DROP TABLE task; --"`, `"%00%ff"`, `"done"`,
	`0`, `-0`, `-1`, `1.5`, `1e2`, `1e400`, `-1e400`, `9223372036854775807`, `9223372036854775808`, `-9223372036854775809`, `1e-400`, `0.1e1`,
	`123456789012345678901234567890`, `[]`, `{}`, `[null]`, `[[[]]]`, `{"":{}}`, `["a","a"]`, `[1,"1",true]`, `{"from":1}`,
	strings.Repeat("[", 12_000) + strings.Repeat("]", 12_000), strings.Repeat(`{"a":`, 12_000) + `1` + strings.Repeat("}", 12_000),
}

// bodies lists texts that are not a valid body of any request.
var bodies = []string{
	``, ` `, "\n", "\x00", "\ufeff{}", `{`, `}`, `{}{}`, `{} x`, `[]`, `null`, `"text"`, `1`, `{"a":1,"a":2}`, `{"project":"demo",` +
		`"project":"demo"}`, `{"Project":"demo"}`,
	`{"":1}`, `{"\u0000":1}`, "{\"\xff\":1}", `{'project':'demo'}`, `{project:"demo"}`, `{"project":"demo",}`, `{/*c*/}`, `{"a":NaN}`, `{"a":Infinity}`,
	`{"a":01}`, `{"a":"` + "\n" + `"}`,
	"\xff\xfe{\x00}\x00", strings.Repeat("[", 100_000), strings.Repeat("a", 1<<20), "\x1f\x8b\x08\x00", `<xml/>`, "project=demo&x=1", strings.Repeat(" ",
		100_000) + `{}`,
}

// heads lists requests that end with their head; HOST stands for the usual lines.
var heads = []string{
	"GET / HTTP/1.1", "GET /v1/version HTTP/1.0", "GET /v1/version HTTP/1.1\r\nHost: localhost\r\nHost: localhost", "GET /v1/version " +
		"HTTP/1.1\r\nHost: ", "GET /v1/version HTTP/1.1",
	"GET /v1/version HTTP/2.0\r\nHOST", "GET /v1/version HTTP/9.9\r\nHOST", "GET /v1/version HTTP/1\r\nHOST", "GET /v1/version\r\nHOST",
	"GET  /v1/version  HTTP/1.1\r\nHOST", "get /v1/version HTTP/1.1\r\nHOST",
	"PRI * HTTP/2.0", "\x16\x03\x01\x02\x00\x01\x00\x01\xfc\x03\x03", "\x00\x00\x00\x00", "SSH-2.0-OpenSSH_9.2", "*1\r\n$4\r\nPING",
	"\xff\xff\xff\xff HTTP/1.1\r\nHOST", ": : :", " ",
	"GET http://evil.example/v1/version HTTP/1.1\r\nHOST", "GET http://localhost/v1/version HTTP/1.1\r\nHOST", "GET //v1/version " +
		"HTTP/1.1\r\nHOST", "GET /v1/../v1/version HTTP/1.1\r\nHOST",
	"GET /v1/./version HTTP/1.1\r\nHOST", "GET /v1//version HTTP/1.1\r\nHOST", "GET /v1/version/ " +
		"HTTP/1.1\r\nHOST", "GET /v1/version%00 HTTP/1.1\r\nHOST", "GET /v1/%76ersion HTTP/1.1\r\nHOST",
	"GET /v1/tasks/%ff HTTP/1.1\r\nHOST", "GET /v1/tasks/%00 HTTP/1.1\r\nHOST", "GET /v1/tasks/%2e%2e " +
		"HTTP/1.1\r\nHOST", "GET /v1/tasks/demo-1%2fclaim HTTP/1.1\r\nHOST", "GET /v1/tasks/%zz HTTP/1.1\r\nHOST",
	"GET /v1/tasks/%ed%a0%80 HTTP/1.1\r\nHOST", "GET /v1/tasks/\xff HTTP/1.1\r\nHOST", "GET /v1/tasks/☂ " +
		"HTTP/1.1\r\nHOST", "GET * HTTP/1.1\r\nHOST", "OPTIONS * HTTP/1.1\r\nHOST", "OPTIONS /v1/next HTTP/1.1\r\nHOST",
	"CONNECT localhost:80 HTTP/1.1\r\nHOST", "CONNECT / HTTP/1.1\r\nHOST", "TRACE /v1/version HTTP/1.1\r\nHOST", "DELETE /v1/tasks/demo-1 " +
		"HTTP/1.1\r\nHOST", "PUT /v1/apply HTTP/1.1\r\nHOST", "BREW /v1/version HTTP/1.1\r\nHOST",
	"HEAD /v1/version HTTP/1.1\r\nHOST", "HEAD /nowhere HTTP/1.1\r\nHOST", "PATCH /v1/tasks HTTP/1.1\r\nHOST", "POST /v1/version " +
		"HTTP/1.1\r\nHOST", "GET /v1/apply HTTP/1.1\r\nHOST", "POST / HTTP/1.1\r\nHOST",
	"GET /v1/version HTTP/1.1\r\nHOST\r\nBad Header: x", "GET /v1/version HTTP/1.1\r\nHOST\r\nNoColon", "GET /v1/version HTTP/1.1\r\nHOST\r\n: empty",
	"GET /v1/version HTTP/1.1\r\nHOST\r\nX: \x00", "GET /v1/version HTTP/1.1\r\nHOST\r\nX: \xff\xfe",
	"GET /v1/version HTTP/1.1\r\nHOST\r\nX: é☂", "GET /v1/version HTTP/1.1\r\nHOST\r\nX\x00Y: 1", "GET /v1/version HTTP/1.1\r\nHOST\r\n X: folded",
	"GET /v1/version HTTP/1.1\r\nHOST\r\nX: a\r\n b", "GET /v1/version HTTP/1.1\nHost: localhost\nConnection: close",
	"GET /v1/version HTTP/1.1\r\nHOST\r\nX: a\rb", "GET /v1/version HTTP/1.1\r\nHOST\r\nX: " + strings.Repeat("a", 100_000), "GET /v1/version " +
		"HTTP/1.1\r\nHOST" + strings.Repeat("\r\nX: 1", 20_000),
	"GET /v1/version?" + strings.Repeat("a", 100_000) + " HTTP/1.1\r\nHOST", "GET /" + strings.Repeat("a", 30_000) + " HTTP/1.1\r\nHOST",
	"GET /v1/version HTTP/1.1\r\nHOST\r\nExpect: \x01", "GET /v1/version HTTP/1.1\r\nHOST\r\nExpect: é", "GET /v1/version HTTP/1.0\r\nHOST\r\nExpect: a miracle",
	"POST /v1/next HTTP/1.1\r\nHOST\r\nContent-Length: -1", "POST /v1/next HTTP/1.1\r\nHOST\r\nContent-Length: x", "POST /v1/next " +
		"HTTP/1.1\r\nHOST\r\nContent-Length: 1\r\nContent-Length: 2", "POST /v1/next HTTP/1.1\r\nHOST\r\nContent-Length: 99999999999999999999",
	"POST /v1/next HTTP/1.1\r\nHOST\r\nContent-Length: 17000000", "POST /v1/apply HTTP/1.1\r\nHOST\r\nContent-Length: 68000000", "POST /v1/next " +
		"HTTP/1.1\r\nHOST\r\nContent-Length: 9223372036854775807",
	"POST /v1/next HTTP/1.1\r\nHOST\r\nContent-Length: 17000000\r\nExpect: 100-continue", "POST /v1/next HTTP/1.1\r\nHOST\r\nTransfer-Encoding: gzip",
	"POST /v1/next HTTP/1.1\r\nHOST\r\nTransfer-Encoding: chunked, chunked", "POST /v1/next HTTP/1.1\r\nHOST\r\nTransfer-Encoding: \x0bchunked",
	"GET /v1/version HTTP/1.1\r\nHOST\r\nUpgrade: websocket\r\nConnection: Upgrade", "GET /v1/version HTTP/1.1\r\nHOST\r\nUpgrade: " +
		"h2c\r\nHTTP2-Settings: AAAA", "GET /v1/version HTTP/1.1\r\nHOST\r\nAccept: text/plain", "GET /v1/version HTTP/1.1\r\nHOST\r\nAccept-Encoding: " +
		"gzip;q=9, \xff",
	"GET /v1/version HTTP/1.1\r\nHOST\r\nRange: bytes=0-1", "GET /v1/version HTTP/1.1\r\nHOST\r\nIf-None-Match: *", "GET /v1/events/stream " +
		"HTTP/1.1\r\nHOST\r\nLast-Event-ID: x", "GET /v1/events/stream?since_id=-1 HTTP/1.1\r\nHOST", "GET /v1/events?since_id=99999999999999999999 HTTP/1.1\r\nHOST",
}

// framed lists requests with an oddly framed but complete body.
var framed = []string{
	"Content-Length: 2\r\nExpect: 100-continue\r\n\r\n{}", "Content-Length: 2\r\nExpect: a miracle\r\n\r\n{}", "Content-Length: " +
		"2\r\nContent-Length: 2\r\n\r\n{}", "Content-Length: +2\r\n\r\n{}", "Content-Length:\t2\r\n\r\n{}", "Content-Length: 2, 2\r\n\r\n{}",
	"Transfer-Encoding: chunked\r\n\r\n2\r\n{}\r\n0\r\n\r\n", "Transfer-Encoding: chunked\r\n\r\n1;a=b\r\n{\r\n1\r\n}\r\n0\r\nX: y\r\n\r\n",
	"Transfer-Encoding: chunked\r\nContent-Length: 3\r\n\r\n2\r\n{}\r\n0\r\n\r\n",
	"Trailer: Content-Length\r\nTransfer-Encoding: chunked\r\n\r\n0\r\n\r\n", "Transfer-Encoding: " +
		"chunked\r\n\r\nzz\r\n\xff\r\n", "Transfer-Encoding: chunked\r\n\r\n-2\r\n{}\r\n0\r\n\r\n", "Transfer-Encoding: chunked\r\n\r\nffffffffffffffffff\r\n{}",
	"Transfer-Encoding: chunked\r\n\r\n" + strings.Repeat("1\r\n{\r\n", 2000) + "0\r\n\r\n", "Transfer-Encoding: CHUNKED\r\n\r\n0\r\n\r\n",
}

// cut lists requests that break off.
var cut = []string{
	"", "G", "GET", "GET /v1/version", "GET /v1/version HTTP/1.1\r\n", "GET /v1/version HTTP/1.1\r\nHost: " +
		"localhost\r\n", "GET /v1/version HTTP/1.1\r\nHost: localhost\r\n\r\n",
	"POST /v1/next HTTP/1.1\r\nHost: localhost\r\nContent-Length: 500\r\n\r\n{\"project\"", "POST /v1/apply HTTP/1.1\r\nHost: " +
		"localhost\r\nContent-Length: 50000000\r\n\r\n{",
	"POST /v1/next HTTP/1.1\r\nHost: localhost\r\nTransfer-Encoding: chunked\r\n\r\n", "POST /v1/next HTTP/1.1\r\nHost: " +
		"localhost\r\nTransfer-Encoding: chunked\r\n\r\n5\r\n{", "POST /v1/next HTTP/1.1\r\nHost: localhost\r\nContent-Length: 2\r\nExpect: 100-continue\r\n\r\n",
}

// headers lists single header lines that mean something to us.
var headers = []string{
	"Host: evil.example", "Host: localhost:80:80", "Host: [::1", "Host: \x00", "Host: lo\xffcalhost", "Origin: null", "Origin: http://evil.example",
	"Origin: http://[", "Origin: \xff", "Sec-Fetch-Site: cross-site", "Sec-Fetch-Site: \xff",
	"Authorization: Bearer", "Authorization: Bearer \xff", "Authorization: Basic eDp5", "Content-Type: text/plain; " +
		"charset=utf-16", "Content-Type: \xff", "Content-Encoding: gzip", "Content-Encoding: \xff",
	"Idempotency-Key: ", "Idempotency-Key: \xff", "Idempotency-Key: é", "Idempotency-Key: " + strings.Repeat("k", 300), "Idempotency-Key: k",
	"Idempotency-Key: k\r\nIdempotency-Key: l", "Idempotency-Key: '; --",
	"Tasker-Instance: ", "Tasker-Instance: a/b", "Tasker-Instance: /", "Tasker-Instance: \xff", "Tasker-Instance: ☂", "Tasker-Instance: " +
		strings.Repeat("i", 300), "Tasker-Instance: 1\r\nTasker-Instance: 2", "Tasker-Instance: \u202e", "Tasker-Instance: \t1",
	"X-Request-Id: \xff", "X-Request-Id: " + strings.Repeat("x", 300), "X-Request-Id: a\r\nX-Request-Id: b", "Last-Event-ID: -1", "Cookie: a=\xff; b",
	"Forwarded: for=\"_\x01\"", "X-Forwarded-Host: evil.example",
}

func TestAnythingGetsAnAnswerFromTheTable(t *testing.T) {
	t.Parallel()
	each(t, func(w *world) {
		w.apply(flat("demo", 20))
		s := w.serve("bot")
		n := 0
		queue := make(chan request)
		var senders sync.WaitGroup
		for range 8 {
			senders.Go(func() {
				for r := range queue {
					resp, body, err := s.raw(r)
					if err == nil {
						err = fits(r, resp, body)
					}
					if err != nil {
						w.Errorf("%s: %v", r, err)
					}
				}
			})
		}
		// Each goes to one of the databases in turn: odd requests are refused before they reach a database.
		mine := 0
		if strings.HasPrefix(w.db, "postgres") {
			mine = 1
		}
		both := often(0, 1) == 1
		send := func(r request) {
			if n++; both || n%2 == mine {
				queue <- r
			}
		}
		for _, head := range heads {
			send(request{head: strings.Replace(head, "HOST", "Host: localhost\r\nConnection: close", 1) + "\r\n"})
		}
		for _, rest := range framed {
			head, body, _ := strings.Cut(rest, "\r\n\r\n")
			send(request{head: "POST /v1/next HTTP/1.1\r\nHost: localhost\r\nConnection: close\r\n" + head + "\r\n", body: body})
		}
		for _, text := range cut {
			send(request{head: text, cut: true})
		}
		for k, o := range op.Table {
			if o.Method == "" {
				continue
			}
			sample, err := o.Encode(optest.In(o))
			w.must(err)
			for i, body := range slices.Concat(bodies, odd) {
				if !both && (i+k)%2 == 0 { // each operation gets half of them, and each of them goes to half of the operations
					continue
				}
				send(plainRequest(o.Method, "/v1"+sample.Path, headers[i%len(headers)], body))
			}
			at := strings.NewReplacer("{id}", "demo-1", "{slug}", "demo").Replace("/v1" + o.Path)
			for i, header := range headers {
				if !both && (i+k)%2 == 0 {
					continue
				}
				send(plainRequest(o.Method, at, header, string(sample.Body)))
			}
			for i, value := range odd {
				for j, body := range replaced(sample.Body, value) {
					if both || (i+j)%3 == 0 { // each member gets every third value, and each value goes to every third member
						send(plainRequest(o.Method, at, "", body))
					}
				}
				var text string
				if json.Unmarshal([]byte(value), &text) != nil || len(text) > 10_000 {
					text = value[:min(len(value), 1000)]
				}
				name := escape(text)
				where := []string{
					strings.NewReplacer("{id}", name, "{slug}", name).Replace("/v1" + o.Path), at + "?project=" + name,
					at + "?limit=" + name, at + "?since_id=" + name + "&cursor=" + name, at + "?" + name + "=1",
				}
				send(plainRequest(o.Method, where[i%len(where)], "Idempotency-Key: "+o.Name, string(sample.Body)))
			}
		}
		close(queue)
		senders.Wait()
		w.healthy()
		w.Logf("%d requests", n)
	})
}

// escape writes every byte in a form that a path or a query can have.
func escape(text string) string {
	var b strings.Builder
	for _, c := range []byte(text) {
		fmt.Fprintf(&b, "%%%02x", c)
	}
	return b.String()
}

// replaced returns the body with each of its members in turn replaced by another value, and with one too many.
func replaced(body []byte, value string) []string {
	if len(body) == 0 {
		return []string{value}
	}
	members := map[string]jsontext.Value{}
	if err := json.Unmarshal(body, &members); err != nil {
		return []string{value}
	}
	names := slices.Sorted(maps.Keys(members))
	var out []string
	for _, name := range names {
		var b bytes.Buffer
		b.WriteByte('{')
		for i, other := range names {
			if i > 0 {
				b.WriteByte(',')
			}
			fmt.Fprintf(&b, "%q:", other)
			if other == name {
				b.WriteString(value)
			} else {
				b.Write(members[other])
			}
		}
		b.WriteByte('}')
		out = append(out, b.String())
	}
	return out
}

// Drawn requests are as odd as the listed ones, in combinations that nobody thought of.
func TestAnythingDrawnGetsAnAnswerFromTheTable(t *testing.T) {
	t.Parallel()
	each(t, func(w *world) {
		w.apply(flat("demo", 20))
		s := w.serve("bot")
		var ops []*op.Op
		for _, o := range op.Table {
			if o.Method != "" {
				ops = append(ops, o)
			}
		}
		rapid.Check(w.T, func(t *rapid.T) {
			for range often(5, 10) {
				r := drawn(t, ops)
				resp, body, err := s.raw(r)
				if errors.Is(err, os.ErrDeadlineExceeded) {
					t.Fatalf("%s: there was no answer in time", r)
				}
				if err == nil {
					err = fits(r, resp, body)
				}
				if err != nil {
					t.Fatalf("%s: %v", r, err)
				}
			}
		})
		w.healthy()
	})
}

// drawn makes a request of an operation, with odd values here and there.
func drawn(t *rapid.T, ops []*op.Op) request {
	o := rapid.SampledFrom(ops).Draw(t, "operation")
	sample, err := o.Encode(optest.In(o))
	if err != nil {
		t.Fatal(err)
	}
	text := rapid.OneOf(
		rapid.String(),
		rapid.Map(rapid.SliceOfN(rapid.Byte(), 0, 20), func(b []byte) string { return string(b) }),
		rapid.SampledFrom([]string{"demo", "demo-1", "demo-2", "k3"}),
	)
	name := escape(text.Draw(t, "name"))
	target := strings.NewReplacer("{id}", name, "{slug}", name).Replace("/v1" + o.Path)
	if rapid.Bool().Draw(t, "real") {
		target = strings.NewReplacer("{id}", "demo-3", "{slug}", "demo").Replace("/v1" + o.Path)
	}
	for range rapid.IntRange(0, 3).Draw(t, "parameters") {
		joint := "?"
		if strings.Contains(target, "?") {
			joint = "&"
		}
		parameter := rapid.SampledFrom([]string{"project", "limit", "since_id", "cursor", "q", "dryRun", "budget", "status", "x"}).Draw(t, "parameter")
		target += joint + parameter + "=" + escape(text.Draw(t, "value"))
	}
	body := string(sample.Body)
	switch rapid.IntRange(0, 3).Draw(t, "body") {
	case 0:
		body = text.Draw(t, "text")
	case 1:
		if all := replaced(sample.Body, rapid.SampledFrom(odd).Draw(t, "odd")); len(all) > 0 {
			body = rapid.SampledFrom(all).Draw(t, "which")
		}
	case 2: // any key order, any Unicode
		members := map[string]any{}
		for range rapid.IntRange(0, 6).Draw(t, "members") {
			key := rapid.OneOf(rapid.SampledFrom([]string{"project", "tasks", "text", "to", "title", "key", "fence", "leaseMs", "items", "index", "check",
				"note", "deps", "criteria", "status"}), rapid.String()).
				Draw(t, "key")
			members[key] = rapid.OneOf(rapid.Map(rapid.String(), func(s string) any { return s }), rapid.Map(rapid.Int64(), func(n int64) any { return n }),
				rapid.Just[any](nil), rapid.Just[any]([]any{object{}, "x", 1})).
				Draw(t, "member")
		}
		if made, err := json.Marshal(members); err == nil {
			body = string(made)
		}
	}
	return plainRequest(o.Method, target, rapid.SampledFrom(headers).Draw(t, "header"), body)
}
