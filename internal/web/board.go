package web

import (
	"net/http"

	"tasker/internal/op"
)

func (s *site) board(r *http.Request, p *shown) error {
	p.Title = "Board"
	in, err := s.projectIn(r)
	if err != nil {
		return err
	}
	p.Body, err = op.Board.Do(r.Context(), s.Ops, in)
	return err
}
