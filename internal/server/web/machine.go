package web

import (
	"net/http"

	"tasker/internal/op"
)

func (s *site) machine(r *http.Request, p *shown) error {
	p.Title = "Workers"
	in, err := s.projectIn(r)
	if err != nil {
		return err
	}
	p.Body, err = op.Machine.Do(r.Context(), s.Ops, in)
	return err
}
