package web

import (
	"net/http"

	"tasker/internal/fault"
	"tasker/internal/text/words"
)

func (s *site) help(_ *http.Request, p *shown) error {
	p.Title = "Help"
	return nil
}

func (s *site) lost(r *http.Request, _ *shown) error {
	return fault.Missing("there is no page %s", words.Cut(r.URL.Path, 200)).WithHint("search for what it was about, or begin with the projects at /")
}
