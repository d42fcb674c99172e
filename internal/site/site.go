// Package site is the only HTTP client for other systems, and calls their REST APIs. It never follows a redirect to another
// host, decides where a credential may go, and waits as long as the system asks it to, up to its own limit. From a failed
// response it keeps the status and the system's own message. It keeps nothing of a response that contains one of our
// credentials.
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

// Options configures a client.
type Options struct {
	Name    string // what messages call the system, such as tracker
	Example string // an example address
	URL     string
	// Variable is the environment variable that names the site. Trust says where its credentials may go.
	Variable string
	Trust    Trust
	// Authorize adds the credentials to a request, as headers.
	Authorize func(*http.Request)
	// Secrets are the values that the credentials are made of. If a response repeats them or the headers, it is not kept.
	Secrets []string
	// Said returns the message in the body of a refusal.
	Said func(answer []byte) []string
	// Pause waits; nil uses the clock.
	Pause func(ctx context.Context, d time.Duration) error
	// Total limits a request including its response, retries and the pauses between them; 0 means a minute.
	Total time.Duration
}

// Client calls one system.
type Client struct {
	Options
	line    *Line
	guard   *guard // for refusals
	records *guard
}

// New returns a client for a system. It sends nothing yet.
func New(o Options) (*Client, error) {
	at, err := url.Parse(o.URL)
	if err != nil || at.Scheme != "https" && at.Scheme != "http" || at.Host == "" || at.User != nil {
		return nil, fault.Bad("the address of the %s is not valid: %s", o.Name, words.Quoted(words.Redacted(o.URL))).
			WithHint("give one such as %s, without a user or a password", o.Example)
	}
	host := at.Hostname()
	if at.Scheme == "http" && host != "localhost" && host != "127.0.0.1" && host != "::1" {
		return nil, fault.Decline("the %s at %s would get credentials without encryption", o.Name, at.Host).
			WithHint("give its address with https")
	}
	if err := o.Trust.Check("the "+o.Name, o.URL, o.Variable); err != nil {
		return nil, err
	}
	o.URL = strings.TrimSuffix(at.String(), "/")
	if o.Pause == nil {
		o.Pause = Pause
	}
	o.Total = cmp.Or(o.Total, total)
	credentials := append(sent(o.Authorize), o.Secrets...)
	return &Client{Options: o, guard: forRefusals(credentials...), records: forRecords(credentials...), line: Way{Name: o.Name}.Open()}, nil
}

// The limits of a request.
const (
	total     = 60 * time.Second
	maxAnswer = 64 << 20
	tries     = 5
	firstWait = 500 * time.Millisecond
	maxSaid   = 300 // characters kept of a refusal
)

// Pause waits, and returns early with the context's error if that ends.
func Pause(ctx context.Context, d time.Duration) error {
	t := time.NewTimer(d)
	defer t.Stop()
	select {
	case <-ctx.Done():
		return ctx.Err()
	case <-t.C:
		return nil
	}
}

// Get requests path and retries temporary failures. It returns the response's headers. The time limit holds for all of it,
// however slowly the system answers; if the next pause would exceed it, Get returns the last problem.
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

// Send sends a request once. It does not retry, because callers have an outbox.
func (c *Client) Send(ctx context.Context, method, path string, body any) error {
	ctx, cancel := context.WithTimeout(ctx, c.Total)
	defer cancel()
	_, err := c.once(ctx, method, path, body, nil)
	return err
}

// once sends one request and reads the whole response.
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
		return nil, &Problem{Message: fmt.Sprintf("the answer from the %s did not end within %s", c.Name, c.Total), Late: true}
	}
	if err != nil {
		return nil, &Problem{Message: fmt.Sprintf("the answer from the %s broke off", c.Name)}
	}
	if len(answer) > maxAnswer {
		return nil, &Problem{Message: fmt.Sprintf("an answer from the %s is larger than %d MiB", c.Name, maxAnswer>>20), ForGood: true}
	}
	if res.StatusCode >= 300 {
		return nil, c.problem(res, answer)
	}
	if into == nil {
		return res.Header, nil
	}
	if err := c.records.decode(answer, into); err != nil {
		if errors.Is(err, errShown) {
			return nil, &Problem{Message: fmt.Sprintf("an answer from the %s contains one of our credentials, so nothing of it is kept", c.Name), ForGood: true, Shows: true}
		}
		return nil, &Problem{Message: fmt.Sprintf("the %s sent an answer that does not fit its API", c.Name)}
	}
	return res.Header, nil
}

// problem returns the problem that a refusal reports.
func (c *Client) problem(res *http.Response, answer []byte) error {
	p := &Problem{
		Message: fmt.Sprintf("the %s answers %d", c.Name, res.StatusCode),
		ForGood: res.StatusCode < 500 && res.StatusCode != http.StatusTooManyRequests && res.StatusCode != http.StatusRequestTimeout,
		Auth:    res.StatusCode == http.StatusUnauthorized || res.StatusCode == http.StatusForbidden,
		Missing: res.StatusCode == http.StatusNotFound,
		Wait:    waitOf(res.Header),
	}
	// A rate limit may come as a 403 that says when it ends.
	if res.StatusCode == http.StatusForbidden && (res.Header.Get("X-Ratelimit-Remaining") == "0" || res.Header.Get("Retry-After") != "") {
		p.ForGood, p.Auth = false, false
	}
	switch said := c.Said(answer); {
	case len(said) == 0:
	case c.guard.echoes(answer), c.guard.echoes([]byte(strings.Join(said, "; "))):
		p.Message += " with one of our credentials in it, so nothing else of it is kept"
	default:
		p.Message += ": " + words.Shown(words.Cut(strings.Join(said, "; "), maxSaid))
	}
	return p
}

// After parses Retry-After, in seconds or as a date, and returns 0 if it is missing.
func After(h http.Header, now time.Time) time.Duration {
	text := strings.TrimSpace(h.Get("Retry-After"))
	if n, err := strconv.Atoi(text); err == nil && n > 0 && n < 1<<20 {
		return time.Duration(n) * time.Second
	}
	if at, err := http.ParseTime(text); err == nil {
		return max(0, at.Sub(now))
	}
	return 0
}

// maxWait is the longest time that a system may ask us to wait.
const maxWait = time.Hour

// waitOf returns how long a system asks us to wait, by the system's own clock.
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

// Problem is the reason why a request to a system failed.
type Problem struct {
	Message string
	Of      string        // the part of the system it concerns, such as a repository
	ForGood bool          // retrying does not help
	Auth    bool          // the credentials were refused
	Missing bool          // the record does not exist, or we may not see it
	Shows   bool          // the response contains one of our credentials
	Late    bool          // the system did not answer in time
	Wait    time.Duration // how long the system asks us to wait
}

func (p *Problem) Error() string { return p.Message }

// ProblemOf returns the Problem in err. It treats any other error as temporary.
func ProblemOf(err error) *Problem {
	var p *Problem
	if errors.As(err, &p) {
		return p
	}
	return &Problem{Message: err.Error()}
}
