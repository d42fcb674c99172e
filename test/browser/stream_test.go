package browser_test

import (
	"context"
	"net/http"
	"net/http/httptest"
	"net/http/httputil"
	"net/url"
	"strings"
	"sync"
	"testing"
)

// relay is between browser and server, counts the open streams, and can cut them.
type relay struct {
	*httptest.Server
	mu    sync.Mutex
	open  int
	peak  int
	asked []*http.Request // every stream that was requested
	cut   chan struct{}
}

func between(t *testing.T, s *server) *relay {
	t.Helper()
	target, err := url.Parse(s.base)
	if err != nil {
		t.Fatal(err)
	}
	r := &relay{cut: make(chan struct{})}
	proxy := &httputil.ReverseProxy{
		FlushInterval: -1,
		Rewrite:       func(p *httputil.ProxyRequest) { p.SetURL(target) },
		ErrorHandler:  func(w http.ResponseWriter, _ *http.Request, _ error) { w.WriteHeader(502) },
	}
	r.Server = httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, req *http.Request) {
		if !strings.HasSuffix(req.URL.Path, "/events/stream") {
			proxy.ServeHTTP(w, req)
			return
		}
		ctx, stop := context.WithCancel(req.Context())
		defer stop()
		cut := r.enter(req)
		defer r.leave()
		go func() {
			select {
			case <-cut:
				stop()
			case <-ctx.Done():
			}
		}()
		proxy.ServeHTTP(w, req.WithContext(ctx))
	}))
	t.Cleanup(func() { r.sever(); r.CloseClientConnections(); r.Close() })
	return r
}

func (r *relay) enter(req *http.Request) chan struct{} {
	r.mu.Lock()
	defer r.mu.Unlock()
	r.open++
	r.peak = max(r.peak, r.open)
	r.asked = append(r.asked, req.Clone(req.Context()))
	return r.cut
}

func (r *relay) leave() {
	r.mu.Lock()
	defer r.mu.Unlock()
	r.open--
}

// sever cuts every open stream.
func (r *relay) sever() {
	r.mu.Lock()
	defer r.mu.Unlock()
	close(r.cut)
	r.cut = make(chan struct{})
}

func (r *relay) now() (open, peak int, asked []*http.Request) {
	r.mu.Lock()
	defer r.mu.Unlock()
	return r.open, r.peak, r.asked
}

func TestTwoTabsShareOneStreamAndItIsTakenUpWhereItWasCut(t *testing.T) {
	t.Parallel()
	s := serve(t, atlas(t))
	r := between(t, s)
	one, two := open(t), open(t)
	one.visit(r.URL + "/p/atlas/machine")
	two.visit(r.URL + "/p/atlas/board")
	holds := func(b *tab, actor string) {
		t.Helper()
		b.until(`document.getElementById("main").innerText.includes("` + actor + `")`)
	}
	s.run("grace/1", "next", "--claim", "-p", "atlas")
	holds(one, "grace/1")
	holds(two, "grace/1")
	if open, peak, _ := r.now(); open != 1 || peak != 1 {
		t.Errorf("two tabs have %d streams open, and had up to %d", open, peak)
	}

	// The streams are cut, and something happens in the meantime: the browser says where it was, and both tabs get the
	// change.
	r.sever()
	one.until(`document.getElementById("live").classList.contains("lost")`)
	s.run("grace/2", "next", "--claim", "-p", "atlas")
	holds(one, "grace/2")
	holds(two, "grace/2")
	one.until(`!document.getElementById("live").classList.contains("lost")`)
	_, _, asked := r.now()
	last := asked[len(asked)-1]
	if len(asked) < 2 || last.Header.Get("Last-Event-ID") == "" {
		t.Errorf("%d streams were asked for, the last with Last-Event-ID %q", len(asked), last.Header.Get("Last-Event-ID"))
	}
}

func TestAMarkedLineKeepsItsMarkWhenItMoves(t *testing.T) {
	t.Parallel()
	s := serve(t, atlas(t))
	b := open(t)
	b.visit(s.base + "/p/atlas/board")
	// j and k select the next task to be handed out; then somebody claims it, and it moves to another column.
	next := s.next()
	b.until(`document.querySelector('[data-key=ready] [data-key="` + next + `"]')`)
	js[bool](
		b,
		`(() => { const all = [...document.querySelectorAll("main [data-nav]")].filter((n) => n.getClientRects().length); window.steps = `+
			`all.findIndex((n) => n.dataset.key === "`+next+`") + 1; return true; })()`,
	)
	for range js[int](b, `window.steps`) {
		b.press("j")
	}
	if at := js[string](b, `document.querySelector(".here").dataset.key`); at != next {
		t.Fatalf("the mark is at %s", at)
	}
	s.run("grace/7", "claim", next)
	b.until(`document.querySelector('[data-key=in_progress] [data-key="` + next + `"]')`)
	b.until(
		`document.querySelector(".here")?.dataset.key === "` + next + `" && document.activeElement?.closest("[data-key]")?.dataset.key === "` + next + `"`,
	)
}
