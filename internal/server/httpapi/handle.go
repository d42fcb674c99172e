package httpapi

import (
	"cmp"
	"errors"
	"fmt"
	"log/slog"
	"maps"
	"net/http"
	"path"
	"runtime/debug"
	"slices"
	"strings"
	"sync"
	"time"

	"tasker/internal/core"
	"tasker/internal/fault"
	"tasker/internal/op"
	"tasker/internal/op/wire"
	"tasker/internal/telemetry"
	"tasker/internal/text/words"
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

	made     bool // it wrote: whatever memory its answer takes, it is sent
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
	return id != "" && len(id) <= 128 && !strings.ContainsFunc(id, func(c rune) bool {
		return !('a' <= c && c <= 'z' || 'A' <= c && c <= 'Z' || '0' <= c && c <= '9' || strings.ContainsRune("-_.:/+=@", c))
	})
}

// mount puts every route on the mux. The operation table is all of /v1, except a few documents and the stream.
func (s *Server) mount() {
	s.mux = http.NewServeMux()
	for _, o := range op.Table {
		if o.Method != "" {
			s.handle(o.Method+" /v1"+o.Path, (&operation{s, o, cmp.Or(o.MaxBody, commonBody)}).serve)
		}
	}
	s.handle("GET "+healthPath, anonymously(s.health))
	s.handle("GET "+readyPath, anonymously(s.ready))
	if s.opts.Sessions != nil {
		s.handle("GET "+signInPath, anonymously(s.signIn))
		s.handle("POST "+signInPath, anonymously(s.signIn))
		s.handle("GET "+stylePath, anonymously(s.signInStyle))
	}
	if s.opts.Hook != nil {
		s.handle("POST "+hookPath, s.hook)
	}
	own := map[string]HandlerFunc{"GET /v1/openapi.json": document(s.openapi)}
	if s.opts.PlanSchema != nil {
		own["GET /v1/plan.schema.json"] = document(s.opts.PlanSchema)
	}
	if s.opts.ConfigSchema != nil {
		own["GET /v1/config.schema.json"] = document(s.opts.ConfigSchema)
	}
	if s.opts.Feed != nil {
		own["GET /v1"+op.Stream.Path] = s.stream
	}
	if s.opts.Metrics != nil {
		own["GET "+metricsPath] = s.scrape
	}
	maps.Copy(own, s.opts.Extra)
	for pattern, h := range own {
		s.handle(pattern, s.forCaller(h))
	}
	s.mux.Handle("/", s.answering(s.unknown))
	slices.Sort(s.routes)
}

// route is how a request is answered: an error that it returns is answered too.
type route func(*recorder, *http.Request) error

// answering returns the handler of a route.
func (s *Server) answering(do route) http.HandlerFunc {
	return func(rw http.ResponseWriter, r *http.Request) {
		w := rw.(*recorder)
		if err := do(w, r); err != nil && w.status == 0 {
			s.fail(w, r, err)
		}
	}
}

func (s *Server) handle(pattern string, do route) {
	s.mux.Handle(pattern, s.answering(do))
	s.routes = append(s.routes, pattern)
	s.meter.mounted(pattern)
}

// Routes lists the pattern of every mounted route, in order. No route is behind another door.
func (s *Server) Routes() []string { return slices.Clone(s.routes) }

// route passes the request to its route. The mux answers a path that is not clean with a redirect in HTML, and an invalid
// one with plain text, so neither may reach it.
func (s *Server) route(w *recorder, r *http.Request) {
	if !clean(r.URL.EscapedPath()) {
		s.fail(w, r, noRoute(r))
		return
	}
	s.mux.ServeHTTP(w, r)
}

// clean reports whether nothing would rewrite the path.
func clean(given string) bool {
	whole := path.Clean(given)
	if whole != "/" && strings.HasSuffix(given, "/") {
		whole += "/"
	}
	return given == whole && whole[0] == '/'
}

// anonymously returns a route that is not an operation and acts for nobody.
func anonymously(do HandlerFunc) route {
	return func(w *recorder, r *http.Request) error {
		if err := w.reserveBody(r.ContentLength); err != nil {
			return err
		}
		r.Body = http.MaxBytesReader(w, &counted{ReadCloser: r.Body, w: w, known: r.ContentLength}, commonBody)
		return do(w, r)
	}
}

// forCaller returns a route that is not an operation and acts for its caller.
func (s *Server) forCaller(do HandlerFunc) route {
	return func(w *recorder, r *http.Request) error {
		caller, err := s.caller(w, r)
		if err != nil {
			return err
		}
		caller.Charge = w.Reserve
		return anonymously(do)(w, r.WithContext(core.WithCaller(r.Context(), caller)))
	}
}

// unknown answers a request that no route takes: with the methods that the path takes, or with not found.
func (s *Server) unknown(w *recorder, r *http.Request) error {
	allowed := s.methods(r)
	switch {
	case len(allowed) > 0:
		w.Header().Set("Allow", strings.Join(allowed, ", "))
		return fault.New(fault.MethodNotAllowed, "%s is not a method of %s", words.Shown(r.Method), words.Shown(r.URL.Path)).
			WithHint("it takes %s", strings.Join(allowed, " and "))
	case s.opts.Lost != nil && browses(r):
		return s.forCaller(s.opts.Lost)(w, r)
	}
	return noRoute(r)
}

// methods lists the methods that the path takes.
func (s *Server) methods(r *http.Request) []string {
	var out []string
	for _, method := range []string{http.MethodGet, http.MethodPost} {
		probe := *r
		probe.Method = method
		if _, pattern := s.mux.Handler(&probe); pattern == "" || pattern == "/" {
			continue
		}
		out = append(out, method)
		if method == http.MethodGet {
			out = append(out, http.MethodHead)
		}
	}
	return out
}

func noRoute(r *http.Request) error {
	return fault.Missing("there is no route %s %s", words.Shown(r.Method), words.Shown(r.URL.Path)).
		WithHint("GET /v1/openapi.json lists every route")
}
