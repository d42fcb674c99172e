package httpapi

import (
	"bytes"
	"context"
	"errors"
	"log/slog"
	"net/http"
	"net/http/httptest"
	"net/netip"
	"net/url"
	"strings"
	"sync"
	"testing"
	"time"

	"tasker/internal/core"
	"tasker/internal/fault"
	"tasker/internal/op"
	"tasker/internal/planning"
	"tasker/internal/task"
	"tasker/internal/testkit/optest"
	"tasker/internal/views/reading"
)

// book holds sessions in a map.
type book struct {
	mu    sync.Mutex
	good  map[string]Entry
	open  bool
	asked int
	stuck error // sessions cannot be ended
}

// guard puts the book at a server's door.
func (b *book) guard(opts *Options) {
	own := opts.Identity()
	opts.Sessions, opts.Identity = b, func() Identity {
		b.mu.Lock()
		defer b.mu.Unlock()
		return Identity{Closed: !b.open, Caller: own.Caller}
	}
}

func (b *book) Enter(_ context.Context, credential string) (Entry, error) {
	b.mu.Lock()
	defer b.mu.Unlock()
	b.asked++
	if e, ok := b.good[credential]; ok {
		return e, nil
	}
	return Entry{}, fault.New(fault.Unauthorized, "no").WithHint("another")
}

func (b *book) Leave(_ context.Context, credential string, _ Entry) error {
	b.mu.Lock()
	defer b.mu.Unlock()
	if b.stuck != nil {
		return b.stuck
	}
	delete(b.good, credential)
	return nil
}

func (b *book) set(fn func()) { b.mu.Lock(); defer b.mu.Unlock(); fn() }

func keep() *book {
	entry := func(actor string, scope task.Scope) Entry {
		return Entry{Caller: core.Caller{Actor: task.Actor{Name: actor}, How: "session 7", Via: task.Via{Session: "7"}, Scope: scope}}
	}
	return &book{good: map[string]Entry{
		"tsk_bob": entry("bob", task.Scope{}), "tsk_eye": entry("eye", task.Scope{ReadOnly: true}),
		"tsk_demo": entry("bob", task.Scope{Projects: []string{"demo"}}),
	}}
}

func closedServer(c op.Caller, b *book) *Server {
	opts := options(c)
	opts.Token = "s3cret"
	b.guard(&opts)
	return New(opts)
}

// every returns a request for each route, and for some that do not exist.
func every(s *Server) (out [][2]string) {
	for _, pattern := range append(s.Routes(), "GET /v1/nothing", "PUT /v1/next", "GET /nothing", "GET /v1//next") {
		method, path, _ := strings.Cut(pattern, " ")
		path = strings.NewReplacer("{id}", "demo-1", "{slug}", "demo", "{$}", "").Replace(path)
		out = append(out, [2]string{method, path})
	}
	return out
}

func TestInSessionModeEveryRequestNeedsASession(t *testing.T) {
	s := closedServer(&calls{}, keep())
	for _, r := range every(s) {
		for _, credential := range []string{"", "Bearer s3cret", "Bearer tsk_wrong", "Basic tsk_bob", "tsk_bob", "Bearer"} {
			var headers []string
			if credential != "" {
				headers = []string{"Authorization", credential}
			}
			resp := ask(s, request(r[0], r[1], "", headers...))
			if anonymous(r[1]) {
				if resp.Status == 401 && r[0] == "GET" || resp.Status == 403 {
					t.Errorf("%s %s with %q: %d", r[0], r[1], credential, resp.Status)
				}
				continue
			}
			if resp.Status != 401 || failure(t, resp).Error != "unauthorized" {
				t.Errorf("%s %s with %q: %d", r[0], r[1], credential, resp.Status)
			}
		}
		if resp := ask(s, request(r[0], r[1], "", "Authorization", "Bearer tsk_bob")); resp.Status == 401 && !anonymous(r[1]) {
			t.Errorf("%s %s with a session: %d", r[0], r[1], resp.Status)
		}
	}
}

func TestASessionsActorActs(t *testing.T) {
	c := &calls{}
	s := closedServer(c, keep())
	ask(s, request("POST", "/v1/next", `{"project":"demo"}`, "Authorization", "Bearer tsk_bob", "Tasker-Instance", "3", "Idempotency-Key", "k"))
	if c.last.Actor.Full() != "bob/3" || c.last.Via.Session != "7" || c.last.How != "session 7" || c.last.Via.Face != "http" {
		t.Errorf("the caller is %+v", c.last)
	}
	whole := c.last.Idem.Digest
	ask(s, request("POST", "/v1/next", `{"project":"demo"}`, "Authorization", "Bearer tsk_demo", "Tasker-Instance", "3", "Idempotency-Key", "k"))
	if c.last.Idem.Digest == whole {
		t.Error("the digest of a request is the same for a session that sees less")
	}
}

func TestAReadOnlySessionWritesNothing(t *testing.T) {
	c := &calls{do: func(_ context.Context, o *op.Op, _ any) (any, error) { return optest.Out(o), nil }}
	s := closedServer(c, keep())
	for _, o := range op.Table {
		if o.Method == "" {
			continue
		}
		in := optest.In(o)
		if a, ok := in.(planning.ApplyIn); ok {
			a.DryRun = false
			in = a
		}
		req, err := o.Encode(in)
		if err != nil {
			t.Fatal(err)
		}
		target := "/v1" + req.Path
		if req.Query != "" {
			target += "?" + req.Query
		}
		want := 403
		if o.Method == "GET" {
			want = o.Status
		}
		if resp := ask(s, request(o.Method, target, string(req.Body), "Authorization", "Bearer tsk_eye")); resp.Status != want {
			t.Errorf("%s: %d, want %d: %s", o.Name, resp.Status, want, resp.Body)
		}
	}
	plan := `{"project":"demo","tasks":[{"key":"a","title":"A"}]}`
	if resp := ask(s, request("POST", "/v1/apply?dryRun=true", plan, "Authorization", "Bearer tsk_eye")); resp.Status != 200 {
		t.Errorf("a preview: %d", resp.Status)
	}
}

func TestGuessingKeepsNobodyOutAndFillsNoLog(t *testing.T) {
	b, now := keep(), time.Unix(1_000_000, 0)
	var lines bytes.Buffer
	opts := options(&calls{})
	b.guard(&opts)
	opts.Now, opts.Log = func() time.Time { return now }, slog.New(slog.NewTextHandler(&lines, nil))
	s := New(opts)
	from := func(addr, credential string) reply {
		r := request("GET", "/v1/version", "", "Authorization", "Bearer "+credential)
		r.RemoteAddr = addr
		return ask(s, r)
	}
	const guessed = 50 * maxGuesses
	for i := range guessed {
		if resp := from("10.0.0.1:5", "tsk_guess"); resp.Status != 401 || resp.Header.Get("Retry-After") != "" {
			t.Fatalf("wrong session %d: %d, Retry-After %q", i, resp.Status, resp.Header.Get("Retry-After"))
		}
	}
	if b.asked != guessed {
		t.Errorf("%d of %d credentials were looked up", b.asked, guessed)
	}
	if n := strings.Count(lines.String(), "\n"); n != maxGuesses+1 || strings.Count(lines.String(), "too many wrong credentials") != 1 {
		t.Errorf("%d lines are logged:\n%.3000s", n, lines.String())
	}
	lines.Reset()
	for _, good := range []string{"tsk_demo", "tsk_bob"} { // neither was seen before
		if resp := from("10.0.0.1:6", good); resp.Status != 200 {
			t.Errorf("during guesses, a good session is answered with %d", resp.Status)
		}
	}
	if n := strings.Count(lines.String(), "msg=request"); n != 2 {
		t.Errorf("%d lines are logged of two good requests:\n%s", n, lines.String())
	}
	lines.Reset()
	now = now.Add(2 * guessWindow)
	if from("10.0.0.1:5", "tsk_guess"); strings.Count(lines.String(), "msg=request") != 1 {
		t.Errorf("after the window a wrong session is not logged")
	}
	for range 2 * maxGuesses { // a missing credential is not a guess
		r := request("GET", "/v1/version", "")
		r.RemoteAddr = "10.0.0.3:1"
		ask(s, r)
	}
	lines.Reset()
	if from("10.0.0.3:1", "tsk_guess"); strings.Count(lines.String(), "msg=request") != 1 {
		t.Error("requests without a credential count as wrong guesses")
	}
}

// slow is a book whose lookups wait until the test releases them.
type slow struct {
	*book
	looking chan struct{}
	goOn    chan struct{}
}

func (b *slow) Enter(ctx context.Context, credential string) (Entry, error) {
	b.looking <- struct{}{}
	<-b.goOn
	return b.book.Enter(ctx, credential)
}

// TestAddressesThatGuessShareAFewLookups makes many guess at once: two lookups run at a time, and another address does not
// wait.
func TestAddressesThatGuessShareAFewLookups(t *testing.T) {
	const asking = 12
	b := &slow{keep(), make(chan struct{}, 2*asking), make(chan struct{}, 2*asking)}
	opts := options(&calls{})
	b.guard(&opts)
	opts.Sessions = b
	s := New(opts)
	from := func(addr, credential string) int {
		r := request("GET", "/v1/version", "", "Authorization", "Bearer "+credential)
		r.RemoteAddr = addr
		return ask(s, r).Status
	}
	for range maxGuesses {
		b.goOn <- struct{}{}
		from("10.0.0.1:5", "tsk_guess")
		<-b.looking
	}
	var all sync.WaitGroup
	statuses := make(chan int, asking+1)
	for i := range asking {
		all.Go(func() {
			credential := "tsk_guess"
			if i == asking-1 {
				credential = "tsk_bob"
			}
			statuses <- from("10.0.0.1:5", credential)
		})
	}
	for range maxLookups {
		<-b.looking
	}
	all.Go(func() { statuses <- from("10.0.0.2:5", "tsk_demo") })
	<-b.looking // it does not wait for them
	if len(b.looking) > 0 {
		t.Fatal("more are looked up at once")
	}
	for range asking + 1 {
		b.goOn <- struct{}{}
	}
	all.Wait()
	close(statuses)
	got := map[int]int{}
	for status := range statuses {
		got[status]++
	}
	if got[200] != 2 || got[401] != asking-1 {
		t.Errorf("answered %v", got)
	}
}

func TestWhatIsRememberedOfAddressesIsBounded(t *testing.T) {
	now := time.Unix(0, 0)
	g := guesses{now: func() time.Time { return now }}
	for i := range 3 * maxRemembered {
		g.add(netip.PrefixFrom(netip.AddrFrom4([4]byte{1, byte(i >> 16), byte(i >> 8), byte(i)}), 32))
	}
	if n := len(g.these) + len(g.last); n > 2*maxRemembered {
		t.Errorf("%d addresses are remembered", n)
	}
	if a, b := address("[2001:db8::1]:5"), address("[2001:db8::2:3]:6"); a != b {
		t.Errorf("two addresses of one network are treated as different: %v, %v", a, b)
	}
	if a, b := address("[::ffff:10.0.0.1]:5"), address("10.0.0.1:6"); a != b {
		t.Errorf("two addresses of one machine are treated as different: %v, %v", a, b)
	}
	if address("@") != address("") {
		t.Error("two malformed addresses are treated as different")
	}
}

// browse requests a page as a browser does.
func browse(s *Server, method, path, body string, headers ...string) reply {
	headers = append([]string{"Accept", "text/html,*/*;q=0.8", "Content-Type", "application/x-www-form-urlencoded"}, headers...)
	return ask(s, request(method, path, body, headers...))
}

func TestTheSignInPageKeepsTheSessionInACookie(t *testing.T) {
	b := keep()
	until := time.Now().Add(time.Hour)
	bob := b.good["tsk_bob"]
	bob.ExpiresAt = until
	b.good["tsk_bob"] = bob
	c := &calls{}
	s := closedServer(c, b)

	resp := browse(s, "GET", "/?a=<b>", "")
	if resp.Status != 401 || !bytes.Contains(resp.Body, []byte(`name="session"`)) || !bytes.Contains(resp.Body, []byte(`value="/?a=&lt;b&gt;"`)) {
		t.Fatalf("a page without a session: %d %s", resp.Status, resp.Body)
	}
	if csp := resp.Header.Get("Content-Security-Policy"); !strings.Contains(csp, "default-src 'none'") {
		t.Errorf("the page's policy is %q", csp)
	}
	form := url.Values{"session": {"tsk_bob"}, "next": {"/board?x=1"}}.Encode()
	resp = browse(s, "POST", "/signin", form, "Origin", "http://localhost:7777")
	cookie := resp.Header.Get("Set-Cookie")
	if resp.Status != 303 || resp.Header.Get("Location") != "/board?x=1" {
		t.Fatalf("signing in: %d to %q", resp.Status, resp.Header.Get("Location"))
	}
	for _, part := range []string{"tasker_session=tsk_bob", "; Path=/", "; HttpOnly", "; SameSite=Strict", "; Expires=" + until.UTC().Format(http.TimeFormat)} {
		if !strings.Contains(cookie, part) {
			t.Errorf("the cookie %q lacks %q", cookie, part)
		}
	}
	if strings.Contains(cookie, "Secure") {
		t.Error("a cookie of a plain connection is only for secure ones")
	}
	if resp := browse(s, "POST", "/signin", form, "X-Forwarded-Proto", "https"); !strings.Contains(resp.Header.Get("Set-Cookie"), "; Secure") {
		t.Error("a cookie that came over TLS may go over a plain connection")
	}
	if resp := browse(s, "GET", "/", "", "Cookie", "tasker_session=tsk_bob"); resp.Status != 200 {
		t.Errorf("a page with the cookie: %d", resp.Status)
	}
	ask(s, request("GET", "/v1/whoami", "", "Cookie", "other=1; tasker_session=tsk_bob"))
	if c.last.Actor.Name != "bob" {
		t.Errorf("with the cookie it acts as %q", c.last.Actor.Name)
	}
	if resp := browse(s, "GET", "/signin", "", "Cookie", "tasker_session=tsk_bob"); !bytes.Contains(resp.Body, []byte("signed in as bob")) ||
		bytes.Contains(resp.Body, []byte("tsk_bob")) {
		t.Errorf("the page when signed in: %s", resp.Body)
	}
	resp = browse(s, "POST", "/signin", "out=yes", "Cookie", "tasker_session=tsk_bob", "Origin", "http://localhost:7777")
	if cookie := resp.Header.Get("Set-Cookie"); resp.Status != 303 || !strings.HasPrefix(cookie, "tasker_session=; ") || !strings.Contains(cookie, "1970") {
		t.Errorf("signing out: %d, %q", resp.Status, cookie)
	}
	if resp := browse(s, "GET", "/v1/whoami", "", "Cookie", "tasker_session=tsk_bob"); resp.Status != 401 {
		t.Errorf("signed out, a copy of the cookie is answered with %d", resp.Status)
	}
	for _, cookie := range []string{"", "tasker_session=tsk_bob", "tasker_session=nonsense"} { // nobody is signed in: already out
		if resp := browse(s, "POST", "/signin", "out=yes", "Cookie", cookie, "Origin", "http://localhost:7777"); resp.Status != 303 {
			t.Errorf("signing out again with %q: %d", cookie, resp.Status)
		}
	}
}

func TestASessionThatCannotBeEndedStaysSignedIn(t *testing.T) {
	b := keep()
	b.stuck = fault.Unready("not now")
	s := closedServer(&calls{}, b)
	resp := browse(s, "POST", "/signin", "out=yes", "Cookie", "tasker_session=tsk_bob", "Origin", "http://localhost:7777")
	if resp.Status != 503 || resp.Header.Get("Set-Cookie") != "" {
		t.Errorf("signing out while sessions cannot be ended: %d, %q", resp.Status, resp.Header.Get("Set-Cookie"))
	}
}

func TestErrorsOfTheSignInPageRevealNothing(t *testing.T) {
	s := closedServer(&calls{}, keep())
	resp := browse(s, "POST", "/signin", url.Values{"session": {"tsk_canary<script>"}}.Encode(), "Origin", "http://localhost:7777")
	if resp.Status != 401 || resp.Header.Get("Set-Cookie") != "" || bytes.Contains(resp.Body, []byte("canary")) ||
		!bytes.Contains(resp.Body, []byte(`role="alert"`)) {
		t.Errorf("a wrong session: %d %s", resp.Status, resp.Body)
	}
	if resp := browse(s, "POST", "/signin", "session=tsk_bob", "Origin", "http://evil.example"); resp.Status != 403 || resp.Header.Get("Set-Cookie") != "" {
		t.Errorf("another site signs somebody in: %d", resp.Status)
	}
	for _, next := range []string{"//evil.example", "https://evil.example", "/\\evil.example", "evil", "", "/\t/evil.example", "javascript:alert(1)"} {
		resp := browse(s, "POST", "/signin", url.Values{"session": {"tsk_bob"}, "next": {next}}.Encode(), "Origin", "http://localhost:7777")
		if at := resp.Header.Get("Location"); at != "/" {
			t.Errorf("next %q leads to %q", next, at)
		}
	}
	b := keep()
	b.open = true
	open := closedServer(&calls{}, b)
	for _, method := range []string{"GET", "POST"} {
		if resp := browse(open, method, "/signin", "session=tsk_bob", "Authorization", "Bearer s3cret"); resp.Status != 404 {
			t.Errorf("%s of the sign-in page of a server without sessions: %d", method, resp.Status)
		}
	}
}

func TestALinkFromElsewhereBringsTheCookieBySecondThought(t *testing.T) {
	s := closedServer(&calls{}, keep())
	resp := browse(s, "GET", "/?q=%22&b=1", "", "Sec-Fetch-Site", "cross-site")
	if resp.Status != 401 || !bytes.Contains(resp.Body, []byte(`<meta http-equiv="refresh" content="0; url=/?q=%22&amp;b=1">`)) {
		t.Errorf("%d %s", resp.Status, resp.Body)
	}
	resp = browse(s, "GET", "/?q=1", "", "Sec-Fetch-Site", "same-origin")
	if bytes.Contains(resp.Body, []byte("refresh")) || !bytes.Contains(resp.Body, []byte(`name="session"`)) {
		t.Errorf("a request from this site is not shown the form: %s", resp.Body)
	}
	resp = browse(s, "GET", "/v1/projects", "", "Sec-Fetch-Site", "cross-site")
	if failure(t, resp); resp.Status != 401 {
		t.Errorf("a route is answered with %d", resp.Status)
	}
}

func TestAWriteWithTheCookieSaysWhereItComesFrom(t *testing.T) {
	s := closedServer(&calls{}, keep())
	for _, c := range []struct {
		headers []string
		want    int
	}{
		{nil, 403},
		{[]string{"Sec-Fetch-Site", "same-origin"}, 200},
		{[]string{"Origin", "http://localhost:7777"}, 200},
		{[]string{"Origin", "http://localhost:7778"}, 403},
		{[]string{"Origin", "null"}, 403},
		{[]string{"Sec-Fetch-Site", "same-site"}, 403},
	} {
		resp := ask(s, request("POST", "/v1/tasks/demo-1/claim", "", append([]string{"Cookie", "tasker_session=tsk_bob"}, c.headers...)...))
		if resp.Status != c.want {
			t.Errorf("%v: %d, want %d", c.headers, resp.Status, c.want)
		}
	}
}

// steady is a feed that sends what the test passes to it.
type steady struct{ pages chan []task.Event }

func (e steady) Newest(context.Context) (int64, error) { return 0, nil }
func (e steady) Follow(ctx context.Context, _ reading.EventsIn, _ int64, send func([]task.Event) error) error {
	for {
		select {
		case page := <-e.pages:
			if err := send(page); err != nil {
				return err
			}
		case <-ctx.Done():
			return ctx.Err()
		}
	}
}

func TestAStreamEndsWithItsSession(t *testing.T) {
	event := func(id int64) []task.Event {
		return []task.Event{{ID: id, Actor: "x", Kind: task.NoteAdded, Payload: []byte("{}")}}
	}
	for _, c := range []struct {
		name string
		end  func(b *book, checks chan<- time.Time, feed steady)
	}{
		{"at the next look", func(b *book, checks chan<- time.Time, _ steady) {
			b.set(func() { delete(b.good, "tsk_bob") })
			checks <- time.Time{}
		}},
		{"before the next event", func(b *book, _ chan<- time.Time, feed steady) {
			b.set(func() { delete(b.good, "tsk_bob") })
			feed.pages <- event(2)
		}},
		{"and one without, when sessions are asked for", func(b *book, checks chan<- time.Time, _ steady) {
			b.set(func() { b.open = false })
			checks <- time.Time{}
		}},
	} {
		t.Run(c.name, func(t *testing.T) {
			b, feed, checks := keep(), steady{make(chan []task.Event)}, make(chan time.Time)
			headers := []string{"Authorization", "Bearer tsk_bob"}
			if strings.HasPrefix(c.name, "and one without") {
				b.open, headers = true, nil
			}
			opts := options(&calls{do: func(context.Context, *op.Op, any) (any, error) { return []task.Event{}, nil }})
			opts.Feed = feed
			b.guard(&opts)
			opts.Rechecks = func() (<-chan time.Time, func()) { return checks, func() {} }
			srv := httptest.NewServer(New(opts))
			defer srv.Close()
			_, next := openStream(t, srv.URL+"/v1/events/stream", headers...)
			next()
			checks <- time.Time{} // it is valid, and the stream goes on
			feed.pages <- event(1)
			if got := next(); !strings.HasPrefix(got, "id: 1\ndata:") {
				t.Fatalf("first comes %q", got)
			}
			c.end(b, checks, feed)
			if got := next(); !strings.HasPrefix(got, "event: error\n") || !strings.Contains(got, `"error":"unauthorized"`) {
				t.Errorf("it ends with %q", got)
			}
		})
	}
}

func TestNoAnswerRepeatsACredential(t *testing.T) {
	const canary = "tsk_canarycanarycanary"
	b := keep()
	b.good[canary] = b.good["tsk_bob"]
	var log strings.Builder
	for _, c := range []op.Caller{
		&calls{}, &calls{do: func(context.Context, *op.Op, any) (any, error) { panic("no") }},
		&calls{do: func(context.Context, *op.Op, any) (any, error) { return nil, errors.New("no") }},
	} {
		for _, known := range []bool{true, false} {
			opts := options(c)
			b.guard(&opts)
			opts.Log = slog.New(slog.NewTextHandler(&log, &slog.HandlerOptions{Level: slog.LevelDebug}))
			if !known {
				keep().guard(&opts)
			}
			s := New(opts)
			for _, r := range every(s) {
				for _, headers := range [][]string{
					{"Authorization", "Bearer " + canary}, {"Authorization", "Basic " + canary}, {"Authorization", canary},
					{"Cookie", "tasker_session=" + canary}, {"Cookie", "tasker_session=" + canary, "Origin", "http://localhost:7777"},
				} {
					resp := ask(s, request(r[0], r[1], "session="+canary, append(headers, "Accept", "text/html")...))
					if bytes.Contains(resp.Body, []byte("canary")) {
						t.Errorf("%s %s %v: %s", r[0], r[1], headers, resp.Body)
					}
				}
			}
		}
	}
	if strings.Contains(log.String(), "canary") {
		t.Error("the log contains the credential")
	}
}
