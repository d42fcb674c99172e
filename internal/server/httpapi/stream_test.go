package httpapi

import (
	"bufio"
	"context"
	"errors"
	"net/http"
	"net/http/httptest"
	"strings"
	"testing"
	"time"

	"github.com/go-json-experiment/json/jsontext"
	"go.uber.org/goleak"

	"tasker/internal/fault"
	"tasker/internal/op"
	"tasker/internal/task"
	"tasker/internal/views/reading"
)

func TestMain(m *testing.M) {
	goleak.VerifyTestMain(m)
}

// feed stands in for the log: pages come through a channel, and it records where it was asked to begin.
type feed struct {
	newest int64
	pages  chan []task.Event
	err    error // what Follow returns once pages is closed
	from   chan int64
	in     reading.EventsIn
}

func (f *feed) Newest(context.Context) (int64, error) { return f.newest, nil }

func (f *feed) Follow(ctx context.Context, in reading.EventsIn, from int64, send func([]task.Event) error) error {
	f.in = in
	f.from <- from
	for {
		select {
		case page, ok := <-f.pages:
			if !ok {
				return f.err
			}
			if err := send(page); err != nil {
				return err
			}
		case <-ctx.Done():
			return ctx.Err()
		}
	}
}

func newFeed() *feed {
	return &feed{newest: 41, pages: make(chan []task.Event), from: make(chan int64, 1)}
}

// streaming starts a server over f whose heartbeats come from the channel.
func streaming(t *testing.T, f *feed, c *calls) (*Server, *httptest.Server, chan time.Time) {
	t.Helper()
	beats := make(chan time.Time)
	opts := options(c)
	opts.Feed = f
	opts.Beats = func() (<-chan time.Time, func()) { return beats, func() {} }
	s := New(opts)
	srv := httptest.NewServer(s)
	t.Cleanup(srv.Close)
	return s, srv, beats
}

// openStream opens a stream; next reads up to the end of the next event or comment.
func openStream(t *testing.T, url string, headers ...string) (header http.Header, next func() string) {
	t.Helper()
	r, err := http.NewRequestWithContext(t.Context(), http.MethodGet, url, nil)
	if err != nil {
		t.Fatal(err)
	}
	for i := 0; i < len(headers); i += 2 {
		r.Header.Set(headers[i], headers[i+1])
	}
	resp, err := http.DefaultClient.Do(r)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { resp.Body.Close(); http.DefaultClient.CloseIdleConnections() })
	in := bufio.NewReader(resp.Body)
	return resp.Header, func() string {
		var b strings.Builder
		for {
			line, err := in.ReadString('\n')
			b.WriteString(line)
			if err != nil || line == "\n" {
				return b.String()
			}
		}
	}
}

func TestAStreamBeginsWhereItIsTold(t *testing.T) {
	for _, c := range []struct {
		query, header string
		want          int64
	}{{"", "", 41}, {"?since_id=7", "", 7}, {"?since_id=7", "9", 9}, {"", "0", 0}} {
		f := newFeed()
		_, srv, _ := streaming(t, f, &calls{})
		var headers []string
		if c.header != "" {
			headers = []string{"Last-Event-ID", c.header}
		}
		header, _ := openStream(t, srv.URL+"/v1/events/stream"+c.query, headers...)
		if got := <-f.from; got != c.want || header.Get("Content-Type") != "text/event-stream" {
			t.Errorf("%+v: the stream began after %d as %s", c, got, header.Get("Content-Type"))
		}
	}
}

func TestAStreamCarriesEventsWithTheirIDsAndBeats(t *testing.T) {
	f := newFeed()
	_, srv, beats := streaming(t, f, &calls{})
	_, next := openStream(t, srv.URL+"/v1/events/stream?project=demo&kind=task.moved&by=bob&task=demo-1")
	if got := next(); got != "retry: 1000\nid: 41\n\n" {
		t.Errorf("the stream begins with %q", got)
	}
	<-f.from
	if f.in.Project != "demo" || f.in.Kind != "task.moved" || f.in.By != "bob" || f.in.Task != "demo-1" {
		t.Errorf("the filters became %+v", f.in)
	}
	f.pages <- []task.Event{
		{ID: 42, Actor: "al\nice", Kind: task.TaskMoved, Payload: jsontext.Value("{\n \"a\": 1\n}")},
		{ID: 43, Kind: task.NoteAdded, Payload: jsontext.Value("{}")},
	}
	want := `id: 42` + "\n" + `data: {"id":42,"at":null,"project":null,"task":null,` +
		`"actor":"al\nice","kind":"task.moved","payload":{"a":1},"batch":0,"via":{"face":"","requestId":null,"session":null,"agent":null}}` + "\n\n"
	if got := next(); got != want {
		t.Errorf("the event came as\n%q, want\n%q", got, want)
	}
	if got := next(); !strings.HasPrefix(got, "id: 43\ndata: {") {
		t.Errorf("the second event came as %q", got)
	}
	beats <- time.Time{}
	if got := next(); got != ": beat\n\n" {
		t.Errorf("the beat came as %q", got)
	}
}

func TestAFaultyStreamIsRefusedBeforeItBegins(t *testing.T) {
	refuse := &calls{do: func(_ context.Context, o *op.Op, in any) (any, error) {
		if in.(reading.EventsIn).Project == "nope" {
			return nil, fault.Missing("there is no project nope")
		}
		return []task.Event{}, nil
	}}
	f := newFeed()
	opts := options(refuse)
	opts.Feed = f
	s := New(opts)
	for _, c := range []struct {
		query, last string
		want        int
	}{{"?project=nope", "", 404}, {"?since_id=x", "", 422}, {"?limit=5", "", 422}, {"", "abc", 422}} {
		r := request("GET", "/v1/events/stream"+c.query, "")
		if c.last != "" {
			r.Header.Set("Last-Event-ID", c.last)
		}
		resp := ask(s, r)
		if resp.Status != c.want {
			t.Errorf("%+v: %d", c, resp.Status)
		}
		failure(t, resp)
	}
}

func TestAStreamEndsWhenTheServerStops(t *testing.T) {
	f := newFeed()
	s, srv, _ := streaming(t, f, &calls{})
	_, next := openStream(t, srv.URL+"/v1/events/stream")
	next()
	s.end()
	if got := next(); got != ": the server is stopping\n\n" {
		t.Errorf("the stream ends with %q", got)
	}
	if got := next(); got != "" {
		t.Errorf("after the end there is %q", got)
	}
}

func TestAStreamTellsWhyItBrokeOffAndKeepsSecrets(t *testing.T) {
	for _, c := range []struct {
		err  error
		says string
	}{
		{fault.Missing("the project is gone"), `"error":"not_found"`},
		{errors.New("hunter2"), `"error":"unavailable"`},
	} {
		f := newFeed()
		f.err = c.err
		_, srv, _ := streaming(t, f, &calls{})
		_, next := openStream(t, srv.URL+"/v1/events/stream")
		next()
		close(f.pages)
		if got := next(); !strings.HasPrefix(got, "event: error\ndata: {") || !strings.Contains(got, c.says) || strings.Contains(got, "hunter2") {
			t.Errorf("the stream ends with %q", got)
		}
	}
}

func TestStreamsAreBounded(t *testing.T) {
	opts := options(&calls{})
	opts.Feed = newFeed()
	s := New(opts)
	s.streams.Store(maxStreams)
	resp := ask(s, request("GET", "/v1/events/stream", ""))
	if f := failure(t, resp); resp.Status != 503 || f.Error != "unavailable" {
		t.Errorf("%d %+v", resp.Status, f)
	}
	if s.streams.Load() != maxStreams {
		t.Errorf("%d streams are counted", s.streams.Load())
	}
}

// leaving is a client that disconnects while a page is written to it: its context ends, and the feed with it, before the
// write returns.
type leaving struct {
	http.ResponseWriter
	leave func()
	gone  <-chan struct{}
	wrote int
}

func (l *leaving) Flush() {
	if l.wrote++; l.wrote == 2 { // the first is the head of the stream
		l.leave()
		<-l.gone
	}
}

// onePage is a feed of one page, which signals when it has ended.
type onePage struct{ ended chan struct{} }

func (onePage) Newest(context.Context) (int64, error) { return 0, nil }

func (f onePage) Follow(_ context.Context, _ reading.EventsIn, _ int64, send func([]task.Event) error) error {
	defer close(f.ended)
	return send([]task.Event{{ID: 1}})
}

func TestAStreamEndsWhereItsClientLeavesInTheMiddleOfAPage(t *testing.T) {
	o := options(&calls{})
	feed := onePage{make(chan struct{})}
	o.Feed = feed
	s := New(o)
	ctx, leave := context.WithCancel(t.Context())
	done := make(chan struct{})
	go func() {
		defer close(done)
		w := &leaving{ResponseWriter: httptest.NewRecorder(), leave: leave, gone: feed.ended}
		s.ServeHTTP(w, request("GET", "/v1/events/stream", "").WithContext(ctx))
	}()
	select {
	case <-done:
	case <-time.After(time.Minute):
		t.Fatal("the request still runs")
	}
}
