package httpapi

import (
	"net/http"
	"strings"
)

// landing tells a person who opens it in a browser what this is. It loads nothing and runs nothing.
const landing = `<!doctype html>
<html lang="en">
<meta charset="utf-8">
<meta name="viewport" content="width=device-width">
<title>tasker</title>
<h1>tasker</h1>
<p>A task graph service for people and agents. This is its HTTP API.</p>
<ul>
<li><a href="/v1/openapi.json">/v1/openapi.json</a>: every route, what it takes and answers
<li><a href="/v1/projects">/v1/projects</a>: the projects
<li><a href="/v1/plan.schema.json">/v1/plan.schema.json</a>: the schema of a plan
<li><a href="/v1/version">/v1/version</a>, <a href="/healthz">/healthz</a>, <a href="/readyz">/readyz</a>
</ul>
<p>On the command line: <code>TASKER_URL=</code><i>this address</i> <code>tasker ready</code></p>
`

var (
	typeHTML = []string{"text/html; charset=utf-8"}
	typeCSS  = []string{"text/css; charset=utf-8"}
)

func page(w http.ResponseWriter, _ *http.Request) error {
	h := w.Header()
	h.Set("Content-Security-Policy", "default-src 'none'; base-uri 'none'; form-action 'none'; frame-ancestors 'none'")
	h.Set("Referrer-Policy", "no-referrer")
	send(w, http.StatusOK, typeHTML, []byte(landing))
	return nil
}

// browses reports whether a person asks with a browser, rather than a program for a route.
func browses(r *http.Request) bool {
	return (r.Method == http.MethodGet || r.Method == http.MethodHead) && strings.Contains(r.Header.Get("Accept"), "text/html") &&
		!strings.HasPrefix(r.URL.Path, "/v1/")
}

// document returns a route that serves a JSON document, built on first use.
func document(write func() ([]byte, error)) HandlerFunc {
	return func(w http.ResponseWriter, _ *http.Request) error {
		doc, err := write()
		if err != nil {
			return err
		}
		send(w, http.StatusOK, typeJSON, doc)
		return nil
	}
}
