package web

import (
	"net/http"

	"tasker/internal/op"
)

func (s *site) bottlenecks(r *http.Request, p *shown) error {
	p.Title = "Bottlenecks"
	in, err := s.projectIn(r)
	if err != nil {
		return err
	}
	p.Body, err = op.Bottlenecks.Do(r.Context(), s.Ops, in)
	return err
}
