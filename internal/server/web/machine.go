package web

import (
	"net/http"

	"tasker/internal/op"
)

func (s *site) machine(r *http.Request, p *shown) error {
	p.Title = "Workers"
	a := s.asker(r)
	p.Body = ask(a, op.Machine, a.project())
	return a.err
}
