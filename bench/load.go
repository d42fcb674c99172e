package main

import (
	"bytes"
	"fmt"
	"io"
	"net/http"
	"sync"
	"sync/atomic"
	"time"
)

// callers is how many clients call concurrently in the rows with many clients.
const callers = 64

// load runs do total times, by a number of callers at once, and returns what it cost and the seconds that each call
// took. The first error ends it.
func load(clients, total int, do func(client, i int) error) (took cost, each []float64, err error) {
	var left atomic.Int64
	left.Store(int64(total))
	return loadWhile(clients, func() bool { return left.Add(-1) >= 0 }, do)
}

// loadWhile is load for as long as more returns true.
func loadWhile(clients int, more func() bool, do func(client, i int) error) (took cost, each []float64, err error) {
	var wg sync.WaitGroup
	var failed atomic.Pointer[error]
	times := make([][]float64, clients)
	spent, began := spending(), time.Now()
	for c := range clients {
		wg.Go(func() {
			for i := 0; failed.Load() == nil && more(); i++ {
				from := time.Now()
				if err := do(c, i); err != nil {
					failed.CompareAndSwap(nil, &err)
					return
				}
				times[c] = append(times[c], time.Since(from).Seconds())
			}
		})
	}
	wg.Wait()
	took = spent()
	took.wall = time.Since(began).Seconds()
	for _, t := range times {
		each = append(each, t...)
	}
	if p := failed.Load(); p != nil {
		return took, each, *p
	}
	return took, each, nil
}

// client calls a server over one connection for each caller.
type client struct {
	http *http.Client
	base string
	bufs []bytes.Buffer
}

func dial(base string, clients int) *client {
	c := dialPacked(base, clients)
	c.http.Transport.(*http.Transport).DisableCompression = true
	return c
}

// dialPacked returns a client that accepts compressed answers, as Go's client does by default.
func dialPacked(base string, clients int) *client {
	return &client{base: base, bufs: make([]bytes.Buffer, clients), http: &http.Client{Transport: &http.Transport{
		MaxIdleConnsPerHost: clients, MaxConnsPerHost: clients, ReadBufferSize: 16 << 10,
	}}}
}

func (c *client) close() { c.http.CloseIdleConnections() }

// call sends a request for a caller and returns the answer, which is valid until the caller's next request.
func (c *client) call(caller int, method, path, body string) ([]byte, error) {
	var send io.Reader
	if body != "" {
		send = bytes.NewReader([]byte(body))
	}
	r, err := http.NewRequest(method, c.base+path, send)
	if err != nil {
		return nil, err
	}
	answer, err := c.http.Do(r)
	if err != nil {
		return nil, err
	}
	defer answer.Body.Close()
	buf := &c.bufs[caller]
	buf.Reset()
	if _, err := buf.ReadFrom(answer.Body); err != nil {
		return nil, err
	}
	if answer.StatusCode/100 != 2 {
		return nil, fmt.Errorf("%s %s: %d %s", method, path, answer.StatusCode, buf.Bytes())
	}
	return buf.Bytes(), nil
}

// claimsOf returns a function that calls next; each call must get a different task.
func claimsOf(c *client) func(caller, i int) error { return new(claimed).by(c) }

// by returns a call of next by a client.
func (c *claimed) by(h *client) func(caller, i int) error {
	return func(caller, _ int) error {
		answer, err := h.call(caller, "POST", "/v1/next", nextBody)
		if err != nil {
			return err
		}
		return c.see(answer)
	}
}

// claimed records which tasks were handed out: each call must get one, and none may come twice.
type claimed struct {
	mu    sync.Mutex
	tasks map[string]bool
}

// see reads the task out of an answer of next.
func (c *claimed) see(answer []byte) error {
	rest, ok := bytes.CutPrefix(answer, []byte(`{"task":{"id":"`))
	id, _, ended := bytes.Cut(rest, []byte(`"`))
	if !ok || !ended {
		return fmt.Errorf("next chose nothing: %.200s", answer)
	}
	c.mu.Lock()
	defer c.mu.Unlock()
	if c.tasks == nil {
		c.tasks = map[string]bool{}
	}
	if c.tasks[string(id)] {
		return fmt.Errorf("%s was handed out twice", id)
	}
	c.tasks[string(id)] = true
	return nil
}
