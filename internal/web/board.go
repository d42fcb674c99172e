package web

import (
	"net/http"

	"tasker/internal/core/reading"
	"tasker/internal/op"
)

// boardBody is a project by state.
type boardBody struct {
	reading.LanesOut
	Total int
}

func (s *site) board(r *http.Request, p *shown) error {
	p.Title = "Board"
	in, err := s.projectIn(r)
	if err != nil {
		return err
	}
	then, err := at(r)
	if err != nil {
		return err
	}
	out, err := op.Lanes.Do(r.Context(), s.Ops, reading.BoardIn{Slug: in.Slug, Limit: in.Limit, At: then})
	if err != nil {
		return err
	}
	if err := s.history(r, p, out.At); err != nil {
		return err
	}
	body := boardBody{LanesOut: out}
	for _, l := range out.Lanes {
		body.Total += l.Total
	}
	p.Body = body
	return nil
}

// laneQuery returns how the list of tasks is asked for all of a lane.
func laneQuery(name string) string {
	switch name {
	case "in_progress", "cancelled", "done", "in_review":
		return "status=" + name
	}
	return "state=" + name
}

// laneEmpty says what it means that a lane has no task.
func laneEmpty(name string) string {
	switch name {
	case "ready":
		return "Nothing can be taken now."
	case "waiting":
		return "Nothing waits."
	case "in_progress":
		return "Nobody is at work."
	case "in_review":
		return "Nothing is to be judged."
	}
	return "None yet."
}
