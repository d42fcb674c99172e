// Package site is the one way to ask another system over HTTP, and asks those that have a REST API. It follows nobody to another
// host, decides where a credential may go, and waits as long as the system asks it to, within its own limit.
// Of an answer that is no success it keeps the status and the system's own message, and nothing of any answer in which a
// credential of ours stands.
package site

import (
	"bytes"
	"cmp"
	"context"
	"errors"
	"fmt"
	"io"
	"net/http"
	"net/url"
	"strconv"
	"strings"
	"time"

	"github.com/go-json-experiment/json"

	"tasker/internal/fault"
	"tasker/internal/text/words"
)

// Options is what a client is made with.
type Options struct {
	Name    string // of the system in sentences, such as tracker
	Example string // of an address
	URL     string
	// Variable is what names the site in the environment, and Trust where its credentials may go.
	Variable string
	Trust    Trust
	// Authorize adds the credentials to a request, as headers.
	Authorize func(*http.Request)
	// Secrets are what the credentials are made of. Neither they nor the headers are kept where an answer repeats them.
	Secrets []string
	// Said returns what the body of a refusal says.
	Said func(answer []byte) []string
	// Pause waits; nil: by the clock.
	Pause func(ctx context.Context, d time.Duration) error
	// Total is how long a request takes at most, with its answer, every other try and the pauses between them; 0: a minute.
	Total time.Duration
}

// Client asks one system.
type Client struct {
	Options
	line    *Line
	guard   *guard // of refusals
	records *guard
}

// New returns the client of a system. Nothing is asked yet.
func New(o Options) (*Client, error) {
	at, err := url.Parse(o.URL)
	if err != nil || at.Scheme != "https" && at.Scheme != "http" || at.Host == "" || at.User != nil {
		return nil, fault.Bad("the address of the %s is none: %s", o.Name, words.Quoted(words.Redacted(o.URL))).
			WithHint("such as %s, without a user or a password in it", o.Example)
	}
	host := at.Hostname()
	if at.Scheme == "http" && host != "localhost" && host != "127.0.0.1" && host != "::1" {
		return nil, fault.Decline("the %s at %s would be sent credentials without encryption", o.Name, at.Host).
			WithHint("give its address with https")
	}
	if err := o.Trust.Check("the "+o.Name, o.URL, o.Variable); err != nil {
		return nil, err
	}
	o.URL = strings.TrimSuffix(at.String(), "/")
	if o.Pause == nil {
		o.Pause = pause
	}
	o.Total = cmp.Or(o.Total, total)
	credentials := append(sent(o.Authorize), o.Secrets...)
	return &Client{Options: o, guard: newGuard(credentials...), records: forRecords(credentials...), line: Way{Name: o.Name}.Open()}, nil
}

// The limits of a request.
const (
	total     = 60 * time.Second
	maxAnswer = 64 << 20
	tries     = 5
	firstWait = 500 * time.Millisecond
	maxSaid   = 300 // characters of a refusal
)

func pause(ctx context.Context, d time.Duration) error {
	t := time.NewTimer(d)
	defer t.Stop()
	select {
	case <-ctx.Done():
		return ctx.Err()
	case <-t.C:
		return nil
	}
}

// Get asks for something, again where the system fails for now. It returns the headers of the answer. All of it ends in time,
// however slowly the system answers; where a pause would last for longer, the last problem is the answer.
func (c *Client) Get(ctx context.Context, path string, into any) (http.Header, error) {
	ctx, cancel := context.WithTimeout(ctx, c.Total)
	defer cancel()
	var paused time.Duration
	next := firstWait
	for try := 1; ; try++ {
		header, err := c.once(ctx, http.MethodGet, path, nil, into)
		if err == nil {
			return header, nil
		}
		p := ProblemOf(err)
		wait := max(next, p.Wait)
		if paused += wait; p.ForGood || try == tries || ctx.Err() != nil || paused >= c.Total {
			return nil, err
		}
		if err := c.Pause(ctx, wait); err != nil {
			return nil, err
		}
		next *= 2
	}
}

// Send sends something, once: who asks has an outbox.
func (c *Client) Send(ctx context.Context, method, path string, body any) error {
	ctx, cancel := context.WithTimeout(ctx, c.Total)
	defer cancel()
	_, err := c.once(ctx, method, path, body, nil)
	return err
}

// once sends one request and reads its answer, which must be whole.
func (c *Client) once(ctx context.Context, method, path string, body, into any) (http.Header, error) {
	var src io.Reader
	if body != nil {
		text, err := json.Marshal(body, json.Deterministic(true))
		if err != nil {
			return nil, err
		}
		src = bytes.NewReader(text)
	}
	req, err := http.NewRequestWithContext(ctx, method, c.URL+path, src)
	if err != nil {
		return nil, err
	}
	req.Header.Set("Accept", "application/json")
	if body != nil {
		req.Header.Set("Content-Type", "application/json")
	}
	c.Authorize(req)
	res, err := c.line.Do(req)
	if err != nil {
		cause, _ := Why(err)
		return nil, &Problem{Message: fmt.Sprintf("the %s cannot be reached: %s", c.Name, Reason(err)), Late: cause == Late}
	}
	defer res.Body.Close()
	answer, err := io.ReadAll(io.LimitReader(res.Body, maxAnswer+1))
	if errors.Is(err, context.DeadlineExceeded) {
		return nil, &Problem{Message: fmt.Sprintf("the answer of the %s did not come to an end in %s", c.Name, c.Total), Late: true}
	}
	if err != nil {
		return nil, &Problem{Message: fmt.Sprintf("the answer of the %s broke off", c.Name)}
	}
	if len(answer) > maxAnswer {
		return nil, &Problem{Message: fmt.Sprintf("an answer of the %s is larger than %d MiB", c.Name, maxAnswer>>20), ForGood: true}
	}
	if res.StatusCode >= 300 {
		return nil, c.problem(res, answer)
	}
	if into == nil {
		return res.Header, nil
	}
	if err := c.records.decode(answer, into); err != nil {
		if errors.Is(err, errShown) {
			return nil, &Problem{Message: fmt.Sprintf("a credential of ours stands in an answer of the %s, so that nothing of it is kept", c.Name), ForGood: true, Shows: true}
		}
		return nil, &Problem{Message: fmt.Sprintf("the %s answers something that is no answer of its API", c.Name)}
	}
	return res.Header, nil
}

// problem returns what a refusal says.
func (c *Client) problem(res *http.Response, answer []byte) error {
	p := &Problem{
		Message: fmt.Sprintf("the %s answers %d", c.Name, res.StatusCode),
		ForGood: res.StatusCode < 500 && res.StatusCode != http.StatusTooManyRequests && res.StatusCode != http.StatusRequestTimeout,
		Auth:    res.StatusCode == http.StatusUnauthorized || res.StatusCode == http.StatusForbidden,
		Missing: res.StatusCode == http.StatusNotFound,
		Wait:    waitOf(res.Header),
	}
	// A limit of requests may come as a 403 that says until when.
	if res.StatusCode == http.StatusForbidden && (res.Header.Get("X-Ratelimit-Remaining") == "0" || res.Header.Get("Retry-After") != "") {
		p.ForGood, p.Auth = false, false
	}
	switch said := c.Said(answer); {
	case len(said) == 0:
	case c.guard.shows(answer), c.guard.shows([]byte(strings.Join(said, "; "))):
		p.Message += " with a credential of ours in it, so that nothing else of it is kept"
	default:
		p.Message += ": " + words.Shown(words.Cut(strings.Join(said, "; "), maxSaid))
	}
	return p
}

// maxWait is the longest time that a system may ask us to wait.
const maxWait = time.Hour

// waitOf returns how long a system asks us to wait, by its own clock.
func waitOf(h http.Header) time.Duration {
	sent, err := http.ParseTime(h.Get("Date"))
	until := func(at time.Time) time.Duration {
		if err != nil {
			return 0
		}
		return min(max(at.Sub(sent), 0), maxWait)
	}
	if after := h.Get("Retry-After"); after != "" {
		if s, err := strconv.Atoi(after); err == nil && s > 0 {
			return min(time.Duration(min(s, 3600))*time.Second, maxWait)
		}
		if at, err := http.ParseTime(after); err == nil {
			return until(at)
		}
	}
	if s, err := strconv.ParseInt(h.Get("X-Ratelimit-Reset"), 10, 64); err == nil && h.Get("X-Ratelimit-Remaining") == "0" {
		return until(time.Unix(s, 0))
	}
	return 0
}

// Problem is why a system did not do what it was asked for.
type Problem struct {
	Message string
	Of      string        // what it is about where that is a part of the system, such as a repository
	ForGood bool          // asking again does not help
	Auth    bool          // the credentials are refused
	Missing bool          // there is no such record, or not for us
	Shows   bool          // a credential of ours stands in the answer
	Late    bool          // the system did not answer in time
	Wait    time.Duration // before which it asks not to be asked again
}

func (p *Problem) Error() string { return p.Message }

// ProblemOf returns the problem that an error is; any other error is one that may pass.
func ProblemOf(err error) *Problem {
	var p *Problem
	if errors.As(err, &p) {
		return p
	}
	return &Problem{Message: err.Error()}
}
