package web

import (
	"net/http"

	"tasker/internal/core/people"
	"tasker/internal/core/reading"
	"tasker/internal/op"
	"tasker/internal/task"
)

// overviewBody is the situation of a project, and the head of what its other pages tell.
type overviewBody struct {
	people.ProjectOverviewOut
	Board  reading.BoardOut
	Events []task.Event
}

func (s *site) overview(r *http.Request, p *shown) error {
	p.Title = "Overview"
	slug := r.PathValue("slug")
	body := overviewBody{}
	var err error
	few, ten := 6, 10 // each part has a page of its own
	if body.ProjectOverviewOut, err = op.ProjectOverview.Do(r.Context(), s.Ops, reading.ProjectIn{Slug: slug, Limit: &few}); err != nil {
		return err
	}
	if body.Board, err = op.Board.Do(r.Context(), s.Ops, reading.ProjectIn{Slug: slug, Limit: &few}); err != nil {
		return err
	}
	if body.Events, err = op.Events.Do(r.Context(), s.Ops, reading.EventsIn{Project: slug, Limit: &ten}); err != nil {
		return err
	}
	p.Body = body
	return nil
}
