package main

import (
	"bufio"
	"context"
	"errors"
	"fmt"
	"io"
	"net"
	"net/http"
	"os"
	"strconv"
	"strings"
	"sync"
	"time"
)

// memoryBound measures a server under clients that would use up its memory: 1,000 that do not read their pages, 2,000 streams
// that nobody reads, and 64 MiB bodies, sixteen at once, all from one address. It compares the peak memory with
// TASKER_MEMORY, and a read of another client during that with the same read before.
func memoryBound(ctx context.Context, b *bench) (_ []*result, err error) {
	peakOf := &result{
		what: "memory of the server under 1,000 clients that do not read, 2,000 streams, 64 MiB bodies sixteen at once", against: "TASKER_MEMORY, 512 MB",
		unit: "MB", bound: bound{atMost: 1}, everywhere: true,
	}
	read := &result{what: "GET board of another client under that load", against: "without it", unit: "ms"}
	unread, streams, bodies, size := 1000, 2000, 16, 64<<20
	if b.quick {
		unread, streams, bodies, size = 50, 100, 4, 4<<20
	}
	start, err := b.estateServer(ctx)
	if err != nil {
		return nil, err
	}
	for range b.runs {
		s, err := start()
		if err != nil {
			return nil, err
		}
		err = func() error {
			c := dial(s.url, 1)
			defer c.close()
			idle, err := timed(c)
			if err != nil {
				return err
			}
			l := &strangers{addr: strings.TrimPrefix(s.url, "http://")}
			defer l.leave()
			l.unread(unread, "/v1/events?since_id=0&limit=1000")
			l.unread(streams, "/v1/events/stream?since_id=0")
			sent := make(chan struct{})
			go func() { defer close(sent); l.bodies(bodies, size) }()
			busy, err := timed(c)
			<-sent
			if err != nil {
				return err
			}
			read.add(busy, idle)
			mb, err := peakMemory(s)
			peakOf.add(mb, 512)
			return err
		}()
		if err := errors.Join(err, s.stop()); err != nil {
			return nil, err
		}
	}
	return []*result{peakOf, read}, nil
}

// timed returns the median duration of a read, in milliseconds.
func timed(c *client) (float64, error) {
	var took []float64
	for range 100 {
		began := time.Now()
		if _, err := c.call(0, "GET", "/v1/projects/x/board?limit=50", ""); err != nil {
			return 0, err
		}
		took = append(took, time.Since(began).Seconds()*1000)
	}
	return median(took), nil
}

// peakMemory returns the peak memory of a server, in megabytes.
func peakMemory(s *child) (float64, error) {
	status, err := os.ReadFile(fmt.Sprintf("/proc/%d/status", s.cmd.Process.Pid))
	if err != nil {
		return 0, err
	}
	m := peak.FindSubmatch(status)
	if m == nil {
		return 0, fmt.Errorf("the system does not report the memory of process %d", s.cmd.Process.Pid)
	}
	kb, err := strconv.ParseFloat(string(m[1]), 64)
	return kb / 1024, err
}

// strangers are clients at another address that read only the beginning of an answer.
type strangers struct {
	addr  string
	mu    sync.Mutex
	conns []net.Conn
}

func (l *strangers) dial() (net.Conn, error) {
	d := net.Dialer{LocalAddr: &net.TCPAddr{IP: net.IPv4(127, 0, 0, 2)}, Timeout: time.Minute}
	c, err := d.Dial("tcp", l.addr)
	if err != nil {
		return nil, err
	}
	l.mu.Lock()
	defer l.mu.Unlock()
	l.conns = append(l.conns, c)
	return c, c.(*net.TCPConn).SetReadBuffer(4 << 10)
}

// unread asks many times, and waits until each answer has begun or was refused.
func (l *strangers) unread(n int, path string) {
	var all sync.WaitGroup
	for range n {
		all.Go(func() {
			if c, err := l.dial(); err == nil {
				_, _ = io.WriteString(c, "GET "+path+" HTTP/1.1\r\nHost: localhost\r\n\r\n") // a refused connection may already be closed
				_, _ = io.ReadFull(c, make([]byte, 12))
			}
		})
	}
	all.Wait()
}

// bodies sends plans that are refused once they are read.
func (l *strangers) bodies(n, size int) {
	text := strings.Repeat("b", size-100)
	var all sync.WaitGroup
	for range n {
		all.Go(func() {
			c, err := l.dial()
			if err != nil {
				return
			}
			go func() {
				_, _ = fmt.Fprintf(c, "POST /v1/apply HTTP/1.1\r\nHost: localhost\r\nContent-Length: %d\r\n\r\n\"", size)
				_, _ = io.Copy(c, io.MultiReader(strings.NewReader(text), strings.NewReader(strings.Repeat(" ", 98)+`"`)))
			}()
			if resp, err := http.ReadResponse(bufio.NewReader(c), nil); err == nil {
				_ = resp.Body.Close()
			}
		})
	}
	all.Wait()
}

func (l *strangers) leave() {
	l.mu.Lock()
	defer l.mu.Unlock()
	for _, c := range l.conns {
		_ = c.Close()
	}
}
