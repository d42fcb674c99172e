package web

import (
	"net/http"

	"tasker/internal/fault"
)

func (s *site) help(_ *http.Request, p *shown) error {
	p.Title = "Help"
	return nil
}

func (s *site) lost(r *http.Request, _ *shown) error {
	return fault.Missing("there is no page %s", r.URL.Path).WithHint("the projects are at /")
}
