package site

import (
	"context"
	"crypto/tls"
	"crypto/x509"
	"errors"
	"io"
	"net"
	"net/http"
	"os"
	"sync"
	"syscall"
	"time"

	"tasker/internal/telemetry"
	"tasker/internal/text/words"
)

// Way describes how to reach a system. The zero value uses the usual defaults.
type Way struct {
	Name   string // of the system in traces; empty: not traced
	PassOn bool   // send the trace context along: the system belongs to the people who run this program

	Transport http.RoundTripper // nil: a transport of its own
	Direct    bool              // no proxy
	Roots     *x509.CertPool    // the CAs that sign its certificate; nil: the machine's
	// Dial connects; nil: to any address.
	Dial func(ctx context.Context, network, address string) (net.Conn, error)
	// Answers limits the time until the response begins; 0: until the request ends.
	Answers time.Duration
	Once    bool // use each connection for one request only
	Plain   bool // do not compress responses: the system is on this machine
	Many    int  // idle connections kept per host; 0: two
	Hops    int  // redirects to follow within the host; 0: none
}

// Line is a connection to one system. It never follows a redirect to another host, because a request may carry a
// credential.
type Line struct{ http *http.Client }

// The limits of a line.
const (
	dialing    = 10 * time.Second
	shaking    = 10 * time.Second
	idle       = time.Minute
	maxHeaders = 64 << 10
)

// Open returns a line. It sends nothing yet.
func (w Way) Open() *Line {
	transport := w.Transport
	if transport == nil && w.usual() {
		transport = usual()
	}
	if transport == nil {
		transport = w.transport()
	}
	if w.Name != "" {
		transport = telemetry.Transport{RoundTripper: transport, Name: w.Name, PassOn: w.PassOn}
	}
	return &Line{&http.Client{Transport: transport, CheckRedirect: func(r *http.Request, via []*http.Request) error {
		if w.Hops == 0 {
			return http.ErrUseLastResponse
		}
		if first := via[0].URL; r.URL.Scheme != first.Scheme || r.URL.Host != first.Host || len(via) > w.Hops {
			return Elsewhere{r.URL.Host}
		}
		return nil
	}}}
}

// usual reports whether a way can share its connections with others.
func (w Way) usual() bool {
	return !w.Direct && w.Roots == nil && w.Dial == nil && w.Answers == 0 && !w.Once && !w.Plain && w.Many == 0
}

// usual is the transport shared by all ways with default settings.
var usual = sync.OnceValue(func() http.RoundTripper { return Way{}.transport() })

func (w Way) transport() *http.Transport {
	t := &http.Transport{
		DialContext: w.Dial, TLSClientConfig: &tls.Config{RootCAs: w.Roots, MinVersion: tls.VersionTLS12}, TLSHandshakeTimeout: shaking,
		ForceAttemptHTTP2: true, MaxResponseHeaderBytes: maxHeaders, IdleConnTimeout: idle, ResponseHeaderTimeout: w.Answers,
		DisableKeepAlives: w.Once, DisableCompression: w.Plain, MaxIdleConnsPerHost: w.Many,
	}
	if !w.Direct {
		t.Proxy = http.ProxyFromEnvironment
	}
	if t.DialContext == nil {
		t.DialContext = (&net.Dialer{Timeout: dialing}).DialContext
	}
	return t
}

// Do sends a request. The request's context also limits reading the response. Use Why to explain an error: its own text may
// quote what the system sent.
func (l *Line) Do(r *http.Request) (*http.Response, error) { return l.http.Do(r) }

// Close closes idle connections.
func (l *Line) Close() { l.http.CloseIdleConnections() }

// Elsewhere is a redirect that is not followed.
type Elsewhere struct{ Host string }

func (e Elsewhere) Error() string { return "redirected" }

// Cause is why a system gave no answer.
type Cause int

// The causes.
const (
	NoHTTP      Cause = iota // the response is not HTTP
	Late                     // it took too long
	Ended                    // the caller stopped waiting
	BrokenOff                // the connection broke
	Redirected               // to another host, given as the detail
	NoHost                   // no host has this name, which is the detail
	Unsigned                 // its certificate is signed by no CA that this machine knows
	Uncertified              // its certificate is not valid for this host
	NoTLS                    // it does not speak TLS
	Unreachable              // the operating system's error is the detail
)

// Why returns why there was no response, with a detail if the cause has one. The result contains nothing that the other
// system sent, except the host of a redirect.
func Why(err error) (c Cause, detail string) {
	var redirect Elsewhere
	var dns *net.DNSError
	var authority x509.UnknownAuthorityError
	var name x509.HostnameError
	var invalid x509.CertificateInvalidError
	var record tls.RecordHeaderError
	var system syscall.Errno
	switch {
	case errors.Is(err, context.Canceled):
		return Ended, ""
	case errors.Is(err, context.DeadlineExceeded), errors.Is(err, os.ErrDeadlineExceeded):
		return Late, ""
	case errors.As(err, &redirect):
		return Redirected, redirect.Host
	case errors.As(err, &dns):
		return NoHost, dns.Name
	case errors.As(err, &authority):
		return Unsigned, ""
	case errors.As(err, &name), errors.As(err, &invalid):
		return Uncertified, ""
	case errors.As(err, &record), errors.Is(err, http.ErrSchemeMismatch):
		return NoTLS, ""
	case errors.As(err, &system):
		return Unreachable, system.Error()
	case errors.Is(err, io.EOF), errors.Is(err, io.ErrUnexpectedEOF):
		return BrokenOff, ""
	}
	return NoHTTP, ""
}

// Reason says why there was no response, for a sentence that has already named the system.
func Reason(err error) string {
	cause, detail := Why(err)
	return map[Cause]string{
		NoHTTP:      "it gave no HTTP answer",
		Late:        "it gave no answer in time",
		Ended:       "nobody is waiting for its answer any more",
		BrokenOff:   "it broke off the connection",
		Redirected:  "it redirects to another host",
		NoHost:      "there is no host " + words.Quoted(detail),
		Unsigned:    "its certificate is signed by an authority that this machine does not know",
		Uncertified: "its certificate is not valid for it",
		NoTLS:       "it does not speak TLS",
		Unreachable: detail,
	}[cause]
}
