package faults

import (
	"io"
	"net/http"
	"net/url"
	"os"
	"path/filepath"
	"strings"
	"testing"
)

// closed makes the world's servers require sessions.
func (w *world) closed() {
	w.Helper()
	text := strings.Replace(settings, `"version": 1,`, `"version": 1, "auth": {"mode": "session"},`, 1)
	w.must(os.WriteFile(filepath.Join(w.dir, ".tasker.json"), []byte(text), 0o600))
}

// browse sends what a browser would send with a cookie, and returns the status and the cookie that is set.
func (s *server) browse(cookie, path string, form url.Values) (status int, set *http.Cookie) {
	s.w.Helper()
	method, content := http.MethodGet, io.Reader(nil)
	if form != nil {
		method, content = http.MethodPost, strings.NewReader(form.Encode())
	}
	req, err := http.NewRequest(method, s.url+path, content)
	s.w.must(err)
	req.Header.Set("Content-Type", "application/x-www-form-urlencoded")
	req.Header.Set("Sec-Fetch-Site", "same-origin")
	if cookie != "" {
		req.Header.Set("Cookie", "tasker_session="+cookie)
	}
	resp, err := s.client.Transport.RoundTrip(req)
	s.w.must(err)
	defer resp.Body.Close()
	_, _ = io.Copy(io.Discard, resp.Body)
	for _, c := range resp.Cookies() {
		set = c
	}
	return resp.StatusCode, set
}

// Signing out ends the session: every server of the database refuses a copy of the cookie, even after a restart. A
// read-only session can be ended too.
func TestSigningOutEndsTheSessionEverywhere(t *testing.T) {
	t.Parallel()
	for name, flags := range map[string][]string{"plain": nil, "read-only": {"--read-only"}} {
		t.Run(name, func(t *testing.T) {
			each(t, func(w *world) {
				w.apply(plain(1))
				w.closed()
				var made struct {
					Token string `json:"token"`
				}
				w.must(reply{body: w.tasker("ann", append([]string{"session", "create", "--actor", "ann", "--json"}, flags...)...)}.into(&made))
				here, there := w.serve("bot"), w.serve("bot")
				_, cookie := here.browse("", "/signin", url.Values{"session": {made.Token}})
				if cookie == nil {
					w.Fatal("signing in sets no cookie")
				}
				for _, s := range []*server{here, there} {
					if status, _ := s.browse(cookie.Value, "/v1/whoami", nil); status != 200 {
						w.Fatalf("signed in, a request is answered with %d", status)
					}
				}
				if status, gone := here.browse(cookie.Value, "/signin", url.Values{"out": {"yes"}}); status != 303 || gone == nil || gone.Value != "" {
					w.Errorf("signing out is answered with %d and %v", status, gone)
				}
				there.stop()
				for name, s := range map[string]*server{"the same": here, "another": w.serve("bot")} {
					if status, _ := s.browse(cookie.Value, "/v1/whoami", nil); status != 401 {
						w.Errorf("signed out, %s server answers the cookie with %d", name, status)
					}
				}
				revoked := string(w.tasker("ann", "events", "--kind", "session.revoked", "--json"))
				if strings.Count(revoked, "session.revoked") != 1 || !strings.Contains(revoked, `"ann"`) {
					w.Errorf("the log says %s", revoked)
				}
			})
		})
	}
}
