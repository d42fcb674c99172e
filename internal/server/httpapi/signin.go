package httpapi

import (
	"bytes"
	_ "embed"
	"html/template"
	"net/http"
	"strings"
	"sync"
	"time"

	"tasker/internal/fault"
)

// cookieName is the cookie that holds the session of the web view.
const cookieName = "tasker_session"

//go:embed signin.html
var signInText string

//go:embed signin.css
var signInStyles []byte

var signInPage = sync.OnceValue(func() *template.Template { return template.Must(template.New("signin").Parse(signInText)) })

// signInData is the data of the sign-in page.
type signInData struct {
	Actor   string // who is signed in; "" for nobody
	Problem string
	Next    string // where to continue
	Bounce  bool   // continue there at once
}

// signIn serves the only page that accepts a POST, in session mode only: it takes a session's credential and sets a cookie.
// The door has checked that the form is our own.
func (s *Server) signIn(rw http.ResponseWriter, r *http.Request) error {
	w := rw.(*recorder)
	if !s.closed() {
		return noRoute(r)
	}
	if r.Method != http.MethodPost {
		data := signInData{Next: local(r.URL.Query().Get("next"))}
		if credential, how := presented(r); how != noCredential {
			if in, err := s.enter(w, r, credential); err == nil {
				data.Actor = in.Caller.Actor.Full()
			}
		}
		return s.showSignIn(w, http.StatusOK, data)
	}
	r.Body = http.MaxBytesReader(w, r.Body, 64<<10)
	if err := r.ParseForm(); err != nil {
		return fault.Bad("the form cannot be read").WithHint("sign in at %s with a browser", signInPath).WithCause(err)
	}
	next := local(r.PostForm.Get("next"))
	if r.PostForm.Has("out") {
		return s.signOut(w, r)
	}
	in, err := s.enter(w, r, strings.TrimSpace(r.PostForm.Get("session")))
	switch {
	case fault.Is(err, fault.Unauthorized):
		e := fault.Of(err)
		return s.showSignIn(w, http.StatusUnauthorized, signInData{Problem: e.Message + "; " + e.Hint, Next: next})
	case err != nil:
		return err
	}
	http.SetCookie(w, cookie(r, in.credential, in.ExpiresAt))
	return redirect(w, next)
}

// signOut ends the session on the server, so that a copy of the cookie is worthless, and deletes the cookie. If the session
// cannot be ended now, the browser stays signed in.
func (s *Server) signOut(w *recorder, r *http.Request) error {
	if credential, how := presented(r); how != noCredential {
		in, err := s.enter(w, r, credential)
		if err == nil {
			err = s.opts.Sessions.Leave(r.Context(), credential, in.Entry)
		}
		if err != nil && !fault.Is(err, fault.Unauthorized) {
			return err
		}
	}
	http.SetCookie(w, cookie(r, "", time.Unix(1, 0)))
	return redirect(w, signInPath)
}

// signInStyle serves the page's style sheet, a separate file because none of our pages has inline styles.
func (s *Server) signInStyle(rw http.ResponseWriter, r *http.Request) error {
	if !s.closed() {
		return noRoute(r)
	}
	send(rw.(*recorder), http.StatusOK, typeCSS, signInStyles)
	return nil
}

// redirect sends a browser to one of our own paths.
func redirect(w http.ResponseWriter, path string) error {
	w.Header().Set("Location", path)
	w.WriteHeader(http.StatusSeeOther)
	return nil
}

// cookie returns a cookie with a credential, out of reach of scripts and other sites, and valid no longer than the
// credential.
func cookie(r *http.Request, credential string, until time.Time) *http.Cookie {
	return &http.Cookie{ //nolint:gosec // Secure is set under TLS; loopback has none
		Name: cookieName, Value: credential, Path: "/", Expires: until,
		HttpOnly: true, SameSite: http.SameSiteStrictMode,
		// A proxy that terminates TLS says so. Lying about it only keeps the cookie off plain connections.
		Secure: r.TLS != nil || strings.EqualFold(r.Header.Get("X-Forwarded-Proto"), "https"),
	}
}

// local returns path if it is on this server, or else the first page.
func local(path string) string {
	if !strings.HasPrefix(path, "/") || strings.HasPrefix(path, "//") || strings.ContainsAny(path, "\\\r\n\t") || len(path) > 2000 {
		return "/"
	}
	return path
}

func (s *Server) showSignIn(w http.ResponseWriter, status int, data signInData) error {
	var b bytes.Buffer
	if err := signInPage().Execute(&b, data); err != nil {
		return err
	}
	h := w.Header()
	h.Set("Content-Security-Policy", "default-src 'none'; style-src 'self'; base-uri 'none'; form-action 'self'; frame-ancestors 'none'")
	h.Set("Referrer-Policy", "same-origin") // without a referrer, a browser sends the origin of the form as null
	if status == http.StatusUnauthorized {
		h["Www-Authenticate"] = askBearer
	}
	send(w, status, typeHTML, b.Bytes())
	return nil
}

// refuse answers a request that was not let in: a person who opens a page in a browser gets the sign-in page.
func (s *Server) refuse(w *recorder, r *http.Request, err error) {
	if !s.closed() || !fault.Is(err, fault.Unauthorized) || !opensPage(r) {
		s.fail(w, r, err)
		return
	}
	data := signInData{Next: local(r.URL.RequestURI())}
	_, how := presented(r)
	switch site := r.Header.Get("Sec-Fetch-Site"); {
	case how != noCredential:
		data.Problem = fault.Of(err).Message
	case site == "cross-site" || site == "same-site":
		// A browser does not send a strict cookie when it follows a link from another site, but does from here.
		data.Bounce = true
	}
	if err := s.showSignIn(w, http.StatusUnauthorized, data); err != nil {
		s.fail(w, r, err)
	}
}

// opensPage reports whether a person is opening a page in a browser.
func opensPage(r *http.Request) bool {
	if r.Method != http.MethodGet && r.Method != http.MethodHead || r.URL.Path == "/v1" || strings.HasPrefix(r.URL.Path, "/v1/") {
		return false
	}
	return strings.Contains(r.Header.Get("Accept"), "text/html")
}
