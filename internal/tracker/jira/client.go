// Package jira asks a Jira site, in the Cloud or a Data Center, by its REST API. It follows no redirect, waits as long as
// the site asks it to, and says nothing of credentials or of bodies in its errors.
package jira

import (
	"bytes"
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
	"tasker/internal/tracker"
	"tasker/internal/words"
)

// Options is what a client is made with.
type Options struct {
	URL    string
	User   string // empty: the token is a personal access token of a Data Center
	Token  string
	Status map[string]string // own status to the site's, by name or id
	Fields map[string]string // ids of custom fields: sprint, rank, severity
	// Pause waits; nil: by the clock.
	Pause func(ctx context.Context, d time.Duration) error
}

// Client is a Jira site.
type Client struct {
	Options
	http  *http.Client
	cloud *bool // nil until it was asked
}

var _ tracker.Tracker = (*Client)(nil)

// New returns the client of a site. Nothing is asked yet.
func New(o Options) (*Client, error) {
	at, err := url.Parse(o.URL)
	if err != nil || at.Scheme != "https" && at.Scheme != "http" || at.Host == "" || at.User != nil {
		return nil, fault.Bad("the address of the tracker is none: %s", words.Quoted(words.Redacted(o.URL))).
			WithHint("such as https://example.atlassian.net, without a user or a password in it")
	}
	host := at.Hostname()
	if at.Scheme == "http" && host != "localhost" && host != "127.0.0.1" && host != "::1" {
		return nil, fault.Decline("the tracker at %s would be sent credentials without encryption", at.Host).
			WithHint("give its address with https")
	}
	o.URL = strings.TrimSuffix(at.String(), "/")
	if o.Pause == nil {
		o.Pause = pause
	}
	return &Client{Options: o, http: &http.Client{
		Timeout:       timeout,
		CheckRedirect: func(*http.Request, []*http.Request) error { return http.ErrUseLastResponse },
	}}, nil
}

// The limits of a request.
const (
	timeout   = 60 * time.Second
	maxAnswer = 64 << 20
	tries     = 5
	firstWait = 500 * time.Millisecond
	lastWait  = 60 * time.Second
	pageSize  = 100
	maxPages  = 100_000
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

// Site returns the address.
func (c *Client) Site() string { return c.URL }

// get asks for something, again where the site fails for now.
func (c *Client) get(ctx context.Context, path string, into any) error {
	wait := firstWait
	for try := 1; ; try++ {
		err := c.once(ctx, http.MethodGet, path, nil, into)
		if err == nil {
			return nil
		}
		p := tracker.ProblemOf(err)
		if p.ForGood || try == tries || ctx.Err() != nil {
			return err
		}
		if err := c.Pause(ctx, min(max(wait, p.Wait), lastWait)); err != nil {
			return err
		}
		wait *= 2
	}
}

// once sends one request and reads its answer, which must be whole.
func (c *Client) once(ctx context.Context, method, path string, body, into any) error {
	var src io.Reader
	if body != nil {
		text, err := json.Marshal(body, json.Deterministic(true))
		if err != nil {
			return err
		}
		src = bytes.NewReader(text)
	}
	req, err := http.NewRequestWithContext(ctx, method, c.URL+path, src)
	if err != nil {
		return err
	}
	req.Header.Set("Accept", "application/json")
	if body != nil {
		req.Header.Set("Content-Type", "application/json")
	}
	switch {
	case c.User != "":
		req.SetBasicAuth(c.User, c.Token)
	default:
		req.Header.Set("Authorization", "Bearer "+c.Token)
	}
	res, err := c.http.Do(req)
	if err != nil {
		return &tracker.Problem{Message: "the tracker cannot be reached: " + unreached(err)}
	}
	defer res.Body.Close()
	answer, err := io.ReadAll(io.LimitReader(res.Body, maxAnswer+1))
	if err != nil {
		return &tracker.Problem{Message: "the answer of the tracker broke off"}
	}
	if len(answer) > maxAnswer {
		return &tracker.Problem{Message: fmt.Sprintf("an answer of the tracker is larger than %d MiB", maxAnswer>>20), ForGood: true}
	}
	if res.StatusCode >= 300 {
		return problem(res, answer)
	}
	if into == nil {
		return nil
	}
	if err := json.Unmarshal(answer, into); err != nil {
		return &tracker.Problem{Message: "the tracker answers something that is no answer of Jira"}
	}
	return nil
}

// unreached returns what is wrong with a connection, without the address, which may say too much.
func unreached(err error) string {
	var u *url.Error
	if errors.As(err, &u) {
		err = u.Err
	}
	return words.Shown(err.Error())
}

// problem returns what a refusal says.
func problem(res *http.Response, answer []byte) error {
	p := &tracker.Problem{
		Message: fmt.Sprintf("the tracker answers %d", res.StatusCode),
		ForGood: res.StatusCode < 500 && res.StatusCode != http.StatusTooManyRequests && res.StatusCode != http.StatusRequestTimeout,
		Auth:    res.StatusCode == http.StatusUnauthorized || res.StatusCode == http.StatusForbidden,
		Missing: res.StatusCode == http.StatusNotFound,
	}
	var said struct {
		Messages []string          `json:"errorMessages"`
		Errors   map[string]string `json:"errors"`
	}
	if json.Unmarshal(answer, &said) == nil {
		list := said.Messages
		for field, text := range said.Errors {
			list = append(list, field+": "+text)
		}
		if len(list) > 0 {
			p.Message += ": " + words.Shown(words.Cut(strings.Join(sorted(list), "; "), 300))
		}
	}
	if after := res.Header.Get("Retry-After"); after != "" {
		if s, err := strconv.Atoi(after); err == nil && s > 0 {
			p.Wait = time.Duration(min(s, 3600)) * time.Second
		} else if at, err := http.ParseTime(after); err == nil {
			if sent, err := http.ParseTime(res.Header.Get("Date")); err == nil { // both by the site's clock
				p.Wait = min(max(at.Sub(sent), 0), time.Hour)
			}
		}
	}
	return p
}

// api returns the beginning of paths: Cloud speaks version 3, a Data Center version 2.
func (c *Client) api(ctx context.Context) (prefix string, cloud bool, err error) {
	if c.cloud == nil {
		var info struct {
			Deployment string `json:"deploymentType"`
		}
		if err := c.get(ctx, "/rest/api/2/serverInfo", &info); err != nil {
			return "", false, err
		}
		is := strings.EqualFold(info.Deployment, "Cloud")
		c.cloud = &is
	}
	if *c.cloud {
		return "/rest/api/3", true, nil
	}
	return "/rest/api/2", false, nil
}
