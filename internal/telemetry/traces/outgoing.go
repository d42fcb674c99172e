package traces

import (
	"context"
	"net/http"
)

type tracerKey struct{}

// Into returns a context in which jobs are traced.
func (t *Tracer) Into(ctx context.Context) context.Context {
	if t == nil {
		return ctx
	}
	return context.WithValue(ctx, tracerKey{}, t)
}

// Job begins the span of work that no request asked for, such as a server's own pull. It returns a context for that work,
// and a function that ends the span. If jobs are not traced, or the work already belongs to a span, it begins none.
func Job(ctx context.Context, name string) (of context.Context, end func(failed bool)) {
	t, _ := ctx.Value(tracerKey{}).(*Tracer)
	if s, _ := ctx.Value(spanKey{}).(*Span); t == nil || s != nil {
		return ctx, func(bool) {}
	}
	s := t.Start("", "")
	s.kind = kindInternal
	return With(ctx, s), func(failed bool) { s.End(name, failed) }
}

// Transport records a request as a span if the request's context has one. The span has the method, the host and the status,
// but no path, query or header, because they may contain secrets.
type Transport struct {
	http.RoundTripper

	Name string // the system called, such as tracker
	// PassOn sends the trace context along. Use it only for systems that belong to the people who run this server: it would
	// only tell others which systems are called at the same time.
	PassOn bool
}

// RoundTrip sends a request.
func (t Transport) RoundTrip(r *http.Request) (*http.Response, error) {
	s := Child(r.Context())
	if s == nil {
		return t.RoundTripper.RoundTrip(r)
	}
	s.kind = kindClient
	if t.PassOn {
		r = r.Clone(r.Context()) // a transport must not change the request
		r.Header.Set("Traceparent", "00-"+s.Trace+"-"+s.ID+"-01")
		if s.state != "" {
			r.Header.Set("Tracestate", s.state)
		}
	}
	res, err := t.RoundTripper.RoundTrip(r)
	about := []Attribute{{Key: "http.request.method", Text: r.Method}, {Key: "server.address", Text: r.URL.Hostname()}}
	if err != nil {
		about = append(about, Attribute{Key: "error.type", Text: "unreached"})
	} else {
		about = append(about, Count("http.response.status_code", int64(res.StatusCode)))
	}
	s.End(r.Method+" "+t.Name, err != nil || res.StatusCode >= http.StatusBadRequest, about...)
	return res, err
}

// CloseIdleConnections closes idle connections.
func (t Transport) CloseIdleConnections() {
	if c, ok := t.RoundTripper.(interface{ CloseIdleConnections() }); ok {
		c.CloseIdleConnections()
	}
}
