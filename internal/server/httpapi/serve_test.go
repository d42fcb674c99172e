package httpapi

import (
	"bufio"
	"context"
	"fmt"
	"io"
	"net"
	"net/http"
	"strings"
	"testing"
	"time"

	"tasker/internal/fault"
	"tasker/internal/op"
)

// running serves s on a free port and returns its address, how to stop it, and what Serve returned.
func running(t *testing.T, s *Server) (addr string, stop func(), done <-chan error) {
	t.Helper()
	ctx, cancel := context.WithCancel(context.Background())
	ln, err := Listen(ctx, "", 0)
	if err != nil {
		t.Fatal(err)
	}
	served := make(chan error, 1)
	go func() { served <- s.Serve(ctx, ln) }()
	t.Cleanup(func() { cancel(); http.DefaultClient.CloseIdleConnections() })
	return ln.Addr().String(), cancel, served
}

func TestARequestUnderWayIsFinishedBeforeTheServerStops(t *testing.T) {
	begun, finish := make(chan struct{}), make(chan struct{})
	s := New(options(&calls{do: func(ctx context.Context, _ *op.Op, _ any) (any, error) {
		close(begun)
		<-finish
		return "done", ctx.Err()
	}}))
	addr, stop, served := running(t, s)
	answered := make(chan string, 1)
	go func() {
		resp, err := http.Post("http://"+addr+"/v1/next", "", strings.NewReader(`{"project":"demo"}`))
		if err != nil {
			answered <- err.Error()
			return
		}
		defer resp.Body.Close()
		body, _ := io.ReadAll(resp.Body)
		answered <- fmt.Sprint(resp.StatusCode, " ", string(body))
	}()
	<-begun
	stop()
	<-s.ending // it has begun to stop, and the request is still running
	close(finish)
	if got := <-answered; got != "200 \"done\"\n" {
		t.Errorf("the request under way got %q", got)
	}
	if err := <-served; err != nil {
		t.Errorf("stopped with %v", err)
	}
	if conn, err := net.Dial("tcp", addr); err == nil {
		conn.Close()
		t.Error("the server still listens")
	}
}

func TestAStreamDoesNotHoldUpTheEnd(t *testing.T) {
	f := newFeed()
	opts := options(&calls{})
	opts.Feed = f
	s := New(opts)
	addr, stop, served := running(t, s)
	_, next := openStream(t, "http://"+addr+"/v1/events/stream")
	next()
	stop()
	if got := next(); got != ": the server is stopping\n\n" {
		t.Errorf("the stream ends with %q", got)
	}
	if err := <-served; err != nil {
		t.Errorf("stopped with %v", err)
	}
}

func TestARequestThatDoesNotFinishInTimeIsCutOff(t *testing.T) {
	begun := make(chan struct{})
	opts := options(&calls{do: func(ctx context.Context, _ *op.Op, _ any) (any, error) {
		close(begun)
		<-ctx.Done()
		return nil, ctx.Err()
	}})
	opts.Drain = time.Millisecond
	addr, stop, served := running(t, New(opts))
	gone := make(chan struct{})
	go func() {
		defer close(gone)
		if resp, err := http.Post("http://"+addr+"/v1/next", "", strings.NewReader(`{"project":"demo"}`)); err == nil {
			resp.Body.Close()
		}
	}()
	<-begun
	stop()
	if err := <-served; !fault.Is(err, fault.Unavailable) || !strings.Contains(err.Error(), "cut off") {
		t.Errorf("stopped with %v", err)
	}
	<-gone
}

// What net/http answers by itself is plain text; everything that passes its parser is ours.
func TestRawRequestsAreAnsweredInTheOneShape(t *testing.T) {
	addr, _, _ := running(t, New(options(&calls{})))
	for _, c := range []struct {
		raw    string
		status int
	}{
		{"OPTIONS * HTTP/1.1\r\nHost: localhost\r\n\r\n", 404},
		{"GET /v1/../v1/version HTTP/1.1\r\nHost: localhost\r\n\r\n", 404},
		{"GET http://localhost/v1/nothing HTTP/1.1\r\nHost: localhost\r\n\r\n", 404},
		{"GET http://localhost HTTP/1.1\r\nHost: localhost\r\n\r\n", 404},
		{"CONNECT localhost:80 HTTP/1.1\r\nHost: localhost\r\n\r\n", 404},
		{"GET /v1/tasks/%ff HTTP/1.1\r\nHost: localhost\r\n\r\n", 422},
		{"GET /v1/version?%zz HTTP/1.1\r\nHost: localhost\r\n\r\n", 422},
		{"GET /v1/nothing HTTP/1.0\r\n\r\n", 404},
		{"POST /v1/next HTTP/1.1\r\nHost: localhost\r\nTransfer-Encoding: chunked\r\n\r\nzz\r\n", 422},
		{"GET /v1/version HTTP/1.1\r\nHost: evil.example\r\n\r\n", 403},
	} {
		conn, err := net.Dial("tcp", addr)
		if err != nil {
			t.Fatal(err)
		}
		if _, err := io.WriteString(conn, c.raw); err != nil {
			t.Fatal(err)
		}
		resp, err := http.ReadResponse(bufio.NewReader(conn), nil)
		if err != nil {
			t.Fatalf("%q: %v", c.raw, err)
		}
		body, err := io.ReadAll(resp.Body)
		resp.Body.Close()
		conn.Close()
		if err != nil || resp.StatusCode != c.status {
			t.Errorf("%q: %d, %v", c.raw, resp.StatusCode, err)
		}
		failure(t, reply{resp.StatusCode, resp.Header, body})
	}
}

func TestAPortInUseIsSaidPlainly(t *testing.T) {
	ln, err := Listen(t.Context(), "127.0.0.1", 0)
	if err != nil {
		t.Fatal(err)
	}
	defer func() { _ = ln.Close() }()
	_, err = Listen(t.Context(), "127.0.0.1", ln.Addr().(*net.TCPAddr).Port)
	if !fault.Is(err, fault.Unavailable) || !strings.Contains(err.Error(), "address already in use") {
		t.Errorf("%v", err)
	}
	if _, err := Listen(t.Context(), "", 70000); !fault.Is(err, fault.Invalid) {
		t.Errorf("port 70000: %v", err)
	}
}

// Bytes that follow an answer on the same connection are the next request: nothing is left over from the previous one.
func TestRequestsOnOneConnectionDoNotMix(t *testing.T) {
	c := &calls{do: func(_ context.Context, _ *op.Op, in any) (any, error) { return in, nil }}
	addr, _, _ := running(t, New(options(c)))
	for i := range 50 {
		body := fmt.Sprintf(`{"text":"%s"}`, strings.Repeat(string(rune('a'+i%26)), i*100+1))
		resp, err := http.Post("http://"+addr+"/v1/tasks/demo-1/notes", "", strings.NewReader(body))
		if err != nil {
			t.Fatal(err)
		}
		got, _ := io.ReadAll(resp.Body)
		resp.Body.Close()
		if string(got) != body+"\n" {
			t.Fatalf("request %d came back as %.80s", i, got)
		}
	}
}

var _ Feed = (*feed)(nil)

// loopbacks returns the loopback addresses of this machine.
func loopbacks(t *testing.T) []string {
	t.Helper()
	probe, err := bind(t.Context(), loopback6, 0)
	if err != nil {
		return []string{loopback4}
	}
	probe.Close()
	return []string{loopback4, loopback6}
}

func TestWithoutAHostBothLoopbackAddressesAnswer(t *testing.T) {
	s := New(options(&calls{}))
	addr, stop, served := running(t, s)
	_, port, err := net.SplitHostPort(addr)
	if err != nil {
		t.Fatal(err)
	}
	for _, host := range loopbacks(t) {
		resp, err := http.Get("http://" + net.JoinHostPort(host, port) + "/v1/version")
		if err != nil {
			t.Fatal(err)
		}
		resp.Body.Close()
		if resp.StatusCode != 200 {
			t.Errorf("%s answers %d", host, resp.StatusCode)
		}
	}
	stop()
	if err := <-served; err != nil {
		t.Errorf("stopped with %v", err)
	}
	for _, host := range loopbacks(t) {
		if conn, err := net.Dial("tcp", net.JoinHostPort(host, port)); err == nil {
			conn.Close()
			t.Errorf("the server still listens on %s", host)
		}
	}
}

// A port that somebody else has on the other address is not half of ours: clients of localhost would meet the other program.
func TestAPortThatIsTakenOnEitherLoopbackAddressIsRefused(t *testing.T) {
	for _, host := range loopbacks(t) {
		other, err := bind(t.Context(), host, 0)
		if err != nil {
			t.Fatal(err)
		}
		port := other.Addr().(*net.TCPAddr).Port
		if ln, err := Listen(t.Context(), "", port); !fault.Is(err, fault.Unavailable) || !strings.Contains(err.Error(), net.JoinHostPort(host, fmt.Sprint(port))) {
			t.Errorf("taken on %s: %v, %v", host, ln, err)
		}
		other.Close()
		ln, err := Listen(t.Context(), "", port) // and nothing is left of the attempt
		if err != nil {
			t.Fatal(err)
		}
		_ = ln.Close()
	}
}
