package client

import (
	"bytes"
	"cmp"
	"context"
	"errors"
	"fmt"
	"io"
	"maps"
	"net"
	"net/http"
	"strconv"
	"strings"
	"time"

	"github.com/go-json-experiment/json"

	"tasker/internal/fault"
	"tasker/internal/hint"
	"tasker/internal/op/wire"
	"tasker/internal/site"
	"tasker/internal/text/words"
)

// pauses are the waits before each further try, if the server does not give one.
var pauses = []time.Duration{100 * time.Millisecond, 300 * time.Millisecond, time.Second}

// A server that is running and says when to retry is asked until patience is over; a caller that waits longer than
// noticeAfter gets a notice.
const (
	patience    = 30 * time.Second
	noticeAfter = time.Second
)

// largest is the largest answer that is read, and longest is how long it may take, including the work before it.
const (
	largest = 512 << 20
	longest = 20 * time.Minute
)

// exchange sends a request until it is answered. It sends it again, with the same key, if the connection broke or the
// server says to retry.
func (c *Client) exchange(ctx context.Context, method string, req wire.Request) ([]byte, error) {
	key := ""
	if method == http.MethodPost {
		key = c.opts.NewKey()
	}
	start, notified := c.opts.Now(), false
	for try := 0; ; try++ {
		answer, again, err := c.once(ctx, method, req, key)
		if err == nil || !fault.Is(err, fault.Unavailable) || ctx.Err() != nil {
			return answer, err
		}
		waited := c.opts.Now().Sub(start)
		switch {
		case again > 0 && waited+again > patience, again == 0 && try >= len(pauses):
			return nil, err
		case again == 0:
			again = pauses[try]
		}
		if !notified && waited+again > noticeAfter {
			notified = true
			c.opts.Notice(fmt.Sprintf("waiting for the server: %s, %d s", fault.Of(err).Message, int((waited + again).Seconds())))
		}
		if c.opts.Sleep(ctx, again) != nil {
			return nil, err
		}
	}
}

// once sends the request one time. It returns Unavailable if sending it again may help, with the wait if the server
// gives one.
func (c *Client) once(ctx context.Context, method string, req wire.Request, key string) (answer []byte, again time.Duration, err error) {
	within, cancel := context.WithTimeout(ctx, longest)
	defer cancel()
	resp, err := c.send(within, method, req, map[string]string{"Idempotency-Key": key, "Content-Type": words.When(key != "", "application/json")})
	if err != nil {
		return nil, 0, err
	}
	defer func() { _ = resp.Body.Close() }()
	answer, err = c.read(ctx, method, resp)
	return answer, retryAfter(resp.Header, c.opts.Now()), err
}

// read reads an answer, or the refusal that came in its place.
func (c *Client) read(ctx context.Context, method string, resp *http.Response) ([]byte, error) {
	body, err := io.ReadAll(io.LimitReader(resp.Body, largest+1))
	switch {
	case err != nil:
		return nil, c.lost(ctx, method, err)
	case len(body) > largest:
		return nil, fault.New(fault.TooLarge, "the answer is larger than %d MiB", largest>>20).WithHint("ask for less: use --limit")
	case resp.StatusCode/100 != 2:
		return nil, c.masked(resp.StatusCode, body)
	}
	return body, nil
}

// retryAfter returns how long the server says to wait, given in seconds or as a date, or 0 if it does not say.
func retryAfter(h http.Header, now time.Time) time.Duration {
	text := strings.TrimSpace(h.Get("Retry-After"))
	if n, err := strconv.Atoi(text); err == nil {
		return time.Duration(min(max(n, 0), 1_000_000)) * time.Second
	}
	if at, err := http.ParseTime(text); err == nil {
		return max(at.Sub(now), 0)
	}
	return 0
}

// send builds the request and sends it. The headers replace the usual ones; an empty one is not sent.
func (c *Client) send(ctx context.Context, method string, req wire.Request, headers map[string]string) (*http.Response, error) {
	target := c.base + req.Path + words.When(req.Query != "", "?"+req.Query)
	var body io.Reader
	if method == http.MethodPost {
		body = bytes.NewReader(req.Body)
	}
	r, err := http.NewRequestWithContext(ctx, method, target, body)
	if err != nil {
		return nil, fault.Bad("the request cannot be made: %v", err).WithHint("check TASKER_URL or --server").WithCause(err)
	}
	credential := c.credential()
	all := map[string]string{
		"Accept": "application/json, text/plain", "User-Agent": "tasker/" + c.opts.Version, wire.HintsHeader: "parts",
		"Authorization": words.When(credential != "", "Bearer "+credential), "Tasker-Instance": c.opts.Instance, "Tasker-Agent": c.opts.Agent,
		wire.CommandHeader: words.When(c.opts.Command, "yes"),
		"Traceparent":      c.opts.Traceparent, "Tracestate": words.When(c.opts.Traceparent != "", c.opts.Tracestate),
	}
	maps.Copy(all, headers)
	for name, value := range all {
		if value != "" {
			r.Header.Set(name, value)
		}
	}
	resp, err := c.line.Do(r)
	if err != nil {
		return nil, c.lost(ctx, method, err)
	}
	return resp, nil
}

// lost says that the server did not answer, and what that means for the request.
func (c *Client) lost(ctx context.Context, method string, err error) error {
	if ctx.Err() != nil {
		return ctx.Err()
	}
	var op *net.OpError
	if errors.As(err, &op) && op.Op == "dial" {
		return fault.Unready("no server answers at %s: %s", c.base, site.Reason(err)).
			WithHint("start one (%s), correct its address (TASKER_URL), or leave that out to work on a database here", hint.Command("serve")).WithCause(err)
	}
	e := fault.Unready("the connection to %s broke: %s", c.base, site.Reason(err)).WithCause(err)
	if method == http.MethodPost {
		return e.WithHint("it may have been carried out: look before you send it again")
	}
	return e.WithHint("send it again")
}

// masked is refusal for a response that may repeat the credential that was sent: then only its kind is kept.
func (c *Client) masked(status int, body []byte) error {
	err := c.refusal(status, body)
	if credential := c.credential(); !site.Echoes(body, credential) {
		return err
	}
	return fault.New(fault.Of(err).Kind, "%s answers %d, with the credential that was sent in it, so nothing of the answer is shown", c.base, status).
		WithHint("check that TASKER_URL or --server names a tasker server, and what stands between")
}

// credential returns what the client shows to the server to be let in; "" for nothing.
func (c *Client) credential() string { return cmp.Or(c.opts.Session, c.opts.Token) }

// refusal turns an error response back into the original error.
func (c *Client) refusal(status int, body []byte) error {
	var f wire.Parted
	if json.Unmarshal(body, &f) == nil && f.Error != "" && f.Message != "" {
		return f.Fault()
	}
	switch status {
	case http.StatusTooManyRequests:
		return fault.Unready("%s answers 429: too many requests", c.base).WithHint("send fewer at once, or send it again later")
	case http.StatusServiceUnavailable, http.StatusBadGateway, http.StatusGatewayTimeout:
		return fault.Unready("%s answers %d: the server behind it is not there", c.base, status).WithHint("wait, or start it")
	}
	return fault.New(fault.Internal, "%s answers %d, and not as a tasker server does", c.base, status).
		WithHint("check that TASKER_URL or --server names a tasker server")
}
