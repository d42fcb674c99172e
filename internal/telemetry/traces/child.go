package traces

import "context"

type spanKey struct{}

// With returns a context whose work is part of the span.
func With(ctx context.Context, s *Span) context.Context {
	if s == nil || !s.sampled {
		return ctx
	}
	return context.WithValue(ctx, spanKey{}, s)
}

// Child begins a span within the context's span; nil if that is not recorded.
func Child(ctx context.Context) *Span {
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

// Count returns an attribute with a number.
func Count(key string, n int64) Attribute { return Attribute{Key: key, Count: n, IsInt: true} }
