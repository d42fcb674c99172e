package telemetry

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

// Tracer collects spans and sends them. A nil Tracer traces nothing.
type Tracer struct {
	settings TraceSettings
	version  string
	log      *slog.Logger
	do       func(*http.Request) (*http.Response, error)
	now      func() time.Time

	queue   chan ended
	stop    chan struct{}
	stopped sync.WaitGroup
	once    sync.Once
}

// ended is a finished span and its outcome.
type ended struct {
	*Span
	name       string
	failed     bool
	end        time.Time
	attributes []Attribute
}

// NewTracer returns a tracer that sends in the background until Close, or nil if the settings trace nothing. do sends a request
// and must not follow redirects.
func NewTracer(s TraceSettings, version string, log *slog.Logger, do func(*http.Request) (*http.Response, error)) *Tracer {
	if s.Endpoint == "" {
		return nil
	}
	t := &Tracer{
		settings: s, version: version, log: log, now: time.Now, do: do, queue: make(chan ended, s.Queue), stop: make(chan struct{}),
	}
	t.stopped.Go(t.run)
	return t
}

// enqueue queues a span. If the queue is full it drops the span: tracing never delays the work it observes.
func (t *Tracer) enqueue(e ended) {
	select {
	case t.queue <- e:
	default:
	}
}

// lastWait is how long a stopping server waits for the collector.
const lastWait = 2 * time.Second

// Close sends what is left, for at most two seconds, and stops the tracer.
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
	case <-late.C: // a collector that hangs must not keep a server from stopping
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

// tries is how often a batch is sent if the collector allows retries.
const tries = 3

// send sends a batch. If that fails, it drops the batch and logs a line.
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
		select { // retry an unreachable collector, too
		case <-ctx.Done():
		case <-t.stop:
		case <-time.After(max(again, time.Second<<try)):
		}
	}
	t.log.Warn("spans were dropped: the collector did not accept them", slog.Int("spans", len(batch)), slog.Int("status", status), slog.Bool("reached", err == nil))
}

// post sends a body once, and returns the status and how long the collector asks us to wait before a retry.
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
