package security

import (
	"context"
	"fmt"
	"io"
	"net"
	"net/http"
	"net/http/httptest"
	"strings"
	"sync"
	"testing"
	"time"

	"tasker/test/program"

	"github.com/chromedp/chromedp"
)

// chromium starts a browser that resolves evil.example to this machine, and returns a page of it.
func chromium(t *testing.T) context.Context {
	t.Helper()
	path := program.Chromium()
	if path == "" {
		t.Fatal("this test needs Chromium: make test installs it, and so does apt-get install chromium")
	}
	allocator, stop := chromedp.NewExecAllocator(t.Context(),
		chromedp.ExecPath(path), chromedp.Headless, chromedp.NoSandbox, chromedp.DisableGPU, chromedp.NoFirstRun, chromedp.NoDefaultBrowserCheck,
		chromedp.Flag("disable-quic", true), chromedp.Flag("disable-background-networking", true), chromedp.Flag("disable-component-update", true),
		chromedp.Flag("disable-sync", true), chromedp.Flag("disable-dev-shm-usage", true),
		chromedp.Flag("host-resolver-rules", "MAP evil.example 127.0.0.1"),
		// Chromium's own protection of private addresses would refuse before the door that is tested here.
		chromedp.Flag("disable-features", "LocalNetworkAccessChecks,BlockInsecurePrivateNetworkRequests,PrivateNetworkAccessSendPreflights"),
		chromedp.UserDataDir(t.TempDir()), chromedp.WSURLReadTimeout(2*time.Minute),
	)
	t.Cleanup(stop)
	ctx, cancel := chromedp.NewContext(allocator)
	t.Cleanup(cancel)
	ctx, late := context.WithTimeout(ctx, 4*time.Minute)
	t.Cleanup(late)
	return ctx
}

// js runs a program in the page and returns its result as text.
func js(t *testing.T, ctx context.Context, program string) string {
	t.Helper()
	out, err := chromedp.Run(
		ctx,
		chromedp.Evaluate[string](`(async () => { `+program+` })().then(String, (e) => "failed: " + e)`, chromedp.EvalAwaitPromise),
	)
	if err != nil {
		t.Fatalf("%v in\n%s", err, program)
	}
	return out
}

func visit(t *testing.T, ctx context.Context, url string) {
	t.Helper()
	if err := chromedp.Do(ctx, chromedp.Navigate(url)); err != nil {
		t.Fatalf("%s: %v", url, err)
	}
}

// until waits for an expression to hold in the page, across navigations.
func until(t *testing.T, ctx context.Context, expression string) {
	t.Helper()
	every := time.NewTicker(50 * time.Millisecond)
	defer every.Stop()
	for {
		// A page that is being left answers with an error.
		if ok, err := chromedp.Run(ctx, chromedp.Evaluate[bool]("Boolean("+expression+")")); ok && err == nil {
			return
		}
		select {
		case <-every.C:
		case <-ctx.Done():
			t.Fatalf("timed out waiting for %s", expression)
		}
	}
}

// switchboard is a port that leads to one server, and later to another: for a browser it is the same origin, which is the
// effect of rebinding a name.
type switchboard struct {
	addr string

	mu    sync.Mutex
	to    string
	lines []net.Conn
}

// rebind redirects everything from now on. Open connections end: they led to the previous server.
func (s *switchboard) rebind(to string) {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.to = to
	for _, c := range s.lines {
		c.Close()
	}
	s.lines = nil
}

// connect forwards a connection.
func (s *switchboard) connect(c net.Conn) {
	s.mu.Lock()
	s.lines = append(s.lines, c)
	d, err := net.Dial("tcp", s.to)
	s.mu.Unlock()
	defer c.Close()
	if err != nil {
		return
	}
	defer d.Close()
	go func() { _, _ = io.Copy(d, c); d.Close() }()
	_, _ = io.Copy(c, d)
}

func newSwitchboard(t *testing.T, to string) *switchboard {
	t.Helper()
	ln, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	s := &switchboard{addr: ln.Addr().String(), to: to}
	t.Cleanup(func() { ln.Close(); s.rebind("") })
	go func() {
		for {
			c, err := ln.Accept()
			if err != nil {
				return
			}
			go s.connect(c)
		}
	}()
	return s
}

// attacker serves a page of its own to every visitor, on connections that end at once.
func attacker(t *testing.T) string {
	t.Helper()
	srv := httptest.NewUnstartedServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		w.Header().Set("Content-Type", "text/html")
		fmt.Fprintf(w, `<!doctype html><title>evil</title><body data-cookie="%d">`, len(r.Cookies()))
	}))
	srv.Config.SetKeepAlivesEnabled(false)
	srv.Start()
	t.Cleanup(srv.Close)
	return strings.TrimPrefix(srv.URL, "http://")
}

func port(t *testing.T, addr string) string {
	t.Helper()
	_, p, err := net.SplitHostPort(addr)
	if err != nil {
		t.Fatal(err)
	}
	return p
}

// TestAHostilePageInABrowserNeitherWritesNorReads lets pages of another site, of another port and of a rebound name try
// everything that a page can, against a server without a token.
func TestAHostilePageInABrowserNeitherWritesNorReads(t *testing.T) {
	w := build(t, openMode)
	w.run("alice", visible, "apply", "-f", "-")
	serving := w.serving("alice", "")
	log := &lines{}
	serving.Log, serving.Level = log, "info"
	victim := strings.TrimPrefix(listen(t, w.siteOf(serving)), "http://")
	evil := attacker(t)
	ctx := chromium(t)
	const note = `JSON.stringify({text: "from a page"})`

	// First our own page: if it failed, the rest could fail for any reason.
	visit(t, ctx, "http://localhost:"+port(t, victim)+"/")
	if got := js(t, ctx, `const r = await fetch("/v1/tasks/demo-1/notes", {method: "POST", body: `+note+`}); return r.status`); got != "201" {
		t.Fatalf("a write by our own page: %s", got)
	}
	if got := js(t, ctx, `return (await (await fetch("/v1/tasks/demo-1")).text()).includes("curtains")`); got != "true" {
		t.Fatalf("a read by our own page: %s", got)
	}

	for _, page := range []string{"http://evil.example:" + port(t, evil), "http://localhost:" + port(t, evil), "http://127.0.0.1:" + port(t, evil)} {
		for _, host := range []string{"localhost:" + port(t, victim), victim} {
			target := "http://" + host + "/v1/tasks/demo-1/notes"
			visit(t, ctx, page+"/")
			for name, program := range map[string]string{
				"a fetch that cannot be read": `const r = await fetch("` + target + `", {method: "POST", mode: "no-cors", headers: {"Content-Type": ` +
					`"text/plain"}, body: ` + note + `}); return r.type + " " + (await r.text()).length`,
				"a fetch with JSON": `const r = await fetch("` + target + `", {method: "POST", headers: {"Content-Type": "application/json"}, body: ` + note +
					`}); return r.status`,
				"a beacon": `navigator.sendBeacon("` + target + `", new Blob([` + note + `], {type: "text/plain"})); return ""`,
				"a read":   `const r = await fetch("http://` + host + `/v1/tasks/demo-1"); return await r.text()`,
				"a read that cannot be read": `const r = await fetch("http://` + host + `/v1/tasks/demo-1", {mode: "no-cors"}); return r.type + " " + (await ` +
					`r.text()).length`,
				"a stream": `return await new Promise((done) => { const s = new EventSource("http://` + host + `/v1/events/stream?since_id=0"); s.onmessage ` +
					`= (m) => { s.close(); done("read " + m.data) }; s.onerror = () => { s.close(); done("failed") } })`,
				"a form": `return await new Promise((done) => { const f = document.createElement("iframe"); f.name = "f"; document.body.append(f);
					const form = document.createElement("form"); form.method = "post"; form.enctype = "text/plain"; form.target = "f"; form.action = "` + target + `";
					const i = document.createElement("input"); i.name = '{"text":"from a page","x":"'; i.value = '"}'; form.append(i); document.body.append(form);
					f.onload = () => done("sent"); form.submit(); setTimeout(() => done("sent"), 2000) })`,
				"a form of a page from nowhere": `return await new Promise((done) => { const f = document.createElement("iframe"); f.sandbox = "allow-scripts allow-forms";
					f.srcdoc = '<form method=post enctype=text/plain action="` + target +
					`"><input name=\'{"text":"from a page"}\' value=""></form><scr' + 'ipt>document.forms[0].submit()</scr' + 'ipt>';
					let n = 0; f.onload = () => { if (++n == 2) done("sent") }; document.body.append(f); setTimeout(() => done("sent"), 2000) })`,
				"a script": `return await new Promise((done) => { const s = document.createElement("script"); s.src = "http://` + host + `/v1/projects"; ` +
					`s.onload = () => done("ran"); s.onerror = () => done("failed"); document.body.append(s) })`,
			} {
				got := js(t, ctx, program)
				if strings.Contains(got, "curtains") || strings.Contains(got, "demo") || strings.HasPrefix(got, "2") || strings.HasPrefix(got, "read") ||
					got == "ran" {
					t.Errorf("%s from %s to %s: %s", name, page, host, got)
				}
			}
		}
	}

	// Our door refused, not the browser.
	if n := log.count("method=POST path=/v1/tasks/demo-1/notes status=403"); n < 20 {
		t.Errorf("only %d writes reached the server", n)
	}

	// A name that leads to the attacker first, and to us once its page is open.
	board := newSwitchboard(t, evil)
	visit(t, ctx, "http://evil.example:"+port(t, board.addr)+"/")
	board.rebind(victim)
	for name, program := range map[string]string{
		"a write": `const r = await fetch("/v1/tasks/demo-1/notes", {method: "POST", headers: {"Content-Type": "application/json"}, body: ` + note +
			`}); return r.status + " " + await r.text()`,
		"a read":   `const r = await fetch("/v1/tasks/demo-1"); return r.status + " " + await r.text()`,
		"a page":   `const r = await fetch("/"); return r.status + " " + await r.text()`,
		"a stream": `const r = await fetch("/v1/events/stream?since_id=0"); return r.status + " " + await r.text()`,
	} {
		got := js(t, ctx, program)
		if !strings.HasPrefix(got, "403 ") || !strings.Contains(got, "does not answer to the host evil.example") {
			t.Errorf("%s of a rebound name: %s", name, got)
		}
	}
	if n := strings.Count(w.run("alice", "", "events", "--kind", "note.added", "--json"), "from a page"); n != 1 {
		t.Errorf("%d notes were written, and one was ours", n)
	}
}

// TestAPersonSignsInAndOutInABrowser acts as a person in session mode, with a hostile page open at the same time.
func TestAPersonSignsInAndOutInABrowser(t *testing.T) {
	w := build(t, sessionMode)
	w.run("alice", visible, "apply", "-f", "-")
	credential := w.session("alice")
	addr := strings.TrimPrefix(listen(t, w.site("claude", "")), "http://")
	base := "http://localhost:" + port(t, addr)
	evil := attacker(t)
	ctx := chromium(t)

	visit(t, ctx, base+"/?from=here")
	if got := js(t, ctx, `return document.forms.length + " " + document.body.innerText.includes("curtains")`); got != "1 false" {
		t.Fatalf("without a session: %s", got)
	}
	if err := chromedp.Do(ctx, chromedp.SendKeys("#session", "tsk_wrong\n"), chromedp.WaitVisible(`[role=alert]`)); err != nil {
		t.Fatal(err)
	}
	if err := chromedp.Do(ctx, chromedp.SendKeys("#session", credential+"\n"), chromedp.WaitNotPresent("#session")); err != nil {
		t.Fatal(err)
	}
	if got := js(t, ctx, `return location.pathname + location.search`); got != "/?from=here" {
		t.Errorf("after signing in the page is %s", got)
	}
	if got := js(t, ctx, `return document.cookie`); strings.Contains(got, "tasker") {
		t.Errorf("a script sees the cookie: %s", got)
	}
	if got := js(t, ctx, `return (await (await fetch("/v1/whoami")).json()).actor`); got != "alice" {
		t.Errorf("the page's actor is %s", got)
	}
	if got := js(t, ctx, `return (await fetch("/v1/tasks/demo-1/notes", {method: "POST", body: '{"text":"mine"}'})).status`); got != "201" {
		t.Errorf("a write by the page: %s", got)
	}

	// Another port of the same name: the browser sends the cookie there, and the door refuses its writes.
	visit(t, ctx, "http://localhost:"+port(t, evil)+"/")
	js(
		t,
		ctx,
		`try { await fetch("`+base+`/v1/tasks/demo-1/notes", {method: "POST", mode: "no-cors", credentials: "include", body: '{"text":"theirs"}'}) } `+
			`catch {} return ""`,
	)
	// Another site: a link from it still leads in.
	visit(t, ctx, "http://evil.example:"+port(t, evil)+"/")
	js(
		t,
		ctx,
		`try { await fetch("`+base+`/v1/tasks/demo-1/notes", {method: "POST", mode: "no-cors", credentials: "include", body: '{"text":"theirs"}'}) } `+
			`catch {} return ""`,
	)
	if n := strings.Count(w.run("alice", "", "events", "--kind", "note.added", "--json"), "theirs"); n != 0 {
		t.Errorf("%d notes of other sites were written", n)
	}
	js(t, ctx, `const a = document.createElement("a"); a.href = "`+base+`/"; a.id = "link"; a.textContent = "in"; document.body.append(a); return ""`)
	if err := chromedp.Do(ctx, chromedp.Click("#link"), chromedp.WaitVisible("h1")); err != nil {
		t.Fatal(err)
	}
	until(t, ctx, `location.port == "`+port(t, addr)+`" && !document.querySelector("meta[http-equiv=refresh]") && document.readyState == "complete"`)
	if got := js(t, ctx, `return !!document.querySelector("#session")`); got != "false" {
		t.Error("a link from elsewhere asks for the session again")
	}

	visit(t, ctx, base+"/signin")
	if err := chromedp.Do(ctx, chromedp.Click(`button[name=out]`), chromedp.WaitVisible("#session")); err != nil {
		t.Fatal(err)
	}
	visit(t, ctx, base+"/")
	if got := js(t, ctx, `return !!document.querySelector("#session")`); got != "true" {
		t.Error("after signing out a page is still shown")
	}
}
