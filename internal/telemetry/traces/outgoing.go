package traces

import (
	"context"
	"net/http"
)

type tracerKey struct{}

// Into returns a context whose jobs are traced.
func (t *Tracer) Into(ctx context.Context) context.Context {
	if t == nil {
		return ctx
	}
	return context.WithValue(ctx, tracerKey{}, t)
}

// Job begins the span of work that no request asked for, such as a pull of a server's own. It returns a context of that work, and
// what ends it. Where nobody traces jobs, or the work is a part of a span already, it begins none.
func Job(ctx context.Context, name string) (of context.Context, end func(failed bool)) {
	t, _ := ctx.Value(tracerKey{}).(*Tracer)
	if s, _ := ctx.Value(spanKey{}).(*Span); t == nil || s != nil {
		return ctx, func(bool) {}
	}
	s := t.Start("", "")
	s.kind = kindInternal
	return With(ctx, s), func(failed bool) { s.End(name, failed) }
}

// Transport is a transport whose requests are spans, where their context is of one. A span has the method, the host and the
// status, and no path, query or header: they may hold secrets.
type Transport struct {
	http.RoundTripper

	Name string // what is asked, such as tracker
	// PassOn tells the other side which trace it is a part of. That is for what belongs to whoever runs this server: to anybody
	// else it would only tell who else was asked in the same moment.
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
		r = r.Clone(r.Context()) // a transport leaves the request as it is
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

// CloseIdleConnections closes the connections that nobody uses.
func (t Transport) CloseIdleConnections() {
	if c, ok := t.RoundTripper.(interface{ CloseIdleConnections() }); ok {
		c.CloseIdleConnections()
	}
}
