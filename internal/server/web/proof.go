package web

import (
	"tasker/internal/op"
	"tasker/internal/views/reading"
)

func (s *site) proof(a *asker, _ *shown) any {
	in := reading.ProofIn{Slug: a.slug(), Only: a.value("only"), Days: a.number("days"), Limit: a.number("limit")}
	return proofBody{ask(a, op.Proof, in), in.Only}
}

// proofBody is closed work, all of it or a part.
type proofBody struct {
	reading.ProofOut
	Only string
}
