package web

import (
	"net/http"

	"tasker/internal/op"
	"tasker/internal/reading"
)

func (s *site) proof(r *http.Request, p *shown) error {
	p.Title = "Proof"
	in := reading.ProofIn{Slug: r.PathValue("slug"), Only: r.URL.Query().Get("only")}
	var err error
	if in.Days, err = number(r.URL.Query(), "days"); err != nil {
		return err
	}
	if in.Limit, err = number(r.URL.Query(), "limit"); err != nil {
		return err
	}
	out, err := op.Proof.Do(r.Context(), s.Ops, in)
	p.Body = proofBody{out, in.Only}
	return err
}

// proofBody is closed work, all of it or some.
type proofBody struct {
	reading.ProofOut
	Only string
}
