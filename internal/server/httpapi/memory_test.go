package httpapi

import (
	"bufio"
	"context"
	"io"
	"net"
	"net/http"
	"strings"
	"testing"
	"time"

	"github.com/go-json-experiment/json/jsontext"

	"tasker/internal/core"
	"tasker/internal/op"
	"tasker/internal/task"
	"tasker/internal/testkit/optest"
	"tasker/internal/work"
)

// large answers events of so many bytes.
func large(bytes int) *calls {
	return &calls{do: func(ctx context.Context, o *op.Op, _ any) (any, error) {
		if o != op.Events.Op {
			return optest.Out(o), nil
		}
		payload := jsontext.Value(`"` + strings.Repeat("x", bytes) + `"`)
		return []task.Event{{ID: 1, Payload: payload}}, core.Charge(ctx, int64(bytes))
	}}
}

// listening runs a server on a port, with the given bytes for bodies and answers and for connections.
func listening(t *testing.T, opts Options, bytes, conns int64) (*Server, string) {
	t.Helper()
	s := New(opts)
	s.memory = memory{newMemoryAccount(conns, conns), newMemoryAccount(bytes, bytes)}
	ln, err := Listen(t.Context(), "", 0)
	if err != nil {
		t.Fatal(err)
	}
	ctx, stop := context.WithCancel(t.Context())
	ended := make(chan error, 1)
	go func() { ended <- s.Serve(ctx, ln) }()
	t.Cleanup(func() { stop(); <-ended })
	return s, ln.Addr().String()
}

// until waits until a condition holds.
func until(t *testing.T, what string, is func() bool) {
	t.Helper()
	for stop := time.Now().Add(time.Minute); !is(); time.Sleep(time.Millisecond) {
		if time.Now().After(stop) {
			t.Fatalf("timed out waiting until %s", what)
		}
	}
}

// unread sends a request and reads nothing of its answer.
func unread(t *testing.T, addr, path string) net.Conn {
	t.Helper()
	c, err := net.Dial("tcp", addr)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { _ = c.Close() })
	if err := c.(*net.TCPConn).SetReadBuffer(4 << 10); err != nil {
		t.Fatal(err)
	}
	if _, err := io.WriteString(c, "GET "+path+" HTTP/1.1\r\nHost: localhost\r\n\r\n"); err != nil {
		t.Fatal(err)
	}
	return c
}

func get(t *testing.T, addr, path string) (status int, header http.Header, body string) {
	t.Helper()
	// Without http.Client, which drops an answer that comes before its request was sent: one who is turned away gets that.
	c, err := net.Dial("tcp", addr)
	if err != nil {
		t.Fatal(err)
	}
	defer c.Close()
	_, _ = io.WriteString(c, "GET "+path+" HTTP/1.1\r\nHost: "+addr+"\r\nConnection: close\r\n\r\n")
	resp, err := http.ReadResponse(bufio.NewReader(c), nil)
	if err != nil {
		t.Fatal(err)
	}
	defer resp.Body.Close()
	text, err := io.ReadAll(resp.Body)
	if err != nil {
		t.Fatal(err)
	}
	return resp.StatusCode, resp.Header, string(text)
}

func TestWhereAnswersThatNobodyReadsFillTheBoundOthersAreRefusedAndSmallOnesAnswered(t *testing.T) {
	const answer = 4 << 20
	c := large(answer)
	opts := options(c)
	s, addr := listening(t, opts, 3*2*answer+answer, 1<<30)
	for i := range 3 {
		unread(t, addr, "/v1/events")
		until(t, "the answer is held", func() bool { return s.memory.bytes.Used() >= int64(i+1)*2*answer })
	}
	status, header, body := get(t, addr, "/v1/events")
	if status != 503 || header.Get("Retry-After") == "" || !strings.Contains(body, `"unavailable"`) || !strings.Contains(body, "TASKER_MEMORY") {
		t.Errorf("%d %v %s", status, header, body)
	}
	if status, _, _ := get(t, addr, "/v1/version"); status != 200 {
		t.Errorf("a small request is answered with %d", status)
	}
}

func TestAClientThatDoesNotReadIsCutOff(t *testing.T) {
	opts := options(large(4 << 20))
	opts.Patience = 50 * time.Millisecond
	s, addr := listening(t, opts, 1<<30, 1<<30)
	unread(t, addr, "/v1/events")
	until(t, "the answer is held", func() bool { return s.memory.bytes.Used() > 0 })
	until(t, "nothing is held", func() bool { return s.memory.bytes.Used() == 0 && s.memory.conns.Used() == 0 })
}

func TestAStreamThatNobodyReadsIsCutOff(t *testing.T) {
	f := newFeed()
	opts := options(&calls{})
	opts.Feed, opts.Patience = f, 50*time.Millisecond
	s, addr := listening(t, opts, 1<<30, 1<<30)
	unread(t, addr, "/v1/events/stream")
	<-f.from
	f.pages <- []task.Event{{ID: 42, Payload: jsontext.Value(`"` + strings.Repeat("x", 8<<20) + `"`)}}
	until(t, "the event is held", func() bool { return s.memory.bytes.Used() > 0 })
	until(t, "nothing is held", func() bool { return s.memory.bytes.Used() == 0 && s.memory.conns.Used() == 0 && s.streams.Load() == 0 })
}

func TestAClientThatReadsInSmallPiecesIsNotCutOff(t *testing.T) {
	const answer = 2 << 20
	opts := options(large(answer))
	opts.Patience = 2 * time.Second
	_, addr := listening(t, opts, 1<<30, 1<<30)
	resp, err := http.Get("http://" + addr + "/v1/events")
	if err != nil {
		t.Fatal(err)
	}
	defer http.DefaultClient.CloseIdleConnections()
	defer resp.Body.Close()
	got := 0
	for part := make([]byte, 4<<10); got < answer; { // in any number of pieces
		n, err := resp.Body.Read(part)
		if got += n; err != nil && got < answer {
			t.Fatalf("after %d bytes: %v", got, err)
		}
	}
}

func TestConnectionsPastTheBoundAreTurnedAway(t *testing.T) {
	s, addr := listening(t, options(&calls{}), 1<<30, 2*(connCost+requestCost))
	var idle []net.Conn
	for range 2 * (connCost + requestCost) / connCost {
		c, err := net.Dial("tcp", addr)
		if err != nil {
			t.Fatal(err)
		}
		defer c.Close()
		idle = append(idle, c)
	}
	until(t, "all of it is held", func() bool { return s.memory.conns.Used() == 2*(connCost+requestCost) })
	status, header, body := get(t, addr, "/v1/version")
	if status != 503 || header.Get("Retry-After") == "" || !strings.Contains(body, `"unavailable"`) {
		t.Errorf("%d %v %s", status, header, body)
	}
	for _, c := range idle {
		_ = c.Close()
	}
	until(t, "nothing is held", func() bool { return s.memory.conns.Used() == 0 })
	if status, _, _ := get(t, addr, "/v1/version"); status != 200 {
		t.Errorf("with room again it is answered with %d", status)
	}
}

func TestABodyIsCountedBeforeItIsRead(t *testing.T) {
	const announced = 1 << 20
	s, addr := listening(t, options(&calls{}), announced*bodyFactor, 1<<30)
	c, err := net.Dial("tcp", addr)
	if err != nil {
		t.Fatal(err)
	}
	defer c.Close()
	if _, err := io.WriteString(c, "POST /v1/apply HTTP/1.1\r\nHost: localhost\r\nContent-Length: 1048576\r\n\r\n{"); err != nil {
		t.Fatal(err)
	}
	until(t, "the body is counted", func() bool { return s.memory.bytes.Used() == announced*bodyFactor })
	for _, chunked := range []bool{false, true} {
		var body io.Reader = strings.NewReader(strings.Repeat(" ", 100_000) + "{}")
		if chunked {
			body = io.MultiReader(body)
		}
		for _, path := range []string{"/v1/apply", "/v1/tasks"} {
			resp, err := http.Post("http://"+addr+path, "application/json", body)
			if err != nil {
				t.Fatal(err)
			}
			_ = resp.Body.Close()
			if resp.StatusCode != 503 || resp.Header.Get("Retry-After") == "" {
				t.Errorf("%s at the same time, chunked %t: %d", path, chunked, resp.StatusCode)
			}
			body = strings.NewReader(strings.Repeat(" ", 100_000) + "{}")
			if chunked {
				body = io.MultiReader(body)
			}
		}
	}
	_ = c.Close()
	until(t, "nothing is held", func() bool { return s.memory.bytes.Used() == 0 })
	resp, err := http.Post("http://"+addr+"/v1/apply", "application/json", strings.NewReader(strings.Repeat(" ", announced+1)))
	if err != nil {
		t.Fatal(err)
	}
	defer resp.Body.Close()
	if resp.StatusCode != 413 {
		t.Errorf("a body for which there can be no room: %d", resp.StatusCode)
	}
	http.DefaultClient.CloseIdleConnections()
}

func TestAPlanOfManyTasksIsCountedByThem(t *testing.T) {
	s, addr := listening(t, options(&calls{}), 1<<20, 1<<30)
	plan := `{"project":"demo","tasks":[{"key":"k","title":"T"}` + strings.Repeat(`,{"key":"k","title":"T"}`, 999) + `]}`
	for n, want := range map[string]int{plan: 503, strings.Replace(plan, strings.Repeat(`,{"key":"k","title":"T"}`, 900), "", 1): 201} {
		resp, err := http.Post("http://"+addr+"/v1/apply", "application/json", strings.NewReader(n))
		if err != nil {
			t.Fatal(err)
		}
		_ = resp.Body.Close()
		if resp.StatusCode != want {
			t.Errorf("a plan of %d bytes is answered with %d, want %d", len(n), resp.StatusCode, want)
		}
	}
	http.DefaultClient.CloseIdleConnections()
	until(t, "nothing is held", func() bool { return s.memory.bytes.Used() == 0 })
}

func TestABodyThatDoesNotComeIsGivenUp(t *testing.T) {
	opts := options(&calls{})
	opts.Patience = 50 * time.Millisecond
	s, addr := listening(t, opts, 1<<30, 1<<30)
	c, err := net.Dial("tcp", addr)
	if err != nil {
		t.Fatal(err)
	}
	defer c.Close()
	if _, err := io.WriteString(c, "POST /v1/apply HTTP/1.1\r\nHost: localhost\r\nContent-Length: 1048576\r\n\r\n{"); err != nil {
		t.Fatal(err)
	}
	until(t, "the body is counted", func() bool { return s.memory.bytes.Used() > 0 })
	until(t, "nothing is held", func() bool { return s.memory.bytes.Used() == 0 })
}

// A write that was made is not answered with an outage because its answer is large: it would be sent again.
func TestTheAnswerToAWriteIsSentThoughThereIsNoRoomForIt(t *testing.T) {
	many := []string{strings.Repeat("x", 2*small)}
	s := New(options(&calls{do: func(_ context.Context, o *op.Op, _ any) (any, error) {
		if o == op.Note.Op {
			return work.NoteOut{OK: true, ID: 1, Warnings: many}, nil
		}
		return []task.Event{{ID: 1, Payload: jsontext.Value(`"` + many[0] + `"`)}}, nil
	}}))
	s.memory = memory{newMemoryAccount(small, small), newMemoryAccount(small, small)}
	if got := ask(s, request("GET", "/v1/events", "")); got.Status != http.StatusServiceUnavailable {
		t.Errorf("a read is answered with %d", got.Status)
	}
	if got := ask(s, request("POST", "/v1/tasks/demo-1/notes", `{"text": "x"}`, "Content-Type", "application/json")); got.Status != http.StatusCreated {
		t.Errorf("a write is answered with %d: %.300s", got.Status, got.Body)
	}
}
