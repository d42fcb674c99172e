package httpapi

import (
	"net/http"
	"slices"
	"strings"

	"tasker/internal/core"
	"tasker/internal/fault"
	"tasker/internal/op"
	"tasker/internal/text/words"
)

// mount puts every route on the mux. The operation table is all of /v1, except a few documents and the stream.
func (s *Server) mount() {
	s.mux = http.NewServeMux()
	for _, o := range op.Table {
		if o.Method != "" {
			s.handle(o.Method+" /v1"+o.Path, &operation{s, o, bodyBound(o)})
		}
	}
	s.handle("GET "+healthPath, &extra{s, s.health, true})
	s.handle("GET "+readyPath, &extra{s, s.ready, true})
	if s.opts.Sessions != nil {
		s.handle("GET "+signInPath, &extra{s, s.signIn, true})
		s.handle("POST "+signInPath, &extra{s, s.signIn, true})
		s.handle("GET "+stylePath, &extra{s, s.signInStyle, true})
	}
	if s.opts.Hook != nil {
		s.handle("POST "+hookPath, hookRoute{s})
	}
	own := map[string]HandlerFunc{
		"GET /v1/openapi.json": document(s.openapi),
		"GET /{$}":             page,
	}
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
	for pattern, h := range s.opts.Extra {
		own[pattern] = h // a page of the web view replaces ours
	}
	for pattern, h := range own {
		s.handle(pattern, &extra{s, h, false})
	}
	s.mux.Handle("/", unknown{s})
	slices.Sort(s.routes)
}

func (s *Server) handle(pattern string, h http.Handler) {
	s.mux.Handle(pattern, h)
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
func clean(path string) bool {
	if path == "" || path[0] != '/' || strings.Contains(path, "//") {
		return false
	}
	for rest := path; ; {
		i := strings.Index(rest, "/.")
		if i < 0 {
			return true
		}
		rest = rest[i+2:]
		if rest == "" || rest[0] == '/' || rest == "." || strings.HasPrefix(rest, "./") {
			return false
		}
	}
}

// extra is a route that is not an operation.
type extra struct {
	s         *Server
	do        HandlerFunc
	anonymous bool // it acts for nobody
}

func (h *extra) ServeHTTP(rw http.ResponseWriter, r *http.Request) {
	w := rw.(*recorder)
	var err error
	if !h.anonymous {
		var caller core.Caller
		if caller, err = h.s.caller(w, r); err == nil {
			caller.Charge = w.Reserve
			r = r.WithContext(core.WithCaller(r.Context(), caller))
		}
	}
	if err == nil {
		if err = w.reserveBody(r.ContentLength); err == nil {
			r.Body = http.MaxBytesReader(w, &counted{ReadCloser: r.Body, w: w, known: r.ContentLength}, commonBody)
			err = h.do(w, r)
		}
	}
	if err != nil && w.status == 0 {
		h.s.fail(w, r, err)
	}
}

// unknown answers a request that no route takes: with the methods that the path takes, or with not found.
type unknown struct{ s *Server }

func (h unknown) ServeHTTP(rw http.ResponseWriter, r *http.Request) {
	w := rw.(*recorder)
	allowed := h.s.methods(r)
	if len(allowed) == 0 {
		if h.s.opts.Lost != nil && browses(r) {
			(&extra{s: h.s, do: h.s.opts.Lost}).ServeHTTP(w, r)
			return
		}
		h.s.fail(w, r, noRoute(r))
		return
	}
	w.Header().Set("Allow", strings.Join(allowed, ", "))
	h.s.fail(w, r, fault.New(fault.MethodNotAllowed, "%s is not a method of %s", words.Shown(r.Method), words.Shown(r.URL.Path)).
		WithHint("it takes %s", strings.Join(allowed, " and ")))
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
