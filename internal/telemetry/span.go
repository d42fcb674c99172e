package telemetry

import (
	"context"
	"crypto/rand"
	"encoding/binary"
	"encoding/hex"
	"math"
	"net/http"
	"strings"
	"time"
)

// Span is one piece of work in a trace. The zero value and nil are not recorded.
type Span struct {
	tracer  *Tracer
	Trace   string // 32 hexadecimal digits
	ID      string // 16
	parent  string // the caller's span; empty if the trace begins here
	state   string // what the caller's tracing system wants passed on
	sampled bool
	kind    int // an OTLP number
	start   time.Time
}

// Attribute describes a span: a text or a whole number.
type Attribute struct {
	Key   string
	Text  string
	Count int64
	IsInt bool
}

// Start begins the span of a request that came with these W3C Trace Context headers. It ignores an invalid parent, as the
// standard requires. Start returns nil if nothing is traced.
func (t *Tracer) Start(traceparent, tracestate string) *Span {
	if t == nil {
		return nil
	}
	s := &Span{tracer: t, kind: kindServer, start: t.now()}
	trace, parent, sampled, ok := parseParent(traceparent)
	if ok {
		s.Trace, s.parent = trace, parent
		if len(tracestate) <= maxState {
			s.state = tracestate
		}
	} else {
		s.Trace = randomID(16)
	}
	s.ID = randomID(8)
	s.sampled = t.samples(s.Trace, ok, sampled)
	return s
}

// maxState limits how much of a caller's state is passed on: the standard asks for at least 512 characters.
const maxState = 512

// parseParent reads a traceparent: version, trace, parent and flags. Later versions may append more fields.
func parseParent(text string) (trace, parent string, sampled, ok bool) {
	parts := strings.SplitN(text, "-", 5)
	if len(parts) < 4 || len(parts) > 4 && parts[0] == "00" {
		return "", "", false, false
	}
	for i, n := range []int{2, 32, 16, 2} {
		if len(parts[i]) != n || strings.Trim(parts[i], "0123456789abcdef") != "" {
			return "", "", false, false
		}
	}
	if parts[0] == "ff" || strings.Trim(parts[1], "0") == "" || strings.Trim(parts[2], "0") == "" {
		return "", "", false, false
	}
	flags, err := hex.DecodeString(parts[3])
	return parts[1], parts[2], err == nil && flags[0]&1 == 1, err == nil
}

// samples reports whether a trace is recorded.
func (t *Tracer) samples(trace string, parented, sampled bool) bool {
	sampler, based := strings.CutPrefix(t.settings.Sampler, "parentbased_")
	switch {
	case based && parented:
		return sampled
	case sampler == "always_on":
		return true
	case sampler == "always_off":
		return false
	}
	id, err := hex.DecodeString(trace[16:])
	if err != nil {
		return false
	}
	// Decide by the id, so that every service in a trace decides the same.
	return t.settings.Ratio >= 1 || float64(binary.BigEndian.Uint64(id)>>1) < t.settings.Ratio*float64(math.MaxInt64)
}

func randomID(n int) string {
	id := make([]byte, n)
	for strings.Trim(string(id), "\x00") == "" {
		_, _ = rand.Read(id) // never fails
	}
	return hex.EncodeToString(id)
}

// End records the span if it is sampled. failed means that it ended in a fault of ours.
func (s *Span) End(name string, failed bool, attributes ...Attribute) {
	if s == nil || !s.sampled {
		return
	}
	s.tracer.enqueue(ended{s, name, failed, s.tracer.now(), attributes})
}

type spanKey struct{}

// WithSpan returns a context whose work is part of the span.
func WithSpan(ctx context.Context, s *Span) context.Context {
	if s == nil || !s.sampled {
		return ctx
	}
	return context.WithValue(ctx, spanKey{}, s)
}

// ChildSpan begins a span within the context's span; nil if that is not recorded.
func ChildSpan(ctx context.Context) *Span {
	s, _ := ctx.Value(spanKey{}).(*Span)
	return s.Child()
}

// Child begins a span within another.
func (s *Span) Child() *Span {
	if s == nil || !s.sampled {
		return nil
	}
	return &Span{tracer: s.tracer, Trace: s.Trace, ID: randomID(8), parent: s.ID, state: s.state, sampled: true, kind: kindInternal, start: s.tracer.now()}
}

// CountAttribute returns an attribute with a number.
func CountAttribute(key string, n int64) Attribute { return Attribute{Key: key, Count: n, IsInt: true} }

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
	return WithSpan(ctx, s), func(failed bool) { s.End(name, failed) }
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
	s := ChildSpan(r.Context())
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
		about = append(about, CountAttribute("http.response.status_code", int64(res.StatusCode)))
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
