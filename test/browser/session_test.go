package browser_test

import (
	"encoding/json"
	"os"
	"path/filepath"
	"testing"

	"github.com/chromedp/cdproto/network"
	"github.com/chromedp/chromedp"
	"github.com/chromedp/chromedp/kb"
)

// cookies returns the names of the cookies that the browser would send to a page.
func (b *tab) cookies(address string) (names []string) {
	b.t.Helper()
	got, err := chromedp.Call(b, network.GetCookies, network.GetCookiesParams{URLs: []string{address}})
	if err != nil {
		b.t.Fatal(err)
	}
	for _, c := range got.Cookies {
		names = append(names, c.Name)
	}
	return names
}

func TestInSessionModePeopleSignInAndPagesWork(t *testing.T) {
	t.Parallel()
	s := serve(t, func(s *server) {
		if err := os.WriteFile(filepath.Join(s.dir, ".tasker.json"), []byte(`{"version": 1, "project": "atlas", "auth": {"mode": "session"}, "actors": `+
			`[{"name": "ada", "kind": "human"}]}`), 0o644); err != nil {
			t.Fatal(err)
		}
		atlas(t)(s)
	})
	var made struct {
		Token string `json:"token"`
	}
	if err := json.Unmarshal([]byte(s.run("ada", "session", "create", "--actor", "ada", "--json")), &made); err != nil {
		t.Fatal(err)
	}
	b := open(t, chromedp.WithNewBrowserContext()) // cookies belong to a host, whatever the port
	source := axe(t)
	b.scheme("light")
	b.do(chromedp.Navigate(s.base + "/p/atlas/board?limit=7"))
	b.until(`document.getElementById("session")`)
	for _, v := range b.violations(source, `{resultTypes: ["violations"]}`) {
		t.Errorf("the sign-in page: %s", v)
	}
	if got := js[string](b, `getComputedStyle(document.querySelector("main")).borderRadius`); got == "0px" {
		t.Error("the sign-in page has no styles")
	}
	b.wrong() // that the page was refused is on the console
	b.do(chromedp.SendKeys("#session", "tsk_wrong"+kb.Enter))
	b.until(`document.querySelector("[role=alert]")`)
	b.wrong()
	b.do(chromedp.SendKeys("#session", made.Token+kb.Enter))
	b.until(`location.pathname === "/p/atlas/board" && location.search === "?limit=7" && document.body.dataset.live === "live"`)
	if got := b.cookies(s.base + "/"); len(got) != 1 || js[string](b, `document.cookie`) != "" {
		t.Errorf("the cookies are %v, and scripts see %q", got, js[string](b, `document.cookie`))
	}
	for name, path := range pages {
		if who := js[string](b, `fetch("`+path+`").then((r) => r.text()).then((text) => `+
			`new DOMParser().parseFromString(text, "text/html").querySelector(".who")?.textContent ?? "")`); who != "ada" {
			t.Errorf("%s names %q as signed in", name, who)
		}
	}
	for _, name := range []string{"estate", "graph", "task"} {
		b.visit(s.base + pages[name])
		for _, w := range b.wrong() {
			t.Errorf("%s: %s", name, w)
		}
	}
	s.run("grace/7", "next", "--claim", "-p", "atlas")
	b.visit(s.base + "/p/atlas/machine")
	b.until(`document.getElementById("main").innerText.includes("grace/7")`)

	for name, path := range pages {
		if got := js[int](b, `fetch("`+path+`", {method: "POST"}).then((r) => r.status)`); got != 405 {
			t.Errorf("a POST to %s is answered with %d", name, got)
		}
	}

	b.do(chromedp.Navigate(s.base + "/signin"))
	b.until(`document.querySelector("button[name=out]")`)
	b.do(chromedp.Click("button[name=out]"))
	b.until(`document.getElementById("session")`)
	if got := b.cookies(s.base + "/"); len(got) != 0 {
		t.Errorf("after signing out the cookies are %v", got)
	}
}
