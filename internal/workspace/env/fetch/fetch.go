// Package fetch talks to servers that hold secrets. It limits the time, the tries and the size of
// an answer, follows no redirect to another host, and never quotes an answer in its errors.
package fetch

import (
	"bytes"
	"context"
	"crypto/x509"
	"errors"
	"io"
	"math/rand/v2"
	"net/http"
	"slices"
	"time"

	"tasker/internal/fault"
	"tasker/internal/site"
	"tasker/internal/text/words"
)

const (
	maxAnswer  = 1 << 20
	tries      = 4
	firstPause = 200 * time.Millisecond
	hops       = 3
)

// Client says how to reach servers. The zero value reaches them the usual way.
type Client struct {
	Transport http.RoundTripper                                    // nil: a new one for each Session
	Wait      func(ctx context.Context, pause time.Duration) error // nil: waits by the clock
	Now       func() time.Time                                     // nil: the clock
	Confirmed []string                                             // hosts that a person has confirmed on this machine
}

// Time returns the current time.
func (c Client) Time() time.Time {
	if c.Now == nil {
		return time.Now()
	}
	return c.Now()
}

// Session is a series of requests to servers. Close ends its connections.
type Session struct {
	client Client
	line   *site.Line
	trust  site.Trust
	o      Options
}

// Options say how to reach the servers of one session.
type Options struct {
	Roots  *x509.CertPool // nil: the system's
	Direct bool           // no proxy: the server is on this machine or its local link
	System string         // the system that the credentials are for, such as Vault
	// Named lists the addresses in the process's own environment, Variable is the variable that
	// would name one, and Vendors are domains whose hosts belong to the vendor. Nothing is sent to
	// any other host.
	Named    []string
	Variable string
	Vendors  []string
}

// Open starts a session.
func (c Client) Open(o Options) *Session {
	if c.Wait == nil {
		c.Wait = site.Pause
	}
	return &Session{
		client: c, o: o, trust: site.Trusting(o.Named...).And(c.Confirmed...).Vendors(o.Vendors...),
		line: site.Way{Name: "secrets", Transport: c.Transport, Direct: o.Direct, Roots: o.Roots, Many: 1, Hops: hops}.Open(),
	}
}

// Close ends the connections of the session.
func (s *Session) Close() { s.line.Close() }

// Request is what to send.
type Request struct {
	Method  string
	URL     string
	Header  map[string]string
	Body    []byte
	Prepare func(*http.Request) error // called before each try, for example to sign it; may be nil
	Again   func(Answer) bool         // whether an answer is worth another try; nil: 429, 500, 502, 503, 504
	Once    bool                      // no other try
}

// Answer is a server's answer, whatever its status.
type Answer struct {
	Status int
	Header http.Header
	Body   []byte
	After  time.Duration // how long the server asks to wait before the next try, if it does
}

// Busy reports whether the status says that another try may succeed.
func (a Answer) Busy() bool {
	return slices.Contains([]int{429, 500, 502, 503, 504}, a.Status)
}

// Later returns a refusal of too many requests with when to try again.
func (a Answer) Later(e *fault.Error) error {
	if a.After > 0 {
		return e.WithHint("it asks to wait %s; try again after that", a.After.Round(time.Second))
	}
	return e.WithHint("try again later")
}

// Do sends a request up to four times, until the answer is not worth another try. It pauses longer
// each time, and at least as long as the server asks. If a pause would outlast ctx, it returns the
// last answer. Errors name the host, and nothing that was sent or received.
func (s *Session) Do(ctx context.Context, r Request) (Answer, error) {
	again := r.Again
	if again == nil {
		again = Answer.Busy
	}
	pause := firstPause
	for try := 1; ; try++ {
		a, err := s.once(ctx, r)
		last := try == tries || r.Once
		switch {
		case ctx.Err() != nil:
			return Answer{}, ctx.Err()
		case err != nil && (last || !transient(err)):
			return Answer{}, err
		case err == nil && (last || !again(a)):
			return a, nil
		}
		wait := max(a.After, pause+rand.N(pause/2)) //nolint:gosec // so that many clients do not return at once; nobody gains by guessing it
		if deadline, ok := ctx.Deadline(); ok && wait > time.Until(deadline) {
			return a, err
		}
		if err := s.client.Wait(ctx, wait); err != nil {
			return Answer{}, err
		}
		pause *= 2
	}
}

func (s *Session) once(ctx context.Context, r Request) (Answer, error) {
	req, err := http.NewRequestWithContext(ctx, r.Method, r.URL, bytes.NewReader(r.Body))
	if err != nil {
		return Answer{}, fault.Bad("the address is not valid").WithHint("check that it is of the form https://host:port")
	}
	if err := s.trust.Check(s.o.System, r.URL, s.o.Variable); err != nil {
		return Answer{}, err
	}
	for name, value := range r.Header {
		req.Header.Set(name, value)
	}
	if r.Prepare != nil {
		if err := r.Prepare(req); err != nil {
			return Answer{}, err
		}
	}
	res, err := s.line.Do(req)
	if err != nil {
		return Answer{}, unreached(req.URL.Host, err)
	}
	defer res.Body.Close()
	body, err := io.ReadAll(io.LimitReader(res.Body, maxAnswer+1))
	if err != nil {
		return Answer{}, unreached(req.URL.Host, err)
	}
	if len(body) > maxAnswer {
		return Answer{}, fault.Bad("%s answered with more than 1 MiB", req.URL.Host)
	}
	if res.StatusCode >= 300 && res.StatusCode < 400 {
		return Answer{}, fault.Bad("%s answered a redirect that leads nowhere", req.URL.Host)
	}
	return Answer{res.StatusCode, res.Header, body, site.After(res.Header, s.client.Time())}, nil
}

// unreachable is an error on the way to a server, after which another try may succeed.
type unreachable struct{ error }

func (u unreachable) Unwrap() error { return u.error }

func transient(err error) bool {
	var u unreachable
	return errors.As(err, &u)
}

// unreached says why there was no answer.
func unreached(host string, err error) error {
	switch cause, detail := site.Why(err); cause {
	case site.Ended, site.Late:
		return err
	case site.Redirected:
		return fault.Bad("%s redirects to %s, and the credentials are not for that host", host, words.Quoted(detail)).
			WithHint("if that is the right host, give its address")
	case site.NoHost:
		return unreachable{fault.Bad("there is no host %s", words.Quoted(detail)).WithHint("check the address and the network")}
	case site.Unsigned:
		return fault.Bad("the certificate of %s is signed by an authority that this machine does not know", host).
			WithHint("install the authority's certificate, or name its file")
	case site.Uncertified:
		return fault.Bad("the certificate of %s is not valid for it", host).WithHint("check the address, the certificate's names and its dates")
	case site.NoTLS:
		return fault.Bad("%s does not speak TLS", host).WithHint("check whether the address begins with https:// or http://")
	case site.Unreachable:
		return unreachable{fault.Bad("%s cannot be reached: %s", host, detail).WithHint("check the address, and whether the server is running")}
	case site.NoHTTP, site.BrokenOff:
	}
	return unreachable{fault.Bad("%s gave no HTTP answer", host).WithHint("check the address, and what is running there")}
}
