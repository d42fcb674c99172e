package web

import (
	"net/http"

	"tasker/internal/op"
	"tasker/internal/reading"
)

func (s *site) proof(r *http.Request, p *shown) error {
	p.Title = "Proof"
	a := s.asker(r)
	in := reading.ProofIn{Slug: r.PathValue("slug"), Only: r.URL.Query().Get("only"), Days: a.number("days"), Limit: a.number("limit")}
	p.Body = proofBody{ask(a, op.Proof, in), in.Only}
	return a.err
}

// proofBody is closed work, all of it or a part.
type proofBody struct {
	reading.ProofOut
	Only string
}
