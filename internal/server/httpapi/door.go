package httpapi

import (
	"context"
	"crypto/sha256"
	"crypto/subtle"
	"log/slog"
	"net"
	"net/http"
	"net/netip"
	"net/url"
	"strings"
	"sync"
	"time"

	"tasker/internal/core"
	"tasker/internal/fault"
	"tasker/internal/hint"
	"tasker/internal/text/words"
)

// door is the front door. Every request passes it before anything else sees it.
type door struct {
	hosts map[string]bool // exact names, in lower case
	token [sha256.Size]byte
	open  bool // no token is required
}

func newDoor(token string, hosts []string) door {
	d := door{hosts: map[string]bool{}, token: sha256.Sum256([]byte(token)), open: token == ""}
	for _, h := range hosts {
		if h != "" {
			d.hosts[normal(h)] = true
		}
	}
	return d
}

// admit passes the request on to the check of its credential, or says why not. The order matters: a foreign name is refused
// before the token is checked, so that a page in a browser learns nothing about it.
func (d *door) admit(r *http.Request) error {
	if !d.ours(r.Host) {
		return fault.New(fault.Forbidden, "this server does not answer to the host %s", words.Shown(r.Host)).
			WithHint("ask for it by address or as localhost, or start it with %s", hint.Command("serve --allowed-host NAME"))
	}
	if reads(r.Method) {
		return nil
	}
	if site := foreign(r); site != "" {
		return fault.New(fault.Forbidden, "a write from another site (%s) is refused", site).
			WithHint("write from this server's own pages or from a program; "+
				"a proxy must keep the Host header that the browser sent, and %s admits that name", hint.Command("serve --allowed-host NAME"))
	}
	return nil
}

// checkToken requires the token for a write, in token mode.
func (d *door) checkToken(r *http.Request) error {
	if !d.open && !reads(r.Method) && !d.knows(r.Header["Authorization"]) {
		return fault.New(fault.Unauthorized, "this server takes writes only with its token").
			WithHint("send the header Authorization: Bearer <token>; commands take it from TASKER_TOKEN")
	}
	return nil
}

// reads reports whether a method is safe: it changes nothing.
func reads(method string) bool {
	return method == http.MethodGet || method == http.MethodHead || method == http.MethodOptions
}

// ours reports whether we may be addressed by that host: an address, a loopback name, or a declared name. A page that
// pointed its own name at us (DNS rebinding) uses that name. A client that sends no host is not a browser.
func (d *door) ours(host string) bool {
	if host == "" {
		return true
	}
	name := host
	if h, port, err := net.SplitHostPort(host); err == nil {
		if strings.Trim(port, "0123456789") != "" {
			return false
		}
		name = h
	} else {
		name = strings.TrimSuffix(strings.TrimPrefix(name, "["), "]")
	}
	if _, err := netip.ParseAddr(name); err == nil {
		return true
	}
	name = normal(name)
	return name == "localhost" || strings.HasSuffix(name, ".localhost") || d.hosts[name]
}

// normal returns a host name in the form used for comparison.
func normal(name string) string { return strings.TrimSuffix(strings.ToLower(name), ".") }

// foreign returns the other site that a write comes from according to the browser, or "". Browsers send one header or both;
// a program that sends neither is not a browser.
func foreign(r *http.Request) string {
	for _, site := range r.Header["Sec-Fetch-Site"] {
		if site != "same-origin" && site != "none" {
			return "Sec-Fetch-Site " + words.Shown(site)
		}
	}
	for _, origin := range r.Header["Origin"] {
		if !sameOrigin(origin, r.Host) {
			return "Origin " + words.Shown(origin)
		}
	}
	return ""
}

// sameOrigin reports whether an origin is the requested host, including the port. The scheme may differ: a proxy that
// terminates TLS for us is not another site.
func sameOrigin(origin, host string) bool {
	u, err := url.Parse(origin)
	if err != nil || u.Host == "" || u.User != nil {
		return false
	}
	usual, known := map[string]string{"http": ":80", "https": ":443"}[u.Scheme]
	return known && strings.TrimSuffix(strings.ToLower(u.Host), usual) == strings.TrimSuffix(strings.ToLower(host), usual)
}

// knows reports whether the one credential given is the token. It compares hashes, so that the time taken reveals neither
// content nor length.
func (d *door) knows(authorization []string) bool {
	if len(authorization) != 1 {
		return false
	}
	scheme, credential, _ := strings.Cut(authorization[0], " ")
	given := sha256.Sum256([]byte(strings.TrimSpace(credential)))
	return subtle.ConstantTimeCompare(given[:], d.token[:]) == 1 && strings.EqualFold(scheme, "Bearer")
}

// A credential has 256 random bits: guessing finds none, so no address has to wait because of what it sent, and every
// credential is looked up. The cost of guessing is limited instead: how many lookups run at once, and how much of it is
// logged.
const (
	// maxGuesses is how many wrong credentials of an address are logged in a window and the one before it.
	maxGuesses  = 20
	guessWindow = time.Minute
	// maxLookups is how many lookups run at once for all addresses that sent more wrong credentials than that.
	maxLookups = 2
	// maxRemembered limits how many addresses are remembered.
	maxRemembered = 10_000
)

// address returns what a request is counted under: a machine or, for IPv6, its network, because a machine has many
// addresses.
func address(remote string) netip.Prefix {
	at, err := netip.ParseAddrPort(remote)
	if err != nil {
		return netip.Prefix{} // not TCP: counted together
	}
	addr := at.Addr().Unmap().WithZone("")
	bits := addr.BitLen()
	if addr.Is6() {
		bits = 64
	}
	return netip.PrefixFrom(addr, bits).Masked()
}

// guesses counts wrong credentials by address, in this window and the one before it.
type guesses struct {
	now func() time.Time

	mu          sync.Mutex
	since       time.Time // when this window began
	these, last map[netip.Prefix]int
}

// many reports whether the address has sent more wrong credentials than are logged.
func (g *guesses) many(from netip.Prefix) bool {
	g.mu.Lock()
	defer g.mu.Unlock()
	g.turn()
	return g.these[from]+g.last[from] >= maxGuesses
}

// add counts one guess and reports whether it reached the limit.
func (g *guesses) add(from netip.Prefix) bool {
	g.mu.Lock()
	defer g.mu.Unlock()
	g.turn()
	if _, ok := g.these[from]; !ok && len(g.these) >= maxRemembered {
		g.last, g.these = g.these, map[netip.Prefix]int{}
	}
	g.these[from]++
	return g.these[from]+g.last[from] == maxGuesses
}

// turn begins a new window when this one is over.
func (g *guesses) turn() {
	switch passed := g.now().Sub(g.since); {
	case passed < guessWindow && passed >= 0:
	case passed < 2*guessWindow && passed >= 0:
		g.since, g.last, g.these = g.since.Add(guessWindow), g.these, map[netip.Prefix]int{}
	default: // or the clock was set back
		g.since, g.last, g.these = g.now(), nil, map[netip.Prefix]int{}
	}
}

// Sessions knows whom a credential belongs to.
type Sessions interface {
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
func (s *Server) closed() bool { return s.opts.Sessions != nil && s.opts.Identity().Closed }

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
		return fault.New(fault.Unauthorized, "this server requires a session").
			WithHint("send the header Authorization: Bearer tsk_…; commands take it from TASKER_SESSION; "+
				"create one where the database is: %s", hint.NewSession())
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
		return fault.New(fault.Unauthorized, "this server requires a session from now on").WithHint("connect again with one")
	}
	_, err := s.opts.Sessions.Enter(ctx, in.credential)
	return err
}
