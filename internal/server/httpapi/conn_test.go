package httpapi

import (
	"bufio"
	"io"
	"net"
	"net/http"
	"strconv"
	"strings"
	"testing"
	"time"
)

// An answer arrives complete wherever it ends in net/http's buffer.
func TestAnAnswerLargerThanTheBufferComesWhole(t *testing.T) {
	ln, err := Listen(t.Context(), "", 0)
	if err != nil {
		t.Fatal(err)
	}
	whole := strings.Repeat("0123456789", 20_000)
	s := &http.Server{ReadHeaderTimeout: time.Minute, Handler: http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		n, err := strconv.Atoi(r.URL.Path[1:])
		if err != nil {
			t.Error(err)
		}
		w.Header().Set("Content-Length", strconv.Itoa(n))
		_, _ = w.Write([]byte(whole[:n]))
	})}
	go func() { _ = s.Serve(shaped{Listener: ln[0]}) }()
	defer func() { _ = s.Close() }()
	conn, err := net.Dial("tcp", ln.Addr().String())
	if err != nil {
		t.Fatal(err)
	}
	defer conn.Close()
	if err := conn.SetDeadline(time.Now().Add(time.Minute)); err != nil { // an answer that is held for ever fails the test
		t.Fatal(err)
	}
	const netBuffer = 4 << 10 // how much net/http buffers before it writes
	var sizes []int
	for n := netBuffer - 200; n <= netBuffer+1; n++ { // heads are shorter than that
		sizes = append(sizes, n)
	}
	for _, n := range append(sizes, 2*netBuffer, len(whole)) {
		for _, method := range []string{http.MethodHead, http.MethodGet} {
			req, err := http.NewRequestWithContext(t.Context(), method, "http://here/"+strconv.Itoa(n), nil)
			if err != nil {
				t.Fatal(err)
			}
			if err := req.Write(conn); err != nil {
				t.Fatal(err)
			}
			resp, err := http.ReadResponse(bufio.NewReader(conn), req)
			if err != nil {
				t.Fatalf("%s %d: %v", method, n, err)
			}
			body, err := io.ReadAll(resp.Body)
			switch {
			case err != nil:
				t.Fatalf("%s %d: %v", method, n, err)
			case method == http.MethodGet && string(body) != whole[:n]:
				t.Errorf("%s %d: got %d bytes, or the bytes differ", method, n, len(body))
			}
		}
	}
}
