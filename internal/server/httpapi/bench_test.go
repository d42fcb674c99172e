package httpapi

import (
	"context"
	"io"
	"net/http"
	"strings"
	"testing"

	"tasker/internal/op"
	"tasker/internal/testkit/optest"
)

// sink is a ResponseWriter that discards everything.
type sink struct{ h http.Header }

func (s *sink) Header() http.Header         { return s.h }
func (s *sink) Write(p []byte) (int, error) { return len(p), nil }
func (s *sink) WriteHeader(int)             {}

// These measure the cost of the face itself: a no-op through the door, and POST /next with its whole answer.
func BenchmarkFace(b *testing.B) {
	out := optest.Out(op.Next.Op)
	opts := options(&calls{do: func(context.Context, *op.Op, any) (any, error) { return out, nil }})
	opts.Token = "token"
	opts.Extra = map[string]HandlerFunc{"POST /noop": func(w http.ResponseWriter, _ *http.Request) error { return Answer(w, 200, struct{}{}) }}
	s := New(opts)
	for name, path := range map[string]string{"noop": "/noop", "next": "/v1/next"} {
		b.Run(name, func(b *testing.B) {
			r := request("POST", path, "", "Authorization", "Bearer token")
			body := strings.NewReader("")
			w := &sink{http.Header{}}
			b.ReportAllocs()
			for b.Loop() {
				body.Reset(`{"project":"demo","leaseMs":60000}`)
				r.Body = io.NopCloser(body)
				r.ContentLength = int64(body.Len())
				clear(w.h)
				s.ServeHTTP(w, r)
			}
		})
	}
}
