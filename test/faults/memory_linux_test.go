package faults

import (
	"bufio"
	"fmt"
	"io"
	"net"
	"net/http"
	"os"
	"regexp"
	"strconv"
	"strings"
	"sync"
	"testing"
	"time"
)

// stranger is the address of the clients that do not read; it differs from the address of the client that continues
// working.
const stranger = "127.0.0.2"

// resident returns the server's peak memory, in bytes.
func (s *server) resident() int64 {
	s.w.Helper()
	status, err := os.ReadFile(fmt.Sprintf("/proc/%d/status", s.cmd.Process.Pid))
	s.w.must(err)
	m := regexp.MustCompile(`VmHWM:\s+(\d+) kB`).FindSubmatch(status)
	if m == nil {
		s.w.Fatalf("the system does not report the memory of a process:\n%s", status)
	}
	kb, err := strconv.ParseInt(string(m[1]), 10, 64)
	s.w.must(err)
	return kb << 10
}

// strange connects as the stranger, with room for only a few unread bytes.
func (s *server) strange() (net.Conn, error) {
	d := net.Dialer{LocalAddr: &net.TCPAddr{IP: net.ParseIP(stranger)}, Timeout: patience}
	c, err := d.Dial("tcp", strings.TrimPrefix(s.url, "http://"))
	if err != nil {
		return nil, err
	}
	return c, c.(*net.TCPConn).SetReadBuffer(4 << 10)
}

// unread sends many requests at once, waits until each answer has begun, and reads no further until leave is called. It
// returns how many were answered with each status; answers that were cut off are counted under 0.
func (s *server) unread(n int, path string) (got map[int]int, leave func()) {
	s.w.Helper()
	var mu sync.Mutex
	var conns []net.Conn
	got = map[int]int{}
	var all sync.WaitGroup
	for range n {
		all.Go(func() {
			status := 0
			c, err := s.strange()
			if err == nil {
				_, _ = io.WriteString(c, "GET "+path+" HTTP/1.1\r\nHost: localhost\r\n\r\n") // a refused connection may already be closed
				line := make([]byte, len("HTTP/1.1 200"))
				if _, err := io.ReadFull(c, line); err == nil {
					status, _ = strconv.Atoi(string(line[len(line)-3:]))
				}
			}
			mu.Lock()
			got[status]++
			if c != nil {
				conns = append(conns, c)
			}
			mu.Unlock()
		})
	}
	all.Wait()
	leave = func() {
		for _, c := range conns {
			_ = c.Close()
		}
	}
	s.w.Cleanup(leave)
	return got, leave
}

// roomFor sends requests as the stranger until there is room for an answer again. Repeating the request is all the
// waiting there is.
func (s *server) roomFor(path string) {
	s.w.Helper()
	for stop := time.Now().Add(patience); ; time.Sleep(pause) {
		got, leave := s.unread(1, path)
		leave()
		if got[200] == 1 {
			return
		}
		if time.Now().After(stop) {
			s.w.Fatalf("there is still no room for %s: %v", path, got)
		}
	}
}

// works checks that a client can continue working: a small read, a page and a write.
func (s *server) works(when string) {
	s.w.Helper()
	for _, path := range []string{"/v1/version", "/v1/tasks?project=demo&limit=1", "/v1/projects/demo/board"} {
		r, err := s.call(who{}, path, nil)
		s.w.must(err)
		if r.status != 200 {
			s.w.Fatalf("%s, another client's %s is answered with %d: %s", when, path, r.status, r.body)
		}
	}
	r, err := s.call(who{}, "/v1/tasks/demo-2/notes", map[string]any{"text": when})
	s.w.must(err)
	if r.status/100 != 2 {
		s.w.Fatalf("%s, another client's note is answered with %d: %s", when, r.status, r.body)
	}
}

// TestMemoryHasTheBoundThatTheOperatorSets confronts a server with clients that do not read, streams that nobody reads,
// and concurrent bodies, each more than its memory. The server refuses what it has no room for, its memory stays within
// the limit, and another client is answered all the while.
func TestMemoryHasTheBoundThatTheOperatorSets(t *testing.T) {
	const bound = 160 << 20
	eachAlone(t, func(w *world) {
		var plan strings.Builder
		plan.WriteString(`{"project":"demo","tasks":[{"key":"k0","title":"T"}`)
		for i := range 100 {
			fmt.Fprintf(&plan, `,{"key":"k%d","title":"T","body":"%s"}`, i+1, strings.Repeat("b", 60_000))
		}
		plan.WriteString(`]}`)
		w.apply(plan.String())
		s := w.serve("ann", "env", "TASKER_MEMORY=160MB")
		s.works("before all of it")

		for _, path := range []string{"/v1/events?since_id=0&limit=1000", "/v1/tasks?project=demo&limit=1000", "/v1/projects/demo/ready?limit=1000"} {
			got, leave := s.unread(60, path)
			if got[200] == 0 || got[503] == 0 || got[200]+got[503] != 60 {
				w.Errorf("%s is answered with %v", path, got)
			}
			s.works("next to " + path)
			leave()
			s.roomFor(path)
		}
		statuses := s.bodies(8, 8<<20)
		if statuses[422] == 0 || statuses[422]+statuses[503] != 8 {
			w.Errorf("bodies are answered with %v", statuses)
		}
		// All of it at once.
		s.unread(30, "/v1/events?since_id=0&limit=1000")
		s.unread(150, "/v1/events/stream?since_id=0")
		s.works("next to streams")
		s.bodies(8, 8<<20)
		s.works("next to all of it")
		if has := s.resident(); has > bound {
			w.Errorf("the server had %d MB, and %d MB are its bound", has>>20, bound>>20)
		}
	})
}

// bodies sends plans that are read to their end and then refused, all at once, and returns how many were answered with
// each status. Each answer is read only once everything is sent; connections that the server closed before are counted
// under 0.
func (s *server) bodies(n, size int) map[int]int {
	head := `{"project":"demo","tasks":[{"key":"k1","title":"T","body":"`
	tail := `"}]}`
	texts := strings.Repeat("b", size-len(head)-len(tail)) // one text that is longer than allowed
	var mu sync.Mutex
	got := map[int]int{}
	var all sync.WaitGroup
	for range n {
		all.Go(func() {
			status := 0
			c, err := s.strange()
			if err == nil {
				defer c.Close()
				fmt.Fprintf(c, "POST /v1/apply HTTP/1.1\r\nHost: localhost\r\nContent-Length: %d\r\n\r\n", size)
				_, err := io.Copy(c, io.MultiReader(strings.NewReader(head), strings.NewReader(texts), strings.NewReader(tail)))
				if resp, failed := http.ReadResponse(bufio.NewReader(c), nil); err == nil && failed == nil {
					status = resp.StatusCode
					_ = resp.Body.Close()
				}
			}
			mu.Lock()
			got[status]++
			mu.Unlock()
		})
	}
	all.Wait()
	return got
}
