package httpapi

import (
	"crypto/sha256"
	"crypto/subtle"
	"net"
	"net/http"
	"net/netip"
	"net/url"
	"strings"
	"sync"
	"time"

	"tasker/internal/fault"
	"tasker/internal/fault/hint"
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
	var usual string
	switch u.Scheme {
	case "http":
		usual = ":80"
	case "https":
		usual = ":443"
	default:
		return false
	}
	return strings.TrimSuffix(strings.ToLower(u.Host), usual) == strings.TrimSuffix(strings.ToLower(host), usual)
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
	p, err := addr.Prefix(bits)
	if err != nil {
		return netip.Prefix{}
	}
	return p
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
