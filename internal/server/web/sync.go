package web

import (
	"net/http"

	"tasker/internal/core"
	"tasker/internal/links"
	"tasker/internal/op"
)

// syncBody is the health of a project's links, and who owns what.
type syncBody struct {
	links.SyncOut
	Ownership links.OwnershipOut
}

func (s *site) sync(r *http.Request, p *shown) error {
	p.Title = "Sync"
	in := core.ProjectIn{Slug: r.PathValue("slug")}
	a := s.asker(r)
	p.Body = syncBody{SyncOut: ask(a, op.Sync, in), Ownership: ask(a, op.Ownership, in)}
	return a.err
}
