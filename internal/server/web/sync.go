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
	links, err := op.Sync.Do(r.Context(), s.Ops, in)
	if err != nil {
		return err
	}
	body := syncBody{SyncOut: links}
	if body.Ownership, err = op.Ownership.Do(r.Context(), s.Ops, in); err != nil {
		return err
	}
	p.Body = body
	return nil
}
