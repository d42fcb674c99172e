package client_test

import (
	"context"
	"encoding/base64"
	"errors"
	"fmt"
	"io"
	"net"
	"net/http"
	"net/http/httptest"
	"slices"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"
	"github.com/google/go-cmp/cmp/cmpopts"
	"go.uber.org/goleak"

	"tasker/internal/client"
	"tasker/internal/core"
	"tasker/internal/fault"
	"tasker/internal/op"
	"tasker/internal/plan"
	"tasker/internal/server/httpapi"
	"tasker/internal/site"
	"tasker/internal/task"
	"tasker/internal/testkit/optest"
	"tasker/internal/views/picture"
	"tasker/internal/views/reading"
	"tasker/internal/work"
)

func TestMain(m *testing.M) { goleak.VerifyTestMain(m) }

type call struct {
	op     *op.Op
	in     any
	caller core.Caller
}

// behind stands in for the core behind a server.
type behind struct {
	mu    sync.Mutex
	calls []call
	do    func(o *op.Op, in any) (any, error)
}

func (b *behind) Call(ctx context.Context, o *op.Op, in any) (op.Reply, error) {
	b.mu.Lock()
	b.calls = append(b.calls, call{o, in, core.CallerOf(ctx)})
	b.mu.Unlock()
	if b.do == nil {
		return op.Reply{Out: optest.Out(o)}, nil
	}
	out, err := b.do(o, in)
	return op.Reply{Out: out}, err
}

func serve(t *testing.T, b *behind, change func(*httpapi.Options)) string {
	t.Helper()
	opts := httpapi.Options{
		Ops: b, NewID: func() string { return "id" },
		Identity: func() httpapi.Identity {
			return httpapi.Identity{Caller: core.Caller{Actor: task.Actor{Name: "alice"}}}
		},
	}
	if change != nil {
		change(&opts)
	}
	srv := httptest.NewServer(httpapi.New(opts))
	t.Cleanup(srv.Close)
	return srv.URL
}

// pauses records sleeps without sleeping: it is a clock that only sleeping advances.
type pauses struct {
	mu  sync.Mutex
	all []time.Duration
}

func (p *pauses) sleep(ctx context.Context, d time.Duration) error {
	p.mu.Lock()
	defer p.mu.Unlock()
	p.all = append(p.all, d)
	return ctx.Err()
}

func (p *pauses) now() time.Time {
	p.mu.Lock()
	defer p.mu.Unlock()
	now := time.Date(2026, 3, 1, 12, 0, 0, 0, time.UTC)
	for _, d := range p.all {
		now = now.Add(d)
	}
	return now
}

func dial(t *testing.T, url string, change func(*client.Options)) (*client.Client, *pauses) {
	t.Helper()
	slept := &pauses{}
	n := 0
	opts := client.Options{
		URL: url, Version: "1.0.0", Sleep: slept.sleep, Now: slept.now,
		NewKey: func() string { n++; return fmt.Sprint("key-", n) },
	}
	tr := &http.Transport{}
	t.Cleanup(tr.CloseIdleConnections)
	opts.Transport = tr
	if change != nil {
		change(&opts)
	}
	c, err := client.New(opts)
	if err != nil {
		t.Fatal(err)
	}
	return c, slept
}

func TestEveryOperationThroughAServerIsTheOperationItself(t *testing.T) {
	b := &behind{}
	c, _ := dial(t, serve(t, b, nil), nil)
	for _, o := range op.Table {
		if o.Method == "" {
			continue
		}
		t.Run(o.Name, func(t *testing.T) {
			in := optest.In(o)
			reply, err := c.Call(t.Context(), o, in)
			if err != nil {
				t.Fatal(err)
			}
			last := b.calls[len(b.calls)-1]
			if last.op != o {
				t.Fatalf("the operation arrived as %s", last.op.Name)
			}
			if diff := cmp.Diff(in, last.in, cmpopts.IgnoreUnexported(plan.Document{})); diff != "" {
				t.Errorf("the input changed on its way (-sent +received):\n%s", diff)
			}
			if diff := cmp.Diff(optest.Out(o), reply.Out, cmpopts.EquateEmpty(), cmpopts.IgnoreUnexported(picture.Node{})); diff != "" {
				t.Errorf("the answer changed on its way (-sent +received):\n%s", diff)
			}
			if has := last.caller.Idem != nil; has != (o.Method == http.MethodPost) {
				t.Errorf("%s came with a key: %v", o.Method, has)
			}
		})
	}
}

func TestEveryErrorComesBackAsItWas(t *testing.T) {
	for _, kind := range fault.Kinds {
		want := fault.New(kind, "no, %s", kind.Code()).WithMissing("a", "b").WithHint("try this")
		b := &behind{do: func(*op.Op, any) (any, error) { return nil, want }}
		c, _ := dial(t, serve(t, b, nil), nil)
		_, err := op.Version.Do(t.Context(), c, core.None{})
		if kind == fault.Internal { // its message stays in the server's log
			if !fault.Is(err, kind) || strings.Contains(err.Error(), "no, ") {
				t.Errorf("internal came back as %v", err)
			}
			continue
		}
		if kind == fault.Unauthorized { // what to do ends its message: it is sent in two members
			want = fault.New(kind, "no, %s: try this", kind.Code())
		}
		if diff := cmp.Diff(want, fault.Of(err), cmpopts.IgnoreUnexported(fault.Error{})); diff != "" {
			t.Errorf("%s (-sent +received):\n%s", kind.Code(), diff)
		}
	}
}

func TestCredentialsAndInstanceTravelInHeaders(t *testing.T) {
	for _, c := range []struct{ token, session, want string }{
		{"", "", ""}, {"tok", "", "Bearer tok"}, {"", "tsk_1", "Bearer tsk_1"}, {"tok", "tsk_1", "Bearer tsk_1"},
	} {
		var got http.Header
		srv := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
			got = r.Header
			_, _ = io.WriteString(w, "{}")
		}))
		client, _ := dial(t, srv.URL, func(o *client.Options) { o.Token, o.Session, o.Instance = c.token, c.session, "3" })
		if _, err := op.Version.Do(t.Context(), client, core.None{}); err != nil {
			t.Fatal(err)
		}
		srv.Close()
		if got.Get("Authorization") != c.want || got.Get("Tasker-Instance") != "3" {
			t.Errorf("%+v: %v", c, got)
		}
	}
}

// A server, or what stands before it, may repeat what it was sent: only the kind of such a refusal is shown.
func TestARefusalWithTheCredentialInItIsNotShown(t *testing.T) {
	const token = "Zq8xV2-m1nW7pLr4"
	for _, c := range []struct {
		name, echo string
		status     int
		kind       fault.Kind
	}{
		{"our own refusal", `{"error":"refusal","message":"you sent ` + token + `","missing":[],"hint":"","reason":"declined"}`, 422, fault.Declined},
		{"in its hint, in base64", `{"error":"not_found","message":"no","missing":[],"hint":"` +
			base64.StdEncoding.EncodeToString([]byte("Bearer "+token)) + `"}`, 404, fault.NotFound},
		{"a page", "<h1>" + token + "</h1>", 404, fault.Internal},
	} {
		srv := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, _ *http.Request) {
			w.WriteHeader(c.status)
			_, _ = io.WriteString(w, c.echo)
		}))
		for _, as := range []string{"token", "session"} {
			client, _ := dial(t, srv.URL, func(o *client.Options) {
				if o.Token = token; as == "session" {
					o.Token, o.Session = "", token
				}
			})
			_, err := op.Next.Do(t.Context(), client, work.NextIn{Project: "demo"})
			if f := fault.Of(err); !fault.Is(err, c.kind) || !strings.Contains(f.Message, "with the credential that was sent in it") ||
				site.Echoes([]byte(f.Message+f.Hint), token) {
				t.Errorf("%s, as %s: %+v", c.name, as, f)
			}
		}
		srv.Close()
	}
}

func TestAWrongTokenIsUnauthorized(t *testing.T) {
	url := serve(t, &behind{}, func(o *httpapi.Options) { o.Token = "right" })
	c, _ := dial(t, url, func(o *client.Options) { o.Token = "wrong" })
	if _, err := op.Next.Do(t.Context(), c, work.NextIn{Project: "demo"}); !fault.Is(err, fault.Unauthorized) || !strings.Contains(err.Error(), "TASKER_TOKEN") {
		t.Errorf("%v", err)
	}
	c, _ = dial(t, url, func(o *client.Options) { o.Token = "right" })
	if _, err := op.Next.Do(t.Context(), c, work.NextIn{Project: "demo"}); err != nil {
		t.Errorf("%v", err)
	}
}

// flaky loses the first requests, in a way that the test chooses.
type flaky struct {
	next http.RoundTripper
	fail []func(*http.Request) (*http.Response, error)
	keys []string
}

func (f *flaky) RoundTrip(r *http.Request) (*http.Response, error) {
	f.keys = append(f.keys, r.Header.Get("Idempotency-Key"))
	if len(f.fail) > 0 {
		how := f.fail[0]
		f.fail = f.fail[1:]
		return how(r)
	}
	return f.next.RoundTrip(r)
}

func broken(*http.Request) (*http.Response, error) { return nil, io.ErrUnexpectedEOF }

func busy(*http.Request) (*http.Response, error) {
	body := io.NopCloser(strings.NewReader(`{"error":"unavailable","message":"not now","missing":[],"hint":null}`))
	return &http.Response{StatusCode: http.StatusServiceUnavailable, Header: http.Header{}, Body: body}, nil
}

// unanswered carries out the request and loses the answer.
func (f *flaky) unanswered(r *http.Request) (*http.Response, error) {
	resp, err := f.next.RoundTrip(r)
	if err == nil {
		resp.Body.Close()
	}
	return nil, io.ErrUnexpectedEOF
}

func TestAWriteIsSentAgainUnderTheSameKey(t *testing.T) {
	b := &behind{}
	f := &flaky{}
	c, slept := dial(t, serve(t, b, nil), func(o *client.Options) { f.next = o.Transport; o.Transport = f })
	f.fail = []func(*http.Request) (*http.Response, error){broken, busy, f.unanswered}
	if _, err := op.Next.Do(t.Context(), c, work.NextIn{Project: "demo"}); err != nil {
		t.Fatal(err)
	}
	if !slices.Equal(f.keys, []string{"key-1", "key-1", "key-1", "key-1"}) {
		t.Errorf("the tries had the keys %q", f.keys)
	}
	if len(b.calls) != 2 || b.calls[0].caller.Idem.Digest != b.calls[1].caller.Idem.Digest {
		t.Errorf("%d of the tries arrived", len(b.calls))
	}
	if !slices.IsSorted(slept.all) || len(slept.all) != 3 {
		t.Errorf("the waits between the tries are %v", slept.all)
	}
	if _, err := op.Next.Do(t.Context(), c, work.NextIn{Project: "demo"}); err != nil || f.keys[4] != "key-2" {
		t.Errorf("the next write had the key %q, %v", f.keys[4], err)
	}
}

func TestTriesAreBounded(t *testing.T) {
	f := &flaky{}
	for range 20 {
		f.fail = append(f.fail, busy)
	}
	c, _ := dial(t, "http://localhost:1", func(o *client.Options) { o.Transport = f })
	_, err := op.Next.Do(t.Context(), c, work.NextIn{Project: "demo"})
	if !fault.Is(err, fault.Unavailable) || err.Error() != "not now" || len(f.keys) != 4 {
		t.Errorf("after %d tries: %v", len(f.keys), err)
	}
}

// later refuses like a server that says when to retry.
func later(status int, after, body string) func(*http.Request) (*http.Response, error) {
	return func(*http.Request) (*http.Response, error) {
		return &http.Response{StatusCode: status, Header: http.Header{"Retry-After": {after}}, Body: io.NopCloser(strings.NewReader(body))}, nil
	}
}

func TestWhatAServerSaysOfWhenToComeAgainCounts(t *testing.T) {
	const full = `{"error":"unavailable","message":"the server has no room for this","missing":[],"hint":null}`
	at := time.Date(2026, 11, 16, 12, 0, 0, 0, time.UTC)
	for _, c := range []struct {
		name    string
		fail    func(*http.Request) (*http.Response, error)
		times   int
		waits   []time.Duration
		notices []string
		refuse  string
	}{
		{"a few times", later(503, "1", full), 6, slices.Repeat([]time.Duration{time.Second}, 6),
			[]string{"waiting for the server: the server has no room for this, 2 s"}, ""},
		{"by a date", later(503, at.Add(4*time.Second).Format(http.TimeFormat), full), 1, []time.Duration{4 * time.Second},
			[]string{"waiting for the server: the server has no room for this, 4 s"}, ""},
		{"too many requests", later(429, "2", "slow down"), 1, []time.Duration{2 * time.Second},
			[]string{"waiting for the server: http://localhost:1/v1 answers 429: too many requests, 2 s"}, ""},
		{"for ever", later(503, "7", full), 100, slices.Repeat([]time.Duration{7 * time.Second}, 4),
			[]string{"waiting for the server: the server has no room for this, 7 s"}, "the server has no room for this"},
		{"past all patience", later(503, "120", full), 100, nil, nil, "the server has no room for this"},
		{"at once", later(503, "0", full), 100, []time.Duration{100 * time.Millisecond, 300 * time.Millisecond, time.Second},
			[]string{"waiting for the server: the server has no room for this, 1 s"}, "the server has no room for this"},
	} {
		t.Run(c.name, func(t *testing.T) {
			f := &flaky{next: roundTrip(func(*http.Request) (*http.Response, error) {
				return &http.Response{StatusCode: 200, Header: http.Header{}, Body: io.NopCloser(strings.NewReader(`{"task":null}`))}, nil
			})}
			for range c.times {
				f.fail = append(f.fail, c.fail)
			}
			now, notices := at, []string(nil)
			cl, slept := dial(t, "http://localhost:1", func(o *client.Options) {
				o.Transport, o.Notice, o.Now = f, func(text string) { notices = append(notices, text) }, func() time.Time { return now }
				sleep := o.Sleep
				o.Sleep = func(ctx context.Context, d time.Duration) error { now = now.Add(d); return sleep(ctx, d) }
			})
			_, err := op.Next.Do(t.Context(), cl, work.NextIn{Project: "demo"})
			if (err == nil) != (c.refuse == "") || err != nil && err.Error() != c.refuse {
				t.Errorf("it ends with %v", err)
			}
			if !slices.Equal(slept.all, c.waits) || !slices.Equal(notices, c.notices) {
				t.Errorf("it waited %v and said %q", slept.all, notices)
			}
			if i := slices.IndexFunc(f.keys, func(k string) bool { return k != "key-1" }); i >= 0 {
				t.Errorf("it was sent under the keys %q", f.keys)
			}
		})
	}
}

// roundTrip turns a function into a transport.
type roundTrip func(*http.Request) (*http.Response, error)

// RoundTrip calls it.
func (f roundTrip) RoundTrip(r *http.Request) (*http.Response, error) { return f(r) }

func TestARefusalIsNotSentAgain(t *testing.T) {
	b := &behind{do: func(*op.Op, any) (any, error) { return nil, fault.Decline("no") }}
	c, slept := dial(t, serve(t, b, nil), nil)
	if _, err := op.Next.Do(t.Context(), c, work.NextIn{Project: "demo"}); !fault.Is(err, fault.Declined) || len(b.calls) != 1 || len(slept.all) != 0 {
		t.Errorf("%v after %d calls", err, len(b.calls))
	}
}

func TestAServerThatIsNotThereIsSaidPlainly(t *testing.T) {
	ln, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	addr := ln.Addr().String()
	ln.Close()
	c, _ := dial(t, "http://"+addr, nil)
	_, err = op.Ready.Do(t.Context(), c, reading.ReadyIn{Slug: "demo"})
	e := fault.Of(err)
	if e.Kind != fault.Unavailable || !strings.HasPrefix(e.Message, "no server answers at http://"+addr) || !strings.Contains(e.Hint, "tasker serve") {
		t.Errorf("%q, %q", e.Message, e.Hint)
	}
}

func TestABrokenWriteSaysThatItMayBeDone(t *testing.T) {
	f := &flaky{fail: []func(*http.Request) (*http.Response, error){broken, broken, broken, broken}}
	c, _ := dial(t, "http://localhost:1", func(o *client.Options) { o.Transport = f })
	_, err := op.Next.Do(t.Context(), c, work.NextIn{Project: "demo"})
	if e := fault.Of(err); e.Kind != fault.Unavailable || !strings.Contains(e.Hint, "may have been carried out") {
		t.Errorf("%q, %q", e.Message, e.Hint)
	}
}

func TestACancelledCallEndsAsCancelled(t *testing.T) {
	ctx, cancel := context.WithCancel(t.Context())
	cancel()
	c, slept := dial(t, serve(t, &behind{}, nil), nil)
	if _, err := op.Next.Do(ctx, c, work.NextIn{Project: "demo"}); !errors.Is(err, context.Canceled) || len(slept.all) != 0 {
		t.Errorf("%v after %v", err, slept.all)
	}
}

func TestAdministrationIsNotSent(t *testing.T) {
	c, _ := dial(t, "http://localhost:1", func(o *client.Options) { o.Transport = &flaky{} })
	for _, o := range op.Table {
		if o.Method == "" {
			if _, err := c.Call(t.Context(), o, optest.In(o)); !fault.Is(err, fault.Declined) {
				t.Errorf("%s: %v", o.Name, err)
			}
		}
	}
}

func TestWhatIsNotATaskerServerIsSaidPlainly(t *testing.T) {
	for name, h := range map[string]http.HandlerFunc{
		"plain text": func(w http.ResponseWriter, _ *http.Request) { http.Error(w, "nope", http.StatusNotFound) },
		"a redirect": func(w http.ResponseWriter, r *http.Request) {
			http.Redirect(w, r, "http://elsewhere.example/", http.StatusFound)
		},
		"other JSON": func(w http.ResponseWriter, _ *http.Request) {
			w.WriteHeader(http.StatusBadRequest)
			_, _ = io.WriteString(w, `{"a":1}`)
		},
		"a web page": func(w http.ResponseWriter, _ *http.Request) { _, _ = io.WriteString(w, `<html>`) },
	} {
		srv := httptest.NewServer(h)
		c, _ := dial(t, srv.URL, nil)
		_, err := op.Projects.Do(t.Context(), c, core.None{})
		if e := fault.Of(err); e.Kind != fault.Internal || !strings.Contains(e.Hint, "check that") {
			t.Errorf("%s: %q, %q", name, e.Message, e.Hint)
		}
		srv.Close()
	}
}

func TestAnAnswerThatDoesNotFitNamesBothVersions(t *testing.T) {
	for there, says := range map[string]string{"2.0.0": "version 2.0.0 and this is 1.0.0", "1.0.0": "the same version"} {
		srv := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
			if r.URL.Path == "/v1/version" {
				fmt.Fprintf(w, `{"version":%q,"schemaVersion":1,"configVersion":1}`, there)
				return
			}
			_, _ = io.WriteString(w, `{"tasks":"many"}`)
		}))
		c, _ := dial(t, srv.URL, nil)
		_, err := op.List.Do(t.Context(), c, reading.ListIn{})
		if e := fault.Of(err); e.Kind != fault.Internal || !strings.Contains(e.Hint, says) {
			t.Errorf("%q, %q", e.Message, e.Hint)
		}
		srv.Close()
	}
}

func TestANewerServersFurtherMembersAreNoProblem(t *testing.T) {
	srv := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, _ *http.Request) {
		_, _ = io.WriteString(w, `{"version":"9","schemaVersion":1,"configVersion":1,"more":true}`)
	}))
	defer srv.Close()
	c, _ := dial(t, srv.URL, nil)
	if out, err := op.Version.Do(t.Context(), c, core.None{}); err != nil || out.Version != "9" {
		t.Errorf("%+v, %v", out, err)
	}
}

func TestWhichAddressesAreTaken(t *testing.T) {
	var path string
	srv := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) { path = r.URL.Path; _, _ = io.WriteString(w, "{}") }))
	defer srv.Close()
	for suffix, want := range map[string]string{
		"": "/v1/version", "/": "/v1/version", "/v1": "/v1/version", "/v1/": "/v1/version", "/tasker/": "/tasker/v1/version",
	} {
		c, _ := dial(t, srv.URL+suffix, nil)
		if _, err := op.Version.Do(t.Context(), c, core.None{}); err != nil || path != want {
			t.Errorf("%q asks for %s, %v", suffix, path, err)
		}
	}
	for _, bad := range []string{"", "localhost:7777", "ftp://x", "http://", "http://u:hunter2@x", "http://x?q=1", "http://x#f", "http://%zz", "/path"} {
		_, err := client.New(client.Options{URL: bad})
		if !fault.Is(err, fault.Invalid) || strings.Contains(err.Error(), "hunter2") {
			t.Errorf("%q: %v", bad, err)
		}
	}
}
