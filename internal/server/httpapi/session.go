package httpapi

import (
	"context"
	"log/slog"
	"net/http"
	"strings"
	"time"

	"tasker/internal/core"
	"tasker/internal/fault"
	"tasker/internal/fault/hint"
)

// Sessions knows whether requests must present a session, and whom a credential belongs to.
type Sessions interface {
	// Required reports whether every request must present a session, as the configuration says now.
	Required() bool
	// Enter returns on whose behalf a credential acts now, or Unauthorized if it is not valid.
	Enter(ctx context.Context, credential string) (Entry, error)
	// Leave ends the session of a credential that Enter has let in, for good and everywhere.
	Leave(ctx context.Context, credential string, in Entry) error
}

// Entry is the access that a valid credential gives.
type Entry struct {
	Caller    core.Caller
	ExpiresAt time.Time // zero: never
}

// entered is the session that a request came in with.
type entered struct {
	Entry
	credential string
}

// Paths that need no session in session mode: probes act for nobody, and a person gets a session on the sign-in page.
const (
	healthPath = "/healthz"
	readyPath  = "/readyz"
	signInPath = "/signin"
	stylePath  = signInPath + "/style.css" // of the sign-in page; every other asset needs a session
)

func anonymous(path string) bool {
	return path == healthPath || path == readyPath || path == signInPath || path == stylePath
}

// closed reports whether every request must present a session.
func (s *Server) closed() bool { return s.opts.Sessions != nil && s.opts.Sessions.Required() }

// admit lets a request in, or says why not: the host and the site first, then the token or the session.
func (s *Server) admit(w *recorder, r *http.Request) error {
	if err := s.door.admit(r); err != nil {
		return err
	}
	switch {
	case r.URL.Path == hookPath: // its signature lets it in, and without a secret there is no route
		return nil
	case !s.closed():
		return s.door.checkToken(r)
	case anonymous(r.URL.Path):
		return nil
	}
	credential, how := presented(r)
	switch {
	case how == noCredential:
		return fault.New(fault.Unauthorized, "this server asks for a session").
			WithHint("send the header Authorization: Bearer tsk_…; commands take it from TASKER_SESSION; "+
				"one is made where the database is: %s", hint.NewSession())
	case how == byCookie && !reads(r.Method) && !saysFrom(r):
		// Every browser says where a write comes from, so a cookie without that comes from something else.
		return fault.New(fault.Forbidden, "a write with the cookie of the web view does not say which page it comes from").
			WithHint("a program sends the session as Authorization: Bearer tsk_…")
	}
	in, err := s.enter(w, r, credential)
	w.entered = in
	return err
}

// How a request presents its session.
type presentation int

const (
	noCredential presentation = iota
	byHeader
	byCookie
)

// presented returns the credential of a request. A header takes precedence over the cookie; a header that is not a bearer
// token is a wrong credential, not a missing one.
func presented(r *http.Request) (string, presentation) {
	if given := r.Header["Authorization"]; len(given) > 0 {
		scheme, credential, _ := strings.Cut(given[0], " ")
		if len(given) > 1 || !strings.EqualFold(scheme, "Bearer") {
			return "", byHeader
		}
		return strings.TrimSpace(credential), byHeader
	}
	if c, err := r.Cookie(cookieName); err == nil {
		return c.Value, byCookie
	}
	return "", noCredential
}

// saysFrom reports whether a browser says where the request comes from; foreign checks what it says.
func saysFrom(r *http.Request) bool {
	return len(r.Header["Sec-Fetch-Site"]) > 0 || len(r.Header["Origin"]) > 0
}

// enter looks up a credential, whatever was sent before it: a neighbour who guesses locks nobody out. Addresses that guess
// share a few lookups, so that the database stays free for others, and their further wrong credentials are counted but not
// logged.
func (s *Server) enter(w *recorder, r *http.Request, credential string) (*entered, error) {
	from := address(r.RemoteAddr)
	guessing := s.guesses.many(from)
	if guessing {
		select {
		case s.lookups <- struct{}{}:
			defer func() { <-s.lookups }()
		case <-r.Context().Done():
			return nil, fault.Unready("the request ended before its session was looked up").WithCause(r.Context().Err())
		}
	}
	entry, err := s.opts.Sessions.Enter(r.Context(), credential)
	if err == nil {
		return &entered{entry, credential}, nil
	}
	if fault.Is(err, fault.Unauthorized) {
		w.unlogged = guessing
		if s.guesses.add(from) {
			s.log(r, slog.LevelWarn, "too many wrong credentials from one address: further ones are not logged", slog.String("from", r.RemoteAddr))
		}
	}
	return nil, err
}

// stillIn reports whether a long request, a stream, would still be let in now.
func (s *Server) stillIn(ctx context.Context, in *entered) error {
	if !s.closed() {
		return nil
	}
	if in == nil {
		return fault.New(fault.Unauthorized, "this server asks for a session from now on").WithHint("connect again with one")
	}
	_, err := s.opts.Sessions.Enter(ctx, in.credential)
	return err
}
