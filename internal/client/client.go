// Package client carries out operations through a server: the same calls as with a local database, with the same
// answers and the same errors.
package client

import (
	"cmp"
	"context"
	"net/http"
	"net/url"
	"reflect"
	"strings"
	"time"

	"github.com/go-json-experiment/json"

	"tasker/internal/core"
	"tasker/internal/fault"
	"tasker/internal/op"
	"tasker/internal/op/wire"
	"tasker/internal/site"
	"tasker/internal/text/words"
)

// Options configures a client. URL, Version and NewKey are required.
type Options struct {
	URL      string // of the server, without /v1
	Token    string // the shared token, if any
	Session  string // a session's credential, if any; it takes precedence over the token
	Instance string // distinguishes two workers under the server's actor
	Agent    string // the agent in whose shell this runs; may be empty
	// Traceparent and Tracestate say which trace the command belongs to; empty for none.
	Traceparent, Tracestate string
	Command                 bool   // requests come from a command, which may act for an instance of its name
	Version                 string // of this binary
	NewKey                  func() string

	Transport http.RoundTripper                          // nil: the default one
	Sleep     func(context.Context, time.Duration) error // nil: site.Pause
	Now       func() time.Time                           // nil: the clock
	Notice    func(string)                               // receives word of a long wait; may be nil
}

// Client is an op.Caller over HTTP.
type Client struct {
	opts Options
	base string
	line *site.Line
}

var _ op.Caller = (*Client)(nil)

// New returns a client. It sends nothing yet.
func New(opts Options) (*Client, error) {
	base, near, err := address(opts.URL)
	if err != nil {
		return nil, err
	}
	if opts.Sleep == nil {
		opts.Sleep = site.Pause
	}
	if opts.Now == nil {
		opts.Now = time.Now
	}
	if opts.Notice == nil {
		opts.Notice = func(string) {}
	}
	// Our servers never redirect. An apply may take its time; nothing else does.
	way := site.Way{Transport: opts.Transport, Plain: near, Answers: 10 * time.Minute, Many: 64}
	return &Client{opts: opts, base: base, line: way.Open()}, nil
}

// address checks the server's URL and returns the base for routes, and whether it is on this machine, where compressing an
// answer takes longer than sending it.
func address(text string) (base string, near bool, err error) {
	bad := func(why string) (string, bool, error) {
		return "", false, fault.Bad("the server's address %q %s", words.Shown(words.Redacted(text)), why).WithHint("write it as http://127.0.0.1:7777, in " +
			"TASKER_URL or --server")
	}
	u, err := url.Parse(strings.TrimSpace(text))
	switch {
	case err != nil:
		return bad("cannot be read")
	case u.Scheme != "http" && u.Scheme != "https":
		return bad("does not begin with http:// or https://")
	case u.Hostname() == "":
		return bad("names no host")
	case u.User != nil:
		return bad("holds a name or password: credentials come from TASKER_TOKEN or TASKER_SESSION")
	case u.RawQuery != "" || u.Fragment != "":
		return bad("has a query or a fragment")
	}
	path := strings.TrimSuffix(strings.TrimRight(u.EscapedPath(), "/"), "/v1")
	return u.Scheme + "://" + u.Host + path + "/v1", site.Loopback(u.Hostname()), nil
}

// Call sends the operation and reads its answer. A write carries its own key, so that sending it again after a broken
// connection does not repeat it.
func (c *Client) Call(ctx context.Context, o *op.Op, in any) (op.Reply, error) {
	if o.Method == "" {
		name, _, _ := strings.Cut(cmp.Or(o.Command, o.Name), " ")
		return op.Reply{}, fault.Decline("%s works on the database itself and not through a server", name).
			WithHint("run it where the database is, without TASKER_URL and --server")
	}
	req, err := o.Encode(in)
	if err != nil {
		return op.Reply{}, err
	}
	answer, err := c.exchange(ctx, o.Method, req)
	if err != nil {
		return op.Reply{}, err
	}
	if o.Plain() {
		return op.Reply{Out: wire.Text(answer)}, nil
	}
	out := reflect.New(o.Out)
	var news core.News
	if err = json.Unmarshal(answer, out.Interface()); err == nil {
		news, err = wire.ReadNews(answer)
	}
	if err != nil {
		return op.Reply{}, c.unreadable(ctx, o, err)
	}
	return op.Reply{Out: out.Elem().Interface(), News: news}, nil
}

// unreadable says that an answer does not parse, and whether the reason is another version of the server.
func (c *Client) unreadable(ctx context.Context, o *op.Op, cause error) error {
	e := fault.New(fault.Internal, "the answer of %s to %s cannot be read: %v", c.base, o.Name, cause).WithCause(cause)
	if o != op.Version.Op {
		if there, err := op.Version.Do(ctx, c, core.None{}); err == nil && there.Version != c.opts.Version {
			return e.WithHint("the server is version %s and this is %s: use the same on both sides", there.Version, c.opts.Version)
		} else if err == nil {
			return e.WithHint("the server says that it is the same version, %s: this is a mistake in tasker", there.Version)
		}
	}
	return e.WithHint("check that a tasker server is behind TASKER_URL or --server")
}
