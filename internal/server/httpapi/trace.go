package httpapi

import (
	"cmp"
	"log/slog"
	"net/http"
	"strings"

	"tasker/internal/telemetry"
)

// begin starts the span of a request, as part of the trace that it names. Probes and scrapes are not traced: they come
// every few seconds and show nothing.
func (s *Server) begin(r *http.Request) *telemetry.Span {
	switch r.URL.Path {
	case healthPath, readyPath, metricsPath:
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
	name := cmp.Or(r.Pattern, "refused")
	if route != "" {
		attributes = append(attributes, telemetry.Attribute{Key: "http.route", Text: route})
	}
	w.span.End(name, w.status >= http.StatusInternalServerError, attributes...)
}

// trace returns what the log line of a traced request has in addition.
func (w *recorder) trace() slog.Attr {
	if w.span == nil {
		return slog.Attr{}
	}
	return slog.String("traceId", w.span.Trace)
}
