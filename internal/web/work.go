package web

import (
	"net/http"

	"tasker/internal/op"
)

func (s *site) work(r *http.Request, p *shown) error {
	p.Title = "Work"
	in, err := s.projectIn(r)
	if err != nil {
		return err
	}
	p.Body, err = op.Work.Do(r.Context(), s.Ops, in)
	return err
}
