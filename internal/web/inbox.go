package web

import (
	"net/http"

	"tasker/internal/op"
)

func (s *site) inbox(r *http.Request, p *shown) (err error) {
	p.Title = "Inbox"
	p.Body, err = answered(s, r, op.Inbox, "actor", "all", "limit")
	return err
}
