package web

import (
	"net/http"

	"tasker/internal/core"
	"tasker/internal/op"
)

// conflicts shows what the systems disagree about, and how to resolve each conflict.
func (s *site) conflicts(r *http.Request, p *shown) error {
	p.Title = "Conflicts"
	out, err := op.Conflicts.Do(r.Context(), s.Ops, core.ProjectIn{Slug: r.PathValue("slug")})
	p.Body = out
	return err
}
