package web

import (
	"bytes"
	"embed"
	"html/template"
	"io"
	"net/http"
	"sync"

	"tasker/internal/core"
	"tasker/internal/fault"
	"tasker/internal/op"
	"tasker/internal/op/wire"
	"tasker/internal/views/reading"
)

//go:embed templates
var templates embed.FS

// policy lets a page run and show only what this server sent as separate files.
const policy = "default-src 'none'; style-src 'self'; script-src 'self'; img-src 'self' data:; connect-src 'self'; " +
	"form-action 'self'; base-uri 'none'; frame-ancestors 'none'"

// pageTemplate is the template of a page.
type pageTemplate struct{ *template.Template }

// parse returns the template of each page: the base with the page's own main part. A template is read when its page is
// first shown, because all of them together cost more than the rest of a server's start.
func (s *site) parse() map[string]func() *pageTemplate {
	base := sync.OnceValue(func() *template.Template {
		return template.Must(template.New("base.html").Funcs(s.funcs()).ParseFS(templates, "templates/base.html", "templates/parts.html"))
	})
	out := map[string]func() *pageTemplate{}
	entries, err := templates.ReadDir("templates")
	if err != nil {
		panic(err) // the templates are embedded
	}
	for _, e := range entries {
		name := e.Name()
		if name == "base.html" || name == "parts.html" {
			continue
		}
		out[name[:len(name)-len(".html")]] = sync.OnceValue(func() *pageTemplate {
			return &pageTemplate{template.Must(template.Must(base().Clone()).ParseFS(templates, "templates/"+name))}
		})
	}
	return out
}

// shown is the data of a template.
type shown struct {
	Title   string
	Page    string // the template's name
	Project *reading.ProjectOut
	Event   int64 // the newest event when the page was made
	Turn    int64 // in how many milliseconds the page changes without an event; 0 if it does not
	URL     string
	Query   map[string][]string
	Who     string
	Session bool // the reader has a session, and can sign out
	Version string
	Linked  bool     // the project is linked to another system
	Past    *pastBar // nil if the page cannot show the past
	Body    any
}

// reader returns the data of a page's template. What it asks for and does not get is the asker's error.
type reader func(a *asker, p *shown) (body any)

// page returns the route of a page. A refusal is a page too, with its status.
func (s *site) page(name, title string, read reader) Handler {
	return func(w http.ResponseWriter, r *http.Request) error {
		caller := core.CallerOf(r.Context())
		p := &shown{
			Page: name, Title: title, URL: r.URL.RequestURI(), Query: r.URL.Query(), Version: s.Version,
			Who: caller.Actor.Full(), Session: caller.Via.Session != "",
		}
		a := &asker{s: s, r: r}
		// Read before the page: an event in between is then announced twice rather than never.
		if p.Event = ask(a, op.Newest, core.None{}); a.err != nil {
			return a.err
		}
		if slug := r.PathValue("slug"); slug != "" {
			p.Project = ask(a, op.Project, core.ProjectIn{Slug: slug})
		}
		if a.err == nil {
			p.Body = read(a, p)
		}
		if p.Project != nil {
			p.Linked = ask(a, op.SyncLinked, core.ProjectIn{Slug: p.Project.Slug})
			if r.URL.Query().Get("at") == "" {
				p.Turn = ask(a, op.Turn, core.ProjectIn{Slug: p.Project.Slug})
			}
		}
		status := http.StatusOK
		if a.err != nil {
			e := fault.Of(a.err)
			if e.Kind == fault.Internal {
				return a.err
			}
			status = e.Kind.Status()
			p.Page, p.Title, p.Body = "refused", http.StatusText(status), e
		}
		return s.write(w, r, status, p)
	}
}

func (s *site) write(w http.ResponseWriter, r *http.Request, status int, p *shown) error {
	buf := made{reserve: func(int64) error { return nil }}
	if counter, ok := w.(interface{ Reserve(bytes int64) error }); ok {
		buf.reserve = counter.Reserve
	}
	if err := s.fill(r, &buf, p.Page, "base.html", p); err != nil {
		return err
	}
	h := w.Header()
	h.Set("Content-Type", "text/html; charset=utf-8")
	guard(h)
	return sendMade(w, r, status, buf.Bytes())
}

// fill writes a page's template; nothing else does. Pictures have many elements, so only a few are written at once, which
// leaves half of the processors to others.
func (s *site) fill(r *http.Request, to io.Writer, page, name string, body any) error {
	if page == "graph" {
		select {
		case s.large <- struct{}{}:
			defer func() { <-s.large }()
		case <-r.Context().Done():
			return fault.Unready("the request ended before its page was written").WithCause(r.Context().Err())
		}
	}
	return s.pages[page]().ExecuteTemplate(to, name, body)
}

// made is a page being written. Its memory is counted as it grows, because a page may be several times the size of its
// data.
type made struct {
	bytes.Buffer
	reserve func(bytes int64) error
	has     int
}

// Write writes a part of the page, or fails if there is no memory for it.
func (m *made) Write(p []byte) (int, error) {
	const piece = 128 << 10
	for m.Len()+len(p) > m.has {
		if err := m.reserve(piece); err != nil {
			return 0, err
		}
		m.has += piece
	}
	return m.Buffer.Write(p)
}

// sendMade sends an answer that was made for this request, inert, and compressed if that is worthwhile. It first reserves
// memory for the answer, if w counts it.
func sendMade(w http.ResponseWriter, r *http.Request, status int, body []byte) error {
	body = inert(body)
	if counter, ok := w.(interface{ Reserve(bytes int64) error }); ok {
		if err := counter.Reserve(int64(len(body))); err != nil {
			return err
		}
	}
	how := wire.None
	if wire.WorthPacking(len(body), r.RemoteAddr) {
		how = wire.Accepted(r.Header.Get("Accept-Encoding"))
	}
	send(w, r, status, how, wire.Pack(how, body))
	return nil
}

// guard sets the headers that isolate a page from other sites.
func guard(h http.Header) {
	h.Set("Content-Security-Policy", policy)
	h.Set("Referrer-Policy", "no-referrer")
	h.Set("Cross-Origin-Opener-Policy", "same-origin")
	h.Set("X-Frame-Options", "DENY")
}
