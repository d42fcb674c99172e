package httpapi

import (
	"net/http"
	"strings"
)

var (
	typeHTML = []string{"text/html; charset=utf-8"}
	typeCSS  = []string{"text/css; charset=utf-8"}
)

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
