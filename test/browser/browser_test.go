// Package browser_test drives the web view of the built program in Chromium: every page on the plan "shop", a plan of 300
// tasks, hostile text, the graph, and live updates from another process.
package browser_test

import (
	"bytes"
	"cmp"
	"context"
	"fmt"
	"io"
	"net/http"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"strings"
	"sync"
	"testing"
	"time"

	"tasker/test/program"

	"github.com/chromedp/cdproto/emulation"
	"github.com/chromedp/cdproto/input"
	"github.com/chromedp/cdproto/page"
	"github.com/chromedp/chromedp"
)

var (
	tasker  string // the built program
	scratch string // a directory that lasts as long as the tests
	browser context.Context
)

func TestMain(m *testing.M) {
	os.Exit(run(m))
}

func run(m *testing.M) int {
	dir, err := os.MkdirTemp("", "tasker-browser-")
	if err != nil {
		panic(err)
	}
	defer func() { _ = os.RemoveAll(dir) }()
	scratch = dir
	if tasker, err = program.Build(dir); err != nil {
		fmt.Fprintln(os.Stderr, err)
		return 1
	}
	options := []chromedp.ExecAllocatorOption{
		chromedp.NoFirstRun, chromedp.NoDefaultBrowserCheck, chromedp.NoSandbox, chromedp.Headless, chromedp.DisableGPU,
		chromedp.Flag("disable-quic", true), chromedp.Flag("disable-background-networking", true),
		chromedp.Flag("disable-component-update", true), chromedp.Flag("disable-sync", true),
		chromedp.Flag("disable-dev-shm-usage", true), chromedp.Flag("hide-scrollbars", true),
		// What a browser prepares for people costs as much as a test.
		chromedp.Flag("disable-extensions", true), chromedp.Flag("disable-features", "PreloadTopChromeWebUI,Translate,OptimizationHints,MediaRouter"),
		chromedp.UserDataDir(filepath.Join(dir, "profile")), chromedp.WindowSize(1360, 900),
	}
	if path := program.Chromium(); path != "" {
		options = append(options, chromedp.ExecPath(path))
	}
	allocator, stop := chromedp.NewExecAllocator(context.Background(), options...)
	defer stop()
	var cancel context.CancelFunc
	browser, cancel = chromedp.NewContext(allocator) //nolint:fatcontext // it is set once
	defer cancel()
	if err := chromedp.Do(browser); err != nil {
		fmt.Fprintf(os.Stderr, "These tests need Chromium, which `make test` installs: %v\n", err)
		return 1
	}
	defer stopShared()
	return m.Run()
}

// server is a running tasker with a database of its own.
type server struct {
	t    *testing.T
	dir  string
	base string
	port string
	cmd  *exec.Cmd
	// actor is who the server acts for; "server" by default.
	actor string
}

// serve starts a server on a scratch database that fill has filled.
func serve(t *testing.T, fill func(*server)) *server {
	t.Helper()
	s := &server{t: t, dir: t.TempDir(), port: "0"}
	fill(s)
	s.start()
	t.Cleanup(s.stop)
	return s
}

// shared is a server for all tests that only read; the first of them starts it.
type shared struct {
	sync.Once
	*server
}

var ofAtlas, ofShop shared

// reading returns a server with the plan of atlas, which the test must not change: others read it at the same time.
func reading(t *testing.T) *server { t.Helper(); return ofAtlas.start(t, "ofatlas", atlas(t)) }

// shopping returns a server with the plan "shop", for alice, which the test must not change.
func shopping(t *testing.T) *server { t.Helper(); return ofShop.start(t, "ofshop", shopped(t)) }

func (of *shared) start(t *testing.T, name string, fill func(*server)) *server {
	t.Helper()
	of.Do(func() {
		s := &server{t: t, dir: filepath.Join(scratch, name), port: "0"}
		if err := os.Mkdir(s.dir, 0o755); err != nil {
			t.Fatal(err)
		}
		fill(s)
		s.start()
		of.server = s
	})
	if of.server == nil {
		t.Fatal("the server that tests share did not start: the first test that asked for it says why")
	}
	s := *of.server
	s.t = t
	return &s
}

func stopShared() {
	for _, of := range []*shared{&ofAtlas, &ofShop} {
		if of.server != nil {
			of.stop()
		}
	}
}

var listening = regexp.MustCompile(`http://127\.0\.0\.1:(\d+)`)

func (s *server) start() {
	s.t.Helper()
	s.cmd = exec.Command(tasker, "serve", "--port", s.port)
	s.cmd.Env, s.cmd.Dir = s.env(cmp.Or(s.actor, "server")), s.dir
	said, err := s.cmd.StdoutPipe()
	if err != nil {
		s.t.Fatal(err)
	}
	s.cmd.Stderr = s.cmd.Stdout
	if err := s.cmd.Start(); err != nil {
		s.t.Fatal(err)
	}
	var text []byte
	for buf := make([]byte, 4096); ; {
		n, err := said.Read(buf)
		text = append(text, buf[:n]...)
		if m := listening.FindSubmatch(text); m != nil {
			s.port = string(m[1])
			s.base = "http://127.0.0.1:" + s.port
			break
		}
		if err != nil {
			s.t.Fatalf("the server did not start: %v\n%s", err, text)
		}
	}
	go func() { _, _ = io.Copy(io.Discard, said) }()
}

func (s *server) stop() {
	if s.cmd.ProcessState == nil {
		_ = s.cmd.Process.Signal(os.Interrupt)
		_ = s.cmd.Wait()
	}
}

// write writes a file into the directory of the server.
func (s *server) write(name, text string) {
	s.t.Helper()
	if err := os.WriteFile(filepath.Join(s.dir, name), []byte(text), 0o644); err != nil {
		s.t.Fatal(err)
	}
}

func (s *server) env(actor string) []string {
	return []string{"PATH=" + os.Getenv("PATH"), "HOME=" + s.dir, "TASKER_DB=" + filepath.Join(s.dir, "tasker.db"), "TASKER_ACTOR=" + actor}
}

// run runs a command in a process of its own, as an actor.
func (s *server) run(actor string, args ...string) string {
	s.t.Helper()
	return s.feed(actor, "", args...)
}

func (s *server) feed(actor, input string, args ...string) string {
	s.t.Helper()
	cmd := exec.Command(tasker, args...)
	cmd.Env, cmd.Dir, cmd.Stdin = s.env(actor), s.dir, strings.NewReader(input)
	var out, problem bytes.Buffer
	cmd.Stdout, cmd.Stderr = &out, &problem
	if err := cmd.Run(); err != nil {
		s.t.Fatalf("tasker %s: %v\n%s", strings.Join(args, " "), err, problem.Bytes())
	}
	return out.String()
}

// tab is a tab of the browser that remembers what went wrong in it.
type tab struct {
	context.Context
	t  *testing.T
	mu sync.Mutex
	// bad lists what a page should not do: errors on the console, exceptions, dialogs.
	bad []string
	// watching names the script that measures shifts.
	watching page.ScriptIdentifier
}

// idle are tabs that tests have given back: opening a new tab costs more than the page in it.
var idle struct {
	sync.Mutex
	tabs []context.Context
}

// open returns a tab until the test ends: one that another test has given back, unless options ask for one of its own.
func open(t *testing.T, options ...chromedp.ContextOption) *tab {
	t.Helper()
	var base context.Context
	idle.Lock()
	if n := len(idle.tabs); n > 0 && len(options) == 0 {
		base, idle.tabs = idle.tabs[n-1], idle.tabs[:n-1]
	}
	idle.Unlock()
	if base == nil {
		base = fresh(t, options)
	}
	ctx, stop := context.WithTimeout(base, 6*time.Minute)
	b := &tab{Context: ctx, t: t}
	t.Cleanup(func() {
		if len(options) == 0 && !t.Failed() && b.reset() == nil {
			idle.Lock()
			idle.tabs = append(idle.tabs, base)
			idle.Unlock()
		}
		stop()
	})
	messages, dialogs := chromedp.Console(ctx), chromedp.Events(ctx, page.JavascriptDialogOpening)
	go func() {
		for m, err := range messages {
			if err != nil {
				return
			}
			if m.Type == "error" || m.Type == chromedp.ConsoleException {
				b.note(string(m.Type) + ": " + m.Text + " " + m.URL)
			}
		}
	}()
	go func() {
		for d, err := range dialogs {
			if err != nil {
				return
			}
			b.note("dialog: " + d.Message)
			_, _ = chromedp.Call(ctx, page.HandleJavaScriptDialog, page.HandleJavaScriptDialogParams{})
		}
	}()
	return b
}

// fresh opens a tab that lasts as long as the browser, or with options as long as the test.
func fresh(t *testing.T, options []chromedp.ContextOption) context.Context {
	t.Helper()
	ctx, cancel := chromedp.NewContext(browser, options...)
	if len(options) > 0 {
		t.Cleanup(cancel)
	}
	if err := chromedp.Do(ctx); err != nil {
		t.Fatal(err)
	}
	// Tests drive tabs in parallel, and each page believes that it has the focus.
	if _, err := chromedp.Call(ctx, emulation.SetFocusEmulationEnabled, emulation.SetFocusEmulationEnabledParams{Enabled: true}); err != nil {
		t.Fatal(err)
	}
	return ctx
}

// reset leaves the page, and undoes what a test can do to a tab.
func (b *tab) reset() error {
	if b.watching != "" {
		if _, err := chromedp.Call(b, page.RemoveScriptToEvaluateOnNewDocument, page.RemoveScriptToEvaluateOnNewDocumentParams{Identifier: b.watching}); err != nil {
			return err
		}
	}
	if _, err := chromedp.Call(b, emulation.SetScriptExecutionDisabled, emulation.SetScriptExecutionDisabledParams{}); err != nil {
		return err
	}
	if _, err := chromedp.Call(b, emulation.SetEmulatedMedia, emulation.SetEmulatedMediaParams{}); err != nil {
		return err
	}
	return chromedp.Do(b, chromedp.MouseEvent(input.DispatchMouseEventTypeMouseMoved, 0, 0), chromedp.EmulateViewport(1360, 900), chromedp.Navigate("about:blank"))
}

func (b *tab) note(what string) {
	b.mu.Lock()
	defer b.mu.Unlock()
	b.bad = append(b.bad, what)
}

// wrong returns what went wrong since the last call.
func (b *tab) wrong() []string {
	b.mu.Lock()
	defer b.mu.Unlock()
	out := b.bad
	b.bad = nil
	return out
}

// do runs actions, which must succeed.
func (b *tab) do(actions ...chromedp.Action[chromedp.Void]) {
	b.t.Helper()
	if err := chromedp.Do(b, actions...); err != nil {
		b.t.Fatalf("in the browser: %v (%v)", err, b.wrong())
	}
}

// visit opens an address and waits for the page to be live.
func (b *tab) visit(address string) {
	b.t.Helper()
	b.do(chromedp.Navigate(address))
	b.until(`document.body?.dataset.live === "live"`)
}

// press types keys.
func (b *tab) press(keys ...string) {
	b.t.Helper()
	for _, k := range keys {
		b.do(chromedp.KeyEvent(k))
	}
}

// js evaluates an expression in the page.
func js[T any](b *tab, expression string) T {
	b.t.Helper()
	out, err := chromedp.Run(b, chromedp.Evaluate[T](expression, chromedp.EvalAwaitPromise))
	if err != nil {
		b.t.Fatalf("in the page: %v (%v)", err, b.wrong())
	}
	return out
}

// until waits for an expression to hold in the page, across navigations.
func (b *tab) until(expression string) {
	b.t.Helper()
	limit, every := time.After(20*time.Second), time.NewTicker(40*time.Millisecond)
	defer every.Stop()
	for {
		// A page that is being left answers with an error.
		ok, err := chromedp.Run(b, chromedp.Evaluate[bool]("Boolean("+expression+")"))
		if ok && err == nil {
			return
		}
		select {
		case <-every.C:
		case <-limit:
			b.t.Fatalf("waiting for %s: %v (%v); the page says:\n%.600s", expression, err, b.wrong(), js[string](b, "document.body?.innerText ?? ''"))
		}
	}
}

// scheme makes the system light or dark, and without motion.
func (b *tab) scheme(name string) {
	b.t.Helper()
	if _, err := chromedp.Call(b, emulation.SetEmulatedMedia, emulation.SetEmulatedMediaParams{Features: []*emulation.MediaFeature{
		{Name: "prefers-color-scheme", Value: name}, {Name: "prefers-reduced-motion", Value: "reduce"},
	}}); err != nil {
		b.t.Fatal(err)
	}
}

// status returns the status of the answer to a plain request.
func status(t *testing.T, method, address string) int {
	t.Helper()
	req, err := http.NewRequestWithContext(t.Context(), method, address, nil)
	if err != nil {
		t.Fatal(err)
	}
	res, err := http.DefaultClient.Do(req)
	if err != nil {
		t.Fatal(err)
	}
	res.Body.Close()
	return res.StatusCode
}
