package httpapi

import (
	"errors"
	"fmt"
	"log/slog"
	"net/http"
	"runtime/debug"
	"strings"
	"sync"
	"time"

	"tasker/internal/fault"
	"tasker/internal/op/wire"
	"tasker/internal/telemetry"
)

// recorder is the ResponseWriter of every route: it knows the request's id and remembers what was answered.
type recorder struct {
	http.ResponseWriter
	id      string
	status  int // 0: nothing was answered yet
	bytes   int64
	entered *entered // the session of the request; nil: none was required
	s       *Server
	from    string      // the address that the request comes from
	runs    *memoryHold // while it runs, besides its connection; nil if refused or not counted
	holding sync.Mutex
	held    *memoryHold     // for its body and its answer; nil if both are small
	takes   wire.Encoding   // the encoding that the client accepts for a long answer
	span    *telemetry.Span // nil: the request is not traced

	unlogged bool // one of so many that the access log omits it
}

// WriteHeader remembers the status.
func (w *recorder) WriteHeader(status int) {
	if w.status == 0 {
		w.status = status
	}
	w.ResponseWriter.WriteHeader(status)
}

// Write counts the bytes.
func (w *recorder) Write(p []byte) (int, error) {
	if w.status == 0 {
		w.status = http.StatusOK
	}
	n, err := w.ResponseWriter.Write(p)
	w.bytes += int64(n)
	return n, err
}

// Unwrap returns the underlying writer, for http.ResponseController.
func (w *recorder) Unwrap() http.ResponseWriter { return w.ResponseWriter }

// ServeHTTP answers one request: the door, the route, and anything that goes wrong on the way.
func (s *Server) ServeHTTP(rw http.ResponseWriter, r *http.Request) {
	start := time.Now()
	w := &recorder{ResponseWriter: rw, id: s.requestID(r), s: s, from: r.RemoteAddr, takes: wire.Accepted(r.Header.Get("Accept-Encoding"))}
	h := rw.Header()
	h["Cache-Control"] = noStore
	h["X-Content-Type-Options"] = noSniff
	h["X-Request-Id"] = []string{w.id}
	if w.span = s.begin(r); w.span != nil {
		r = r.WithContext(telemetry.WithSpan(r.Context(), w.span))
	}
	body := r.Body // routes limit it
	s.meter.running.Add(1)
	defer func() {
		w.runs.Release()
		s.finish(w, r, start, recover())
		s.linger(w, r, body)
	}()
	var err error
	if w.runs, err = s.memory.conns.Take(address(w.from).String(), requestCost); err != nil {
		if r.URL.Path != healthPath && r.URL.Path != readyPath { // probes are answered even if nothing else is
			s.fail(w, r, err)
			return
		}
	}
	if err = s.admit(w, r); err != nil {
		s.refuse(w, r, err)
		return
	}
	s.route(w, r)
}

// finish turns a panic into an answer and writes the access log line: never a query, a header or a body, all of which may
// contain secrets.
func (s *Server) finish(w *recorder, r *http.Request, start time.Time, p any) {
	if err, ok := p.(error); p != nil && !(ok && errors.Is(err, http.ErrAbortHandler)) {
		s.log(r, slog.LevelError, "panic", slog.String("requestId", w.id), slog.String("path", r.URL.Path),
			slog.String("panic", fmt.Sprint(p)), slog.String("stack", string(debug.Stack())))
		if w.status == 0 {
			s.fail(w, r, fault.New(fault.Internal, "panic: %v", p))
			p = nil
		} else {
			p = http.ErrAbortHandler // half an answer must not look like a whole one
		}
	}
	s.meter.running.Add(-1)
	s.meter.answered(r, w.status, time.Since(start))
	w.traced(r)
	if log := s.opts.Log; log != nil && !w.unlogged && log.Enabled(r.Context(), slog.LevelInfo) {
		log.LogAttrs(r.Context(), slog.LevelInfo, "request",
			slog.String("method", r.Method), slog.String("path", r.URL.Path), slog.Int("status", w.status),
			slog.Int64("bytes", w.bytes), slog.Duration("took", time.Since(start)),
			slog.String("requestId", w.id), slog.String("from", r.RemoteAddr), w.trace())
	}
	w.held.Release()
	if p != nil {
		panic(p)
	}
}

// requestID returns the client's own id if a log can contain it, or else a new one.
func (s *Server) requestID(r *http.Request) string {
	if given := r.Header["X-Request-Id"]; len(given) == 1 && sane(given[0]) {
		return given[0]
	}
	return s.opts.NewID()
}

func sane(id string) bool {
	if id == "" || len(id) > 128 {
		return false
	}
	for i := range len(id) {
		c := id[i]
		if !('a' <= c && c <= 'z' || 'A' <= c && c <= 'Z' || '0' <= c && c <= '9' || strings.IndexByte("-_.:/+=@", c) >= 0) {
			return false
		}
	}
	return true
}
