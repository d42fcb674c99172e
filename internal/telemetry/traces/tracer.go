package traces

import (
	"bytes"
	"context"
	"io"
	"log/slog"
	"net/http"
	"strconv"
	"sync"
	"time"

	"github.com/go-json-experiment/json"
)

// Tracer collects spans and sends them. Nil traces nothing.
type Tracer struct {
	settings Settings
	version  string
	log      *slog.Logger
	do       func(*http.Request) (*http.Response, error)
	now      func() time.Time

	queue   chan ended
	stop    chan struct{}
	stopped sync.WaitGroup
	once    sync.Once
}

// ended is a span with how it ended.
type ended struct {
	*Span
	name       string
	failed     bool
	end        time.Time
	attributes []Attribute
}

// New returns a tracer that sends in the background until Close, or nil where the settings trace nothing. do sends a request,
// and follows no redirect.
func New(s Settings, version string, log *slog.Logger, do func(*http.Request) (*http.Response, error)) *Tracer {
	if s.Endpoint == "" {
		return nil
	}
	t := &Tracer{
		settings: s, version: version, log: log, now: time.Now,
		do:    do,
		queue: make(chan ended, s.Queue), stop: make(chan struct{}),
	}
	t.stopped.Go(t.run)
	return t
}

// enqueue hands a span over. One that finds the queue full is dropped: tracing never holds up what it looks at.
func (t *Tracer) enqueue(e ended) {
	select {
	case t.queue <- e:
	default:
	}
}

// lastWait is how long a server that ends waits for the collector.
const lastWait = 2 * time.Second

// Close sends what is left, within two seconds, and ends.
func (t *Tracer) Close() {
	if t == nil {
		return
	}
	t.once.Do(func() { close(t.stop) })
	done := make(chan struct{})
	go func() { t.stopped.Wait(); close(done) }()
	late := time.NewTimer(lastWait)
	defer late.Stop()
	select {
	case <-done:
	case <-late.C: // a collector that hangs does not keep a server from ending
	}
}

// run sends a batch when it is full, or when the delay is over.
func (t *Tracer) run() {
	tick := time.NewTicker(t.settings.Delay)
	defer tick.Stop()
	var batch []ended
	for {
		select {
		case e := <-t.queue:
			if batch = append(batch, e); len(batch) < t.settings.Batch {
				continue
			}
		case <-tick.C:
		case <-t.stop:
			for len(t.queue) > 0 {
				batch = append(batch, <-t.queue)
			}
			t.send(batch)
			return
		}
		t.send(batch)
		batch = nil
	}
}

// tries is how often a batch is sent, where the collector says that it may be sent again.
const tries = 3

// send sends a batch. What cannot be sent is dropped, with a line in the log.
func (t *Tracer) send(batch []ended) {
	if len(batch) == 0 {
		return
	}
	body, err := json.Marshal(t.document(batch), json.Deterministic(true))
	if err != nil {
		t.log.Warn("spans were dropped", slog.Int("spans", len(batch)), slog.Any("error", err))
		return
	}
	ctx, cancel := context.WithTimeout(context.Background(), t.settings.Timeout)
	defer cancel()
	status := 0
	for try := range tries {
		var again time.Duration
		status, again, err = t.post(ctx, body)
		if err == nil && status < 300 {
			return
		}
		if err == nil && status != 429 && status != 502 && status != 503 && status != 504 {
			break
		}
		select { // an unreachable collector is asked again, too
		case <-ctx.Done():
		case <-t.stop:
		case <-time.After(max(again, time.Second<<try)):
		}
	}
	t.log.Warn("spans were dropped: the collector did not take them", slog.Int("spans", len(batch)), slog.Int("status", status), slog.Bool("reached", err == nil))
}

// post sends a body once, and returns the status and after how long the collector wants to be asked again.
func (t *Tracer) post(ctx context.Context, body []byte) (status int, again time.Duration, err error) {
	r, err := http.NewRequestWithContext(ctx, http.MethodPost, t.settings.Endpoint, bytes.NewReader(body))
	if err != nil {
		return 0, 0, err
	}
	for name, value := range t.settings.Headers {
		r.Header.Set(name, value)
	}
	r.Header.Set("Content-Type", "application/json")
	r.Header.Set("User-Agent", "tasker/"+t.version)
	resp, err := t.do(r)
	if err != nil {
		return 0, 0, err
	}
	defer func() { _ = resp.Body.Close() }()
	_, _ = io.Copy(io.Discard, io.LimitReader(resp.Body, 64<<10)) // so that the connection can be used again
	if seconds, err := strconv.Atoi(resp.Header.Get("Retry-After")); err == nil && seconds > 0 && seconds < 60 {
		again = time.Duration(seconds) * time.Second
	}
	return resp.StatusCode, again, nil
}
