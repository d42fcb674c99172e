package httpapi

import (
	"bytes"
	"cmp"
	"context"
	"log/slog"
	"net/http"
	"slices"
	"strconv"
	"strings"
	"sync"
	"sync/atomic"
	"time"

	"tasker/internal/op"
	"tasker/internal/telemetry"
)

const metricsPath = "/metrics"

// took are the upper bounds of the latency buckets, in seconds.
var took = []float64{0.001, 0.0025, 0.005, 0.01, 0.025, 0.05, 0.1, 0.25, 0.5, 1, 2.5, 5, 10, 30}

// meter counts requests by route, never by path, which a client may choose. Its zero value counts nothing.
type meter struct {
	requests *telemetry.Counters
	took     *telemetry.Histograms
	running  atomic.Int64
	routes   map[string]*routeMeter // by mux pattern; complete before the first request
	refused  routeMeter             // by the door, or for lack of memory: before a route was looked up
}

// routeMeter is the counts of one route.
type routeMeter struct {
	method, route string
	streams       bool     // it lasts as long as its client likes
	statuses      sync.Map // status to *telemetry.Counter
	span          sync.Once
	took          *telemetry.Histogram // created by the first answer
}

var typeMetrics = []string{"text/plain; version=0.0.4; charset=utf-8"}

// measure starts counting into a set.
func (s *Server) measure(set *telemetry.Metrics) {
	m := &s.meter
	m.requests = set.Counters("tasker_http_requests_total", "Requests that were answered, by route and status.", "method", "route", "status")
	m.took = set.Histograms("tasker_http_request_duration_seconds", "How long requests took, by route. Streams are not counted.", took, "method", "route")
	m.routes = map[string]*routeMeter{}
	m.refused = routeMeter{method: "any", route: "none"}
	set.Read(func(context.Context) []telemetry.Family {
		return []telemetry.Family{
			{
				Name: "tasker_http_requests_in_flight", Help: "Requests under way, streams included.",
				Samples: []telemetry.Sample{{Value: float64(m.running.Load())}},
			},
			{Name: "tasker_http_streams", Help: "Streams of events under way.", Samples: []telemetry.Sample{{Value: float64(s.streams.Load())}}},
			{
				Name: "tasker_http_reserved_bytes", Help: "Bytes held for clients, by purpose.", Labels: []string{"for"},
				Samples: []telemetry.Sample{
					{Labels: []string{"connections"}, Value: float64(s.memory.conns.Used())},
					{Labels: []string{"bodies"}, Value: float64(s.memory.bytes.Used())},
				},
			},
		}
	})
}

// mounted registers a route.
func (m *meter) mounted(pattern string) {
	if m.routes == nil {
		return
	}
	method, route, _ := strings.Cut(pattern, " ")
	m.routes[pattern] = &routeMeter{method: method, route: route, streams: route == "/v1"+op.Stream.Path}
}

// answered counts a request.
func (m *meter) answered(r *http.Request, status int, span time.Duration) {
	if m.requests == nil {
		return
	}
	one := m.routes[r.Pattern]
	if one == nil {
		one = &m.refused
	}
	counter, ok := one.statuses.Load(status)
	if !ok {
		counter, _ = one.statuses.LoadOrStore(status, m.requests.Of(one.method, one.route, strconv.Itoa(status)))
	}
	counter.(*telemetry.Counter).Add(1)
	if one.streams {
		return
	}
	one.span.Do(func() { one.took = m.took.Of(one.method, one.route) })
	one.took.Observe(span.Seconds())
}

// scrape serves every metric of the process.
func (s *Server) scrape(w http.ResponseWriter, r *http.Request) error {
	var all bytes.Buffer // so that a slow client does not hold up the next scrape
	if err := s.opts.Metrics.Write(r.Context(), &all); err != nil {
		return err
	}
	send(w, http.StatusOK, typeMetrics, all.Bytes())
	return nil
}

// untraced are the paths of probes and scrapes.
var untraced = []string{healthPath, readyPath, metricsPath}

// begin starts the span of a request, as part of the trace that it names. Probes and scrapes are not traced: they come
// every few seconds and show nothing.
func (s *Server) begin(r *http.Request) *telemetry.Span {
	if s.opts.Traces == nil || slices.Contains(untraced, r.URL.Path) {
		return nil
	}
	return s.opts.Traces.Start(r.Header.Get("Traceparent"), strings.Join(r.Header.Values("Tracestate"), ","))
}

// traced ends the span of a request. It names the route, never the path or query, which may contain secrets.
func (w *recorder) traced(r *http.Request) {
	if w.span == nil {
		return
	}
	method, route, _ := strings.Cut(r.Pattern, " ")
	attributes := []telemetry.Attribute{
		{Key: "http.request.method", Text: cmp.Or(method, "_OTHER")}, {Key: "http.response.status_code", Count: int64(w.status), IsInt: true},
		{Key: "tasker.request_id", Text: w.id},
	}
	if route != "" {
		attributes = append(attributes, telemetry.Attribute{Key: "http.route", Text: route})
	}
	w.span.End(cmp.Or(r.Pattern, "refused"), w.status >= http.StatusInternalServerError, attributes...)
}

// trace returns what the log line of a traced request has in addition.
func (w *recorder) trace() slog.Attr {
	if w.span == nil {
		return slog.Attr{}
	}
	return slog.String("traceId", w.span.Trace)
}
